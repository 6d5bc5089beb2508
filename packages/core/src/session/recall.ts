import { z } from "zod";
import { type AppliedEdit, type MessageSpan, messagesWrittenBy, type SessionEntry } from "../entry.ts";
import { PlimsollError } from "../error.ts";
import { wellFormed } from "../json.ts";
import { type Framing, quotedText } from "../message/framing.ts";
import { handleReadings, isHandleMeant, type PartHandle, parseHandle, partHandle } from "../message/handle.ts";
import { type Message, type Part, partTexts, type ToolResultMessage, textOf } from "../message/message.ts";
import * as option from "../option.ts";
import type { Policy } from "../policy/policy.ts";
import { artifactsDoor, deadlineOf } from "../port-door.ts";
import type { ArtifactStore, Wait } from "../ports.ts";
import { characterBoundaryAtOrAfter, characterBoundaryAtOrBefore, sha256Hex } from "../text.ts";
import type { Truncation } from "../truncation/span.ts";
import { truncateMessage } from "../truncation/truncate-text.ts";

/** The places of appended messages in the log, both ends included, counted from 0 over only messages. */
export interface LogPlaces {
  readonly first: number;
  readonly last: number;
}

/** Every message of a log: the appended ones, and those that compactions wrote. Handles are looked up in it. */
export interface LoggedMessages {
  /** The appended message at a place. */
  at(place: number): Promise<Message | undefined>;
  /** The message of that id, whether it was appended or written by a compaction. */
  find(messageId: string): Promise<Message | undefined>;
  /** The id of the first message that a handle names by an end or beginning of its own: a name that was unique when it was written comes before later ones. */
  meant(handle: string): string | undefined;
  /** The appended messages behind a message: itself, or those that it replaced in the compaction that wrote it. */
  placesOf(messageId: string): LogPlaces | undefined;
}

/** {@link LoggedMessages} that grows with the log. It holds where messages are, never the messages. */
export interface MessageIndex extends LoggedMessages {
  /** True for the id of a message that was appended. */
  has(messageId: string): boolean;
  /** Takes in the messages of the entry at this place of the log. If two messages share an id, the first keeps it. */
  add(entry: SessionEntry, entryIndex: number): void;
}

interface Known {
  readonly entryIndex: number;
  readonly written: number;
  readonly partCount: number;
  readonly places: LogPlaces;
}

/** An index of an empty log, whose entries `entryAt` reads. A compaction that is undone stays in it: its handles may have been read. */
export function createMessageIndex(entryAt: (index: number) => Promise<SessionEntry | undefined>): MessageIndex {
  /** The entry of each appended message, and its parts. */
  const appended: number[] = [];
  const partCounts: number[] = [];
  /** By message id: the place of a message that was appended, or all that is known of one that a compaction wrote. */
  const byId = new Map<string, number | Known>();

  const knownOf = (id: string): Known | undefined => {
    const place = byId.get(id);
    if (typeof place !== "number") return place;
    const [entryIndex = 0, partCount = 0] = [appended[place], partCounts[place]];
    return { entryIndex, written: 0, partCount, places: { first: place, last: place } };
  };

  const learnEdit = (edit: AppliedEdit, entryIndex: number, written: number) => {
    if (edit.kind === "replace-spans" && edit.message !== null && !byId.has(edit.message.id)) {
      const { id, parts } = edit.message;
      byId.set(id, { entryIndex, written, partCount: parts.length, places: placesOfSpans(edit.spans, knownOf) });
    }
    if (edit.kind !== "replace-history") return;
    // A message that was not appended has the place of the one before it.
    let places: LogPlaces = { first: 0, last: 0 };
    for (const [order, { id, parts }] of edit.messages.entries()) {
      const logged = knownOf(id);
      places = logged?.places ?? places;
      const at = { entryIndex, written: written + order, partCount: parts.length, places };
      // If parts were taken out, the handles of the others count those that are left.
      if (logged?.partCount !== parts.length) byId.set(id, at);
    }
  };
  const messageAt = async ({ entryIndex, written }: Pick<Known, "entryIndex" | "written">): Promise<Message | undefined> => {
    const entry = await entryAt(entryIndex);
    if (entry?.type === "message") return written === 0 ? entry.message : undefined;
    return entry?.type === "compaction" ? entry.edits.flatMap(messagesWrittenBy)[written] : undefined;
  };
  return {
    has: (messageId) => typeof byId.get(messageId) === "number",
    add: (entry, entryIndex) => {
      if (entry.type === "message") {
        const { id, parts } = entry.message;
        if (!byId.has(id)) byId.set(id, appended.length);
        appended.push(entryIndex);
        partCounts.push(parts.length);
      }
      if (entry.type !== "compaction") return;
      let writtenCount = 0;
      for (const edit of entry.edits) {
        learnEdit(edit, entryIndex, writtenCount);
        writtenCount += messagesWrittenBy(edit).length;
      }
    },
    at: async (place) => {
      const entryIndex = appended[place];
      return entryIndex === undefined ? undefined : await messageAt({ entryIndex, written: 0 });
    },
    find: async (messageId) => {
      const at = knownOf(messageId);
      return at === undefined ? undefined : await messageAt(at);
    },
    meant: (handle) => {
      const { partIndex } = parseHandle(handle);
      for (const id of byId.keys()) if (isHandleMeant(partHandle(id, partIndex), handle)) return id;
      return undefined;
    },
    placesOf: (messageId) => knownOf(messageId)?.places,
  };
}

/** The refusal of a message under an id that the log has: after it no cut would find its place. */
export function doubledIdError(messageId: string): PlimsollError {
  const message = `the session has a message ${JSON.stringify(messageId)} already: give each message an id of its own`;
  return new PlimsollError("bad-input", message, { reason: "doubled-id", messageId });
}

/** All messages that the spans cover. An end may reach further than the other: a summary that stepped over a message is shown before it. */
function placesOfSpans(
  spans: readonly { readonly from: string; readonly through: string }[],
  knownOf: (id: string) => Pick<Known, "places"> | undefined,
): LogPlaces {
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const { from, through } of spans)
    for (const { places } of [knownOf(from) ?? [], knownOf(through) ?? []].flat())
      [first, last] = [Math.min(first, places.first), Math.max(last, places.last)];
  return first > last ? { first: 0, last: 0 } : { first, last };
}

/** Which part of a text is wanted back, in UTF-16 code units: from its beginning, and as much as one recall returns, if not given. */
export interface RecallRange {
  readonly startChar?: number;
  readonly maximumChars?: number;
}

const RANGE = option.schema<RecallRange>({ startChar: option.count.optional(), maximumChars: option.count.optional() });

/** The whole range. Throws PlimsollError `bad-input` for other keys. */
function rangeOf(given: RecallRange | undefined): Required<RecallRange> {
  option.check("recall's range", RANGE, given);
  return { startChar: 0, maximumChars: MAXIMUM_RECALL_CHARS, ...given };
}

/** A piece of the text that a handle names. `totalChars` is the length of the whole text, in UTF-16 code units. */
export interface Recalled {
  readonly text: string;
  readonly startChar: number;
  readonly totalChars: number;
}

/** Most UTF-16 code units that one recall returns, so that it cannot fill the window; chosen. */
export const MAXIMUM_RECALL_CHARS = 16_000;

/**
 * A bounded piece of the original that a handle names: one part that was cleared or shortened, or a span of messages that was dropped or summarised.
 * A span that begins or ends with a summary or notice goes back to that one's covered messages. Handles that older versions wrote are found too, and
 * a beginning that is long enough. `null` if the log has no such message or part: nothing but this log is looked at. (No part of the keep rule `recall`.)
 */
export async function recall(handle: string, given: RecallRange, log: LoggedMessages): Promise<Recalled | null> {
  const range = rangeOf(given);
  for (const reading of handleReadings(handle)) {
    const found = "messageId" in reading ? await partPiece(log, reading, range) : await spanPiece(log, reading, range);
    if (found !== null) return found;
  }
  const messageId = log.meant(handle);
  return messageId === undefined ? null : await partPiece(log, { ...parseHandle(handle), messageId }, range);
}

/** The piece of a text that a range asks for, cut on character boundaries and never longer than {@link MAXIMUM_RECALL_CHARS}. */
export function pieceOf(text: string, range: Required<RecallRange>): Recalled {
  const start = characterBoundaryAtOrAfter(text, range.startChar);
  const end = characterBoundaryAtOrBefore(text, start + Math.min(range.maximumChars, MAXIMUM_RECALL_CHARS));
  return { text: text.slice(start, Math.max(start, end)), startChar: start, totalChars: text.length };
}

async function partPiece(
  log: LoggedMessages,
  { messageId, partIndex }: PartHandle,
  range: Required<RecallRange>,
): Promise<Recalled | null> {
  const part = (await log.find(messageId))?.parts[partIndex];
  return part === undefined ? null : pieceOf(readable(part), range);
}

/** Beginnings of the lines above the messages of a span, which no message may forge. */
const HEADS: Framing = { lines: ["[user", "[assistant", "[tool-result"], bracketWords: [], tags: [] };

/** Between two messages of a span. */
const SEPARATOR = "\n\n";

/** A piece of a span's messages as text, each under its role and handle. Only the range's part is kept: a span may be larger than memory. */
async function spanPiece(log: LoggedMessages, span: MessageSpan, range: Required<RecallRange>): Promise<Recalled | null> {
  const from = log.placesOf(span.from);
  const through = log.placesOf(span.through);
  if (from === undefined || through === undefined) return null;
  const endChar = range.startChar + Math.min(range.maximumChars, MAXIMUM_RECALL_CHARS);
  let wanted = "";
  let wantedFromChar: number | null = null;
  let totalChars = 0;
  // A summary that stepped over a message is shown before it, and covers later ones, too.
  const last = through.last < from.first ? through.last : Math.max(from.last, through.last);
  for (let place = from.first; place <= last; place++) {
    const message = await log.at(place);
    if (message === undefined) continue;
    const text = quotedText(message.parts.map(readable).join("\n"), HEADS);
    const block = `${totalChars === 0 ? "" : SEPARATOR}[${message.role} ${partHandle(message.id, 0)}]\n${text}`;
    const isWanted = totalChars + block.length >= range.startChar && totalChars <= endChar;
    if (isWanted) wantedFromChar ??= totalChars;
    if (isWanted) wanted += block;
    totalChars += block.length;
  }
  const offsetChars = wantedFromChar ?? totalChars;
  const piece = pieceOf(wanted, { ...range, startChar: Math.max(0, range.startChar - offsetChars) });
  return { text: piece.text, startChar: piece.startChar + offsetChars, totalChars };
}

/** A part as text that a model may read. */
export function readable(part: Part): string {
  return part.type === "image" ? `[image ${part.mediaType}]` : partTexts(part).join(" ");
}

/** The policy and the stores by which a result is admitted. */
export interface Admission {
  readonly policy: Policy;
  readonly artifacts: ArtifactStore;
  /** The tool's advice on how to see the rest. */
  readonly hint?: string | null;
  /** How each category of output is cut; the built-in truncations by default. */
  readonly truncations?: readonly Truncation[];
  /** How long the store is waited for, and by which timer, as in `SessionOptions`. */
  readonly answerDeadlineMs?: number;
  readonly wait?: Wait;
}

const RESULT = z.looseObject({ parts: option.list });

const ADMISSION = option.schema<Admission>({
  policy: option.object,
  artifacts: option.having("put"),
  hint: option.text.nullable().optional(),
  truncations: option.list.optional(),
  answerDeadlineMs: option.count.optional(),
  wait: option.fn.optional(),
});

/** A result as it enters history, and the handle of its whole text if it was cut. */
export interface AdmittedResult {
  readonly message: ToolResultMessage;
  readonly handle: string | null;
}

/**
 * Cuts a tool result to the policy's cap before it enters history; the whole text goes to the artifact store first, and the notice names
 * its handle. A result within the cap comes back as it is, except that lone surrogates become U+FFFD and lines that look like a notice of
 * Plimsoll are quoted. Rejects if the store does: it cuts only stored text.
 */
export async function admitToolResult(given: ToolResultMessage, admission: Admission): Promise<AdmittedResult> {
  option.check("a tool result", RESULT, given);
  option.check("a tool result's admission", ADMISSION, admission);
  const { truncation } = admission.policy;
  const parts = wellFormed(given.parts);
  const message = parts === given.parts ? given : { ...given, parts };
  const how = admission.truncations === undefined ? {} : { truncations: admission.truncations };
  const cut = truncateMessage(message, truncation, how);
  if (!cut.isTruncated) return { message: cut.message, handle: null };
  const whole = textOf(message);
  const handle = await artifactsDoor(admission.artifacts, deadlineOf(admission)).put(whole);
  const hints = [admission.hint ?? null, `handle ${handle}`].filter((hint) => hint !== null);
  return { message: truncateMessage(message, truncation, { ...how, hint: hints.join("; ") }).message, handle };
}

/** Reads a piece of a stored text, at most {@link MAXIMUM_RECALL_CHARS} UTF-16 code units; `null` for an unknown handle. */
export async function recallArtifact(handle: string, given: RecallRange, artifacts: ArtifactStore): Promise<Recalled | null> {
  const range = rangeOf(given);
  const text = await artifactsDoor(artifacts, deadlineOf({})).get(handle);
  return text === null ? null : pieceOf(text, range);
}

/** Makes an artifact store in memory: its texts are lost when the process ends. */
export function createMemoryArtifactStore(): ArtifactStore {
  const texts = new Map<string, string>();
  return {
    put: (text) => {
      const handle = artifactHandle(text);
      texts.set(handle, text);
      return Promise.resolve(handle);
    },
    get: (handle) => Promise.resolve(texts.get(handle) ?? null),
  };
}

/** The handle of a text in any artifact store: a prefix that distinguishes it from a message id, and the hash of the content. */
export function artifactHandle(text: string): string {
  return `artifact:${sha256Hex(text)}`;
}
