import type { Message, SessionEntry } from "@plimsoll/core";
import { messageChars } from "@plimsoll/core/build";
import type { BoundaryViews } from "../boundary-views.ts";
import { messageTexts } from "./message-texts.ts";
import type { Holdings, StatementIndex } from "./statement-index.ts";

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

/** The recorded history as far as it has been read. */
export interface RecordedHistory {
  /** The references that an earlier message held. */
  usesAmong(references: readonly number[]): readonly ReferenceUse[];
  /** Adds a message, of which these are the texts; returns its place, from 0. */
  append(message: Message, texts: readonly string[]): number;
  /** Keeps up with what the recorded agent itself still sees. */
  follow(entry: SessionEntry): void;
  /** The place of a message that was appended; `null` for any other. */
  ordinalOf(message: Message): number | null;
  /** Returns the statements in the message that was appended under this id, however it looks now; `null` for an unknown id. */
  originalHoldings(messageId: string): Holdings | null;
  /** Returns the statements in a message that is as it was appended; `null` for any other. */
  holdingsOf(message: Message): Holdings | null;
}

/** No statement. */
const NONE = -1;

/** The sources of a history. */
export interface HistorySources {
  /** Of its references and statements; what is appended is added to it. */
  readonly index: StatementIndex;
  readonly referenceCount: number;
  readonly boundaries: BoundaryViews;
}

/** A history without messages. */
export function createRecordedHistory({ index, referenceCount, boundaries }: HistorySources): RecordedHistory {
  const recordedById = new Map<string, { readonly message: Message; readonly ordinal: number; readonly holdings: Holdings }>();
  const past: Past = {
    charsThrough: [],
    ordinalsOf: Array.from({ length: referenceCount }, () => []),
    latestOf: new Int32Array(referenceCount).fill(NONE),
    latestSourceOf: new Int32Array(referenceCount).fill(NONE),
    away: new Set(),
  };
  const recordOf = (message: Message) => {
    const record = recordedById.get(message.id);
    return record !== undefined && (record.message === message || hasSameTexts(record.message, message)) ? record : undefined;
  };
  return {
    usesAmong: (references) => usesIn(past, references),
    append(message, texts) {
      const ordinal = past.charsThrough.length;
      const holdings = index.add(texts, ordinal);
      recordedById.set(message.id, { message, ordinal, holdings });
      addHoldings(past, { message, holdings, index });
      return ordinal;
    },
    follow(entry) {
      const view = boundaries.get(entry);
      if (view === undefined) return;
      const seen = new Set(view.map((message) => recordOf(message)?.ordinal));
      past.away = new Set([...past.charsThrough.keys()].filter((ordinal) => !seen.has(ordinal)));
    },
    ordinalOf: (message) => recordedById.get(message.id)?.ordinal ?? null,
    originalHoldings: (messageId) => recordedById.get(messageId)?.holdings ?? null,
    holdingsOf: (message) => recordOf(message)?.holdings ?? null,
  };
}

/** The messages that were appended. What works on it are functions of the module: what is compiled of one that is made for each session is lost with it. */
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
