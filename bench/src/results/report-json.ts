import { type EnginePolicy, isRecord } from "@plimsoll/core/extend";
import { z } from "zod";
import type { WindowSpec } from "../drive/cell.ts";
import { METRICS, type RunMetrics, rowMetricsSchema } from "../metrics/registry.ts";
import type { CompactionDetail } from "../metrics/row-metrics.ts";
import type { SessionDescription, SourceNote } from "../open/session-description.ts";
import type { BenchReport, ReplayRow, ReportAnswer } from "../results.ts";

const count = z.int().nonnegative();
const figure = z.number().nullable();
const workingRoom = z.strictObject({ kind: z.literal("working-room"), tokens: z.number().positive() });

const windowSchema: z.ZodType<WindowSpec> = z.discriminatedUnion("kind", [
  workingRoom,
  z.strictObject({ kind: z.literal("real"), tokens: z.number().positive(), reason: z.string() }),
]);

const compactionSchema: z.ZodType<CompactionDetail> = z.strictObject({
  call: count,
  reason: z.string(),
  steps: z.array(z.string()).readonly(),
  tokensBefore: figure,
  tokensAfter: figure,
  messagesBefore: count,
  messagesAfter: count,
  summarisedMessages: count,
  shortenedParts: count,
  summary: z.string().nullable(),
  mentionedLater: count,
  neededLater: count,
  examples: z.array(z.strictObject({ call: count, text: z.string() })).readonly(),
});

/** Schema of one row of a report of a run with these metrics. */
export function rowSchema(metrics: RunMetrics): z.ZodType<ReplayRow> {
  return z.strictObject({
    session: z.string(),
    policy: z.string(),
    window: windowSchema,
    contextWindowTokens: z.number(),
    inputBudgetTokens: z.number(),
    overheadTokens: z.number(),
    why: z.string().nullable(),
    metrics: rowMetricsSchema(metrics).nullable(),
    series: z
      .array(z.strictObject({ call: count, promptTokens: z.number(), compactions: count, overflowed: z.boolean() }))
      .readonly(),
    compactions: z.array(compactionSchema).readonly(),
    cacheMisses: z
      .array(z.strictObject({ call: count, kind: z.enum(["broken", "expired"]), unreadTokens: z.number() }))
      .readonly(),
    composition: z.strictObject({
      kinds: z.array(z.string()).readonly(),
      samples: z.array(z.strictObject({ call: count, tokens: z.array(z.number()).readonly() })).readonly(),
    }),
    failures: z
      .array(z.strictObject({ part: z.string(), failed: count, tried: count, reason: z.string() }))
      .readonly()
      .exactOptional(),
  });
}

/** Schema of one session of a report. */
export const sessionSchema: z.ZodType<SessionDescription> = z.strictObject({
  session: z.string(),
  file: z.string(),
  format: z.string(),
  parentSession: z.string().nullable(),
  lineage: z.string().exactOptional(),
  project: z.string().exactOptional(),
  agentVersion: z.string().nullable(),
  ownWindowTokens: z.number().positive().nullable(),
  startedMs: figure,
  firstWords: z.string().nullable(),
  modelIds: z.array(z.string()).readonly(),
  messages: count,
  calls: count,
  maxReportedPromptTokens: z.number(),
  sumReportedPromptTokens: z.number(),
  recordedBoundaries: count,
  repairs: count,
  isEstimated: z.boolean(),
  recordedUsd: figure,
  recordedUsdIs: z.enum(["whole", "a-part"]),
  unpricedModels: z.array(z.string()).readonly().exactOptional(),
  hasOwnPrices: z.literal(true).exactOptional(),
  statedCostUsd: figure,
  outcome: z
    .strictObject({ grades: z.array(z.strictObject({ name: z.string(), value: z.number() })).readonly() })
    .exactOptional(),
  waitsMs: z.array(z.number()).readonly().exactOptional(),
  seen: z
    .strictObject({
      toolCalls: count,
      results: count,
      files: count,
      edits: count,
      plans: count,
      scripts: count.exactOptional(),
      reasoning: count,
      usage: count,
      cacheReads: count,
      cacheWrites: count,
      costs: count,
    })
    .nullable(),
  sizeJudge: z.strictObject({ heldOutCalls: count, mapePercent: figure, medianPercent: figure, maxPercent: figure }),
});

/** Schema of one note of an importer. */
export const sourceNoteSchema: z.ZodType<SourceNote> = z.strictObject({
  file: z.string(),
  line: z.int().nullable(),
  code: z.string(),
  text: z.string(),
  unread: z.strictObject({ writtenBy: z.string().nullable(), counts: z.record(z.string(), count) }).exactOptional(),
});

const answerSchema: z.ZodType<ReportAnswer> = z.strictObject({
  window: z.string(),
  summaries: z.enum(["by a model", "without a model"]).nullable(),
  sessions: count,
  sessionsNeeded: count.describe("Fewer `sessions` are no answer yet."),
  pick: z.string().nullable(),
  isRecommended: z
    .boolean()
    .describe(
      "True if the screen says `Use` or `Keep` of the pick; false while there is no answer yet or no policy is clearly better.",
    ),
  firstPercent: figure.describe("Resamples in which the pick came first; null with too few sessions."),
  says: z.string().describe("The sentence that begins the answer on every screen."),
  policies: z
    .array(
      z.strictObject({
        policy: z.string(),
        costPercent: z.number(),
        rereadPercent: z.number(),
        costMoreIn: count,
        usd: figure,
        heldPercent: figure,
        heldFarPercent: figure,
        measures: z.array(z.strictObject({ measure: z.string(), percent: figure, why: z.string().nullable() })).readonly(),
        lostRequests: count,
      }),
    )
    .readonly(),
});

const PROBLEM_KINDS = ["failed", "left-out", "not-visible", "not-read", "mixed", "without-effect"] as const;

const sweepSchema = z.strictObject({
  base: z.string(),
  settings: z.array(z.strictObject({ path: z.string(), value: z.number() })).readonly(),
});

type RunField = "plimsollVersion" | "referencesVersion" | "shard" | "inputs" | "policies" | "windows" | "summarizer";

/** Schemas of the fields that a report has of its run; `policy` reads each policy. */
export function runShape(policy: z.ZodType<EnginePolicy>): { readonly [Field in RunField]: z.ZodType<BenchReport[Field]> } {
  return {
    plimsollVersion: z.string(),
    referencesVersion: count,
    shard: z.strictObject({ index: count, count: count }).nullable(),
    inputs: z.array(z.string()).readonly(),
    policies: z.array(z.strictObject({ name: z.string(), policy, sweep: sweepSchema.nullable() })).readonly(),
    windows: z.array(z.discriminatedUnion("kind", [workingRoom, z.strictObject({ kind: z.literal("real") })])).readonly(),
    summarizer: z.string(),
  };
}

/** Makes the Zod schema of {@link BenchReport}, the content of `report.json`. It refuses unknown fields: give the metrics of the run if it had its own. */
export function reportSchema(metrics: RunMetrics = METRICS): z.ZodType<BenchReport> {
  return z.strictObject({
    formatVersion: z.literal(8),
    ...runShape(z.custom<EnginePolicy>(isRecord)),
    sessions: z.array(sessionSchema).readonly(),
    rows: z.array(rowSchema(metrics)).readonly(),
    skipped: z.array(z.strictObject({ file: z.string(), reason: z.string() })).readonly(),
    notes: z.array(sourceNoteSchema).readonly(),
    withoutEffect: z.array(z.string()).readonly().exactOptional(),
    // They are made from the rest whenever a report is written.
    problems: z
      .array(z.strictObject({ kind: z.enum(PROBLEM_KINDS), text: z.string() }))
      .readonly()
      .optional(),
    answers: z.array(answerSchema).readonly().optional(),
    lineages: z.strictObject({ files: count, sessions: count, lineages: count, repeatedAnswers: count }).exactOptional(),
  });
}

/** Makes the JSON Schema (draft 2020-12) of `report.json`, for programs that read reports. Give the metrics of the run if it had its own. */
export function benchReportJsonSchema(metrics: RunMetrics = METRICS): Readonly<Record<string, unknown>> {
  return { title: "plimsoll bench: report.json", ...z.toJSONSchema(reportSchema(metrics), { unrepresentable: "any" }) };
}
