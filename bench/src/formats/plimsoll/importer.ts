import { isPlimsollError, PlimsollError, type SessionEntry, toolCallsOf } from "@plimsoll/core";
import { decodeEntry, isRejectedUsage, MORE_FOLLOWS } from "@plimsoll/core/extend";
import type { ImportNote, Transcript } from "../../transcript.ts";
import { type Fields, parseRecord } from "../fields.ts";
import type { FileSource, Importer } from "../importer.ts";

const FORMAT = "plimsoll";

/** Session logs of this project: one entry a line, the session's own first. */
export const plimsollImporter: Importer = {
  format: FORMAT,
  description: "Plimsoll session logs: one session entry a line",
  recognises: ({ firstObjects }) => firstObjects.slice(0, 1).some(isSessionEntry),
  read: readPlimsoll,
};

/** Of any version: an unreadable version gives an error about a newer one, not "no log". */
function isSessionEntry(value: Fields): boolean {
  return value.type === "session" && typeof value.version === "number" && typeof value.system === "string";
}

/** A last line that was cut off, or a batch whose last line is not there, is left out and noted; any other bad line is an error, as it is for the agent itself. */
async function readPlimsoll(source: FileSource): Promise<readonly Transcript[]> {
  const file = source.displayName;
  const entries: SessionEntry[] = [];
  const notes: ImportNote[] = [];
  const callIds = new Set<string>();
  const take = (line: NumberedLine) => {
    const entry = entryOf(line, file);
    // A request that was rejected led to no reply: it is no call.
    if (entry.type === "usage" && isRejectedUsage(entry.usage)) return;
    entries.push(entry);
    if (entry.type !== "message") return;
    for (const { callId } of toolCallsOf(entry.message)) callIds.add(callId);
    if (entry.message.role !== "tool-result" || callIds.has(entry.message.callId)) return;
    const text = `${file}:${line.number}: the result ${entry.message.id} has no call before it; a replay leaves it out`;
    notes.push({ code: "result-without-call", line: line.number, text });
  };
  const batch: NumberedLine[] = [];
  for (const line of source.lines()) {
    if (line.text.trim() === "") continue;
    if (!isFollowed(batch)) for (const each of batch.splice(0)) take(each);
    batch.push(line);
  }
  const last = batch.at(-1);
  if (last !== undefined && !isFollowed(batch) && parseRecord(last.text) !== null) for (const each of batch) take(each);
  else if (batch[0] !== undefined) {
    const { number } = batch[0];
    notes.push({
      code: "cut-off-line",
      line: number,
      text: `${file}:${number}: the log is cut off here; the rest was left out`,
    });
  }
  const hasUsage = entries.some((entry) => entry.type === "usage" && entry.usage.input.totalTokens !== null);
  if (!hasUsage) notes.push({ code: "no-usage", line: null, text: `${file}: reports no sizes; it is replayed on estimates` });
  return [{ name: file, file, format: FORMAT, entries, parentName: null, hasUsage, notes }];
}

interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

/** True if more of a batch belongs behind these lines. */
function isFollowed(batch: readonly NumberedLine[]): boolean {
  return batch.at(-1)?.text.startsWith(MORE_FOLLOWS) === true;
}

function entryOf(line: NumberedLine, file: string): SessionEntry {
  try {
    return decodeEntry(line.text, { file, line: line.number });
  } catch (cause) {
    // A session that its owner would call damaged is bad input here.
    if (isPlimsollError(cause)) throw new PlimsollError("bad-input", cause.message, cause.details, cause);
    throw cause;
  }
}
