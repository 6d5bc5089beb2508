import { describe, expect, test } from "vitest";
import type { StopReason } from "../message/message.ts";
import { PI_POLICY } from "../policy/presets/pi.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import { repairedSummary, type SummaryRepair } from "./usable.ts";

const SECTIONS = ["Goal", "Progress", "Next Steps"] as const;
const WHOLE = "## Goal\nfix it\n\n## Progress\n### Done\n- [x] found it\n\n## Next Steps\n1. test";
const check = (text: string, more: { stopReason?: StopReason; sections?: readonly string[]; coveredChars?: number } = {}) =>
  repairedSummary(
    { text, usage: null, stopReason: more.stopReason ?? "end" },
    {
      sections: more.sections ?? SECTIONS,
      coveredChars: more.coveredChars ?? 10_000,
      labels: PI_POLICY.summary.labels,
      instructions: ["Copy file paths exactly."],
    },
  );

describe("a summary", () => {
  test("that has its sections in order is left as it is", () => {
    expect(check(WHOLE)).toEqual({ text: WHOLE, repairs: [] });
  });

  test.each<[string, string, string, readonly SummaryRepair[]]>([
    [
      "a missing section says None",
      "## Goal\nfix it\n\n## Next Steps\n1. test",
      "## Goal\nfix it\n\n## Progress\nNone\n\n## Next Steps\n1. test",
      ["section-added"],
    ],
    [
      "sections come in their order",
      "## Next Steps\n1. test\n\n## Goal\nfix it\n\n## Progress\nhalf",
      "## Goal\nfix it\n\n## Progress\nhalf\n\n## Next Steps\n1. test",
      ["sections-reordered"],
    ],
    ["an added heading loses its rank", `${WHOLE}\n\n## Thoughts\nhm`, `${WHOLE}\n\n### Thoughts\nhm`, ["heading-demoted"]],
    ["words before the first heading go", `Here is the record:\n\n${WHOLE}`, WHOLE, ["preamble-removed"]],
    ["a code block around all of it goes", `\`\`\`markdown\n${WHOLE}\n\`\`\``, WHOLE, ["wrapping-removed"]],
    ["its own lists of files go", `${WHOLE}\n\n<read-files>\nmade/up.ts\n</read-files>`, WHOLE, ["file-list-removed"]],
    ["copied instructions go", WHOLE.replace("fix it", "fix it\n- Copy file paths exactly."), WHOLE, ["instruction-removed"]],
    ["titles may be bold, of another rank and case", WHOLE.replace("## Goal", "# **GOAL:**"), WHOLE, []],
    [
      "a section twice is one",
      "## Goal\nfix it\n\n## Progress\na\n\n## Progress\nb\n\n## Next Steps\nc",
      "## Goal\nfix it\n\n## Progress\na\nb\n\n## Next Steps\nc",
      ["sections-reordered"],
    ],
    [
      "a heading inside a code block is text",
      WHOLE.replace("fix it", "```\n## Progress\n```"),
      WHOLE.replace("fix it", "```\n## Progress\n```"),
      [],
    ],
  ])("is put right: %s", (_, text, expected, repairs) => {
    expect(check(text)).toEqual({ text: expected, repairs });
  });

  test.each<[string, string, Parameters<typeof check>[1], RegExp]>([
    ["an empty one", " \n", {}, /empty/],
    ["one that was cut off", WHOLE, { stopReason: "length" }, /did not end/],
    ["one that calls a tool", WHOLE, { stopReason: "tool-calls" }, /did not end/],
    ["one that writes a call as text", `${WHOLE}\n<tool_call>{"name":"read"}</tool_call>`, {}, /calls a tool/],
    ["one that goes on with the conversation", `${WHOLE}\n\n[User]: thanks\n\n[Assistant]: you are welcome`, {}, /goes on/],
    ["one with none of its sections", "Sure, I will fix the parser next.", {}, /none of its sections/],
    ["one whose sections say nothing", "## Goal\nNone\n\n## Progress\n\n## Next Steps\nNone.", {}, /is empty/],
    ["one that is not smaller than what it replaces", WHOLE, { coveredChars: WHOLE.length }, /not smaller/],
  ])("is refused: %s", (_, text, more, says) => {
    expect(() => check(text, more)).toThrow(says);
  });

  test("without sections is prose", () => {
    expect(check("They fixed it.", { sections: [] })).toEqual({ text: "They fixed it.", repairs: [] });
  });

  test("may say in a bullet who said what", () => {
    const text = "- User: wants it fast";
    const rules = { sections: [], coveredChars: 1000, labels: SVEN_POLICY.summary.labels, instructions: [] };
    expect(repairedSummary({ text, usage: null, stopReason: "end" }, rules).text).toBe(text);
  });
});

describe("the work of reading a summary", () => {
  /** Items of all arrays that are walked or spread while a summary is read. */
  function itemsWalked(text: string): number {
    const walk = Array.prototype[Symbol.iterator];
    let items = 0;
    const counted = function (this: unknown[]) {
      items += this.length;
      return walk.call(this);
    };
    const set = (value: unknown) =>
      Object.defineProperty(Array.prototype, Symbol.iterator, { value, configurable: true, writable: true });
    try {
      set(counted);
      check(text, { coveredChars: 10_000_000 });
    } finally {
      set(walk);
    }
    return items;
  }

  test.each([
    ["headings that are repeated", "## Goal\na\n"],
    ["headings that take turns", "## Goal\na\n## Progress\nb\n"],
    ["headings of its own", "## Goal\na\n## Other\nb\n"],
    ["lists of files", "## Goal\na\n<read-files>\nb\n</read-files>\n"],
    ["tags without a partner", "## Goal\na\n</read-files><read-files>\n"],
    ["code fences", "## Goal\n```\n"],
    ["copied instructions", "## Goal\na\n- Copy file paths exactly.\n"],
  ])("follows its length: %s", (_, piece) => {
    const [once, fourTimes] = [1000, 4000].map((count) => itemsWalked(piece.repeat(count)));
    expect(once).toBeGreaterThan(0);
    expect(fourTimes).toBeLessThanOrEqual(4 * (once ?? 0) + 100);
  });
});
