import { NONE_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { RECORDED_POLICY } from "@plimsoll/core/extend";
import type { WindowSpec } from "../src/drive/cell.ts";
import type { HeldResult } from "../src/metrics/held.ts";
import type { CompactionDetail } from "../src/metrics/row-metrics.ts";
import type { SessionDescription } from "../src/open/session-description.ts";
import type { BenchReport, CallPoint, ReplayRow } from "../src/results.ts";

/** The content of an example report; all of it has defaults. */
interface ExampleOptions {
  readonly sessions?: readonly string[];
  readonly workingRoomsTokens?: readonly number[];
  readonly calls?: number;
  /** Shares of the input budget at which further policies act: points of a sweep. */
  readonly sweptRatios?: readonly number[];
}

const POLICIES = [RECORDED_POLICY, NONE_POLICY, SVEN_POLICY];
const FIRST_START_MS = Date.UTC(2026, 2, 1, 9);
const HOUR_MS = 3_600_000;
const MOST_WORDS_CHARS = 80;
const OVERHEAD_TOKENS = 9_000;
const GROWTH_TOKENS = 640;
const OUTPUT_RESERVE_TOKENS = 8_000;
const SVEN_RATIO = 0.75;

/** A report with plausible figures, made without a replay: for tests of its rendering, and for looking at the page. */
export function exampleReport(options: ExampleOptions = {}): BenchReport {
  const { sessions = ["sessions/first.jsonl", "sessions/second.jsonl"], workingRoomsTokens = [64_000], calls = 240 } = options;
  const policies = [
    ...POLICIES.map((policy) => ({ name: policy.name, policy, sweep: null })),
    ...sweptPolicies(options.sweptRatios ?? []),
  ];
  const windows = workingRoomsTokens.map((tokens) => ({ kind: "working-room", tokens }) as const);
  return {
    formatVersion: 8,
    shard: null,
    inputs: sessions,
    windows: workingRoomsTokens.map((tokens) => ({ kind: "working-room", tokens })),
    summarizer: "digest",
    plimsollVersion: "0.1.0",
    referencesVersion: 1,
    policies,
    sessions: sessions.map((session, index) => exampleSession(session, calls * (index + 1))),
    rows: sessions.flatMap((session, index) =>
      windows.flatMap((window) =>
        policies.map(({ name, sweep }) => {
          const ratio = sweep?.settings[0]?.value ?? (name === SVEN_POLICY.name ? SVEN_RATIO : null);
          return exampleRow({ session, policy: name, ratio, window, calls: calls * (index + 1) });
        }),
      ),
    ),
    skipped: [{ file: "sessions/cut.jsonl", reason: "line 3: not JSON; delete the line or export the session again" }],
    notes: [{ file: "sessions/first.jsonl", line: 17, code: "duplicate-usage", text: "the call's usage is repeated" }],
  };
}

type Metrics = NonNullable<ReplayRow["metrics"]>;

/** The report, whose rows have other metrics in the place of some. */
export function withMetrics(
  report: BenchReport,
  changedIn: (metrics: Metrics, row: BenchReport["rows"][number]) => Partial<Metrics>,
): BenchReport {
  const rows = report.rows.map((row) =>
    row.metrics === null ? row : { ...row, metrics: { ...row.metrics, ...changedIn(row.metrics, row) } },
  );
  return { ...report, rows };
}

function exampleSession(session: string, calls: number): SessionDescription {
  return {
    session,
    file: session,
    agentVersion: null,
    ownWindowTokens: 200_000,
    format: "example",
    parentSession: null,
    startedMs: FIRST_START_MS + calls * HOUR_MS,
    firstWords: `Mend the parser of ${session}`.slice(0, MOST_WORDS_CHARS),
    modelIds: ["example-model-1"],
    messages: calls * 2 + 5,
    calls,
    maxReportedPromptTokens: OVERHEAD_TOKENS + calls * GROWTH_TOKENS,
    sumReportedPromptTokens: calls * OVERHEAD_TOKENS + (calls * (calls + 1) * GROWTH_TOKENS) / 2,
    recordedBoundaries: 1,
    repairs: 0,
    isEstimated: false,
    recordedUsd: calls * 0.02,
    recordedUsdIs: "whole",
    statedCostUsd: null,
    seen: null,
    sizeJudge: { heldOutCalls: Math.floor(calls / 2), mapePercent: 0.42, medianPercent: 0.31, maxPercent: 3.2 },
  };
}

function sweptPolicies(ratios: readonly number[]): BenchReport["policies"] {
  return ratios.map((ratio) => {
    const name = `sven trigger.ratio=${ratio}`;
    const policy = { ...SVEN_POLICY, name, trigger: { atLeast: { ratio, of: "input-budget" as const } } };
    return { name, policy, sweep: { base: "sven", settings: [{ path: "trigger.ratio", value: ratio }] } };
  });
}

interface RowOptions {
  readonly session: string;
  readonly policy: string;
  /** Where it acts; `null` for policies that never do. */
  readonly ratio: number | null;
  readonly window: WindowSpec;
  readonly calls: number;
}

function exampleRow({ session, policy, ratio, window, calls }: RowOptions): ReplayRow {
  const contextWindowTokens = window.tokens + OVERHEAD_TOKENS;
  const inputBudgetTokens = contextWindowTokens - OUTPUT_RESERVE_TOKENS;
  const threshold = ratio === null ? Number.POSITIVE_INFINITY : inputBudgetTokens * ratio;
  const series = exampleSeries(calls, threshold, contextWindowTokens);
  const compactions = series.filter((point) => point.compactions > 0).length;
  const uses = calls * 3;
  return {
    session,
    policy,
    window,
    contextWindowTokens,
    inputBudgetTokens,
    overheadTokens: OVERHEAD_TOKENS,
    why: null,
    metrics: {
      safety: {
        calls,
        overflowingRequests: series.filter(({ overflowed }) => overflowed).length,
        unrecoveredRequests: 0,
        invalidRequests: 0,
        irreducibleRequests: 0,
        emergencyCompactions: 0,
        smallestHeadroomTokens: inputBudgetTokens - Math.max(...series.map(({ promptTokens }) => promptTokens)),
      },
      economy: {
        compactions,
        failedCompactions: 0,
        promptTokens: series.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
        peakPromptTokens: Math.max(...series.map(({ promptTokens }) => promptTokens)),
        messagesRemoved: compactions * 100,
        marginSpentRatio: compactions > 0 ? 0.25 : null,
      },
      cost: {
        cacheReadTokens: calls * 40_000,
        cacheWriteTokens: calls * 1_500,
        uncachedTokens: 0,
        cacheBreaks: compactions,
        cacheExpiries: 2,
        replyTokens: calls * 300,
        summaryRequests: compactions,
        summaryPromptTokens: compactions * 30_000,
        summaryReplyTokens: compactions * 2_000,
        unpricedModels: [],
        unpricedCalls: 0,
        withCacheUsd: calls * 0.02 + compactions * 0.05 - (ratio === null ? 0 : calls * 0.012),
        withoutCacheUsd: calls * 0.12,
      },
      dollarValidity: null,
      cacheValidity: null,
      replacedTexts: exampleHeld(calls, compactions > 0),
      passages: exampleHeld(uses, compactions > 0),
      fileInHand: exampleHeld(calls, compactions > 0),
      instructions: exampleHeld(80, compactions > 0),
      plan: exampleHeld(40, compactions > 0),
      firstMisses: { edits: { uses: calls, missed: 4, first: 2 }, passages: { uses, missed: 4, first: 2 } },
      summaries: { digest: compactions, recorded: 0, recordedAndDigest: 0, model: 0, failed: 0 },
    },
    series,
    compactions: series.flatMap((point) => (point.compactions > 0 ? [exampleCompaction(point.call, inputBudgetTokens)] : [])),
    cacheMisses: series.flatMap(({ call, compactions: made, promptTokens }) =>
      made > 0 ? [{ call, kind: "broken", unreadTokens: promptTokens }] : [],
    ),
    composition: {
      kinds: ["overhead", "person", "assistant", "results of read"],
      samples: series
        .filter(({ call }) => call % 20 === 0)
        .map(({ call, promptTokens }) => {
          const messages = promptTokens - OVERHEAD_TOKENS;
          return { call, tokens: [OVERHEAD_TOKENS, messages * 0.1, messages * 0.4, messages * 0.5].map(Math.round) };
        }),
    },
  };
}

function exampleHeld(uses: number, isCut: boolean): HeldResult {
  const count = (of: number, ratio: number) => ({ uses: of, held: Math.floor(of * (isCut ? ratio : 1)) });
  const sides = (ratio: number) => ({ all: count(uses, ratio), far: count(Math.floor(uses / 4), ratio / 2) });
  return { ...sides(0.75), tail: sides(0.8), oracle: sides(0.95), leftOut: 3 };
}

function exampleCompaction(call: number, inputBudgetTokens: number): CompactionDetail {
  return {
    call,
    reason: "threshold",
    steps: ["summarize: applied"],
    tokensBefore: Math.round(inputBudgetTokens * 0.76),
    tokensAfter: 30_000,
    messagesBefore: 120,
    messagesAfter: 20,
    summarisedMessages: 101,
    shortenedParts: 0,
    summary: "## Active Task\nMend <b>src/parser.ts</b>.",
    mentionedLater: 40,
    neededLater: 2,
    examples: [
      { call: call + 3, text: "src/parser.ts" },
      { call: call + 5, text: "</script>E1234" },
    ],
  };
}

function exampleSeries(calls: number, threshold: number, contextWindowTokens: number): readonly CallPoint[] {
  let promptTokens = OVERHEAD_TOKENS;
  return Array.from({ length: calls }, (_, index) => {
    promptTokens += GROWTH_TOKENS + ((index * 7_919) % 13) * 60 - 360;
    const isCompacting = promptTokens >= threshold;
    if (isCompacting) promptTokens = OVERHEAD_TOKENS + GROWTH_TOKENS * 9;
    return { call: index, promptTokens, compactions: isCompacting ? 1 : 0, overflowed: promptTokens > contextWindowTokens };
  });
}
