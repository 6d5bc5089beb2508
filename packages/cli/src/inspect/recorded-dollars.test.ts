import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";

const folder = freshFolder(beforeAll);

const lines = (...objects: readonly object[]): string => objects.map((object) => JSON.stringify(object)).join("\n");
const MODEL = "claude-sonnet-4-5";
const T = { timestamp: "2026-01-01T00:00:00Z" };
const CLAUDE = { ...T, isSidechain: false, sessionId: "s", version: "2.1.0", cwd: "/w" };
const CLAUDE_USAGE = {
  ...{ input_tokens: 1000, cache_creation_input_tokens: 100_000, cache_read_input_tokens: 50_000, output_tokens: 4000 },
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 100_000 },
};
const CHAT_USAGE = { prompt_tokens: 150_000, prompt_tokens_details: { cached_tokens: 50_000 }, completion_tokens: 1000 };
const GEMINI_TOKENS = { input: 150_000, output: 1000, cached: 50_000, thoughts: 0, tool: 0, total: 151_000 };
const said = { message: { content: "a" } };

/** A log of one call in each format that can report usage, and its dollars: $3 in, $0.3 read, $3.75 and $6 written, $15 out. */
const LOGS: readonly [format: string, text: string, dollars: string][] = [
  [
    "claude-code",
    lines(
      { ...CLAUDE, uuid: "u", parentUuid: null, type: "user", message: { role: "user", content: "q" } },
      {
        ...{ ...CLAUDE, uuid: "a", parentUuid: "u", type: "assistant", requestId: "r", costUSD: 0.5 },
        message: { id: "m", role: "assistant", model: MODEL, content: [{ type: "text", text: "a" }], usage: CLAUDE_USAGE },
      },
    ),
    "$0.678 by list prices; its log says $0.500 (+35.6%)",
  ],
  [
    "codex",
    lines(
      { ...T, type: "session_meta", payload: { id: "s", cli_version: "0.150.0", base_instructions: { text: "" } } },
      { ...T, type: "turn_context", payload: { model: MODEL } },
      { ...T, type: "response_item", payload: { type: "message", role: "user", content: [{ type: "input_text", text: "q" }] } },
      {
        ...{ ...T, type: "response_item" },
        payload: { type: "message", role: "assistant", content: [{ type: "output_text", text: "a" }] },
      },
      {
        ...{ ...T, type: "event_msg" },
        payload: {
          type: "token_count",
          info: {
            last_token_usage: {
              ...{ input_tokens: 150_000, cached_input_tokens: 50_000, cache_write_input_tokens: 90_000, output_tokens: 1000 },
            },
          },
        },
      },
    ),
    "$0.398 by list prices",
  ],
  [
    "opencode",
    lines({
      info: { id: "s", version: "1.18.0", directory: "/w", time: { created: 1 } },
      messages: [
        { info: { id: "m1", role: "user", time: { created: 1 } }, parts: [{ type: "text", text: "q" }] },
        {
          info: {
            ...{ id: "m2", role: "assistant", modelID: MODEL, time: { created: 2 }, cost: 1 },
            tokens: { input: 10_000, output: 1000, reasoning: 0, cache: { read: 50_000, write: 90_000 } },
          },
          parts: [{ type: "text", text: "a" }],
        },
      ],
    }),
    "$0.398 by list prices; its log says $1.00 (−60.3%)",
  ],
  [
    "pi",
    lines(
      { type: "session", id: "s", version: 3, ...T, cwd: "/w" },
      { type: "message", id: "1", parentId: null, ...T, message: { role: "user", content: "q" } },
      {
        ...{ type: "message", id: "2", parentId: "1", ...T },
        message: {
          ...{ role: "assistant", model: MODEL, content: [{ type: "text", text: "a" }] },
          usage: { input: 10_000, output: 1000, cacheRead: 50_000, cacheWrite: 90_000, cost: { total: 0.4 } },
        },
      },
    ),
    "$0.398 by list prices",
  ],
  [
    "gemini-cli",
    lines({
      ...{ sessionId: "s", projectHash: "h" },
      messages: [
        { id: "1", type: "user", content: "q" },
        { id: "2", type: "gemini", content: "a", model: MODEL, tokens: GEMINI_TOKENS },
      ],
    }),
    "$0.330 by list prices",
  ],
  [
    "mini-swe-agent",
    lines({
      ...{ trajectory_format: "mini-swe-agent-1", info: { mini_version: "1.17", model_stats: { instance_cost: 0.33 } } },
      messages: [
        { role: "user", content: "q" },
        { role: "assistant", content: "a", extra: { response: { id: "r", model: MODEL, usage: CHAT_USAGE } } },
      ],
    }),
    "$0.330 by list prices",
  ],
  [
    "openhands",
    JSON.stringify([
      { id: 1, source: "user", ...T, action: "message", message: "", args: { content: "q" } },
      {
        ...{ id: 2, source: "agent", ...T, action: "message", message: "", args: { content: "a" } },
        ...{ llm_metrics: { accumulated_cost: 0.66 } },
        tool_call_metadata: { model_response: { id: "r", model: MODEL, usage: CHAT_USAGE, choices: [said] } },
      },
    ]),
    "$0.330 by list prices; its log says $0.660 (−50.0%)",
  ],
  [
    "cline",
    lines({
      ...{ version: 1, sessionId: "s" },
      messages: [
        { id: "1", role: "user", content: "q", ts: 1 },
        {
          ...{ id: "2", role: "assistant", content: [{ type: "text", text: "a" }], ts: 2, modelInfo: { id: MODEL } },
          metrics: { inputTokens: 150_000, cacheReadTokens: 50_000, cacheWriteTokens: 90_000, outputTokens: 1000 },
        },
      ],
    }),
    "$0.398 by list prices",
  ],
];

const unwrapped = (text: string) => text.replace(/\s+/g, " ");

test.each(LOGS)("%s: inspect, bench and its JSON say the same of one log", async (format, text, dollars) => {
  const path = folder(`${format}.json`);
  writeFileSync(path, text);
  const inspected = recordedIo(folder());
  expect(await main(["inspect", path], inspected.io)).toBe(0);
  expect(unwrapped(inspected.stdout())).toContain(`· cost: ${dollars} (`);
  const benched = recordedIo(folder());
  const written = ["--json", `${format}.report.json`, "--html", `${format}.html`];
  expect(await main(["bench", path, "--policy", "recorded", "--window", "500k", ...written], benched.io)).toBe(0);
  expect(unwrapped(readFileSync(folder(`${format}.html`), "utf8"))).toContain(dollars);
  expect(unwrapped(benched.stdout())).toContain(`Recorded usage: ${dollars}. All other dollars are modelled by replays.`);
  const json: { sessions: [{ recordedUsd: number }] } = JSON.parse(readFileSync(folder(`${format}.report.json`), "utf8"));
  expect(dollars).toContain(`$${json.sessions[0].recordedUsd.toFixed(3)} by list prices`);
});
