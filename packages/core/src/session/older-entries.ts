import { isRecord } from "../json.ts";

/**
 * A log line's value in the form that entries have now. Logs that were written before there was one edit for spans say `summarize` and
 * `drop`; all else, and what is malformed, is left for the schema to judge. Nothing is added that the line does not say.
 */
export function inNewestForm(line: unknown): unknown {
  if (!isRecord(line) || line.type !== "compaction" || !Array.isArray(line.edits)) return line;
  return { ...line, edits: line.edits.map(editInNewestForm) };
}

/** The prompt that older versions named for a digest, which no model writes. */
const DIGEST_PROMPT_ID = "digest";

function editInNewestForm(edit: unknown): unknown {
  if (!isRecord(edit)) return edit;
  if (edit.kind === "summarize") {
    const spans = Array.isArray(edit.spans) ? edit.spans : [];
    const isDigest = spans.every((span) => isRecord(span) && span.promptId === DIGEST_PROMPT_ID);
    return { ...edit, kind: "replace-spans", by: isDigest && edit.usage === null ? "digest" : "summary" };
  }
  if (edit.kind === "drop") {
    const { from, through, notice, ...rest } = edit;
    const by = notice === null ? "nothing" : "notice";
    const spans = [{ from, through, promptId: null }];
    return { ...rest, kind: "replace-spans", spans, by, message: notice, usage: null };
  }
  return edit;
}
