import { learnScale, scaleAfterEdit, viewScale } from "./learned-scale.ts";
import type { MessageMeasure } from "./measure.ts";
import type { Estimator, Overhead } from "./prediction.ts";
import type { UsageAnchoredSpec } from "./usage-anchored.ts";

/** The estimator of the kind `usage-anchored` over a measure. */
export function anchoredEstimator(
  spec: UsageAnchoredSpec,
  measure: MessageMeasure,
  overheadTokensOf: (overhead: Overhead) => number,
): Estimator {
  const name = `usage-anchored(${measure.name})`;
  const ratioOf: Estimator["scaleRatio"] = (ledger) => viewScale(ledger)?.ratio ?? 1;
  return {
    name,
    measure,
    scaleRatio: ratioOf,
    messageTokens: (message, ledger) => measure.messageTokens(message) * ratioOf(ledger),
    upperRatioAfterCut: (ledger) => Math.max(1, (ledger.scale?.ratio ?? 1) / Math.max(ratioOf(ledger), LEAST_RATIO)),
    append: (ledger) => ledger,
    recount: (ledger) => ({ ...ledger, scale: scaleAfterEdit(ledger) }),
    changeModel: (ledger) => ledger,
    observe: (ledger, entry, overhead) => {
      const promptTokens = entry.usage.input.totalTokens;
      if (promptTokens === null) return ledger;
      const { estimatedTokens } = ledger;
      const replyTokens = spec.anchor === "prompt-and-reply" ? entry.usage.output.totalTokens : null;
      const reportedTokens = promptTokens + (replyTokens ?? 0);
      const coversReplyOf = replyTokens === null ? null : entry.requestId;
      const seen = { promptTokens, messageTokens: estimatedTokens, overheadTokens: overheadTokensOf(overhead) };
      return {
        ...ledger,
        anchor: { reportedTokens, estimatedTokens, coversReplyOf },
        scale: learnScale(ledger.scale, seen),
      };
    },
    predict: (ledger, overhead) => {
      const { anchor, scale, estimatedTokens } = ledger;
      const view = viewScale(ledger);
      if (view === null) {
        const overheadTokens = overheadTokensOf(overhead);
        const expectedTokens = estimatedTokens + overheadTokens;
        const all = { expectedTokens, upperTokens: expectedTokens, estimatedTokens: expectedTokens };
        return { ...all, reportedTokens: 0, overheadTokens, basis: name };
      }
      const { expectedTokens, overheadTokens } = view;
      const reportedTokens = anchor?.reportedTokens ?? 0;
      // What no report covers may measure what the reports taught, where the system itself takes its plain estimate.
      const unreportedTokens = anchor === null ? estimatedTokens : estimatedTokens - anchor.estimatedTokens;
      const aboveTokens = Math.max(0, (scale?.ratio ?? 1) - (anchor === null ? view.ratio : 1)) * unreportedTokens;
      return {
        expectedTokens,
        upperTokens: expectedTokens + Math.ceil(aboveTokens),
        reportedTokens,
        estimatedTokens: expectedTokens - reportedTokens,
        overheadTokens,
        basis: name,
      };
    },
  };
}

/** Keeps a view that measures next to nothing from asking for all of the room. */
const LEAST_RATIO = 0.25;
