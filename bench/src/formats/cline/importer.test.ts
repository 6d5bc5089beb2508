import { writeFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { describeLog, importDocument } from "../../../testing/describe-log.ts";
import { freshFolder } from "../../../testing/fresh-folder.ts";
import { importFile } from "../registry.ts";

const user = (content: unknown, more: object = {}) => ({ id: "u", role: "user", content, ts: 1, ...more });
const assistant = (id: string, content: unknown, more: object = {}) => {
  return { id, role: "assistant", content, ts: 2, modelInfo: { id: "m" }, ...more };
};
const METRICS = { metrics: { inputTokens: 50, cacheReadTokens: 10, cacheWriteTokens: 20, outputTokens: 3, cost: 0 } };
const USE = { type: "tool_use", id: "c1", name: "read_file", input: { path: "a.ts" } };
const RESULT = { type: "tool_result", tool_use_id: "c1", content: "body" };
const USAGE = "usage 50 (read 10, write 20) out 3";
const CALL = 'call c1 read_file {"path":"a.ts"} read a.ts';

test("metrics are inclusive; a reply without them was no reported call; a summary is a recorded compaction", async () => {
  const [transcript] = await importDocument({
    version: 1,
    sessionId: "s",
    system_prompt: "You are.",
    messages: [
      user([{ type: "text", text: "q" }]),
      assistant("a1", [{ type: "thinking", thinking: "hm" }, { type: "text", text: "reading" }, USE], METRICS),
      user([RESULT]),
      assistant("a2", "half"),
      user("sum", { metadata: { kind: "compaction_summary" } }),
      assistant("a3", "on", METRICS),
    ],
  });
  expect(describeLog(transcript)).toEqual([
    "session s",
    "human: q",
    USAGE,
    `model: (hm) | reading | ${CALL}`,
    "result c1 (read_file, file-content): body",
    "model: half",
    "compaction 4 -> 1: replace 4 by [summary: sum]",
    USAGE,
    "model: on",
  ]);
  expect(transcript?.entries[0]).toMatchObject({ system: "You are." });
});

test("a history without metrics reports nothing", async () => {
  const [transcript] = await importDocument([user("q"), { role: "assistant", content: [USE], ts: 2 }, user([RESULT])]);
  expect(describeLog(transcript).slice(1)).toEqual([
    "human: q",
    "usage null (read null, write null) out null",
    `model: ${CALL}`,
    "result c1 (read_file, file-content): body",
  ]);
  expect(transcript?.hasUsage).toBe(false);
});

test("calls that are written as text are calls, and what follows their heading is their result", async () => {
  const write = "<write_to_file>\n<path>a.ts</path>\n<content>\nif (a < b) <b>\n</content>\n</write_to_file>";
  const [transcript] = await importDocument([
    user([
      { type: "text", text: "<task>go</task>" },
      { type: "text", text: "<environment_details>x" },
    ]),
    { role: "assistant", content: [{ type: "text", text: `First.\n\n${write}` }], ts: 2 },
    user([
      { type: "text", text: "[write_to_file for 'a.ts'] Result:" },
      { type: "text", text: "saved" },
      { type: "text", text: "<environment_details>y" },
    ]),
    { role: "assistant", content: "<execute_command>\n<command>ls</command>\n</execute_command>", ts: 3 },
    user("[execute_command for 'ls'] Result:\na.ts"),
    { role: "assistant", content: "What is <command>?", ts: 4 },
    user("[not a result] Result:"),
  ]);
  const log = describeLog(transcript).map((line) => line.replace(/call:[0-9a-f]{32}/, "ID"));
  expect(log.filter((line) => !line.startsWith("usage")).slice(1)).toEqual([
    "human: <task>go</task>",
    "injected: <environment_details>x",
    'model: First.\n\n | call ID write_to_file {"path":"a.ts","content":"if (a < b) <b>"} modify a.ts',
    "result ID (write_to_file, generic): saved",
    "injected: <environment_details>y",
    'model: call ID execute_command {"command":"ls"}',
    "result ID (execute_command, head-tail): a.ts",
    "model: What is <command>?",
    "human: [not a result] Result:",
  ]);
});

const task = freshFolder(beforeAll);

test("an editor's task has its usage in the user's messages beside it, the cache apart from the prompt", async () => {
  const path = task("api_conversation_history.json");
  writeFileSync(path, JSON.stringify([user("q"), assistant("a", "on", { ts: 30 })]));
  const text = JSON.stringify({ request: "long", tokensIn: 50, tokensOut: 5, cacheReads: 30, cacheWrites: 10 });
  writeFileSync(task("ui_messages.json"), JSON.stringify([{ ts: 20, type: "say", say: "api_req_started", text }]));
  const [transcript] = await importFile(path);
  expect(transcript?.entries[0]).toMatchObject({ agent: { name: "cline" } });
  expect(describeLog(transcript).slice(2)).toEqual(["usage 90 (read 30, write 10) out 5", "model: on"]);
});
