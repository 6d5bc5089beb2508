import { describe, expect, test } from "vitest";
import type { Edit } from "../edit/apply-edits.ts";
import { aroundKept } from "../engine/execute.ts";
import { human, reply } from "../testing/builders.ts";

const view = [human("u0", "0"), reply("a1", "1"), human("u2", "2"), reply("a3", "3"), human("u4", "4")];

const spans = (...ends: readonly (readonly [string, string])[]): Edit => ({
  kind: "replace-spans",
  spans: ends.map(([from, through]) => ({ from, through, promptId: `prompt-${from}` })),
  by: "digest",
});

const after = (keptIds: readonly string[], ...edits: readonly Edit[]) =>
  aroundKept(edits, { messages: view, kept: new Set(view.filter(({ id }) => keptIds.includes(id))) });

const endsAfter = (keptIds: readonly string[], ...edits: readonly Edit[]) =>
  after(keptIds, ...edits).map((edit) =>
    edit.kind === "replace-spans" ? edit.spans.map(({ from, through }) => `${from}-${through}`) : edit.messageId,
  );

describe("edits around what is kept", () => {
  test.each<[string, readonly string[], Edit, readonly (readonly string[])[]]>([
    ["nothing kept, nothing changed", [], spans(["u0", "a3"]), [["u0-a3"]]],
    ["kept inside: split in two", ["u2"], spans(["u0", "a3"]), [["u0-a1", "a3-a3"]]],
    ["kept at the beginning", ["u0"], spans(["u0", "a3"]), [["a1-a3"]]],
    ["kept at the end", ["a3"], spans(["u0", "a3"]), [["u0-u2"]]],
    ["kept outside", ["u4"], spans(["u0", "a3"]), [["u0-a3"]]],
    ["neighbours kept", ["a1", "u2"], spans(["u0", "a3"]), [["u0-u0", "a3-a3"]]],
    ["one of two spans kept whole", ["u0"], spans(["u0", "u0"], ["u2", "a3"]), [["u2-a3"]]],
    ["all kept: no edit is left", ["u0", "a1"], spans(["u0", "a1"]), []],
    ["a span that is none stays as it is", ["u0"], spans(["gone", "a3"]), [["gone-a3"]]],
  ])("%s", (_, keptIds, edit, ends) => {
    expect(endsAfter(keptIds, edit)).toEqual(ends);
  });

  test("each piece keeps its span's prompt", () => {
    expect(after(["u2"], spans(["u0", "a3"]))).toEqual([
      {
        kind: "replace-spans",
        spans: [
          { from: "u0", through: "a1", promptId: "prompt-u0" },
          { from: "a3", through: "a3", promptId: "prompt-u0" },
        ],
        by: "digest",
      },
    ]);
  });

  test("no part of a kept message is replaced, parts of others are", () => {
    const replace = (messageId: string): Edit => ({ kind: "replace-part", messageId, partIndex: 0, text: "cut", handle: "h" });
    expect(endsAfter(["a1"], replace("a1"), replace("a3"))).toEqual(["a3"]);
  });
});
