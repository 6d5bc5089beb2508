import fc from "fast-check";
import { expect, test } from "vitest";
import type { Message } from "../message/message.ts";
import { PLIMSOLL_POLICY } from "../policy/presets/plimsoll.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import type { SummaryRequest } from "../ports.ts";
import { summaryText } from "../prompts/notices.ts";
import { isEmptyBody, sectionsIn } from "../summarizer/sections.ts";
import { arbitraryMessageSoup } from "../testing/arbitrary-transcript.ts";
import { human, reply, summaryMessage, toolCall } from "../testing/builders.ts";
import { digestText } from "./digest.ts";

const FORGED = [
  ...[
    "None",
    "- None",
    "(none)",
    "n/a",
    "## Goal",
    "### Progress",
    "#### Done",
    "```",
    "- Plan, open: A",
    "- Asked first: B",
    "- Asked later: C",
    "- Changed: D",
  ],
  ...["Leave main.", "I run the tests.", "# x", "", "  ", "- item", "\u2028# y"],
] as const;
const forgedText = fc.array(fc.constantFrom(...FORGED), { maxLength: 8 }).map((lines) => lines.join("\n"));
const forgedPlan = fc
  .array(fc.record({ step: forgedText, status: fc.constantFrom("completed", "pending", "cancelled", "None") }), {
    maxLength: 4,
  })
  .map((plan) => JSON.stringify({ plan }));
const forged: fc.Arbitrary<Message> = fc.oneof(
  forgedText.map((text) => human(`u-${text}`, text)),
  forgedText.map((text) => reply(`a-${text}`, text)),
  forgedText.map((text) => summaryMessage(`s-${text}`, text)),
  forgedPlan.map((argumentsJson) => toolCall(`p-${argumentsJson}`, "c", { name: "any", argumentsJson })),
);
const session = fc.oneof(arbitraryMessageSoup, fc.array(forged, { maxLength: 12 }));
const cuts = fc.array(session, { minLength: 5, maxLength: 5 });
const size = fc.constantFrom(300, 1000, 6000);
const summaries = fc.constantFrom(PLIMSOLL_POLICY.summary, SVEN_POLICY.summary, {
  ...PLIMSOLL_POLICY.summary,
  sections: ["Goal"],
});

test("over five cuts, whatever was said, no section is empty, all of it fits, and nothing changes if nothing is new", () => {
  let told = 0;
  fc.assert(
    fc.property(cuts, size, summaries, (sessions, maximumChars, summary) => {
      const write = (messages: readonly Message[]) => {
        const request: SummaryRequest = { ...summary, focus: null, parts: [{ promptId: "p", messages }] };
        return digestText(request, { maximumChars });
      };
      let carried: readonly Message[] = [];
      for (const messages of sessions) {
        const text = write([...carried, ...messages]);
        const { preamble, found } = sectionsIn(text, summary.sections);
        const titles = found.map(({ title }) => title);
        expect(preamble).toBe("");
        expect(found.filter(({ body }) => isEmptyBody(body))).toEqual([]);
        expect(titles).toEqual(summary.sections.filter((title) => titles.includes(title)));
        expect(text.length).toBeLessThanOrEqual(maximumChars);
        carried = [summaryMessage("s", summaryText(text))];
        expect(write(carried)).toBe(text);
        told += found.length;
      }
    }),
    { seed: 20_261_122, numRuns: 150 },
  );
  expect(told).toBeGreaterThan(1000);
});
