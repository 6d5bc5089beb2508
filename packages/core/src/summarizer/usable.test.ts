import { describe, expect, test } from "vitest";
import { PI_POLICY } from "../policy/presets/pi.ts";
import type { Summary, SummaryRequest } from "../ports.ts";
import { SUMMARIZER_ROLE, SUMMARY_RULES } from "../prompts/parts.ts";
import { STRUCTURED_PROMPT } from "../prompts/structured.ts";
import { human } from "../testing/builders.ts";
import { usageOf } from "../usage.ts";
import { usableSummary } from "./usable.ts";

const SECTIONS = ["Goal", "Progress", "Decisions", "Next Steps"];
const request: SummaryRequest = {
  parts: [{ promptId: STRUCTURED_PROMPT.id, messages: [human("u", "words of a person ".repeat(20_000))] }],
  sections: SECTIONS,
  maxTokens: 4000,
  turnPrefixMaxTokens: 1000,
  focus: null,
  resultCapChars: null,
  labels: PI_POLICY.summary.labels,
};
const given = (text: unknown, more: Partial<Record<keyof Summary, unknown>> = {}) =>
  usableSummary({ text, usage: null, stopReason: "end", ...more }, request);
const PROSE = "The harbour's parser was mended and its tests pass; the manual is still to be written by hand. ".repeat(6);

describe("whoever wrote it, no summary is", () => {
  test.each<[string, unknown, RegExp]>([
    ["nothing", undefined, /no text/],
    ["an object", { text: "yes" }, /no text/],
    ["an empty text", " \n", /empty/],
    ["an emoji", "👍👍👍", /no letters/],
    ["figures", "12345.67", /no letters/],
    ["sections of emoji", "## Goal\n👍\n\n## Progress\n…", /headings/],
    ["sections that say nothing", "## Goal\nNone\n\n## Progress\n", /section/],
    ["a refusal", "I'm sorry, but I can't assist with that request.", /refusal/],
    ["a refusal behind a word", "Unfortunately, I cannot summarise this conversation.", /refusal/],
    ["a refusal by rule", "This conversation goes against our usage policies, so no record was made of it.", /refusal/],
    ["a refusal in another language", "申し訳ありませんが、そのご要望にはお応えできません。", /refusal/],
    ["a refusal in Russian", "К сожалению, я не могу помочь с этим.", /refusal/],
    ["a refusal in German", "Es tut mir leid, dabei kann ich nicht helfen.", /refusal/],
    ["a refusal in Spanish", "Lo siento, pero no puedo ayudar con eso.", /refusal/],
    ["an error", "Error: connect ECONNREFUSED 127.0.0.1:8080", /an error/],
    ["a status", "503 Service Unavailable", /an error/],
    ["a named error", "APIConnectionError: fetch failed", /an error/],
    ["what a program prints of nothing", "undefined", /an error/],
    ["a server's page", `<!DOCTYPE html><html><body>${"Bad Gateway ".repeat(100)}</body></html>`, /an error/],
    ["a server's object", JSON.stringify({ error: { message: "overloaded ".repeat(100) } }), /an error/],
    ["a word for a long history", "Done.", /too short/],
    ["the prompt", STRUCTURED_PROMPT.instructions(SECTIONS), /request/],
    ["the rules", SUMMARY_RULES.map((rule) => `- ${rule}`).join("\n"), /request/],
    ["the request with its role", `${SUMMARIZER_ROLE.text}\n\n${PROSE}`, /request/],
    ["the conversation that goes on", `${PROSE}\n\n[User]: thanks\n\n[Assistant]: you are welcome`, /goes on/],
    ["a call", `${PROSE}\n<tool_call>{"name":"read"}</tool_call>`, /calls a tool/],
  ])("%s", (_, text, says) => {
    expect(() => given(text)).toThrow(says);
  });

  test("the beginning of one that a model wrote; a digest shortens its lines itself", () => {
    const text = `## Goal\n${PROSE}\nand then the`;
    expect(() => given(text, { usage: usageOf({ totalInputTokens: 5000, outputTokens: 150 }) })).toThrow(/cut off/);
    expect(given(text).text).toBe(text);
  });

  test.each([["length"], ["refusal"], ["tool-calls"], ["error"], ["aborted"], [undefined], [null], ["later"]])(
    "what ended by %s",
    (stopReason) => {
      expect(() => given(PROSE, { stopReason })).toThrow(/did not end/);
    },
  );

  test("what has as many tokens as were allowed", () => {
    expect(() => given(PROSE, { usage: usageOf({ outputTokens: 4000 }) })).toThrow(/cut off/);
    expect(given(PROSE, { usage: usageOf({ outputTokens: 3999 }) }).text).toBe(PROSE);
  });
});

describe("a summary is", () => {
  test.each([
    ["prose, if it says enough", PROSE],
    ["one of its sections, however short", "## Goal\nmend it"],
    ["sections in which an error is told", "## Goal\nmend it\n\n## Progress\nError: the build fails"],
    ["prose that tells of an error", `Error handling was mended. ${PROSE}`],
    ["of another script", "港のパーサーを修正した。テストはすべて通った。残りは手引きだけで、明日に書く予定である。".repeat(3)],
    ["short for a long history, if it says what was done", "The parser was mended, its tests pass, and the manual is next."],
  ])("%s", (_, text) => {
    expect(given(text).text).toBe(text);
  });

  test("few words of a hook, but no refusal", () => {
    expect(usableSummary({ text: "Mended.", usage: null, stopReason: "end" }, request, "hook").text).toBe("Mended.");
    expect(() => usableSummary({ text: "I cannot do that.", usage: null, stopReason: "end" }, request, "hook")).toThrow();
  });

  test.each<[string, unknown, unknown]>([
    ["none", undefined, null],
    ["a figure that is no number", { ...usageOf({}), output: { totalTokens: Number.NaN, reasoningTokens: null } }, null],
    ["a negative figure", { ...usageOf({}), input: { ...usageOf({}).input, totalTokens: -5 } }, null],
    ["an endless figure", { ...usageOf({}), billed: { inputTokens: Number.POSITIVE_INFINITY, outputTokens: 1 } }, null],
    [
      "a part of it",
      { input: { totalTokens: 1, uncachedTokens: 1 } },
      usageOf({ totalInputTokens: 1, billed: { inputTokens: null, outputTokens: null } }),
    ],
    ["what no JSON holds", { ...usageOf({}), raw: () => 1 }, usageOf({})],
    ["all of it", usageOf({ totalInputTokens: 9, outputTokens: 8 }), usageOf({ totalInputTokens: 9, outputTokens: 8 })],
  ])("logged with usage that a log can hold: %s", (_, usage, expected) => {
    expect(given(PROSE, { usage }).usage).toEqual(expected);
  });

  test("logged with prompts and repairs that are texts alone", () => {
    expect(given(PROSE, { prompts: [1], repairs: "all" })).toEqual({ text: PROSE, usage: null, stopReason: "end" });
    expect(given(PROSE, { prompts: ["a@1"], repairs: [] })).toMatchObject({ prompts: ["a@1"], repairs: [] });
  });
});
