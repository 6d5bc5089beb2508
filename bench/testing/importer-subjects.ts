import { encodeLog, type SessionEntry, usageOf } from "@plimsoll/core";
import { claudeCodeImporter } from "../src/formats/claude-code/importer.ts";
import { clineImporter } from "../src/formats/cline/importer.ts";
import { codexImporter } from "../src/formats/codex/importer.ts";
import { copilotCliImporter } from "../src/formats/copilot-cli/importer.ts";
import { geminiCliImporter } from "../src/formats/gemini-cli/importer.ts";
import { miniSweAgentImporter } from "../src/formats/mini-swe-agent/importer.ts";
import { openCodeImporter, openCodeStorageImporter } from "../src/formats/opencode/importer.ts";
import { openHandsImporter, openHandsOutputImporter } from "../src/formats/openhands/importer.ts";
import { piImporter } from "../src/formats/pi/importer.ts";
import { plimsollImporter } from "../src/formats/plimsoll/importer.ts";
import { qwenCodeImporter } from "../src/formats/qwen-code/importer.ts";
import { rooCodeImporter } from "../src/formats/roo-code/importer.ts";
import { sweAgentImporter } from "../src/formats/swe-agent/importer.ts";
import type { ImporterSubject } from "../src/testing/importer-contract.ts";
import { ARGS, MESSAGE_LIST_SUBJECTS } from "./message-list-subjects.ts";

const lines = (...objects: readonly object[]): string => objects.map((object) => JSON.stringify(object)).join("\n");
const T = { timestamp: "2026-01-01T00:00:00Z" };
const PATCH = "*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** End Patch";
const PLAN = JSON.stringify({ plan: [{ step: "t", status: "pending" }] });
const COUNTS = { input_tokens: 3, cached_input_tokens: 1, output_tokens: 1, total_tokens: 4 };
const THINKING = { type: "thinking", thinking: "t", signature: "s" };
const FUNCTION = { functionResponse: { id: "c", name: "read_file", response: { output: "x" } } };
const TOOL_USE = { type: "tool_use", id: "c", name: "read_file", input: ARGS };
const TOOL_RESULT = { type: "tool_result", tool_use_id: "c", content: "x" };

const START: SessionEntry = {
  ...{ type: "session", version: 1, id: "s", createdMs: null, system: "", tools: [], parent: null, agent: null },
};
const PLIMSOLL: readonly SessionEntry[] = [
  START,
  { type: "message", message: { role: "user", id: "u", origin: "human", parts: [{ type: "text", text: "q" }], atMs: null } },
  {
    ...{ type: "usage", requestId: "r", modelId: "m", throughMessageId: "u", overheadHash: null, viewHash: null, atMs: null },
    usage: usageOf({ totalInputTokens: 5, cacheReadTokens: 1, cacheWriteTokens: 1, raw: { cost: 0.1 } }),
  },
  {
    type: "message",
    message: {
      ...{ role: "assistant", id: "a", origin: "model", modelId: "m", requestId: "r", stopReason: "tool-calls", atMs: null },
      parts: [
        { type: "reasoning", text: "t", opaque: null },
        {
          ...{ type: "tool-call", callId: "c", toolName: "edit", argumentsJson: JSON.stringify(ARGS) },
          paths: [{ path: "a.ts", access: "modify" }],
        },
      ],
    },
  },
  {
    type: "message",
    message: {
      ...{ role: "tool-result", id: "t", callId: "c", toolName: "read", isError: false, category: "file-content", atMs: null },
      parts: [{ type: "text", text: "x" }],
    },
  },
];

const CLAUDE = { isSidechain: false, sessionId: "s", version: "2.1.0", cwd: "/w", ...T };
const CLAUDE_USAGE = { input_tokens: 1, cache_creation_input_tokens: 2, cache_read_input_tokens: 3, output_tokens: 4 };
const codex = (type: string, payload: object) => ({ ...T, type, payload });
const QWEN = { ...T, sessionId: "s", parentUuid: null, version: "0.24.4", cwd: "/w" };
const hands = (id: number, source: string, more: object) => ({ id, source, ...T, message: "", ...more });
const HANDS_ARGS = { path: "a.ts", old_str: "x", new_str: "y" };
const HANDS_USAGE = { prompt_tokens: 3, prompt_tokens_details: { cached_tokens: 1 } };
const HANDS_CALL = {
  id: "c",
  function: { name: "str_replace_editor", arguments: JSON.stringify({ command: "str_replace", ...HANDS_ARGS }) },
};
const HANDS_META = {
  tool_call_metadata: {
    ...{ function_name: "str_replace_editor", tool_call_id: "c" },
    model_response: { id: "r", model: "m", usage: HANDS_USAGE, choices: [{ message: { tool_calls: [HANDS_CALL] } }] },
  },
};
const HANDS_EVENTS = [
  hands(0, "user", { action: "message", args: { content: "q" } }),
  hands(1, "agent", { action: "run", args: { command: "ls" }, ...HANDS_META }),
  hands(2, "agent", { observation: "run", content: "x", ...HANDS_META }),
];
const OPEN_TOKENS = { input: 3, output: 1, reasoning: 0, cache: { read: 1, write: 1 } };
const OPEN_INFO = { id: "ses_1", version: "1.4.3", time: { created: 5 } };

const CLINE_METRICS = { inputTokens: 3, outputTokens: 1, cacheReadTokens: 1, cacheWriteTokens: 1, cost: 0.1 };

/** A session of each format, with a call and its result, made from its tests and its agent's types: none is a recording. */
export const IMPORTER_SUBJECTS: readonly ImporterSubject[] = [
  { importer: plimsollImporter, text: encodeLog(PLIMSOLL) },
  {
    importer: piImporter,
    text: lines(
      { type: "session", id: "s", ...T, cwd: "/w" },
      { type: "message", id: "1", ...T, message: { role: "user", content: "q" } },
      {
        ...{ type: "message", id: "2", ...T },
        message: {
          ...{ role: "assistant", usage: { input: 3, output: 1, cacheRead: 0, cacheWrite: 0, cost: { total: 0.1 } } },
          content: [
            { type: "thinking", thinking: "t" },
            { type: "toolCall", id: "c", name: "read", arguments: ARGS },
          ],
        },
      },
      { type: "message", id: "3", ...T, message: { role: "toolResult", toolCallId: "c", content: "x" } },
    ),
  },
  {
    importer: qwenCodeImporter,
    text: lines(
      { ...QWEN, uuid: "1", type: "user", message: { role: "user", parts: [{ text: "q" }] } },
      {
        ...{
          ...QWEN,
          uuid: "2",
          type: "assistant",
          model: "m",
          usageMetadata: { promptTokenCount: 3, cachedContentTokenCount: 1 },
        },
        message: {
          role: "model",
          parts: [{ text: "t", thought: true }, { functionCall: { id: "c", name: "read_file", args: ARGS } }],
        },
      },
      { ...QWEN, uuid: "3", type: "tool_result", message: { role: "user", parts: [FUNCTION] } },
    ),
  },
  {
    importer: claudeCodeImporter,
    text: lines(
      { ...CLAUDE, uuid: "u", parentUuid: null, type: "user", message: { role: "user", content: "q" } },
      {
        ...{ ...CLAUDE, uuid: "a", parentUuid: "u", type: "assistant", requestId: "r" },
        message: { id: "m", role: "assistant", model: "c", content: [THINKING, TOOL_USE], usage: CLAUDE_USAGE },
      },
      { ...CLAUDE, uuid: "t", parentUuid: "a", type: "user", message: { role: "user", content: [TOOL_RESULT] } },
    ),
  },
  {
    importer: codexImporter,
    text: lines(
      codex("session_meta", { id: "s", cli_version: "0.120.0", base_instructions: { text: "" } }),
      codex("turn_context", { model: "m" }),
      codex("response_item", { type: "message", role: "user", content: [{ type: "input_text", text: "q" }] }),
      codex("response_item", { type: "reasoning", summary: [], encrypted_content: "x" }),
      codex("response_item", { type: "custom_tool_call", name: "apply_patch", input: PATCH, call_id: "c" }),
      codex("response_item", { type: "custom_tool_call_output", call_id: "c", output: "x" }),
      codex("event_msg", { type: "token_count", info: { total_token_usage: COUNTS, last_token_usage: COUNTS } }),
      codex("response_item", { type: "function_call", name: "update_plan", arguments: PLAN, call_id: "p" }),
      codex("response_item", { type: "function_call_output", call_id: "p", output: "x" }),
    ),
  },
  {
    importer: copilotCliImporter,
    text: lines(
      { type: "session.start", id: "e1", ...T, data: { sessionId: "s", copilotVersion: "1.0.74" } },
      { type: "user.message", id: "e2", ...T, data: { content: "q" } },
      {
        ...{ type: "assistant.message", id: "e3", ...T },
        data: {
          content: "",
          reasoningText: "t",
          outputTokens: 3,
          toolRequests: [{ toolCallId: "c", name: "view", arguments: ARGS }],
        },
      },
      { type: "tool.execution_complete", id: "e4", ...T, data: { toolCallId: "c", success: true, result: { content: "x" } } },
      { type: "session.compaction_complete", id: "e5", ...T, data: { success: true, summaryContent: "sum" } },
    ),
  },
  {
    importer: openCodeImporter,
    text: lines({
      info: OPEN_INFO,
      messages: [
        { info: { id: "m1", role: "user", time: { created: 1 } }, parts: [{ type: "text", text: "q" }] },
        {
          info: { id: "m2", role: "assistant", modelID: "m", time: { created: 2 }, cost: 0.1, tokens: OPEN_TOKENS },
          parts: [
            { type: "reasoning", text: "t" },
            { type: "tool", tool: "read", callID: "c", state: { status: "completed", input: ARGS, output: "x" } },
          ],
        },
      ],
    }),
  },
  { importer: openCodeStorageImporter, text: lines(OPEN_INFO) },
  {
    importer: geminiCliImporter,
    text: lines({
      ...{ sessionId: "s", projectHash: "h" },
      messages: [
        { id: "1", type: "user", content: "q" },
        {
          ...{ id: "2", type: "gemini", content: "", tokens: { input: 3, output: 1, cached: 1 }, thoughts: [{ subject: "t" }] },
          toolCalls: [{ id: "c", name: "read_file", args: ARGS, result: [FUNCTION] }],
        },
      ],
    }),
  },
  { importer: openHandsImporter, text: JSON.stringify(HANDS_EVENTS) },
  { importer: openHandsOutputImporter, text: lines({ instance_id: "i", history: HANDS_EVENTS }) },
  {
    importer: miniSweAgentImporter,
    text: lines({
      ...{ trajectory_format: "mini-swe-agent-1", info: { mini_version: "1.17" } },
      messages: [
        { role: "user", content: "q" },
        { role: "assistant", content: "look\n```bash\ncat a.ts\n```" },
        { role: "user", content: "x" },
      ],
    }),
  },
  {
    importer: sweAgentImporter,
    text: lines({
      ...{ trajectory: [{ action: "ls" }], info: {} },
      history: [
        { role: "user", content: "q" },
        {
          role: "assistant",
          content: "",
          tool_calls: [
            {
              id: "c",
              function: { name: "str_replace_editor", arguments: JSON.stringify({ command: "str_replace", ...HANDS_ARGS }) },
            },
          ],
        },
        { role: "tool", content: "x", tool_call_ids: ["c"] },
      ],
    }),
  },
  {
    importer: rooCodeImporter,
    text: JSON.stringify([
      { role: "user", ts: 1, content: "q", condenseParent: "s" },
      { role: "assistant", ts: 2, content: [THINKING, TOOL_USE], condenseParent: "s" },
      { role: "user", ts: 3, content: [TOOL_RESULT], condenseParent: "s" },
      { role: "user", ts: 4, content: "sum", isSummary: true, condenseId: "s" },
    ]),
  },
  {
    importer: clineImporter,
    text: lines({
      ...{ version: 1, sessionId: "s" },
      messages: [
        { id: "1", role: "user", content: "q", ts: 1 },
        { id: "2", role: "assistant", content: [THINKING, TOOL_USE], ts: 2, modelInfo: { id: "m" }, metrics: CLINE_METRICS },
        { id: "3", role: "user", content: [TOOL_RESULT], ts: 3 },
      ],
    }),
  },
  ...MESSAGE_LIST_SUBJECTS,
];
