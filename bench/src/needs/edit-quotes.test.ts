import { describe, expect, test } from "vitest";
import { type EditQuote, editQuotes } from "./files.ts";

const text = (quoted: string): EditQuote => ({ kind: "text", text: quoted });
const quotesOf = (args: unknown) => editQuotes({ argumentsJson: JSON.stringify(args) });

const PATCH = [
  "*** Begin Patch",
  "*** Update File: a.ts",
  "@@ function a",
  " before",
  "-old",
  "+new",
  " after",
  "@@",
  "-second",
  "+third",
  "*** Add File: b.ts",
  "+all new",
  "*** End Patch",
].join("\n");

const DIFF = [
  "--- a/a.ts",
  "+++ b/a.ts",
  "@@ -1,3 +1,3 @@",
  " one",
  "--- two",
  "+two",
  "",
  " three",
  "--- a/b.ts",
  "+++ b/b.ts",
].join("\n");

describe("editQuotes", () => {
  test.each<[string, unknown, readonly EditQuote[]]>([
    ["an old text beside a new one", { file_path: "a", old_string: "x\ny", new_string: "z" }, [text("x\ny")]],
    ["an old text whose new one is empty", { old_str: "x", new_str: "" }, [text("x")]],
    [
      "each of several edits, in order",
      {
        edits: [
          { oldText: "a", newText: "b" },
          { oldText: "c", newText: "d" },
        ],
      },
      [text("a"), text("c")],
    ],
    ["an old text beside a new one of another name", { old_string: "x", new_str: "z" }, [text("x")]],
    ["what an edit searches for", { search: "x", replace: "" }, [text("x")]],
    [
      "the first halves of marked blocks",
      { diff: "<<<<<<< SEARCH\na\nb\n=======\nc\n>>>>>>> REPLACE\n------- SEARCH\nd\n=======\n+++++++ REPLACE" },
      [text("a\nb"), text("d")],
    ],
    ["nothing of a search", { old_string: "x" }, []],
    ["nothing of a whole file that is written", { path: "a", content: "x" }, []],
    ["a hunk's context and removed lines", { input: PATCH }, [text("before\nold\nafter"), text("second")]],
    [
      "a patch within a command",
      { command: ["sh", "-c", `apply <<'EOF'\n${PATCH}\nEOF`] },
      [text("before\nold\nafter"), text("second")],
    ],
    ["a unified diff, with a removed line that looks like a head", { patch: DIFF }, [text("one\n-- two\n\nthree")]],
    [
      "a range of lines beside its new text",
      { path: "a", start_line: 2, end_line: 4, new_text: "x" },
      [{ kind: "range", path: "a", first: 2, last: 4 }],
    ],
    ["nothing of a range that is read", { path: "a", start_line: 2, end_line: 4 }, []],
    ["nothing of an e-mail address list", { text: "@@ not a patch" }, []],
  ])("%s", (_, args, expected) => {
    expect(quotesOf(args)).toEqual(expected);
  });

  test("a patch that is no JSON is read as it stands", () => {
    expect(editQuotes({ argumentsJson: PATCH })).toEqual([text("before\nold\nafter"), text("second")]);
  });
});
