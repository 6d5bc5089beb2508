import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message } from "../message/message.ts";
import { human, reply } from "../testing/builders.ts";
import { type Excerpt, excerptsIn, excerptsText } from "./notices.ts";

function summaryWith(...texts: readonly (string | null)[]): Message {
  const parts = texts.flatMap((text) => (text === null ? [] : [{ type: "text", text } as const]));
  return { ...human("s", "summary"), origin: "summary", parts };
}

const line = fc.string({ minLength: 1, maxLength: 40 }).filter((text) => text.trim() === text && !text.includes("\n"));
const excerpt: fc.Arbitrary<Excerpt> = fc.record({
  source: fc.constantFrom("read", "human", "a [b]"),
  handle: fc.constantFrom("m1", "a;b", "x y"),
  lines: fc.array(line, { minLength: 1, maxLength: 4 }),
});

describe("excerpts as text", () => {
  test("say where the lines come from", () => {
    const text = excerptsText([
      { source: "read", handle: "m1", lines: ["one", "[two]"] },
      { source: "human", handle: "m0", lines: ["</excerpts>"] },
    ]);
    expect(text).toBe("<excerpts>\n[read; handle m1]\n one\n [two]\n[human; handle m0]\n <\\/excerpts>\n</excerpts>");
  });

  test("none are no text", () => {
    expect(excerptsText([])).toBeNull();
  });

  test("are read back as they were, whatever the lines say", () => {
    fc.assert(
      fc.property(fc.array(excerpt, { maxLength: 4 }), (excerpts) => {
        const safe = excerpts.map((each) => ({ ...each, lines: each.lines.filter((text) => !text.includes("<\\/")) }));
        expect(excerptsIn(summaryWith("text", excerptsText(safe)))).toEqual(safe);
      }),
    );
  });

  test.each<[string, Message]>([
    ["a summary without any", summaryWith("a summary", "<asked-before>\nx\n</asked-before>")],
    ["a message that only looks so", human("u", "<excerpts>\n[read; handle m1]\n one\n</excerpts>")],
    ["a reply", reply("a", "<excerpts>\n[read; handle m1]\n one\n</excerpts>")],
  ])("%s has none", (_, message) => {
    expect(excerptsIn(message)).toEqual([]);
  });
});
