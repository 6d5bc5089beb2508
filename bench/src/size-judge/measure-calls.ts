import type { Message } from "@plimsoll/core";
import { type MessageWeights, measureEpoch } from "./measure-epoch.ts";
import { createMessageSizes, type MessageSizes } from "./message-sizes.ts";
import type { RecordedCall } from "./recorded-calls.ts";

/** The sizes in a session's reports: the size of each message, and the tokens that every call holds in addition to its messages. */
export interface MeasuredCalls {
  readonly sizes: MessageSizes;
  /** One a call: tokens in addition to the messages under the recorded agent's own compactions. */
  readonly recordedAccounts: readonly number[];
  /** One a call: tokens in addition to the messages for a history in which those compactions never happened. */
  readonly ownAccounts: readonly number[];
  /** Overhead of the first epoch. */
  readonly firstOverheadTokens: number;
}

/** The start of a measurement. `reportOf` can hide calls to hold them out. */
export interface MeasureInput {
  readonly calls: readonly RecordedCall[];
  readonly weights: MessageWeights;
  readonly reportOf: (call: RecordedCall) => number | null;
  /** Overhead of an epoch in which nothing was reported, if no epoch before it was measured. */
  readonly assumedOverheadTokens: number;
}

/**
 * Reads the sizes off the reports, epoch by epoch. An epoch's overhead is its first report less its messages; those known
 * from before keep their size. Under a history of its own an epoch that a recorded compaction began keeps the overhead from before it:
 * what the recorded agent put back after it (files, reminders) was never lost there.
 */
export function measureCalls({ calls, weights, reportOf, assumedOverheadTokens }: MeasureInput): MeasuredCalls {
  const sizes = createMessageSizes();
  const recordedAccounts: number[] = [];
  const ownAccounts: number[] = [];
  let overheadTokens = assumedOverheadTokens;
  let ownBaseTokens = assumedOverheadTokens;
  let firstOverheadTokens: number | null = null;
  const seen = new Set<Message>();
  for (const epoch of epochsOf(calls)) {
    const inView = new Set(epoch.calls[0]?.newMessages);
    const away = [...seen].filter((message) => !inView.has(message));
    const measured = measureEpoch({ calls: epoch.calls, sizes, weights, reportOf, away });
    for (const message of measured.messages) seen.add(message);
    overheadTokens = measured.overheadTokens ?? overheadTokens;
    firstOverheadTokens ??= overheadTokens;
    if (epoch.start !== "boundary") ownBaseTokens = overheadTokens;
    for (const carriedTokens of measured.carriedTokens) {
      recordedAccounts.push(overheadTokens + carriedTokens);
      ownAccounts.push(Math.max(0, ownBaseTokens + carriedTokens));
    }
    ownBaseTokens = ownAccounts.at(-1) ?? ownBaseTokens;
  }
  return { sizes, recordedAccounts, ownAccounts, firstOverheadTokens: firstOverheadTokens ?? assumedOverheadTokens };
}

interface Epoch {
  readonly start: "session" | "boundary" | "model";
  readonly calls: RecordedCall[];
}

function epochsOf(calls: readonly RecordedCall[]): readonly Epoch[] {
  const epochs: Epoch[] = [];
  for (const call of calls) {
    if (call.epochStart !== null) epochs.push({ start: call.epochStart, calls: [call] });
    else epochs.at(-1)?.calls.push(call);
  }
  return epochs;
}
