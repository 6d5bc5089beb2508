import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { madeTranscript } from "../../testing/made-session.ts";
import { textSource } from "../formats/file-source.ts";
import type { FileHead } from "../formats/importer.ts";
import { importSource } from "../formats/registry.ts";
import type { MeasuredCall, MeasuredReplay, Metric } from "../metrics/metric.ts";
import { METRICS, pooledBy } from "../metrics/registry.ts";
import { prepareSession } from "../open/prepared-session.ts";
import { replay } from "./replay.ts";

const window = { kind: "working-room", tokens: 24_000 } as const;
const session = () =>
  prepareSession(madeTranscript({ turns: 8, toolCallsPerTurn: 6, resultChars: 4000, overheadTokens: 2000 }));

/** A metric of somebody's own that does this at the start, and with each call. */
const changing = (atStart: (replayed: MeasuredReplay) => void, atCall: (call: MeasuredCall) => void): Metric => ({
  id: "changing",
  schema: z.array(z.number()),
  measure: (replayed) => {
    atStart(replayed);
    return { add: atCall, result: () => [1, 2] };
  },
  pool: ({ results }) => results.map((result) => Array.prototype.pop.call(result)),
  figures: {},
});
const nothing = () => undefined;
const run = (metric: Metric) =>
  replay(session(), { policy: PLIMSOLL_POLICY, window, catalog: MODEL_CATALOG, metrics: [...METRICS, metric] });

describe("a metric of one's own", () => {
  test.each<[string, Metric]>([
    ["a text of a request", changing(nothing, ({ context }) => Object.assign(context.at(-1)?.parts[0] ?? {}, { text: "x" }))],
    ["the list of compactions", changing(nothing, ({ compactions }) => Array.prototype.push.call(compactions, null))],
    ["the call", changing(nothing, (call) => Object.assign(call, { lost: true }))],
    ["the log", changing(({ session: { entries } }) => Array.prototype.reverse.call(entries), nothing)],
    ["the policy", changing(({ cell: { policy } }) => Object.assign(policy, { enabled: false }), nothing)],
  ])("fails if it changes %s", async (_, metric) => {
    await expect(run(metric)).rejects.toThrow(/read only|not extensible/);
  });

  test("pools copies of the results", async () => {
    const metric = changing(nothing, nothing);
    const row = { ...(await run(metric)), session: "one" };
    const { metrics } = row;
    const rows = metrics === null ? [] : [{ session: "one", metrics }];
    expect([pooledBy(metric, rows), pooledBy(metric, rows)]).toEqual([[2], [2]]);
  });
});

test.each<[string, (head: FileHead) => unknown]>([
  ["the first objects", ({ firstObjects }) => Object.assign(firstObjects[0] ?? {}, { type: "mine" })],
  ["the text", (head) => Object.assign(head, { text: "" })],
])("an importer of one's own fails if it changes %s", async (_, change) => {
  const source = textSource('{"type":"session","id":"s"}\n', "log.jsonl");
  const read = () => Promise.resolve([]);
  const own = { format: "own", description: "Mine", recognises: (head: FileHead) => change(head) === null, read };
  await expect(importSource(source, [own])).rejects.toThrow("read only");
});
