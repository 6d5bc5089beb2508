import { formatCount, formatNumberOf, formatTokens, formatUsd, type SummaryTally } from "@plimsoll/bench/extend";

/** Estimates the requests of a run, before it sends any. */
export function summaryEstimate(name: string, tally: SummaryTally): string {
  const there = tally.fromCassette === 0 ? "" : `; ${formatCount(tally.fromCassette)} are in the cassette`;
  if (tally.asked === 0) return `summaries by ${name}: nothing to send${there}`;
  return `summaries by ${name}: about ${sizeOf(tally)}${there}`;
}

/** Says how much a run has sent and paid. */
export function summaryBill(name: string, tally: SummaryTally): string {
  const there = `${formatNumberOf(tally.fromCassette, "answer")} from the cassette`;
  if (tally.asked === 0) return `summaries by ${name}: nothing was sent, nothing paid; ${there}`;
  return `summaries by ${name}: sent ${sizeOf(tally)}; ${there}`;
}

function sizeOf({ asked, promptTokens, replyTokens, usd }: SummaryTally): string {
  const dollars = usd === null ? "at a price that is not known (--prices)" : `for $${formatUsd(usd)}`;
  return `${formatNumberOf(asked, "request")} with ${formatTokens(promptTokens)} prompt and ${formatTokens(replyTokens)} reply tokens ${dollars}`;
}
