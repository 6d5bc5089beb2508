import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LOCATED_AGENTS } from "@plimsoll/bench/extend";
import { NOW_MS } from "./recorded-io.ts";

/** Agents whose logs can be made. */
export type MadeAgent = Exclude<
  (typeof LOCATED_AGENTS)[number],
  "cline" | "copilot-cli" | "qwen-code" | "roo-code" | "kilo-code"
>;

/** Sessions to make. */
export interface MadeSessions {
  readonly count: number;
  /** Prompts grow evenly up to this size. */
  readonly peakTokens: number;
  readonly windowTokens: number;
}

const CALLS = 20;
const FIRST_TOKENS = 2_000;
const CHARS_PER_TOKEN = 4;
/** Output beyond this has no more to say: as many characters as the largest step is reported in tokens, since more tokens than bytes cannot be. */
const MOST_CHARS = 45_000;

/** A model call: its content, and the output of the tool that it called. */
interface Call {
  readonly id: string;
  readonly promptTokens: number;
  readonly output: string;
}

interface Session {
  readonly id: string;
  readonly task: string;
  /** Its name gives its window, as some models' names do. */
  readonly modelId: string;
  readonly windowTokens: number;
  readonly calls: readonly Call[];
}

/**
 * Writes sessions as the agent does, below a home folder: a task, and calls of a tool whose outputs are not used later, so that outputs dropped by a
 * setting are never missed. All were written an hour before the time of tests.
 */
export function makeSessions(agent: MadeAgent, homeFolder: string, { count, peakTokens, windowTokens }: MadeSessions): void {
  for (let number = 0; number < count; number++) {
    const id = `${agent}-${number}`;
    const stepTokens = (peakTokens - FIRST_TOKENS) / CALLS;
    const calls = Array.from({ length: CALLS }, (_, call) => ({
      id: `${id}-call-${call}`,
      promptTokens: Math.round(FIRST_TOKENS + call * stepTokens),
      output: outputOf(`${number}.${call}`, stepTokens),
    }));
    const suffix = windowTokens >= 1_000_000 ? `${windowTokens / 1_000_000}m` : `${windowTokens / 1000}k`;
    const session = { id, task: `Task ${number}: count the lines.`, modelId: `model[${suffix}]`, windowTokens, calls };
    for (const [file, text] of FILES[agent](session)) put(join(homeFolder, file), text);
  }
}

function outputOf(name: string, tokens: number): string {
  const line = (place: number) => `line ${place} of ${name}: ${(place * 7919).toString(36)}`;
  const chars = Math.min(MOST_CHARS, tokens * CHARS_PER_TOKEN);
  return Array.from({ length: Math.ceil(chars / 24) }, (_, place) => line(place)).join("\n");
}

const HOUR_MS = 3_600_000;
const TIME = new Date(NOW_MS - HOUR_MS).toISOString();

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  utimesSync(path, new Date(TIME), new Date(TIME));
}

type Files = readonly (readonly [string, string])[];

const jsonLines = (objects: readonly object[]) => objects.map((object) => `${JSON.stringify(object)}\n`).join("");

const FILES: { readonly [Agent in MadeAgent]: (session: Session) => Files } = {
  "claude-code": ({ id, task, modelId, calls }) => {
    const base = { isSidechain: false, sessionId: id, version: "2.1.200", timestamp: TIME, cwd: "/w" };
    const lines = calls.flatMap((call, place) => [
      {
        ...{ uuid: `a-${call.id}`, parentUuid: place === 0 ? "u" : `r-${calls[place - 1]?.id}`, ...base, type: "assistant" },
        requestId: `req-${call.id}`,
        message: {
          ...{ id: `m-${call.id}`, role: "assistant", model: modelId, stop_reason: "tool_use" },
          content: [{ type: "tool_use", id: call.id, name: "Bash", input: { command: `wc ${call.id}` } }],
          usage: {
            input_tokens: call.promptTokens,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: 0,
            output_tokens: 20,
          },
        },
      },
      {
        ...{ uuid: `r-${call.id}`, parentUuid: `a-${call.id}`, ...base, type: "user" },
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: call.output }] },
      },
    ]);
    const start = { uuid: "u", parentUuid: null, ...base, type: "user", message: { role: "user", content: task } };
    return [[`.claude/projects/${id}/${id}.jsonl`, jsonLines([start, ...lines])]];
  },
  codex: ({ id, task, modelId, windowTokens, calls }) => {
    const line = (type: string, payload: object) => ({ timestamp: TIME, type, payload });
    const counts = (input: number) => {
      return { input_tokens: input, cached_input_tokens: 0, output_tokens: 20, total_tokens: input + 20 };
    };
    const lines = calls.flatMap((call) => [
      line("response_item", {
        ...{ type: "function_call", name: "exec_command", call_id: call.id },
        arguments: JSON.stringify({ cmd: `wc ${call.id}` }),
      }),
      line("event_msg", {
        type: "token_count",
        info: {
          total_token_usage: counts(call.promptTokens),
          last_token_usage: counts(call.promptTokens),
          model_context_window: windowTokens,
        },
      }),
      line("response_item", { type: "function_call_output", call_id: call.id, output: call.output }),
    ]);
    const start = [
      line("session_meta", { id, cli_version: "0.120.0", base_instructions: { text: "You are." } }),
      line("turn_context", { model: modelId }),
      line("response_item", { type: "message", role: "user", content: [{ type: "input_text", text: task }] }),
    ];
    return [[`.codex/sessions/2026/03/10/rollout-${id}.jsonl`, jsonLines([...start, ...lines])]];
  },
  pi: ({ id, task, modelId, calls }) => {
    const message = (body: object) => ({ type: "message", timestamp: TIME, message: body });
    const lines = calls.flatMap((call) => [
      message({
        ...{ role: "assistant", model: modelId, stopReason: "toolUse" },
        content: [{ type: "toolCall", id: call.id, name: "bash", arguments: { command: `wc ${call.id}` } }],
        usage: { input: call.promptTokens, output: 20, cacheRead: 0, cacheWrite: 0 },
      }),
      message({
        ...{ role: "toolResult", toolCallId: call.id, toolName: "bash", isError: false },
        content: [{ type: "text", text: call.output }],
      }),
    ]);
    const start = [
      { type: "session", id, timestamp: TIME, cwd: "/w", provider: "p", modelId },
      message({ role: "user", content: [{ type: "text", text: task }] }),
    ];
    return [[`.pi/agent/sessions/w/${id}.jsonl`, jsonLines([...start, ...lines])]];
  },
  opencode: ({ id, task, modelId, calls }) => {
    const storage = ".local/share/opencode/storage";
    const sessionId = `ses_${id}`;
    const file = (path: string, value: object) => [`${storage}/${path}.json`, JSON.stringify(value)] as const;
    const messageOf = (call: Call, place: number): Files => {
      const messageId = `msg_${id}_${String(place + 1).padStart(3, "0")}`;
      const tokens = { input: call.promptTokens, output: 20, reasoning: 0, cache: { read: 0, write: 0 } };
      const state = { status: "completed", input: { command: `wc ${call.id}` }, output: call.output };
      return [
        file(`message/${sessionId}/${messageId}`, {
          id: messageId,
          role: "assistant",
          modelID: modelId,
          time: { created: 2 },
          tokens,
        }),
        file(`part/${messageId}/prt_1`, { type: "step-start" }),
        file(`part/${messageId}/prt_2`, { type: "tool", tool: "bash", callID: call.id, state }),
        file(`part/${messageId}/prt_3`, { type: "step-finish", tokens }),
      ];
    };
    return [
      file(`session/w/${sessionId}`, { id: sessionId, version: "1.18.0", time: { created: 5 } }),
      file(`message/${sessionId}/msg_${id}_000`, { id: `msg_${id}_000`, role: "user", time: { created: 1 } }),
      file(`part/msg_${id}_000/prt_1`, { type: "text", text: task }),
      ...calls.flatMap(messageOf),
    ];
  },
  gemini: ({ id, task, modelId, calls }) => {
    const replies = calls.map((call, place) => ({
      ...{ id: `g${place}`, type: "gemini", content: "", model: modelId },
      tokens: { input: call.promptTokens, output: 20, cached: 0, thoughts: 0, tool: 0, total: call.promptTokens + 20 },
      toolCalls: [
        {
          ...{ id: call.id, name: "run_shell_command", args: { command: `wc ${call.id}` }, status: "success" },
          result: [{ functionResponse: { id: call.id, name: "run_shell_command", response: { output: call.output } } }],
        },
      ],
    }));
    const messages = [{ id: "u", type: "user", content: task }, ...replies];
    const document = { sessionId: id, projectHash: "h", startTime: TIME, messages };
    return [[`.gemini/tmp/h/chats/session-${id}.json`, JSON.stringify(document)]];
  },
};
