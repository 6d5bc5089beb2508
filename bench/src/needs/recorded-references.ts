import type { Message, SessionEntry } from "@plimsoll/core";
import { messageChars } from "@plimsoll/core/extend";
import { type BoundaryViews, boundaryViews } from "../boundary-views.ts";
import { createReferenceReader } from "./references.ts";
import { createStatementIndex, type Holdings, type StatementIndex } from "./statements.ts";
import { messageTexts } from "./texts.ts";

/** A use is far if the latest earlier occurrence lies at least this many tokens (4 characters each) back. */
export const FAR_TOKENS = 20_000;

/** Characters a token in distances; a distance decides only between near and far. */
const DISTANCE_CHARS_PER_TOKEN = 4;

/** A reference in a recorded reply that an earlier message of the recorded history held. References and statements by number. */
export interface ReferenceUse {
  readonly reference: number;
  /** Tokens of the messages between the latest earlier one that held the reference and the reply. */
  readonly distanceTokens: number;
  /** Place of that message. */
  readonly latestOrdinal: number;
  /** The latest statement by a person or a tool; the latest of all if the agent itself coined the reference. */
  readonly sourceStatement: number;
  /** True if the recorded agent itself had compacted away every message that held it. */
  readonly isCompactedAway: boolean;
}

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
  const past: Past = {
    charsThrough: [],
    ordinalsOf: references.map(() => []),
    latestOf: new Int32Array(references.length).fill(NONE),
    latestSourceOf: new Int32Array(references.length).fill(NONE),
    away: new Set(),
  };
  const records = new Map<string, { readonly message: Message; readonly ordinal: number; readonly holdings: Holdings }>();
  const recordOf = (message: Message) => {
    const record = records.get(message.id);
    return record !== undefined && (record.message === message || hasSameTexts(record.message, message)) ? record : undefined;
  };
  const uses = new Map<string, readonly ReferenceUse[]>();
  const scanned = new WeakMap<Message, Holdings>();
  const touchedFiles: TouchedFile[] = [];
  for (const entry of entries) {
    if (entry.type === "message" && isRecorded(entry.message)) {
      const { message } = entry;
      uses.set(message.id, usesIn(past, usedByReply.get(message.id) ?? []));
      const ordinal = past.charsThrough.length;
      const holdings = index.add(textsOf.get(message) ?? [], ordinal);
      records.set(message.id, { message, ordinal, holdings });
      addHoldings(past, { message, holdings, index });
      touchedFiles.push(...touchedBy(message).map(({ path, access }) => ({ reference: numbered(path), access, ordinal })));
    }
    const view = boundaries.get(entry);
    if (view === undefined) continue;
    const seen = new Set(view.map((message) => recordOf(message)?.ordinal));
    past.away = new Set([...past.charsThrough.keys()].filter((ordinal) => !seen.has(ordinal)));
  }
  return {
    references,
    index,
    ordinalOf: (message) => records.get(message.id)?.ordinal ?? null,
    usesOf: (reply) => uses.get(reply.id) ?? [],
    recordedHoldings: (message) => recordOf(message)?.holdings ?? null,
    scannedHoldings: (message) => {
      const holdings = scanned.get(message) ?? index.scan(message);
      scanned.set(message, holdings);
      return holdings;
    },
    originalHoldings: (messageId) => records.get(messageId)?.holdings ?? null,
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

/** No statement. */
const NONE = -1;

/** The messages that were read so far. */
interface Past {
  readonly charsThrough: number[];
  /** By reference: the messages that hold it, its latest statement, and the latest by a person or a tool. */
  readonly ordinalsOf: readonly number[][];
  readonly latestOf: Int32Array;
  readonly latestSourceOf: Int32Array;
  /** The messages that the recorded agent itself had compacted away. */
  away: ReadonlySet<number>;
}

function usesIn(
  { charsThrough, ordinalsOf, latestOf, latestSourceOf, away }: Past,
  references: readonly number[],
): readonly ReferenceUse[] {
  const uses: ReferenceUse[] = [];
  for (const reference of references) {
    const ordinals = ordinalsOf[reference] ?? [];
    const latestOrdinal = ordinals[ordinals.length - 1];
    if (latestOrdinal === undefined) continue;
    const latestSource = latestSourceOf[reference] ?? NONE;
    const chars = (charsThrough[charsThrough.length - 1] ?? 0) - (charsThrough[latestOrdinal] ?? 0);
    uses.push({
      reference,
      distanceTokens: Math.floor(chars / DISTANCE_CHARS_PER_TOKEN),
      latestOrdinal,
      sourceStatement: latestSource === NONE ? (latestOf[reference] ?? NONE) : latestSource,
      isCompactedAway: away.has(latestOrdinal) && ordinals.every((ordinal) => away.has(ordinal)),
    });
  }
  return uses;
}

interface Appended {
  readonly message: Message;
  readonly holdings: Holdings;
  readonly index: StatementIndex;
}

function addHoldings(
  { charsThrough, ordinalsOf, latestOf, latestSourceOf }: Past,
  { message, holdings, index }: Appended,
): void {
  const ordinal = charsThrough.length;
  charsThrough.push((charsThrough[ordinal - 1] ?? 0) + messageChars(message));
  const isSource = isSourceMessage(message);
  for (const reference of holdings.references) ordinalsOf[reference]?.push(ordinal);
  for (const statement of holdings.statements) {
    const reference = index.referenceOf(statement);
    latestOf[reference] = statement;
    if (isSource) latestSourceOf[reference] = statement;
  }
}

/** Tells whether a message states facts: words or commands of a person, results of tools. Text of the agent (reminders, environment) states none. */
function isSourceMessage(message: Message): boolean {
  if (message.role === "tool-result") return true;
  return message.role === "user" && (message.origin === "human" || message.origin === "command");
}

/** True if both can be read alike, whatever else differs. */
function hasSameTexts(recorded: Message, message: Message): boolean {
  const before = messageTexts(recorded);
  const after = messageTexts(message);
  return before.length === after.length && before.every((text, place) => text === after[place]);
}
