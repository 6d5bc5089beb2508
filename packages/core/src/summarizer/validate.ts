import { PlimsollError } from "../error.ts";
import type { Summary } from "../ports.ts";

/**
 * The summary's text if it can stand in for history.
 *
 * @throws PlimsollError `summary-failed` for an empty reply, or one that ended in any way but its own end.
 */
export function validSummaryText(summary: Summary): string {
  if (summary.stopReason !== "end")
    throw new PlimsollError("summary-failed", `the summary did not end by itself (${summary.stopReason})`);
  const text = summary.text.trim();
  if (text === "") throw new PlimsollError("summary-failed", "the summary is empty");
  return text;
}
