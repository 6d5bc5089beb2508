import type { Transcript } from "@plimsoll/bench";
import type { Message, Policy, UsageEntry } from "@plimsoll/core";
import { createEstimator, createWorkCounter, EMPTY_VIEW, foldEntry } from "@plimsoll/core/extend";
import type { PredictedCall } from "./page-tables.ts";

/** Sums of a least-squares line: tokens = slope × measured + intercept × messages. */
interface Line {
  readonly sums: readonly [xx: number, xn: number, nn: number, xy: number, ny: number];
}

/** The line before any report: slope 1 and no intercept, as sure as of one message of 1,000 tokens. Chosen. */
const FIRST_LINE: Line = { sums: [1e6, 0, 1, 1e6, 0] };

/**
 * A baseline: the last report with its reply, and everything since by a line that is fitted to the differences of all reports of the model, falls
 * included. After a cut it has no report, and all is measured by the line. It is exactly anchoring with a regression.
 */
export function plainLedger(spec: Policy["estimator"]): (transcript: Transcript) => readonly PredictedCall[] {
  return (transcript) => {
    const { measure } = createEstimator(spec, createWorkCounter());
    const lines = new Map<string, Line>();
    const calls: PredictedCall[] = [];
    let view = EMPTY_VIEW;
    let report: UsageEntry | null = null;
    let pending = { measured: 0, messages: 0 };
    const add = (message: Message) => {
      if (message.role === "assistant" && report !== null && message.requestId === report.requestId) return;
      pending = { measured: pending.measured + measure.messageTokens(message), messages: pending.messages + 1 };
    };
    const sizeOf = ({ sums: [xx, xn, nn, xy, ny] }: Line, { measured, messages }: typeof pending): number => {
      const determinant = xx * nn - xn * xn;
      return (measured * (nn * xy - xn * ny) + messages * (xx * ny - xn * xy)) / determinant;
    };
    const withReport = (entry: UsageEntry, reportedTokens: number) => {
      const { modelId } = entry;
      const line = lines.get(modelId) ?? FIRST_LINE;
      const anchored = report === null ? 0 : (report.usage.input.totalTokens ?? 0) + (report.usage.output.totalTokens ?? 0);
      const besides = report === null ? measure.textTokens(view.system) + measure.toolsTokens(view.tools) : 0;
      const expectedTokens = Math.max(0, Math.round(anchored + besides + sizeOf(line, pending)));
      const upperTokens = expectedTokens;
      const prediction = {
        expectedTokens,
        upperTokens,
        reportedTokens: anchored,
        estimatedTokens: 0,
        overheadTokens: 0,
        basis: "plain",
      };
      calls.push({ file: transcript.name, call: calls.length, modelId, reportedTokens, prediction });
      if (report?.modelId === modelId) lines.set(modelId, learned(line, pending, reportedTokens - anchored));
      report = entry;
      pending = { measured: 0, messages: 0 };
    };
    for (const entry of transcript.entries) {
      view = foldEntry(view, entry);
      if (entry.type === "message") add(entry.message);
      if (entry.type === "usage" && (entry.usage.input.totalTokens ?? 0) > 0)
        withReport(entry, entry.usage.input.totalTokens ?? 0);
      if (entry.type !== "compaction" && entry.type !== "revert") continue;
      report = null;
      pending = { measured: 0, messages: 0 };
      for (const message of view.messages) add(message);
    }
    return calls;
  };
}

function learned({ sums }: Line, { measured, messages }: { measured: number; messages: number }, tokens: number): Line {
  const [xx, xn, nn, xy, ny] = sums;
  return {
    sums: [
      xx + measured * measured,
      xn + measured * messages,
      nn + messages * messages,
      xy + measured * tokens,
      ny + messages * tokens,
    ],
  };
}
