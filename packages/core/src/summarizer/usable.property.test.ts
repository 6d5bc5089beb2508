import fc from "fast-check";
import { expect, test } from "vitest";
import { isPlimsollError } from "../error.ts";
import { PI_POLICY } from "../policy/presets/pi.ts";
import { sectionsIn } from "./sections.ts";
import { type RepairedSummary, repairedSummary } from "./usable.ts";

const SECTIONS = ["Goal", "Progress", "Next Steps"] as const;
const RULES = { sections: SECTIONS, coveredChars: 1_000_000, labels: PI_POLICY.summary.labels, instructions: ["Copy paths."] };

/** Pieces that a model's answer may be made of, well and badly. */
const piece = fc.oneof(
  fc.constantFrom(
    ...SECTIONS.map((title) => `## ${title}`),
    "# Goal:",
    "### **progress**",
    "## Thoughts",
    "```",
    "```markdown",
  ),
  fc.constantFrom("None", "- [x] done", "<read-files>", "</read-files>", "<modified-files>a</modified-files>", "- Copy paths."),
  fc.constantFrom("[User]: hi", "<tool_call>", "", "   ", "#", "## ", "\ud800"),
  fc.lorem({ maxCount: 8 }),
);
const answer = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join("\n"));

/** Validates an answer, and returns the summary; the refusal's code if it is refused. */
function outcomeOf(text: string): RepairedSummary | string {
  try {
    return repairedSummary({ text, usage: null, stopReason: "end" }, RULES);
  } catch (error) {
    return isPlimsollError(error) ? error.code : String(error);
  }
}

test("any answer is refused as a failed summary, or has its sections, each once and in order", () => {
  let usable = 0;
  fc.assert(
    fc.property(answer, (text) => {
      const outcome = outcomeOf(text);
      const isUsable = typeof outcome !== "string";
      usable += isUsable ? 1 : 0;
      const { preamble, found, unknown } = sectionsIn(isUsable ? outcome.text : "", SECTIONS);
      expect(isUsable ? found.map(({ title }) => title) : outcome).toEqual(isUsable ? SECTIONS : "summary-failed");
      expect([preamble, unknown]).toEqual(["", []]);
    }),
    { seed: 20_260_101, numRuns: 2000 },
  );
  expect(usable).toBeGreaterThan(200);
});

test("what was put right is right", () => {
  fc.assert(
    fc.property(answer, (text) => {
      const once = outcomeOf(text);
      expect(typeof once === "string" ? { text: "", repairs: [] } : outcomeOf(once.text)).toEqual(
        typeof once === "string" ? { text: "", repairs: [] } : { text: once.text, repairs: [] },
      );
    }),
    { seed: 20_260_102, numRuns: 2000 },
  );
});
