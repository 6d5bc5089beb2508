import { CANCELS } from "../facts/closed-words.ts";
import type { Said } from "../facts/said.ts";
import { type Statement, subjectOf } from "../facts/statement.ts";

/** A summary after it was held against what the person said, and what was mended in it. */
export interface MendedSummary {
  readonly text: string;
  readonly repairs: readonly ("order-restored" | "ended-order-marked")[];
}

/** Share of an order's subject that a line names which tells it again; chosen. */
const SAME_RATIO = 0.8;

/**
 * A model's summary held against the record that stands beside it. A line that tells an order again which was taken back gets the person's later words. An
 * order in force that the summary lost stands in the record, word for word: that is said. Linear in lines and orders.
 */
export function mendedSummary(summary: string, { statements }: Said): MendedSummary {
  const orders = statements.filter(({ kind }) => kind === "order");
  const ended = orders.filter(({ standing, about }) => standing === "revoked" && about.length > 0);
  const inForce = orders.filter(({ standing, isEnd }) => standing === "in-force" && !isEnd);
  const lines = summary.split("\n").map((line) => {
    const told = ended.find((order) => isTold(line, order));
    const isMeant = told !== undefined && !inForce.some(({ text }) => line.includes(text));
    return isMeant ? `${line} [no longer in force; the person said later: ${told.by?.text}]` : line;
  });
  const text = lines.join("\n");
  const repairs = [
    ...(text === summary ? [] : ["ended-order-marked" as const]),
    ...(inForce.every((order) => summary.includes(order.text)) ? [] : ["order-restored" as const]),
  ];
  return { text, repairs };
}

/** True for a line that tells an order, and neither the words that took it back nor that somebody did. */
function isTold(line: string, { text, about, by }: Statement): boolean {
  if (line.includes(by?.text ?? text) || (CANCELS.strong.test(line) && !line.includes(text))) return false;
  if (line.includes(text)) return true;
  const named = new Set(subjectOf(line));
  return about.filter((word) => named.has(word)).length >= about.length * SAME_RATIO && about.length > 1;
}
