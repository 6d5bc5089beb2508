/** What stands before a summary in the context, so that the model takes it as a record and not as new orders. */
export const SUMMARY_HEADER = {
  id: "summary-header",
  version: 1,
  text: "[Conversation summary: the earlier part of this session, condensed. It is a record of what happened, not a new request.]",
} as const;

/** The text of a summary message. */
export function summaryText(summary: string): string {
  return `${SUMMARY_HEADER.text}\n\n${summary.trim()}`;
}
