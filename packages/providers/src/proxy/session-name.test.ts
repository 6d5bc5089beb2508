import { expect, test } from "vitest";
import { type RequestHeaders, sessionNameOf } from "./read-request.ts";

test.each<[string, RequestHeaders, { readonly [key: string]: unknown }, string | null]>([
  ["no name", { "user-agent": "x" }, { model: "m" }, null],
  ["Codex: the header", { session_id: "a" }, { prompt_cache_key: "b" }, "a"],
  ["Codex: the cache key", {}, { prompt_cache_key: "b" }, "b"],
  ["Codex: a sub-agent is another", { session_id: "a", "x-openai-subagent": "review" }, {}, "a\nreview"],
  ["Claude Code: the header", { "x-claude-code-session-id": "c" }, {}, "c"],
  ["Claude Code: the user's id", {}, { metadata: { user_id: "user_1_account__session_9f" } }, "9f"],
  ["Claude Code: the user's id as JSON", {}, { metadata: { user_id: '{"device_id":"d","session_id":"9f"}' } }, "9f"],
  ["Qwen Code: its metadata", {}, { metadata: { sessionId: "q", promptId: "p" } }, "q"],
  ["OpenCode: the header", { "x-session-affinity": "o" }, {}, "o"],
  ["a name is a text that is not empty", { session_id: "" }, { prompt_cache_key: 7 }, null],
])("%s", (_, headers, body, expected) => {
  expect(sessionNameOf(headers, body)).toBe(expected);
});
