import { type CompactionEntry, entryIdOf, type SessionEntry } from "../src/entry.ts";
import { fileOperations, foldFacts, NO_FACTS } from "../src/memory/facts.ts";
import { isHuman, type Message, textOf } from "../src/message/message.ts";
import { EMPTY_VIEW, foldEntry } from "../src/session/view.ts";
import { characterBoundaryAtOrBefore } from "../src/text.ts";

// Other systems' views of a compaction, read off our log: their conformance rows ask for it.

/** A compaction's figures as listeners show them. Every message that left the view counts as removed; the summary's own is not new. */
interface CompactionFigures {
  readonly tokensBefore: number | null;
  readonly tokensAfter: number | null;
  readonly messagesRemoved: number;
}

/** The figures of a compaction. */
export function compactionFigures(entry: CompactionEntry): CompactionFigures {
  const { tokensBefore, tokensAfter } = entry.record;
  const messagesRemoved = entry.edits.reduce(
    (sum, edit) => sum + (edit.kind === "replace-part" ? 0 : edit.covered.messages),
    0,
  );
  return { tokensBefore, tokensAfter, messagesRemoved };
}

/**
 * The id of the first message that a compaction kept word for word after its covered ones, for displays and other systems' formats; `null` if nothing
 * was left, or for an id that is no compaction of the log. The log itself names the covered messages, never an index.
 */
export function firstKeptId(entries: readonly SessionEntry[], compactionId: string): string | null {
  const at = entries.findIndex((entry) => entry.type === "compaction" && entry.id === compactionId);
  const entry = entries[at];
  if (entry?.type !== "compaction") return null;
  const before = entries.slice(0, at).reduce(foldEntry, EMPTY_VIEW).messages.slice();
  const covered = entry.edits.flatMap((edit) =>
    edit.kind === "replace-spans" ? edit.spans.map(({ through }) => through) : [],
  );
  const last = before.findLastIndex((message) => covered.includes(message.id));
  return last < 0 ? null : (before[last + 1]?.id ?? null);
}

/** The data that is kept with a summary: the files of everything that happened until then. */
interface SummaryFiles {
  readonly type: "compaction-summary";
  readonly readFiles: readonly string[];
  /** Only here is a file listed that was read and later modified. */
  readonly modifiedFiles: readonly string[];
}

/** The files up to a compaction, read off the log; cumulative over compactions. The whole log's if the id names no entry. */
export function summaryFiles(entries: Iterable<SessionEntry>, compactionId: string | null): SummaryFiles {
  let facts = NO_FACTS;
  for (const entry of entries) {
    if (entryIdOf(entry) === compactionId) break;
    if (entry.type === "message") facts = foldFacts(facts, entry.message);
  }
  const files = [...fileOperations(facts.accesses)];
  const pathsOf = (access: "read" | "modify") => files.flatMap(([path, each]) => (each === access ? [path] : []));
  return { type: "compaction-summary", readFiles: pathsOf("read"), modifiedFiles: pathsOf("modify") };
}

/** Neighbouring messages of one kind, for a short display of a compaction's kept part. */
interface KeptBrief {
  /** `User`, `Assistant`, or the tool's name. */
  readonly label: string;
  readonly count: number;
  /** The beginning of the text; empty for tools. */
  readonly text: string;
}

/** Characters of a text that are shown: as klaude-code does (K-b1). */
const BRIEF_CHARS = 30;

/** A brief of the messages, oldest first. Messages without text and without a result are left out; neighbouring results of one tool are one. */
export function keptBrief(messages: readonly Message[]): readonly KeptBrief[] {
  const briefs: KeptBrief[] = [];
  for (const message of messages) {
    const brief = briefOf(message);
    const last = briefs.at(-1);
    if (brief === null) continue;
    if (message.role === "tool-result" && last?.label === brief.label && last.text === "")
      briefs[briefs.length - 1] = { ...last, count: last.count + 1 };
    else briefs.push(brief);
  }
  return briefs;
}

function briefOf(message: Message): KeptBrief | null {
  if (message.role === "tool-result") return { label: message.toolName, count: 1, text: "" };
  const text = shortened(textOf(message).trim());
  if (text === "") return null;
  if (message.role === "assistant") return { label: "Assistant", count: 1, text };
  return { label: isHuman(message) ? "User" : "Note", count: 1, text };
}

function shortened(text: string): string {
  return text.length <= BRIEF_CHARS ? text : `${text.slice(0, characterBoundaryAtOrBefore(text, BRIEF_CHARS))}...`;
}
