import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message, ToolCallPart } from "../message/message.ts";
import { arbitraryMessageSoup } from "../testing/arbitrary-transcript.ts";
import { assistant, human, humanImage, reply, result, summaryMessage } from "../testing/builders.ts";
import type { PathAccess } from "../tool.ts";
import { type LogText, logTextChars, logTexts, toldByCall } from "./units.ts";

const READ_A: PathAccess = { path: "src/a.ts", access: "read" };
const READ_B: PathAccess = { path: "src/b.ts", access: "read" };
const MODIFY_A: PathAccess = { path: "src/a.ts", access: "modify" };

function call(callId: string, given: unknown, paths: readonly PathAccess[] = []): ToolCallPart {
  return { type: "tool-call", callId, toolName: "tool", argumentsJson: JSON.stringify(given), paths };
}

/** The texts of only a call, as `kind path text`. */
function ofCall(part: ToolCallPart): readonly string[] {
  return logTexts(assistant("m", [part])).map(({ kind, path, text }) => `${kind} ${path} ${text}`);
}

describe("texts of a message", () => {
  test.each<[string, Message]>([
    ["a summary that stands as the model's", { ...reply("m", "All is well."), origin: "summary" }],
    ["a summary that stands as a person's", summaryMessage("m", "All is well.")],
    ["an empty text", human("m", "")],
    ["an image", humanImage("m")],
  ])("%s has none", (_, message) => {
    expect(logTexts(message)).toEqual([]);
  });

  test("what the model said says who said it, and where it is found again", () => {
    const message = assistant("m", [
      { type: "text", text: "First this." },
      { type: "text", text: "Then that." },
    ]);
    expect(logTexts(message)).toEqual([
      { kind: "said", source: "assistant", path: null, call: null, text: "First this.", handle: "m" },
      { kind: "said", source: "assistant", path: null, call: null, text: "Then that.", handle: "m#1" },
    ]);
  });
});

describe("texts of a result", () => {
  const calls = [call("c1", {}, [READ_A]), call("c2", {}, [READ_B])];

  test.each<[string, readonly ToolCallPart[], string]>([
    ["of several calls it answers its own", calls, "read src/b.ts"],
    ["without its call it is an output of no file", [call("c1", {}, [READ_A])], "output null"],
    ["of a call that changes a file it is no reading", [call("c2", {}, [MODIFY_A])], "output src/a.ts"],
    ["of a call that reads two files it is of none", [call("c2", {}, [READ_A, READ_B])], "output null"],
  ])("%s", (_, openCalls, expected) => {
    const message = result("m", "c2", "text");
    const told: readonly LogText[] = logTexts(message).map((text) => {
      const { kind, path } = toldByCall(message, openCalls);
      return { ...text, kind: kind ?? text.kind, path: path ?? text.path };
    });
    expect(told.map(({ kind, path }) => `${kind} ${path}`)).toEqual([expected]);
  });
});

describe("a result says nothing beyond its call", () => {
  const EDIT = { path: "src/a.ts", old: "return findUser(id)", new: "return loadUser(id)" };
  const TASKS = { todos: [{ content: "Fix type errors in a_b", status: "pending" }] };
  const isEchoed = (text: string, { part = call("c", EDIT, [MODIFY_A]), isError = false } = {}) =>
    toldByCall({ ...result("r", "c", text), isError }, [part]).isEchoed;

  test.each([
    ["that a file was updated", "The file src/a.ts has been updated successfully."],
    ["what was replaced by what", "src/a.ts: 'return findUser(id)' was replaced by 'return loadUser(id)'"],
    ["how many characters were written", "Wrote 1999 bytes to src/a.ts"],
    ["what it wrote, behind numbers", "Created src/a.ts:\n 1\treturn loadUser(id)"],
    ["it in JSON", '{"output":"Success.\\nM src/a.ts\\n","metadata":{"exit_code":0}}'],
    ["it between marks", "<result><path>src/a.ts</path></result>"],
    ["nothing", ""],
    ["400 characters", ".".repeat(400)],
  ])("that changed a file if it says %s", (_, text) => {
    expect(isEchoed(text)).toBe(true);
  });

  test.each([
    ["names another file", "Updated src/a.ts; src/b.ts names it, too"],
    ["has the only mention of a whole path", "Updated /home/me/w/src/a.ts"],
    ["shows lines around a change", "Updated src/a.ts:\n 7\tconst cachedUsers = 1;"],
    ["tells of an error", "Edit applied.\nERROR [3:7] cannot find name 'id'"],
    ["is long", ".".repeat(401)],
  ])("but not one that %s", (_, text) => {
    expect(isEchoed(text)).toBe(false);
  });

  test("of a call with very many strings it is not looked for: the work stays in proportion to the text", () => {
    const many = (count: number) =>
      call("c", { path: "src/a.ts", lines: Array.from({ length: count }, (_, at) => `line ${at}`) }, [MODIFY_A]);
    expect([100, 1_000].map((count) => isEchoed("Wrote src/a.ts", { part: many(count) }))).toEqual([true, false]);
  });

  test("a failed one neither, if it names nothing more: the record of errors says so", () => {
    expect(isEchoed("Could not find the text in src/a.ts", { isError: true })).toBe(true);
    expect(isEchoed("Found it in userCache and in userStore", { isError: true })).toBe(false);
  });

  test("of a call that only reads, reads and changes, or runs, any says something", () => {
    const parts = [call("c", EDIT, [READ_A]), call("c", EDIT, [MODIFY_A, READ_B]), call("c", EDIT)];
    expect(parts.map((part) => isEchoed("ok", { part }))).toEqual([false, false, false]);
  });

  test("of a list of tasks it may say the list again", () => {
    const part = call("c", TASKS);
    expect(isEchoed("Todos have been modified.", { part })).toBe(true);
    expect(isEchoed(JSON.stringify(TASKS.todos, null, 2), { part })).toBe(true);
    expect(isEchoed("Todos have been modified; see a_c", { part })).toBe(false);
  });
});

describe("texts of a call", () => {
  test.each<[string, ToolCallPart, readonly string[]]>([
    ["what it writes into a file", call("c", { text: "one" }, [MODIFY_A]), ["written src/a.ts one"]],
    ["what it looks for in a file", call("c", { pattern: "one" }, [READ_A]), ["said src/a.ts one"]],
    ["what it runs", call("c", { command: "make" }), ["said null make"]],
    ["what it does to two files is of none", call("c", { text: "one" }, [MODIFY_A, READ_B]), ["said null one"]],
    ["no path it names", call("c", { from: "src/a.ts", to: "src/b.ts", text: "one" }, [READ_A, READ_B]), ["said null one"]],
    ["texts in lists and records", call("c", { edits: [{ new: "one" }, { new: "two" }] }), ["said null one", "said null two"]],
    ["no empty string, number or null", call("c", { a: "", b: 7, c: null, d: "one" }), ["said null one"]],
    ["four levels of lists", call("c", [[[["one"]]]]), ["said null one"]],
    ["no fifth level of lists", call("c", [[[[["one"]]]], "two"]), ["said null two"]],
    ["no fifth level of records", call("c", { a: { b: { c: { d: { e: "one" }, f: "two" } } } }), ["said null two"]],
    ["arguments that are no JSON, as they stand", { ...call("c", {}), argumentsJson: "make all" }, ["said null make all"]],
  ])("%s", (_, part, expected) => {
    expect(ofCall(part)).toEqual(expected);
    expect(logTextChars(assistant("m", [part]))).toBe(
      logTexts(assistant("m", [part])).reduce((sum, { text }) => sum + text.length, 0),
    );
  });
});

test("characters are counted without the texts being made", () => {
  let counted = 0;
  fc.assert(
    fc.property(arbitraryMessageSoup, (messages) => {
      for (const message of messages) {
        const chars = logTexts(message).reduce((sum, { text }) => sum + text.length, 0);
        expect(logTextChars(message)).toBe(chars);
        counted += chars;
      }
    }),
    { seed: 20_261_123, numRuns: 200 },
  );
  expect(counted).toBeGreaterThan(1000);
});
