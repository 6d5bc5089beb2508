import {
  type AskPlan,
  type AskPrice,
  type AskSize,
  type AskSpending,
  CONTEXT_NAMES,
  detectableRatio,
  formatCount,
  formatNumberOf,
  formatTokens,
  formatUsd,
  USUAL_CHANGED_RATIO,
  windowLabel,
} from "@plimsoll/bench/extend";
import { printable } from "../terminal/printable.ts";
import type { AskChoice } from "./ask-option.ts";

/** Says how much asking is likely to cost and where the text goes, before anything is sent. `address` is the provider's, if it is not its own. */
export function askPriceText(plan: AskPlan, price: AskPrice, { choice, address }: AskPlace): string {
  const { host, modelId } = plan.model;
  const width = Math.max(...Object.values(CONTEXT_NAMES).map((name) => name.length));
  const there = price.fromCassette === 0 ? "" : `; ${formatNumberOf(price.fromCassette, "answer")} in the cassette already`;
  const limit = choice.mostUsd === null ? "" : ` This run stops before $${formatUsd(choice.mostUsd)}.`;
  return [
    `next actions by ${host}:${modelId}, at recorded calls after cuts, ${windowLabel(plan.window)}:`,
    ...plan.policies.map(({ policy, openCalls }) => {
      const drawn = plan.calls.filter((call) => call.policy === policy).length;
      return `  ${policy}: ${formatCount(drawn)} of ${formatNumberOf(openCalls, "call")}${showsText(drawn)}`;
    }),
    ...price.contexts.map(({ context, ...size }) => `  ${CONTEXT_NAMES[context].padEnd(width)}  ${sizeText(size)}`),
    `  ${"together".padEnd(width)}  ${sizeText(price.total)}${there}`,
    `The text of these sessions goes to ${host}${address === null ? "" : ` (${address})`} and to nobody else.${limit}`,
  ]
    .map(printable)
    .join("\n");
}

/** Says which differences so many calls are likely to show. */
function showsText(calls: number): string {
  const ratio = detectableRatio(calls, USUAL_CHANGED_RATIO);
  if (ratio === null) return "";
  return ratio >= 1
    ? "; too few to show any difference"
    : `; differences show from about ${Math.ceil(100 * ratio)} points on (if ${100 * USUAL_CHANGED_RATIO} % of answers change when asked again)`;
}

/** Where a plan is sent to, and what it is limited to. */
export interface AskPlace {
  readonly choice: AskChoice;
  readonly address: string | null;
}

function sizeText({ requests, promptTokens, replyTokens, usd }: AskSize): string {
  if (requests === 0) return "nothing to send";
  const dollars = usd === null ? "at a price that is not known (--prices)" : `about $${formatUsd(usd)}`;
  return `${formatNumberOf(requests, "request")}, ${formatTokens(promptTokens)} prompt and ${formatTokens(replyTokens)} reply tokens, ${dollars}`;
}

/** The drawn calls by policy and session; calls count from 1. */
export function sampleText({ calls }: Pick<AskPlan, "calls">): string {
  const lines = new Map<string, number[]>();
  for (const { policy, session, call } of calls) {
    const name = `  ${policy}, ${session}:`;
    const known = lines.get(name) ?? [];
    lines.set(name, known);
    known.push(call + 1);
  }
  return [...lines].map(([name, numbers]) => printable(`${name} calls ${numbers.join(", ")}`)).join("\n");
}

/** Says how much a run has sent and paid. */
export function askBill({ model }: Pick<AskPlan, "model">, spending: AskSpending): string {
  const { sent, failed, fromCassette, promptTokens, replyTokens, usd, stopped, lastFailure } = spending;
  const size = sizeText({ requests: sent, promptTokens, replyTokens, usd });
  const failures =
    failed === 0 ? "" : `; ${formatNumberOf(failed, "request")} failed (${lastFailure ?? "for no reason given"})`;
  const why = { "most-dollars": "--max-dollars", failures: "failures one after the other" } as const;
  const end = stopped === null ? "" : `; stopped by ${why[stopped]}: the same command goes on`;
  const there = `; ${formatNumberOf(fromCassette, "answer")} from the cassette`;
  return printable(
    `next actions by ${model.host}:${model.modelId}: ${sent === 0 ? size : `sent ${size}`}${there}${failures}${end}`,
  );
}
