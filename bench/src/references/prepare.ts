import type { Message, SessionEntry } from "@plimsoll/core";
import { type BoundaryViews, boundaryViews } from "../boundary-views.ts";
import { createReferenceReader } from "./extract.ts";
import { messageTexts } from "./message-texts.ts";
import type { ReferenceUse } from "./recorded-history.ts";
import { createRecordedHistory } from "./recorded-history.ts";
import type { Holdings, StatementIndex } from "./statement-index.ts";
import { createStatementIndex } from "./statement-index.ts";

/** A file that a recorded call touched. */
export interface TouchedFile {
  readonly reference: number;
  readonly access: "read" | "modify";
  readonly ordinal: number;
}

/** The statements and uses in a session's recorded history; made once a session, read by every probe over it. */
export interface PreparedReferences {
  /** The references, by number. */
  readonly references: readonly string[];
  readonly index: StatementIndex;
  /** Place of a recorded message in the recorded history, from 0; `null` for any other message. */
  ordinalOf(message: Message): number | null;
  /** The distinct uses of a recorded reply, in order of appearance; none for a message that was not recorded. */
  usesOf(reply: Message): readonly ReferenceUse[];
  /** Reads the statements in a message that stands in the context as it was recorded; `null` for any other message. */
  recordedHoldings(message: Message): Holdings | null;
  /** Reads the recorded statements in a message that is not a recorded one; each message value is read once for all replays. */
  scannedHoldings(message: Message): Holdings;
  /** Returns the statements that could be read in the recorded message of this id; `null` for an unknown id. */
  originalHoldings(messageId: string): Holdings | null;
  readonly touchedFiles: readonly TouchedFile[];
}

/**
 * Finds what a recorded history states and uses. Uses are looked for in the replies' texts and call arguments (what an agent
 * does takes recalling as much as what it says), not in their reasoning. Two passes over the texts.
 */
export function prepareReferences(
  entries: readonly SessionEntry[],
  boundaries: BoundaryViews = boundaryViews(entries),
): PreparedReferences {
  const textsOf = new Map<Message, readonly string[]>();
  const usedByReply = new Map<string, readonly number[]>();
  const readReferences = createReferenceReader();
  const numberOf = new Map<string, number>();
  const numbered = (text: string): number => {
    const known = numberOf.get(text);
    if (known !== undefined) return known;
    numberOf.set(text, numberOf.size);
    return numberOf.size - 1;
  };
  for (const message of recordedMessages(entries)) {
    const texts = messageTexts(message);
    textsOf.set(message, texts);
    if (message.role !== "assistant") continue;
    const used = new Set<number>();
    for (const text of texts) readReferences(text, (found) => used.add(numbered(found.text)));
    usedByReply.set(message.id, [...used]);
    for (const { path } of touchedBy(message)) numbered(path);
  }
  const references = [...numberOf.keys()];
  const index = createStatementIndex(references);
  const history = createRecordedHistory({ index, referenceCount: references.length, boundaries });
  const uses = new Map<string, readonly ReferenceUse[]>();
  const scanned = new WeakMap<Message, Holdings>();
  const touchedFiles: TouchedFile[] = [];
  for (const entry of entries) {
    if (entry.type === "message" && isRecorded(entry.message)) {
      const { message } = entry;
      uses.set(message.id, history.usesAmong(usedByReply.get(message.id) ?? []));
      const ordinal = history.append(message, textsOf.get(message) ?? []);
      touchedFiles.push(...touchedBy(message).map(({ path, access }) => ({ reference: numbered(path), access, ordinal })));
    }
    history.follow(entry);
  }
  return {
    references,
    index,
    ordinalOf: history.ordinalOf,
    usesOf: (reply) => uses.get(reply.id) ?? [],
    recordedHoldings: history.holdingsOf,
    scannedHoldings: (message) => {
      const holdings = scanned.get(message) ?? index.scan(message);
      scanned.set(message, holdings);
      return holdings;
    },
    originalHoldings: history.originalHoldings,
    touchedFiles,
  };
}

/** The messages of a log that are part of what happened, in order: the place of each among them is its ordinal. */
function* recordedMessages(entries: readonly SessionEntry[]): Generator<Message> {
  for (const entry of entries) if (entry.type === "message" && isRecorded(entry.message)) yield entry.message;
}

/** Summaries and notices of the recorded agent's own compactions are not part of what happened. */
function isRecorded(message: Message): boolean {
  return message.role === "tool-result" || (message.origin !== "summary" && message.origin !== "notice");
}

function touchedBy(message: Message): readonly { readonly path: string; readonly access: "read" | "modify" }[] {
  if (message.role !== "assistant") return [];
  return message.parts.flatMap((part) => (part.type === "tool-call" ? part.paths.filter(({ path }) => path !== "") : []));
}
