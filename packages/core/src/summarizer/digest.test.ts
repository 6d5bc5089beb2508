import { describe, expect, test } from "vitest";
import { lettered } from "../../testing/lettered.ts";
import type { Message } from "../message/message.ts";
import { PRESETS } from "../policy/presets/presets.ts";
import type { SummaryRequest } from "../ports.ts";
import { human, reply, result, summaryMessage } from "../testing/builders.ts";
import { DEFAULT_DIGEST_OPTIONS, digestText } from "./digest.ts";
import { sectionsIn } from "./sections.ts";

const policies = PRESETS.filter(({ enabled }) => enabled).map((preset) => [preset.name, preset] as const);
const ask = (summary: Omit<SummaryRequest, "parts" | "focus">, messages: readonly Message[], maximumChars = 6000) =>
  digestText({ ...summary, focus: null, parts: [{ promptId: "p", messages }] }, { maximumChars });
const HISTORY: readonly Message[] = [
  human("u", "fix the parser"),
  { ...result("r", "c", "line 1\nTypeError: x is not a function"), isError: true },
  reply("a", "The parser drops the last token.\n## not a heading of ours"),
];

describe("the digest", () => {
  test.each(policies)("has the sections of %s, in order and no others", (_, { summary }) => {
    const { preamble, found, unknown } = sectionsIn(ask(summary, HISTORY), summary.sections);
    expect(found.map(({ title }) => title)).toEqual(summary.sections);
    expect(summary.sections.length === 0 || (preamble === "" && unknown.length === 0)).toBe(true);
  });

  test.each(policies)("quotes under %s what was asked, what failed and what was found", (_, { summary }) => {
    const text = ask(summary, HISTORY);
    for (const said of ["fix the parser", "TypeError: x is not a function", "The parser drops the last token."])
      expect(text).toContain(said);
  });

  test.each(policies)("has one size under %s as under any other", (_, { summary }) => {
    const text = ask(summary, lettered("UA".repeat(60), 400));
    expect(text.length).toBeLessThanOrEqual(DEFAULT_DIGEST_OPTIONS.maximumChars);
    expect(text.length).toBeGreaterThan(DEFAULT_DIGEST_OPTIONS.maximumChars * 0.5);
  });

  test.each(policies)("carries over under %s what it said before", (_, { summary }) => {
    const first = ask(summary, HISTORY);
    const second = ask(summary, [summaryMessage("s", first), human("v", "and the lexer")]);
    expect(second).toContain("fix the parser");
    expect(second).toContain("and the lexer");
  });

  test.each(policies)("without room for the outline of %s quotes all the same", (_, { summary }) => {
    expect(ask(summary, HISTORY, 120)).toContain("fix the parser");
  });

  test.each(policies)("is the same for the same history under %s", (_, { summary }) => {
    expect(ask(summary, structuredClone(HISTORY))).toBe(ask(summary, HISTORY));
  });
});
