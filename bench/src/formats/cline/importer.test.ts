import { expect, test } from "vitest";
import { describeLog, importDocument } from "../testing/describe-log.ts";

const user = (content: unknown, more: object = {}) => ({ id: "u", role: "user", content, ts: 1, ...more });
const assistant = (id: string, content: unknown, more: object = {}) => ({
  id,
  role: "assistant",
  content,
  ts: 2,
  modelInfo: { id: "m" },
  ...more,
});
const METRICS = { metrics: { inputTokens: 50, cacheReadTokens: 10, cacheWriteTokens: 20, outputTokens: 3, cost: 0 } };
const USE = { type: "tool_use", id: "c1", name: "read_file", input: { path: "a.ts" } };
const RESULT = { type: "tool_result", tool_use_id: "c1", content: "body" };
const USAGE = "usage 50 (read 10, write 20) out 3";
const CALL = 'call c1 read_file {"path":"a.ts"} read a.ts';

test("metrics are inclusive; a reply without them was no reported call; a summary is a boundary", async () => {
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
