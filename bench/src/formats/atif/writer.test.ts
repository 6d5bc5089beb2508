import { expect, test } from "vitest";
import { describeLog, importDocument, importObjects } from "../../../testing/describe-log.ts";
import type { Transcript } from "../../transcript.ts";
import { recordAt, recordsAt } from "../fields.ts";
import { atifTrajectories } from "./writer.ts";

/** Writes the transcripts as trajectories, and reads them again. */
async function again(transcripts: readonly Transcript[]): Promise<readonly Transcript[]> {
  return importObjects(atifTrajectories(transcripts));
}

// Made from the specification: no trajectory of a real run.
const call = (id: string, name = "read", args: object = { path: "a.ts" }) => ({
  tool_call_id: id,
  function_name: name,
  arguments: args,
});
const metrics = (prompt_tokens: number) => ({
  metrics: { prompt_tokens, completion_tokens: 5, cost_usd: 0.1, extra: { reasoning_tokens: 2 } },
});
const COPIED = { is_copied_context: true };
const audio = { type: "audio", source: { media_type: "audio/wav", path: "a.wav" } };
const image = { type: "image", source: { media_type: "image/png", path: "a.png" } };
const REPLACE = { context_management: { type: "compaction", boundary: "replace", tokens_before: 900 } };
const CHILD = {
  ...{ schema_version: "ATIF-v1.7", trajectory_id: "sub", agent: { name: "helper", version: "2" } },
  steps: [{ step_id: 1, source: "user", message: "look" }],
};
const STEPS = [
  { source: "system", message: "You are.", timestamp: "2026-01-01T00:00:00Z" },
  { source: "user", message: [{ type: "text", text: "q" }, image, audio] },
  {
    ...{
      source: "agent",
      message: "reading",
      reasoning_content: "hm",
      model_name: "m",
      timestamp: "2026-01-01T00:00:01Z",
      ...metrics(30),
    },
    tool_calls: [call("c1"), call("c2", "bash_command", { keystrokes: "ls\n" })],
    observation: {
      results: [
        { source_call_id: "c1", content: "body", subagent_trajectory_ref: [{ trajectory_id: "sub" }] },
        { source_call_id: "c2", content: "no", extra: { is_error: true } },
      ],
    },
  },
  { source: "agent", message: "two calls", llm_call_count: 2, ...metrics(80) },
  { source: "agent", message: "dispatched", llm_call_count: 0 },
  { source: "agent", message: "unreported", llm_call_count: 1 },
  { source: "system", message: "c", extra: REPLACE, observation: { results: [{ content: "sum" }] } },
  { source: "agent", message: "unreported", ...COPIED },
  { source: "system", message: "be quick" },
  { source: "agent", message: "on", model_name: "n", ...metrics(20) },
  { source: "agent", message: "", llm_call_count: 1, metrics: { prompt_tokens: 25, completion_tokens: 0 } },
  { source: "system", message: "c", extra: REPLACE },
  { source: "user", message: "again", ...COPIED },
  { source: "agent", message: "end", ...metrics(10) },
];
const DOCUMENT = {
  ...{
    schema_version: "ATIF-v1.8",
    session_id: "s",
    agent: {
      name: "a",
      version: "1",
      tool_definitions: [{ type: "function", function: { name: "read", description: "", parameters: {} } }],
    },
  },
  ...{ steps: STEPS.map((step, index) => ({ step_id: index + 1, ...step })), subagent_trajectories: [CHILD] },
  extra: { plimsoll: { grades: { reward: 0.5, style: 1 } } },
};

test("what is read, written and read again is the same, with every id", async () => {
  const read = await importDocument(DOCUMENT);
  expect(read.map(({ name }) => name)).toEqual(["log", "log#sub"]);
  expect(describeLog(read[0]).filter((line) => line.startsWith("compaction"))).toHaveLength(2);
  expect(await again(read)).toEqual(read);
});

test.each([
  ["1.8 if there is audio", DOCUMENT, "ATIF-v1.8"],
  ["1.7 else", CHILD, "ATIF-v1.7"],
])("the version written is %s", async (_, document, version) => {
  expect(atifTrajectories(await importDocument(document))).toMatchObject([{ schema_version: version }]);
});

const T = { timestamp: "2026-01-01T00:00:00Z" };
const PI = [
  { type: "session", id: "s", ...T, cwd: "/w" },
  { type: "message", id: "1", ...T, message: { role: "user", content: "q" } },
  {
    ...{ type: "message", id: "2", ...T },
    message: {
      ...{ role: "assistant", model: "m", usage: { input: 3, output: 1, cacheRead: 7, cacheWrite: 2 } },
      content: [
        { type: "text", text: "see" },
        { type: "toolCall", id: "c", name: "read", arguments: { path: "a.ts" } },
      ],
    },
  },
  { type: "message", id: "3", ...T, message: { role: "toolResult", toolCallId: "c", content: "x", isError: true } },
  { type: "message", id: "4", ...T, message: { role: "user", content: "more" } },
  { type: "compaction", id: "5", ...T, summary: "sum", firstKeptEntryId: "4", tokensBefore: 50 },
  {
    ...{ type: "message", id: "6", ...T },
    message: {
      role: "assistant",
      model: "m",
      content: [{ type: "text", text: "end" }],
      usage: { input: 3, output: 1, cacheRead: 0, cacheWrite: 0 },
    },
  },
];

test("a compaction is a step with the summary, and what stayed follows it as copied steps", async () => {
  const read = await importObjects(PI);
  const [document] = atifTrajectories(read);
  expect(document).toMatchObject({ session_id: "s", final_metrics: { total_prompt_tokens: 15, total_completion_tokens: 2 } });
  const steps = document?.steps;
  expect(Array.isArray(steps) && steps.slice(-3)).toMatchObject([
    {
      ...{ source: "system", extra: { context_management: { type: "compaction", boundary: "replace", tokens_before: 50 } } },
      observation: { results: [{ content: expect.stringContaining("sum") }] },
    },
    { source: "user", message: "more", is_copied_context: true },
    { source: "agent", message: "end", metrics: { prompt_tokens: 3 } },
  ]);
  expect((await again(read)).map(describeLog)).toEqual(read.map(describeLog));
});

test("steps are numbered from 1, and a result names a call of its own step", async () => {
  const [document] = atifTrajectories(await importDocument(DOCUMENT));
  const steps = recordsAt(document, "steps");
  expect(steps.map(({ step_id }) => step_id)).toEqual(steps.map((_, index) => index + 1));
  const named = steps.flatMap((step) => {
    const ids = recordsAt(step, "tool_calls").map(({ tool_call_id }) => tool_call_id);
    const results = recordsAt(recordAt(step, "observation"), "results");
    return results.flatMap(({ source_call_id: id }) => (id === undefined ? [] : [ids.includes(id)]));
  });
  expect(named).toEqual([true, true]);
  const ofAgents = steps.filter((step) => "tool_calls" in step || "metrics" in step || "reasoning_content" in step);
  expect(new Set(ofAgents.map(({ source }) => source))).toEqual(new Set(["agent"]));
});
