import { expect, test } from "vitest";
import { describeLog, importDocument, importObjects } from "../../../testing/describe-log.ts";

const event = (id: number, source: string, more: object) => {
  return { id, source, timestamp: "2026-01-01T00:00:00", message: "", ...more };
};
const response = (id: string, callId: string, name: string, args: object) => ({
  ...{
    id,
    model: "m",
    usage: {
      prompt_tokens: 20,
      completion_tokens: 4,
      prompt_tokens_details: { cached_tokens: 5 },
      cache_creation_input_tokens: 6,
    },
  },
  choices: [{ message: { content: "now", tool_calls: [{ id: callId, function: { name, arguments: JSON.stringify(args) } }] } }],
});
const metadata = (id: string, callId: string, name: string, args: object) => ({
  tool_call_metadata: { function_name: name, tool_call_id: callId, model_response: response(id, callId, name, args) },
});

const RUN = metadata("r1", "c1", "execute_bash", { command: "ls" });
const EDIT = metadata("r2", "c2", "str_replace_editor", { command: "create", path: "a.ts", file_text: "x" });
const EVENTS = [
  event(0, "agent", {
    action: "system",
    args: {
      content: "You are.",
      tools: [{ type: "function", function: { name: "execute_bash", description: "d", parameters: { type: "object" } } }],
    },
  }),
  event(1, "user", { action: "message", args: { content: "q", image_urls: null } }),
  event(2, "environment", {
    observation: "recall",
    content: "Added",
    extras: { repo_instructions: "rules", microagent_knowledge: [{ content: "about git" }] },
  }),
  event(3, "agent", { action: "run", args: { command: "ls", thought: "now" }, ...RUN }),
  event(4, "agent", {
    observation: "run",
    content: "a.ts",
    extras: { metadata: { prefix: "", suffix: "\n[exit code 0]" } },
    ...RUN,
  }),
  event(5, "agent", { action: "edit", args: { path: "a.ts" }, ...EDIT }),
  event(6, "agent", { observation: "edit", content: "a diff", extras: { formatted_output_and_error: "created" }, ...EDIT }),
  event(7, "agent", { observation: "error", content: "bad parameter" }),
  event(8, "environment", { observation: "agent_state_changed", content: "" }),
  event(9, "agent", { action: "message", args: { content: "done" } }),
];
const USAGE = "usage 20 (read 5, write 6) out 4";
const LOG = [
  "human: q",
  "injected: rules\n\nabout git",
  USAGE,
  'model: now | call c1 execute_bash {"command":"ls"}',
  "result c1 (execute_bash, head-tail): a.ts\n[exit code 0]",
  USAGE,
  'model: now | call c2 str_replace_editor {"command":"create","path":"a.ts","file_text":"x"} modify a.ts',
  "result c2 (str_replace_editor, generic): created",
  "injected: bad parameter",
  "model: done",
];

test("a list of events: each answer of the model is counted once", async () => {
  const [transcript] = await importDocument(EVENTS);
  expect(describeLog(transcript)).toEqual(["session log", ...LOG]);
  expect(transcript?.entries[0]).toMatchObject({
    system: "You are.",
    tools: [{ name: "execute_bash", description: "d", parametersJson: '{"type":"object"}' }],
  });
});

test("output of a benchmark: a session a line, numbered", async () => {
  const transcripts = await importObjects([
    { instance_id: "one", history: EVENTS },
    { instance_id: "two", history: EVENTS.slice(0, 2) },
  ]);
  expect(transcripts.map((transcript) => [transcript.name, ...describeLog(transcript)])).toEqual([
    ["log#0", "session one", ...LOG],
    ["log#1", "session two", "human: q"],
  ]);
});

test.each([
  ["by id", { forgotten_event_ids: [3, 4] }],
  ["by range", { forgotten_events_start_id: 3, forgotten_events_end_id: 4 }],
])("a condensation forgets events %s", async (_, args) => {
  const [transcript] = await importDocument([
    ...EVENTS.slice(0, 5),
    event(10, "agent", { action: "condensation", args: { ...args, summary: "sum" } }),
  ]);
  expect(describeLog(transcript).at(-1)).toBe(
    "compaction 4 -> 3: replace 2 by [summary: sum; human: q; injected: rules\n\nabout git]",
  );
});
