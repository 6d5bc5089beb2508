import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importFile } from "@plimsoll/bench";
import { repairMessages } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { FORMS, type Form, PNG, type Step } from "../../testing/agent-forms.ts";
import { examineLog } from "./find-faults.ts";

const written = (form: Form, steps: readonly Step[]) => {
  const items = [...form.head, ...steps.flatMap((step, index) => form.line(step, index, steps))];
  return form.whole?.(items) ?? `${items.map((item) => JSON.stringify(item)).join("\n")}\n`;
};

const SOUND: readonly Step[] = [
  { say: "Look at the harbour." },
  { call: "c1" },
  { result: "c1" },
  { say: "There is one file.", by: "model" },
  { say: "Go on." },
];
const with_ = (at: number, ...steps: readonly Step[]) => [...SOUND.slice(0, at), ...steps, ...SOUND.slice(at)];
const half = (text: string) => text.replace("Go on.", "Go on \\ud83d.");

const cutOff = (text: string) => text.replace(/"(input|args|arguments)":\s*(\{[^}]*\}|"\{\}")/, '"$1":"ls -"');

/** Thirteen ways in which sessions break: the steps, or a change of the text; and the expected words. */
const KINDS: readonly (readonly [string, readonly Step[], (text: string) => string, string])[] = [
  ["a call without its result", with_(4, { call: "c2" }), (text) => text, "has no result"],
  ["a result without its call", with_(4, { result: "c9" }), (text) => text, "has no call before it"],
  ["a result twice", with_(3, { result: "c1" }), (text) => text, "occurs twice"],
  ["an id of a call twice", with_(4, { call: "c1" }, { result: "c1" }), (text) => text, "was used before"],
  ["arguments that were cut off", SOUND, cutOff, "are not a JSON object"],
  ["half a character", SOUND, half, "half a character"],
  ["a picture of too many bytes", with_(5, { picture: "A".repeat(8_000_000) }), (text) => text, "MB, more than vendors take"],
  ["a picture of too many pixels", with_(5, { picture: PNG(9_000) }), (text) => text, "9000 pixels"],
  ["thinking without a signature", with_(3, { thought: "hm", signature: "" }), (text) => text, "without a signature"],
  ["a text without a character", with_(4, { say: "", by: "model" }), (text) => text, "without a character"],
  ["a last line that is cut off", SOUND, (text) => `${text.trimEnd().slice(0, -9)}`, "cut off"],
  [
    "a line twice",
    SOUND,
    (text) => {
      const lines = text.split("\n");
      return [...lines.slice(0, 2), lines[1], ...lines.slice(2)].join("\n");
    },
    "occurs twice",
  ],
  ["a summary that failed", with_(4, { summary: "API Error: 529 overloaded" }), (text) => text, "with a failed summary"],
];

/** Why a kind is not there in logs of a format. */
const INSIDE = "a result is a part of its call";
const DOCUMENT = "it is one document, which has no lines: cut off it cannot be mended";
const NOT_BOUND = "its thinking is bound to nothing, or is not sent";
const LEFT_OUT = "the agent leaves such a text out by itself";
const NO_SUMMARY = "a compaction that failed is not recorded";
const LARGE = "its vendor takes larger pictures";
const NOT_THERE: { readonly [format: string]: { readonly [kind: string]: string } } = {
  "claude-code": { "a text without a character": LEFT_OUT },
  codex: {
    "a picture of too many bytes": LARGE,
    "a picture of too many pixels": LARGE,
    "thinking without a signature": NOT_BOUND,
    "a text without a character": LEFT_OUT,
    "a line twice": "its lines have no ids: what stands in one twice is a call or a result",
  },
  pi: { "thinking without a signature": NOT_BOUND, "a text without a character": LEFT_OUT },
  "gemini-cli": {
    "a result without its call": INSIDE,
    "a picture of too many bytes": LARGE,
    "a picture of too many pixels": LARGE,
    "thinking without a signature": NOT_BOUND,
    "a text without a character": LEFT_OUT,
    "a line twice": "a later line of the same id is a later state",
    "a summary that failed": NO_SUMMARY,
  },
  opencode: {
    "a result without its call": INSIDE,
    "a result twice": INSIDE,
    "thinking without a signature": "the agent leaves such thinking out by itself",
    "a text without a character": LEFT_OUT,
    "a last line that is cut off": DOCUMENT,
    "a line twice": DOCUMENT,
    "a summary that failed": "the agent does not go on from a summary with an error",
  },
  "qwen-code": {
    "thinking without a signature": NOT_BOUND,
    "a text without a character": LEFT_OUT,
    "a summary that failed": NO_SUMMARY,
  },
  "openai-chat": {
    "a picture of too many bytes": LARGE,
    "a picture of too many pixels": LARGE,
    "thinking without a signature": NOT_BOUND,
    "a text without a character": "OpenAI takes them",
    "a last line that is cut off": DOCUMENT,
    "a line twice": DOCUMENT,
    "a summary that failed": "there is no compaction in it",
  },
  "anthropic-messages": {
    "a last line that is cut off": DOCUMENT,
    "a line twice": DOCUMENT,
    "a summary that failed": "there is no compaction in it",
  },
};

const cells = Object.entries(FORMS).flatMap(([format, form]) =>
  KINDS.filter(([kind]) => NOT_THERE[format]?.[kind] === undefined).map((kind) => [format, kind[0], form, kind] as const),
);

test("of thirteen kinds in eight formats sixty-nine are mended, and each other has its reason", () => {
  const reasons = Object.values(NOT_THERE).flatMap((kinds) => Object.keys(kinds));
  expect(reasons.filter((kind) => !KINDS.some(([name]) => name === kind))).toEqual([]);
  expect([KINDS.length, Object.keys(FORMS).length, cells.length, reasons.length]).toEqual([13, 8, 69, 35]);
});

describe("what makes a session unusable", () => {
  test.each(cells)(
    "%s: %s is told and mended, and every other line stays as it was",
    async (format, _, form, [__, steps, breaking, words]) => {
      const broken = breaking(written(form, steps));
      const { faults, mended } = examineLog(broken, format, { thinking: "keep" });
      expect(faults.map((fault) => fault.words).join("\n")).toContain(words);
      const copy = mended ?? expect.fail("nothing was mended");
      expect(examineLog(copy, format, { thinking: "keep" }).faults).toEqual([]);
      const lines = new Set(broken.split("\n"));
      const changed = copy.split("\n").filter((line) => !lines.has(line));
      expect(form.whole === undefined ? changed.length : 0).toBeLessThanOrEqual(2);
      const path = join(mkdtempSync(join(tmpdir(), "plimsoll-mended-")), "log");
      writeFileSync(path, copy);
      const [transcript] = await importFile(path, "log");
      const messages = transcript?.entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : [])) ?? [];
      expect(messages.length).toBeGreaterThan(2);
      expect(repairMessages(messages).repairs).toEqual([]);
    },
  );

  test.each(Object.entries(FORMS))("%s: of a sound session nothing is said", (format, form) => {
    expect(examineLog(written(form, SOUND), format, { thinking: "keep" })).toEqual({ faults: [], mended: null });
  });

  test.each([
    ["claude-code", { type: "thinking", thinking: "hm", signature: "x".repeat(40) }],
    ["codex", { type: "reasoning", summary: [], encrypted_content: "x" }],
    ["opencode", { type: "reasoning", text: "hm", metadata: { anthropic: { signature: "x" } } }],
    ["openai-responses", { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" }],
  ])("%s: signed thinking leaves if a person asks for it, and nothing else does", (format, thinking) => {
    const said = { type: "message", role: "user", content: [{ type: "input_text", text: "Go on." }] };
    const texts: { readonly [format: string]: string } = {
      "claude-code": `${JSON.stringify({ type: "assistant", uuid: "u0", parentUuid: null, message: { content: [thinking, { type: "text", text: "Well." }] } })}\n`,
      codex: [said, thinking, said].map((payload) => `${JSON.stringify({ type: "response_item", payload })}\n`).join(""),
      opencode: JSON.stringify({ messages: [{ parts: [thinking, { type: "text", text: "Well." }] }] }),
      "openai-responses": JSON.stringify([said, thinking, said]),
    };
    const text = texts[format] ?? expect.fail();
    expect(examineLog(text, format, { thinking: "keep" }).faults).toEqual([]);
    const { faults, mended } = examineLog(text, format, { thinking: "leave-out" });
    expect(faults.map(({ words }) => words)).toEqual(["thinking that may be signed for another beginning"]);
    const line = format === "codex" ? `${JSON.stringify({ type: "response_item", payload: thinking })}\n` : "";
    const item = JSON.stringify(thinking);
    expect(mended).toBe(text.replace(line === "" ? `${item},` : line, ""));
  });

  test.each([
    ["that is sound", (text: string) => text, [], null],
    ["whose last line is cut off", (text: string) => text.slice(0, -9), [{ line: 5, words: "the last line is cut off" }], 4],
    [
      "with a line that is no JSON",
      (text: string) => `${text.split("\n")[0]}\nxx\n${text}`,
      [{ line: 2, words: "this line is not JSON" }],
      6,
    ],
    [
      "with an open call",
      (text: string) => text.split("\n").toSpliced(2, 1).join("\n"),
      [{ line: 2, words: "this call of run has no result" }],
      4,
    ],
  ])("a list of one message a line %s", (_, breaking, faults, count) => {
    const call = { id: "c1", type: "function", function: { name: "run", arguments: "{}" } };
    const said = ["Look.", "Well.", "Go on."].map((content, at) => ({ role: at === 1 ? "assistant" : "user", content }));
    const done = [
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: "a" },
    ];
    const text = [said[0], ...done, said[1], said[2]].map((each) => `${JSON.stringify(each)}\n`).join("");
    const examined = examineLog(breaking(text), "openai-chat", { thinking: "keep" });
    expect(examined.faults).toEqual(faults);
    expect(examined.mended?.trimEnd().split("\n").length ?? null).toBe(count);
    expect(examineLog(examined.mended ?? text, "openai-chat", { thinking: "keep" }).faults).toEqual([]);
  });

  test("of Gemini CLI's records the newest of each message counts, and none that was taken back", () => {
    const call = { id: "c1", name: "run", args: {}, status: "executing" };
    const ended = { ...call, status: "success", result: [{ functionResponse: { id: "c1", name: "run", response: {} } }] };
    const reply = (toolCalls: readonly object[]) => ({ id: "m1", type: "gemini", content: "", toolCalls });
    const asked = { id: "u1", type: "user", content: "hi" };
    const lost = { id: "m9", type: "gemini", content: "", toolCalls: [{ ...call, id: "c9" }] };
    const records = [{ sessionId: "s", projectHash: "h" }, lost, { $set: { messages: [asked] } }, asked, reply([call])];
    const text = (last: object) => [...records, last].map((record) => JSON.stringify(record)).join("\n");
    const faultsOf = (last: object) => examineLog(text(last), "gemini-cli", { thinking: "keep" }).faults;
    expect(faultsOf(reply([ended]))).toEqual([]);
    expect(faultsOf({ $rewindTo: "m1" })).toEqual([]);
    expect(faultsOf({ $set: { lastUpdated: "x" } })).toEqual([{ line: 5, words: "this call of run has no result" }]);
  });

  test("an open call of Gemini CLI and of OpenCode is closed where it stands", () => {
    const gemini = JSON.stringify({
      sessionId: "s",
      messages: [
        { type: "user", content: "hi" },
        { type: "gemini", content: "", toolCalls: [{ id: "c1", name: "run", args: {}, status: "executing" }] },
      ],
    });
    expect(
      JSON.parse(examineLog(gemini, "gemini-cli", { thinking: "keep" }).mended ?? "").messages[1].toolCalls[0],
    ).toMatchObject({ status: "error" });
    const openCode = JSON.stringify({
      info: {},
      messages: [
        {
          info: { role: "assistant" },
          parts: [{ type: "tool", callID: "c1", tool: "bash", state: { status: "running", input: {}, time: { start: 3 } } }],
        },
      ],
    });
    expect(
      JSON.parse(examineLog(openCode, "opencode", { thinking: "keep" }).mended ?? "").messages[0].parts[0].state,
    ).toMatchObject({ status: "error", time: { start: 3, end: 3 } });
  });
});
