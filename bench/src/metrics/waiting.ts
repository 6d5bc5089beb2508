import { z } from "zod";
import { SUMMARY_REPLY_TOKENS } from "../economics/summary-charge.ts";
import type { AskedSummary, CompactionWait, ReplayedCall } from "../replay/replayed-call.ts";
import type { SizeJudge } from "../size-judge/size-judge.ts";
import { summed } from "../statistics.ts";
import { inTable, type MeasuredReplay, type Metric, type Recorder } from "./metric.ts";

/** How long somebody waits for compactions. A model writes as fast as it wrote in the recording, the engine as fast as was measured. */
export interface WaitingMetrics {
  /** Waits for a compaction, in whole milliseconds. */
  readonly waitedMs: number;
  readonly longestWaitMs: number;
  /** Compactions that a person or a run waited for. */
  readonly waits: number;
  /** Compactions whose summary was there when it was needed, or that were made while nobody waited. */
  readonly prepared: number;
  /** Summaries that were prepared, paid for and never used. */
  readonly preparedInVain: number;
}

const NONE: WaitingMetrics = { waitedMs: 0, longestWaitMs: 0, waits: 0, prepared: 0, preparedInVain: 0 };

const count = z.int().nonnegative();

/**
 * Milliseconds of the engine for a million characters that it scans: the largest mean of four recorded sessions under two presets in 64k, in
 * processor time on a busy machine with two cores, November 2026. A compaction took 4 to 30 ms. A rate in the place of a clock, so that two reports
 * of the same replays are the same.
 */
const ENGINE_MS_PER_MILLION_CHARS = 1_300;

/** Sums over the compactions and sessions; the longest is the largest of them. */
export const WAITING: Metric<"waiting", WaitingMetrics, WaitingMetrics, keyof WaitingMetrics> = {
  id: "waiting",
  // Reports from before this metric have none of it.
  schema: z
    .strictObject({ waitedMs: count, longestWaitMs: count, waits: count, prepared: count, preparedInVain: count })
    .default(NONE),
  measure: createWaiting,
  pool: ({ results }) => ({
    ...summed(NONE, results),
    longestWaitMs: results.reduce((longest, { longestWaitMs }) => Math.max(longest, longestWaitMs), 0),
  }),
  figures: {
    waitedMs: {
      unit: "seconds",
      better: "lower",
      method:
        "For each compaction the time that its summary takes: its tokens at the output speed of the recorded session (70 tokens a second if that is not known), less the time since it was prepared; and the engine's own work at 1,300 ms a million characters scanned.",
      caveat:
        "Nobody knows who looked at the screen: a run that works alone waits, too. The time to the provider is part of the recorded speed.",
      value: ({ waitedMs }) => waitedMs / 1000,
      format: "count",
      columns: [inTable("requests", "waiting, s", "all")],
    },
    longestWaitMs: {
      unit: "seconds",
      better: "lower",
      method: "The longest wait for one compaction.",
      caveat: "As for the seconds waited.",
      value: ({ longestWaitMs }) => longestWaitMs / 1000,
      format: "count",
      columns: [inTable("requests", "waiting, s", "longest")],
    },
    waits: {
      unit: "compactions",
      better: "lower",
      method: "Compactions whose summary was asked for, or not there yet, when the policy acted.",
      caveat: "A digest counts as a wait of some milliseconds.",
      value: ({ waits }) => waits,
      format: "count",
      columns: [],
    },
    prepared: {
      unit: "compactions",
      better: "neither",
      method: "Compactions whose summary was there when the policy acted, or that were made while the session waited.",
      caveat: "Whether it was there in time is by the recorded clock; without one it is taken as there at the next call.",
      value: ({ prepared }) => prepared,
      format: "count",
      columns: [],
    },
    preparedInVain: {
      unit: "summaries",
      better: "lower",
      method: "Summaries that were prepared and charged, and that no compaction used.",
      caveat: "The end of a recording is taken for the end of the session.",
      value: ({ preparedInVain }) => preparedInVain,
      format: "count",
      columns: [inTable("requests", "waiting, s", "summaries in vain")],
    },
  },
};

function createWaiting({ session }: MeasuredReplay): Recorder<WaitingMetrics, ReplayedCall> {
  const speed = outputTokensPerSecond(session.sizeJudge.calls) ?? DEFAULT_TOKENS_PER_SECOND;
  let total = NONE;
  return {
    add: ({ waits }) => {
      for (const wait of waits) total = added(total, wait, speed);
    },
    result: () => total,
  };
}

function added(total: WaitingMetrics, wait: CompactionWait, tokensPerSecond: number): WaitingMetrics {
  if (wait.kind === "in-vain") return { ...total, preparedInVain: total.preparedInVain + 1 };
  if (wait.kind === "idle") return { ...total, prepared: total.prepared + 1 };
  const writingMs = wait.asked.reduce((sum, asked) => sum + (1000 * replyTokensOf(asked)) / tokensPerSecond, 0);
  // Without a clock it is taken for ready: a call was made since.
  const leftMs = wait.kind === "asked" ? writingMs : wait.sinceMs === null ? 0 : Math.max(0, writingMs - wait.sinceMs);
  const ms = Math.round(leftMs + (wait.work.charactersScanned * ENGINE_MS_PER_MILLION_CHARS) / 1_000_000);
  const isThere = wait.kind === "prepared" && leftMs === 0;
  return {
    ...total,
    waitedMs: total.waitedMs + ms,
    longestWaitMs: Math.max(total.longestWaitMs, ms),
    waits: total.waits + (isThere ? 0 : 1),
    prepared: total.prepared + (isThere ? 1 : 0),
  };
}

/** Tokens of a summary: a model's as it reported them, else what each is charged as. */
function replyTokensOf({ answered }: AskedSummary): number {
  return answered?.reduce((sum, { usage }) => sum + (usage.outputTokens ?? 0), 0) ?? SUMMARY_REPLY_TOKENS;
}

/** Tokens a second of models whose recording tells no times: about the median, 73, of 26 recorded sessions of seven agents, November 2026. */
const DEFAULT_TOKENS_PER_SECOND = 70;

/** Shorter replies say more of the way to the provider than of the model. Chosen. */
const LEAST_REPLY_TOKENS = 200;
/** Longer ones are no answer: the machine slept. Chosen. */
const LONGEST_REPLY_MS = 600_000;
/** No model writes faster: such a recording notes when a reply began, not when it ended. Chosen. */
const FASTEST_TOKENS_PER_MS = 1;

/**
 * How fast the session's model wrote, in output tokens a second from the request to the end of the reply, over all of its longer replies; `null` if the
 * recording tells no times. Reading the prompt is in it.
 */
export function outputTokensPerSecond(calls: SizeJudge["calls"]): number | null {
  let tokens = 0;
  let milliseconds = 0;
  for (const { usage, reply, requestMs } of calls) {
    const replyTokens = usage.usage.output.totalTokens ?? 0;
    const endMs = reply?.atMs ?? usage.atMs;
    if (requestMs === null || endMs === null || replyTokens < LEAST_REPLY_TOKENS) continue;
    const ms = endMs - requestMs;
    if (ms <= 0 || ms > LONGEST_REPLY_MS || replyTokens > ms * FASTEST_TOKENS_PER_MS) continue;
    tokens += replyTokens;
    milliseconds += ms;
  }
  return milliseconds === 0 ? null : (1000 * tokens) / milliseconds;
}
