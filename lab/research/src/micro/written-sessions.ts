import { Buffer } from "node:buffer";
import { encodeLog, type SessionEntry, usageOf } from "@plimsoll/core";

/** Steps of a session: about two megabytes. */
const STEP_COUNT = 600;

/** A tool output of about 3,000 characters, the middle of what recorded sessions hold (measured on nineteen sessions, 2026). */
const OUTPUT = Array.from(
  { length: 50 },
  (_, line) => `${line}\tconst value${line} = read("src/part-${line}.ts"); // ünïcode`,
).join("\n");

const AT = "2026-01-01T00:00:00.000Z";

function jsonLines(lines: readonly unknown[]): Buffer {
  return Buffer.from(lines.map((line) => JSON.stringify(line)).join("\n"));
}

function steps<T>(stepOf: (step: number) => readonly T[]): readonly T[] {
  return Array.from({ length: STEP_COUNT }, (_, step) => stepOf(step)).flat();
}

/** A session as pi writes it. */
export function piSession(): Buffer {
  const message = (id: string, body: object) => ({ type: "message", id, parentId: null, timestamp: AT, message: body });
  const usage = { input: 5, output: 20, cacheRead: 1000, cacheWrite: 50 };
  return jsonLines([
    { type: "session", version: 3, id: "s", timestamp: AT, cwd: "/w" },
    message("u", { role: "user", content: "go" }),
    ...steps((step) => [
      message(`a${step}`, {
        ...{ role: "assistant", model: "m", usage, stopReason: "toolUse" },
        content: [{ type: "toolCall", id: `c${step}`, name: "read", arguments: { path: `src/${step}.ts` } }],
      }),
      message(`r${step}`, {
        role: "toolResult",
        toolCallId: `c${step}`,
        toolName: "read",
        content: [{ type: "text", text: OUTPUT }],
      }),
    ]),
  ]);
}

/** A session as Claude Code writes it: every result stands twice in its line. */
export function claudeCodeSession(): Buffer {
  const line = (uuid: string, parentUuid: string | null, more: object) => ({
    uuid,
    parentUuid,
    isSidechain: false,
    sessionId: "s",
    timestamp: AT,
    ...more,
  });
  const usage = { input_tokens: 5, cache_read_input_tokens: 1000, cache_creation_input_tokens: 50, output_tokens: 20 };
  const content = (step: number) => [
    { type: "tool_use", id: `c${step}`, name: "Read", input: { file_path: `src/${step}.ts` } },
  ];
  return jsonLines([
    line("u", null, { type: "user", message: { role: "user", content: "go" } }),
    ...steps((step) => [
      line(`a${step}`, `r${step - 1}`, {
        type: "assistant",
        requestId: `q${step}`,
        message: { id: `m${step}`, model: "m", content: content(step), usage },
      }),
      line(`r${step}`, `a${step}`, {
        type: "user",
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: `c${step}`, content: OUTPUT }] },
        toolUseResult: { file: { content: OUTPUT } },
      }),
    ]),
  ]);
}

/** A session as Codex writes it: every output stands in two lines. */
export function codexSession(): Buffer {
  const line = (type: string, payload: object) => ({ timestamp: AT, type, payload });
  const counts = (input: number) => ({
    input_tokens: input,
    cached_input_tokens: 1000,
    output_tokens: 20,
    reasoning_output_tokens: 5,
  });
  return jsonLines([
    line("session_meta", { id: "s", cli_version: "0.140.0" }),
    line("turn_context", { model: "m" }),
    line("response_item", { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] }),
    ...steps((step) => [
      line("response_item", {
        type: "function_call",
        name: "exec_command",
        arguments: `{"cmd":"cat ${step}"}`,
        call_id: `c${step}`,
      }),
      line("event_msg", {
        type: "token_count",
        info: { last_token_usage: counts(1050), total_token_usage: counts(1050 * (step + 1)) },
      }),
      line("event_msg", { type: "exec_command_end", call_id: `c${step}`, aggregated_output: OUTPUT }),
      line("response_item", { type: "function_call_output", call_id: `c${step}`, output: OUTPUT }),
    ]),
  ]);
}

/** A session log of our own. */
export function plimsollSession(): Buffer {
  const start: SessionEntry = {
    type: "session",
    version: 1,
    id: "s",
    createdMs: 0,
    system: "",
    tools: [],
    parent: null,
    agent: null,
  };
  const call = (step: number): readonly SessionEntry[] => [
    {
      ...{
        type: "usage",
        requestId: `q${step}`,
        modelId: "m",
        throughMessageId: null,
        overheadHash: null,
        viewHash: null,
        atMs: 0,
      },
      usage: usageOf({ totalInputTokens: 1000, outputTokens: 20 }),
    },
    {
      type: "message",
      message: {
        ...{
          role: "assistant",
          id: `a${step}`,
          origin: "model",
          modelId: "m",
          requestId: `q${step}`,
          stopReason: "tool-calls",
          atMs: 0,
        },
        parts: [
          { type: "tool-call", callId: `c${step}`, toolName: "read", argumentsJson: `{"path":"src/${step}.ts"}`, paths: [] },
        ],
      },
    },
    {
      type: "message",
      message: {
        ...{
          role: "tool-result",
          id: `r${step}`,
          callId: `c${step}`,
          toolName: "read",
          isError: false,
          category: "file-content",
          atMs: 0,
        },
        parts: [{ type: "text", text: OUTPUT }],
      },
    },
  ];
  return Buffer.from(encodeLog([start, ...steps(call)]));
}
