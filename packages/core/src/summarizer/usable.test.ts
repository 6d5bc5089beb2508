import { describe, expect, test } from "vitest";
import type { StopReason } from "../message/message.ts";
import { PI_POLICY } from "../policy/presets/pi.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import type { Summary, SummaryRequest } from "../ports.ts";
import { SUMMARIZER_ROLE, SUMMARY_RULES } from "../prompts/parts.ts";
import { STRUCTURED_PROMPT } from "../prompts/structured.ts";
import { human, toolCall } from "../testing/builders.ts";
import { usageOf } from "../usage.ts";
import { repairedSummary, type SummaryRepair, usableSummary } from "./usable.ts";

const SECTIONS = ["Goal", "Progress", "Decisions", "Next Steps"];
const COVERED = [human("u", "words of a person ".repeat(20_000)), toolCall("a", "c", { name: "peruse", argumentsJson: "{}" })];
const request: SummaryRequest = {
  parts: [{ promptId: STRUCTURED_PROMPT.id, messages: COVERED }],
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
    ["nothing", undefined, /not text/],
    ["an object", { text: "yes" }, /not text/],
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
    ["the conversation that goes on", `${PROSE}\n\n[User]: thanks\n\n[Assistant]: you are welcome`, /continues/],
    ["an answer that goes on talking", "I think so too! I mend it.\n\nUser: thanks\n\nAssistant: welcome", /continues/],
    ["a conversation in lines", "Two spaces it is.\nUser: thanks\nAssistant: you are welcome", /continues/],
    ["a conversation from its first line", "User: add tests, too\nAssistant: I add them now.\nUser: good", /continues/],
    ["a conversation in bold", `${PROSE}\n\n**User:** thanks\n\n**Assistant:** you are welcome`, /continues/],
    ["a conversation under headings", `${PROSE}\n\n### Human: thanks\n\n### Assistant: you are welcome`, /continues/],
    [
      "a conversation behind a list",
      "## Goal\nmend it\n\n## Next Steps\n1. test\nUser: thanks\nAssistant: I go on",
      /continues/,
    ],
    ["the assistant's next turn", "Assistant: I change the formatter to two spaces and run its tests.", /continues/],
    ["an answer that agrees", "Good idea! Two spaces are easier to read, so the formatter is changed to them.", /answers/],
    ["an answer that asks", "The formatter is changed to two spaces now. Shall the tests run as well?", /answers/],
    ["an answer in Japanese", "了解しました！フォーマッタを二文字のインデントに直し、テストを実行します。", /answers/],
    ["a long answer that asks", `${PROSE}\n\nWould you like the manual next?`, /answers/],
    ["a call", `${PROSE}\n<tool_call>{"name":"read"}</tool_call>`, /calls a tool/],
    ["a call over lines", `${PROSE}\n<tool_call>\n{"name": "read", "arguments": {"path": "a"}}\n</tool_call>`, /calls a tool/],
    ["a call with its arguments as tags", `${PROSE}\n<tool_call>read\n<arg_key>path</arg_key>`, /calls a tool/],
    ["a special token", `${PROSE}\n<|im_start|>assistant\nI read it.`, /calls a tool/],
    ["a special token of wide bars", `${PROSE}\n<｜tool▁calls▁begin｜>read`, /calls a tool/],
    ["a special token without bars", `${PROSE}\n<start_of_turn>model\nI read it.`, /calls a tool/],
    ["a token before calls", `${PROSE}\n[TOOL_CALLS] [{"name": "read", "arguments": {"path": "a"}}]`, /calls a tool/],
    ["a token before a name", `${PROSE}\n[TOOL_CALLS]read[ARGS]{"path": "a"}`, /calls a tool/],
    ["a tag with a value", `${PROSE}\n<function=read>\n<parameter=path>a</parameter>\n</function>`, /calls a tool/],
    ["a tag with a name", `${PROSE}\n<invoke name="read">\n<parameter name="path">a</parameter>`, /calls a tool/],
    ["a tag that is a tool of the session", `${PROSE}\n<peruse>\n<path>a</path>\n</peruse>`, /calls a tool/],
    ["a call as an object", '{"name": "read", "arguments": {"path": "src/parser.ts"}}', /calls a tool/],
    [
      "a call in a code block",
      '```json\n{"type": "function", "function": {"name": "read", "arguments": "{}"}}\n```',
      /calls a tool/,
    ],
    ["a special token after a word", `${PROSE} Reading.<|tool_call_begin|>peruse:0<|tool_call_end|>`, /calls a tool/],
    ["a special token after a sentence", `${PROSE} I read it. <|tool_call_begin|>peruse:0`, /calls a tool/],
    ["a turn that special tokens end", `${PROSE}<end_of_turn><start_of_turn>model\nI read it.`, /calls a tool/],
    ["a turn that a sentinel ends", `${PROSE}Done.</s>[INST] thanks [/INST] welcome`, /calls a tool/],
    ["calls in brackets", '[peruse(path="a"), peruse(path="b")]', /calls a tool/],
    ["a call behind a sentence", `${PROSE} Next: <tool_call>{"name": "peruse", "arguments": {}}</tool_call>`, /calls a tool/],
    ["a call behind a token", `${PROSE} I read it.[TOOL_CALLS]peruse[ARGS]{"path": "a"}`, /calls a tool/],
    ["a call as its last code block", `${PROSE}\n\`\`\`tool_code\nprint(api.peruse(path="a"))\n\`\`\``, /calls a tool/],
    [
      "a call in JSON as its last block",
      `Now:\n\`\`\`json\n{"tool": "peruse", "tool_input": {"path": "a"}}\n\`\`\``,
      /calls a tool/,
    ],
    ["a call with a label", 'Thought: I need it.\nAction: peruse\nAction Input: {"path": "a"}', /calls a tool/],
    ["a call to a name", `${PROSE} Now to=functions.peruse json{"path":"a"}`, /calls a tool/],
    ["a call as in our transcript", `${PROSE}\n\n[Tool call]: read({"path":"a"})`, /calls a tool/],
    ["a call as in another transcript", `${PROSE}\n\nAssistant: [tool_call: read({"path":"a"})]`, /calls a tool/],
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
    ["prose with a line about the person", `${PROSE}\nUser: wants two-space indentation.`],
    [
      "prose with lines about both",
      `${PROSE}\nUser: wants two-space indentation.\nAssistant: changed the formatter.\nUser: agreed.`,
    ],
    ["sections with a line about the person", "## Goal\nmend it\n\n## Decisions\n\nUser: wants two-space indentation."],
    ["a section of turns", "## Goal\nmend it\n\n## Decisions\nUser: two spaces\nAssistant: changed the formatter."],
    ["turns before other sections", "## Goal\nmend it\n\nUser: two spaces?\n\nAssistant: yes.\n\n## Next Steps\ntest"],
    ["turns that a colon introduces", `${PROSE}\n\nWhat was agreed:\n\nUser: two spaces\n\nAssistant: yes`],
    ["bullets about both", "## Goal\nmend it\n- User: wants two spaces\n- Assistant: changed them"],
    ["turns in a code block", '## Goal\nmend it\n```\n\nUser: hi\n\nAssistant: <|im_start|>\n<tool_call>{"name"\n```'],
    [
      "prose about special tokens",
      `${PROSE}\nThe tokenizer keeps <|im_end|> and [TOOL_CALLS] as text.\n- \`<tool_call>\` is stripped.`,
    ],
    ["prose about a call", `${PROSE}\n- Last step: peruse(path="a")`],
    ["prose with a list of calls", `${PROSE}\nCalls:\nperuse(a)\nperuse(b)`],
    ["prose with code that has a tool's name", `${PROSE}\n\`\`\`ts\nfunction f() {\n  return peruse(path);\n}\n\`\`\``],
    ["prose about tokens in a sentence", `${PROSE}\nA turn ends with <|im_end|>, as in \`a<|im_end|>\`; [b]bold[/b] is kept.`],
    ["a list that exclaims", `- Do not touch src/vendor! ${PROSE}`],
    ["prose with marks in brackets", `${PROSE}\n[DONE] the parser\n[TODO] the manual, see read(path)`],
    ["prose with tags", `<analysis>\n${PROSE}\n</analysis>\n<summary>\nMended.\n</summary>`],
    ["prose with an object", `${PROSE}\n{"port": 8080, "input": "a.ts", "output": "b.ts"}`],
    ["prose with a package's file", `${PROSE}\n{\n  "name": "a",\n  "type": "module",\n  "author": {\n    "name": "b"\n  }\n}`],
    ["prose with an open question", `${PROSE}\nStill open: should the port change?`],
    [
      "prose in German with roles",
      `${"Der Parser ist repariert, alle Tests laufen. ".repeat(12)}\nUser: möchte zwei Leerzeichen.`,
    ],
    [
      "of another script with a question in it",
      `${"港のパーサーはなぜ壊れたのか？テストはすべて通った。".repeat(9)}残りは手引きだけである。`,
    ],
    ["a section that asks", "## Goal\nmend it\n\n## Next Steps\nWhich port is free?"],
    ["headings of its own", "# Record\nGood news! The parser works.\n## Open\nWhich port is free?"],
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

const THREE_SECTIONS = ["Goal", "Progress", "Next Steps"] as const;
const WHOLE = "## Goal\nfix it\n\n## Progress\n### Done\n- [x] found it\n\n## Next Steps\n1. test";
const check = (text: string, more: { stopReason?: StopReason; sections?: readonly string[]; coveredChars?: number } = {}) =>
  repairedSummary(
    { text, usage: null, stopReason: more.stopReason ?? "end" },
    {
      sections: more.sections ?? THREE_SECTIONS,
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
    ["one that goes on with the conversation", `${WHOLE}\n\n[User]: thanks\n\n[Assistant]: you are welcome`, {}, /continues/],
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
  test.each([
    ["tokens in brackets", "", "[A].", ""],
    ["tags that are closed at the end", "", "a.<a_b>x", "</a_b>"],
    ["a tag of underscores", "<", "_a", ""],
    ["a key of names", '{"', "name", ""],
    ["questions", "", "?", "yes"],
    ["backticks", "", "`", "yes"],
    ["empty lines", "a", "\n", "yes"],
  ])("is no square of its length, which would run into the limit of a test: %s", (_, before, piece, after) => {
    const text = before + piece.repeat(200_000 / piece.length) + after;
    expect(given(text).text).toBe(text);
  });

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
