import { importSource, textSource } from "@plimsoll/bench/internal";
import { repairMessages } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { examineLog } from "./find-faults.ts";

type Item = { readonly [key: string]: unknown };

/** One thing of a session, whoever records it. */
type Step =
  | { readonly say: string; readonly by?: "model" }
  | { readonly call: string }
  | { readonly result: string }
  | { readonly thought: string; readonly signature: string }
  | { readonly picture: string }
  | { readonly summary: string };

const PNG = (pixels: number) => {
  const head = Buffer.alloc(40);
  head.write("\u0089PNG\r\n\u001a\n", "latin1");
  head.writeUInt32BE(pixels, 16);
  head.writeUInt32BE(10, 20);
  return head.toString("base64");
};

/** How each agent records a step, with its line before it. */
interface Form {
  readonly head: readonly Item[];
  readonly line: (step: Step, index: number) => readonly Item[];
  readonly whole?: (items: readonly Item[]) => string;
}

const claudeBlock = (step: Step): Item | null => {
  if ("call" in step) return { type: "tool_use", id: step.call, name: "Bash", input: { command: "ls" } };
  if ("result" in step) return { type: "tool_result", tool_use_id: step.result, content: "one file" };
  if ("thought" in step) return { type: "thinking", thinking: step.thought, signature: step.signature };
  if ("picture" in step) return { type: "image", source: { type: "base64", media_type: "image/png", data: step.picture } };
  return "say" in step ? { type: "text", text: step.say } : null;
};
const isModels = (step: Step) => "call" in step || "thought" in step || ("by" in step && step.by === "model");

const FORMS: { readonly [format: string]: Form } = {
  "claude-code": {
    head: [],
    line: (step, index) => {
      const base = {
        uuid: `u${index}`,
        parentUuid: index === 0 ? null : `u${index - 1}`,
        sessionId: "s",
        isSidechain: false,
        version: "2.1.0",
        timestamp: "2026-11-01T10:00:00Z",
      };
      if ("summary" in step)
        return [
          {
            ...base,
            type: "system",
            subtype: "compact_boundary",
            uuid: `b${index}`,
            parentUuid: null,
            logicalParentUuid: `u${index - 1}`,
            content: "",
            compactMetadata: { trigger: "auto", preTokens: 5 },
          },
          {
            ...base,
            type: "user",
            parentUuid: `b${index}`,
            isCompactSummary: true,
            message: { role: "user", content: step.summary },
          },
        ];
      const role = isModels(step) ? "assistant" : "user";
      const content = [claudeBlock(step)];
      return [
        {
          ...base,
          type: role,
          message:
            role === "user"
              ? { role, content }
              : {
                  role,
                  id: `m${index}`,
                  model: "claude",
                  type: "message",
                  content,
                  usage: { input_tokens: 5, output_tokens: 5 },
                },
        },
      ];
    },
  },
  codex: {
    head: [
      {
        timestamp: "2026-11-01T10:00:00Z",
        type: "session_meta",
        payload: { id: "s", timestamp: "2026-11-01T10:00:00Z", cwd: "/w", originator: "codex", cli_version: "0.144.0" },
      },
    ],
    line: (step, index) => {
      const item = (payload: Item) => [{ timestamp: "2026-11-01T10:00:00Z", ordinal: index, type: "response_item", payload }];
      if ("summary" in step)
        return [{ timestamp: "2026-11-01T10:00:00Z", type: "compacted", payload: { message: step.summary } }];
      if ("call" in step) return item({ type: "function_call", name: "shell", arguments: "{}", call_id: step.call });
      if ("result" in step) return item({ type: "function_call_output", call_id: step.result, output: "one file" });
      return "say" in step
        ? item({
            type: "message",
            role: isModels(step) ? "assistant" : "user",
            content: [{ type: isModels(step) ? "output_text" : "input_text", text: step.say }],
          })
        : [];
    },
  },
  pi: {
    head: [{ type: "session", version: 3, id: "s", timestamp: "2026-11-01T10:00:00Z", cwd: "/w" }],
    line: (step, index) => {
      const base = { id: `u${index}`, parentId: index === 0 ? null : `u${index - 1}`, timestamp: "2026-11-01T10:00:00Z" };
      if ("summary" in step)
        return [{ ...base, type: "compaction", summary: step.summary, firstKeptEntryId: `u${index - 1}`, tokensBefore: 5 }];
      const message = (own: Item) => [{ ...base, type: "message", message: own }];
      if ("result" in step)
        return message({
          role: "toolResult",
          toolCallId: step.result,
          toolName: "bash",
          content: [{ type: "text", text: "one file" }],
          isError: false,
          timestamp: 1,
        });
      const part =
        "call" in step
          ? { type: "toolCall", id: step.call, name: "bash", arguments: {} }
          : "thought" in step
            ? { type: "thinking", thinking: step.thought, thinkingSignature: step.signature }
            : "picture" in step
              ? { type: "image", data: step.picture, mimeType: "image/png" }
              : { type: "text", text: step.say };
      return message(
        isModels(step)
          ? {
              role: "assistant",
              content: [part],
              api: "x",
              provider: "x",
              model: "m",
              usage: { input: 5, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 10 },
              stopReason: "stop",
              timestamp: 1,
            }
          : { role: "user", content: [part], timestamp: 1 },
      );
    },
  },
  "qwen-code": {
    head: [],
    line: (step, index) => {
      const base = {
        uuid: `u${index}`,
        parentUuid: index === 0 ? null : `u${index - 1}`,
        sessionId: "s",
        timestamp: "2026-11-01T10:00:00Z",
        cwd: "/w",
        version: "0.2.0",
      };
      if ("summary" in step || "thought" in step) return [];
      const part =
        "call" in step
          ? { functionCall: { id: step.call, name: "run", args: {} } }
          : "result" in step
            ? { functionResponse: { id: step.result, name: "run", response: { output: "one file" } } }
            : "picture" in step
              ? { inlineData: { mimeType: "image/png", data: step.picture } }
              : { text: step.say };
      return [
        {
          ...base,
          type: "result" in step ? "tool_result" : isModels(step) ? "assistant" : "user",
          message: { role: isModels(step) ? "model" : "user", parts: [part] },
        },
      ];
    },
  },
  "openai-chat": {
    head: [],
    line: (step) => {
      if ("call" in step)
        return [
          {
            role: "assistant",
            content: null,
            tool_calls: [{ id: step.call, type: "function", function: { name: "run", arguments: "{}" } }],
          },
        ];
      if ("result" in step) return [{ role: "tool", tool_call_id: step.result, content: "one file" }];
      return "say" in step ? [{ role: isModels(step) ? "assistant" : "user", content: step.say }] : [];
    },
    whole: (items) => `${JSON.stringify(items, null, 2)}\n`,
  },
  "anthropic-messages": {
    head: [],
    line: (step) => ("summary" in step ? [] : [{ role: isModels(step) ? "assistant" : "user", content: [claudeBlock(step)] }]),
    whole: (items) => JSON.stringify({ messages: items }),
  },
};

const written = (form: Form, steps: readonly Step[]) => {
  const items = [...form.head, ...steps.flatMap((step, index) => form.line(step, index))];
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

/** Twelve ways in which sessions break: the steps, or a change of the text; and what is said of it. */
const KINDS: readonly (readonly [string, readonly Step[], (text: string) => string, string])[] = [
  ["a call without its result", with_(4, { call: "c2" }), (text) => text, "has no result"],
  ["a result without its call", with_(4, { result: "c9" }), (text) => text, "has no call before it"],
  ["a result twice", with_(3, { result: "c1" }), (text) => text, "stands there twice"],
  ["an id of a call twice", with_(4, { call: "c1" }, { result: "c1" }), (text) => text, "was used before"],
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
    "stands there twice",
  ],
  ["a summary that failed", with_(4, { summary: "API Error: 529 overloaded" }), (text) => text, "whose summary failed"],
];

/** Kinds that a format does not record, or that no line can have there. */
const NOT_THERE: { readonly [format: string]: readonly string[] } = {
  "claude-code": ["without a character"],
  codex: ["picture", "thinking", "without a character", "a line twice"],
  pi: ["thinking", "without a character"],
  "qwen-code": ["thinking", "without a character", "summary"],
  "openai-chat": ["picture", "thinking", "without a character", "cut off", "a line twice", "summary"],
  "anthropic-messages": ["cut off", "a line twice", "summary"],
};

const cells = Object.entries(FORMS).flatMap(([format, form]) =>
  KINDS.filter(([kind]) => !(NOT_THERE[format] ?? []).some((word) => kind.includes(word))).map(
    (kind) => [format, kind[0], form, kind] as const,
  ),
);

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
      const [transcript] = await importSource(textSource(copy, "log"));
      const messages = transcript?.entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : [])) ?? [];
      expect(messages.length).toBeGreaterThan(2);
      expect(repairMessages(messages).repairs).toEqual([]);
    },
  );

  test.each(Object.entries(FORMS))("%s: of a sound session nothing is said", (format, form) => {
    expect(examineLog(written(form, SOUND), format, { thinking: "keep" })).toEqual({ faults: [], mended: null });
  });

  test("signed thinking leaves if a person asks for it", () => {
    const form = FORMS["claude-code"] ?? expect.fail();
    const text = written(form, with_(3, { thought: "hm", signature: "x".repeat(40) }));
    expect(examineLog(text, "claude-code", { thinking: "keep" }).faults).toEqual([]);
    expect(examineLog(text, "claude-code", { thinking: "leave-out" }).mended).not.toContain("signature");
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
          parts: [{ type: "tool", callID: "c1", tool: "bash", state: { status: "running", input: {} } }],
        },
      ],
    });
    expect(
      JSON.parse(examineLog(openCode, "opencode", { thinking: "keep" }).mended ?? "").messages[0].parts[0].state,
    ).toMatchObject({ status: "error" });
  });
});
