import type { SessionEntry } from "@plimsoll/core";
import { expect, test } from "vitest";
import { importObjects } from "../../testing/describe-log.ts";
import { CLEARED } from "../transcript.ts";
import { compactionWaits } from "./compaction-waits.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + 1000 * seconds).toISOString();
const line = (seconds: number, type: string, payload: object) => ({ timestamp: at(seconds), type, payload });
const item = (seconds: number, payload: object) => line(seconds, "response_item", payload);
const START = line(0, "session_meta", { id: "s", cli_version: "0.120.0", base_instructions: { text: "You are." } });
const human = item(0, { type: "message", role: "user", content: [{ type: "input_text", text: "q" }] });
const call = item(1, { type: "function_call", name: "exec_command", arguments: "{}", call_id: "a" });
const output = item(5, { type: "function_call_output", call_id: "a", output: "ok" });
const said = item(9, { type: "message", role: "assistant", content: [{ type: "output_text", text: "done" }] });
const compacted = (seconds: number) => line(seconds, "compacted", { message: "sum" });

test.each<readonly [string, readonly object[], readonly number[]]>([
  ["from the result before it to its own time", [human, call, output, compacted(35)], [30_000]],
  ["not from a finished reply, behind which a person may be away", [human, said, compacted(35)], []],
  ["not for longer than ten minutes", [human, call, output, compacted(606)], []],
  ["for each cut", [human, call, output, compacted(15), { ...output, timestamp: at(20) }, compacted(27)], [10_000, 22_000]],
])("waits count %s", async (_, lines, waits) => {
  const [transcript] = await importObjects([START, ...lines]);
  expect(transcript === undefined ? null : [...compactionWaits(transcript).values()]).toEqual(waits);
});

test("a compaction after a finished reply counts if the agent is known to have made it by itself", async () => {
  const [transcript] = await importObjects([START, human, said, compacted(35)]);
  const isCompaction = (entry: SessionEntry) => entry.type === "compaction";
  const ids = transcript?.entries.filter(isCompaction).flatMap((entry) => ("id" in entry ? [entry.id] : []));
  expect([...compactionWaits({ ...(transcript ?? expect.fail()), automaticCompactionIds: ids ?? [] }).values()]).toEqual([
    26_000,
  ]);
});

test("old results are cleared without a wait", async () => {
  const [transcript] = await importObjects([START, human, call, output, compacted(35)]);
  const cleared = (transcript?.entries ?? []).map((entry) =>
    entry.type === "compaction"
      ? { ...entry, record: { ...entry.record, steps: [{ strategy: CLEARED, outcome: "applied" as const, detail: null }] } }
      : entry,
  );
  expect(compactionWaits({ ...(transcript ?? expect.fail()), entries: cleared }).size).toBe(0);
});

test("a compaction that a person asked for counts from its command, which is logged behind it", async () => {
  const asked = item(15, { type: "message", role: "user", content: [{ type: "input_text", text: "/compact" }] });
  const [transcript] = await importObjects([START, human, said, compacted(35), asked]);
  expect(transcript === undefined ? null : [...compactionWaits(transcript).values()]).toEqual([20_000]);
});
