import { isHuman, type Message, type SessionEntry, type ToolCallPart, textOf, toolCallsOf } from "@plimsoll/core";
import { messageChars, planAfter } from "@plimsoll/core/extend";
import { createFiles } from "./files.ts";
import type { NeedKind, Needle, NeedleIndex, Needles, Wanted } from "./needles.ts";
import { createNeedleIndex, createNeedles } from "./needles.ts";
import { isSourceMessage, type PreparedReferences } from "./recorded-references.ts";
import { ERROR_WORDS, extractReferences } from "./references.ts";
import { addTo } from "./statements.ts";
import { argumentTexts, comparable, comparableText, comparedTexts, LONGEST_LINE_CHARS, shownLines } from "./texts.ts";

/** One thing that a call needs. */
export interface Need {
  readonly kind: NeedKind;
  readonly needle: number;
  /** Place in the recorded history of the newest message before the call that holds it. */
  readonly statedAt: number;
  /** Whether that message lies far back, in tokens of the size model. */
  readonly isFar: boolean;
  /** The reference by which the call uses a passage. */
  readonly name?: string | undefined;
}

/** The needs of all calls of a session; made once a session, read by every probe over it. */
export interface Needs {
  readonly index: NeedleIndex;
  /** The line of a passage that states a reference: the first one that uses it, unless given. Found once. */
  lineOf(needle: number, name?: string): PassageLine;
  /** Characters of all recorded messages' texts. */
  readonly recordedChars: number;
  /** Returns the needs of the call whose reply is at this place of the recorded history, but for {@link standing} ones. */
  at(ordinal: number): readonly Need[];
  /** The instructions, which each later call needs, whose need begins at this place, or is stated elsewhere or far from there on. */
  standing(ordinal: number): readonly Need[];
  /** Whether the call whose reply is at this place counts in this session. */
  isCounted(ordinal: number): boolean;
  /** By kind: needs of calls that no earlier message holds. It is counted nowhere else. */
  readonly leftOut: Readonly<Record<NeedKind, number>>;
  readonly needles: readonly Needle[];
}

/** A line that is shown, and its form, without numbers and the names that have digits: nearly equal lines have one form. Empty for a line without a word. */
export interface PassageLine {
  readonly text: string;
  readonly form: string;
  /** The passage's runs of lines with this one that show a reading of it, as {@link shownText} has them; none if it is too short for that. */
  readonly runs: readonly string[];
}

/** Sources of needs in addition to the log. */
export interface NeedSources {
  readonly references: PreparedReferences;
  readonly messageTokens: (message: Message, call: number) => number;
}

/** A need is far if its statement lies at least so many tokens back (docs/evidence.md). */
export const FAR_NEED_TOKENS = 20_000;

/** Finds the needs of each reply of a log. Reads each message twice: once for its needs, once for its statements. */
export function prepareNeeds(entries: readonly SessionEntry[], { references, messageTokens }: NeedSources): Needs {
  const history = recordedHistory(entries, references, messageTokens);
  const needles = createNeedles();
  const names = new Map<number, string>();
  const wanted = wantedBy(history, { references, needles, names });
  const index = createNeedleIndex(needles.all());
  const newestHolder = new Int32Array(needles.all().length).fill(-1);
  const leftOut = { ...NOTHING_LEFT_OUT };
  const needs: (readonly Need[])[] = [];
  const instructions = createInstructions(history, newestHolder);
  let recordedChars = 0;
  for (const [place, { message, tokensBefore }] of history.entries()) {
    const found: Need[] = [];
    instructions.reach(place);
    if (isModelReply(message)) leftOut.instructions += instructions.unstated.size;
    const [begun = [], others = []] = [true, false].map((begins) =>
      (wanted[place] ?? []).filter(({ kind }) => (kind === "instructions") === begins),
    );
    for (const { kind, needle, name } of others) {
      const statedAt = newestHolder[needle] ?? -1;
      const distanceTokens = tokensBefore - (history[statedAt + 1]?.tokensBefore ?? 0);
      if (statedAt < 0) leftOut[kind] += 1;
      else found.push({ kind, needle, statedAt, isFar: distanceTokens >= FAR_NEED_TOKENS, name });
    }
    const held = index.heldIn(message);
    for (const needle of held) newestHolder[needle] = place;
    instructions.follow(place, { held, begun });
    needs.push(found);
    recordedChars += messageChars(message);
  }
  const all = needles.all();
  const known = new Map<number | string, PassageLine>();
  return {
    index,
    needles: all,
    lineOf: (needle, name) => {
      const key = name === undefined ? needle : `${needle} ${name}`;
      const line = known.get(key) ?? lineOf(all[needle]?.text ?? "", name ?? names.get(needle) ?? "");
      known.set(key, line);
      return line;
    },
    recordedChars,
    at: (ordinal) => needs[ordinal] ?? [],
    standing: instructions.changesAt,
    isCounted: () => true,
    leftOut,
  };
}

/** Characters of a needed passage's line that are shown; chosen. */
const LINE_CHARS = 120;
/** Characters of a longer line before the reference, at least, up to a word; chosen. */
const BEFORE_CHARS = 24;

/** The line of a passage that states a reference, without the place that a search puts before it: empty if only its number did. The part of a long line begins with a word. */
function lineOf(passage: string, text: string): PassageLine {
  // JSON in a log has its line ends, tabs and quotes escaped, and is often one line.
  const isEscaped = passage.includes('\\"') || !passage.includes("\n");
  const lines = (isEscaped ? readable(passage) : passage).split("\n");
  const found = lines.find((each) => each.includes(text)) ?? "";
  const line = found.replace(SEARCHED, "").trim();
  const at = line.indexOf(text);
  const word = line.length > LINE_CHARS && at > BEFORE_CHARS ? line.lastIndexOf(" ", at - BEFORE_CHARS) : 0;
  const from = word < 0 ? at : word;
  const end = from + LINE_CHARS;
  const shown = line.slice(from, end).trim().toWellFormed();
  const form = shown.replaceAll(/[\p{L}_-]*\d[\p{L}\d_-]*/gu, "0").replaceAll(/\s+/g, " ");
  const around = shownText(passage).split("\n");
  const place = around.findIndex((each) => each.includes(text));
  const starts = Array.from({ length: RUN_LINES }, (_, before) =>
    Math.max(0, Math.min(place - before, around.length - RUN_LINES)),
  );
  const runs = [...new Set(starts)].map((start) => around.slice(start, start + RUN_LINES).join("\n"));
  const isRun = (each: string) => each.includes(text) && each.length >= RUN_CHARS;
  return { text: shown, form: /\p{L}{2}/u.test(shown) ? form : "", runs: runs.filter(isRun) };
}

/** Neighbouring lines, and their characters, that many results do not share: with them a result shows a passage again. Chosen; a line too long to be one counts as several. */
const RUN_LINES = 3;
const RUN_CHARS = 80;

/** A text's lines as a reading of it shows them: filled ones, without escapes, indentation and the place that a search puts before each. */
export function shownText(text: string): string {
  const lines = readable(text).split("\n");
  const shown = lines.map((line) => (line.length > LONGEST_LINE_CHARS ? line : line.replace(SEARCHED, "")).trim());
  return shown.filter((line) => line !== "").join("\n");
}

/** The file and number that a search or a reading puts before a line. */
const SEARCHED = /^(?:\S*[./]\S*?[:-]\d+[:-]|\s*\d+[→:\t])/;

/** Text of JSON without its escapes. */
export const readable = (text: string): string =>
  text.includes("\\") ? text.replaceAll("\\n", "\n").replaceAll("\\t", "\t").replaceAll('\\"', '"') : text;

/** Follows where the person's instructions are stated last. Work follows their statements, not the calls that need them. */
function createInstructions(history: readonly Recorded[], newestHolder: Int32Array) {
  const due = new Set<number>();
  const unstated = new Set<number>();
  const changes = new Map<number, Need[]>();
  /** Statements in the order in which they become far. */
  const near: { readonly needle: number; readonly statedAt: number }[] = [];
  let farCount = 0;
  const isFar = (ordinal: number, statedAt: number) =>
    (history[ordinal]?.tokensBefore ?? 0) - (history[statedAt + 1]?.tokensBefore ?? 0) >= FAR_NEED_TOKENS;
  const put = (ordinal: number, needle: number, statedAt: number) => {
    const need: Need = { kind: "instructions", needle, statedAt, isFar: isFar(ordinal, statedAt) };
    addTo(changes, ordinal, need);
    if (!need.isFar) near.push({ needle, statedAt });
  };
  return {
    changesAt: (ordinal: number): readonly Need[] => changes.get(ordinal) ?? [],
    unstated,
    reach(ordinal: number): void {
      for (let first = near[farCount]; first !== undefined && isFar(ordinal, first.statedAt); first = near[farCount]) {
        farCount += 1;
        if (newestHolder[first.needle] === first.statedAt) put(ordinal, first.needle, first.statedAt);
      }
    },
    /** The message at a place holds some needles, and begins the need of others. */
    follow(place: number, { held, begun }: { readonly held: readonly number[]; readonly begun: readonly Wanted[] }): void {
      for (const needle of held) {
        if (due.has(needle)) put(place + 1, needle, place);
        unstated.delete(needle);
      }
      for (const { needle } of begun) {
        const statedAt = newestHolder[needle] ?? -1;
        if (statedAt < 0) unstated.add(needle);
        else if (!due.has(needle)) put(place + 1, needle, statedAt);
        due.add(needle);
      }
    },
  };
}

const NOTHING_LEFT_OUT: Readonly<Record<NeedKind, number>> = { edits: 0, passages: 0, fileInHand: 0, instructions: 0, plan: 0 };

interface Recorded {
  readonly message: Message;
  readonly tokensBefore: number;
}

function recordedHistory(
  entries: readonly SessionEntry[],
  references: PreparedReferences,
  messageTokens: NeedSources["messageTokens"],
): readonly Recorded[] {
  const history: Recorded[] = [];
  let tokensBefore = 0;
  let call = 0;
  for (const entry of entries) {
    if (entry.type === "usage") call += 1;
    if (entry.type !== "message" || references.ordinalOf(entry.message) !== history.length) continue;
    history.push({ message: entry.message, tokensBefore });
    tokensBefore += messageTokens(entry.message, call);
  }
  return history;
}

interface WantedFrom {
  readonly references: PreparedReferences;
  readonly needles: Needles;
  readonly names: Map<number, string>;
}

function wantedBy(history: readonly Recorded[], { references, needles, names }: WantedFrom): readonly (readonly Wanted[])[] {
  const standing = createStanding(needles);
  const files = createFiles(needles);
  const passages = createPassages(references);
  const all: (readonly Wanted[])[] = [];
  for (const { message } of history) {
    const wanted: Wanted[] = [];
    if (isModelReply(message)) {
      wanted.push(...standing.due(), ...files.needed(message));
      for (const { reference, text } of passages.usedBy(message)) {
        const needle = needles.number(text);
        const name = references.references[reference] ?? "";
        names.set(needle, names.get(needle) ?? name);
        wanted.push({ kind: "passages", needle, name });
      }
    }
    all.push(wanted);
    wanted.push(...standing.follow(message));
    files.follow(message);
    passages.follow(message);
  }
  return all;
}

function isModelReply(message: Message): boolean {
  return message.role === "assistant" && message.origin === "model";
}

/** Follows the plan, and the instructions that a message begins, which all later calls need. */
function createStanding(needles: Needles): { due(): readonly Wanted[]; follow(message: Message): readonly Wanted[] } {
  let items: NonNullable<ReturnType<typeof planAfter>> = [];
  let plan: readonly number[] = [];
  const numbered = (text: string) => needles.number(comparableText(text).trim());
  return {
    due: () => plan.map((needle) => ({ kind: "plan" as const, needle })),
    follow(message) {
      if (message.role === "assistant")
        for (const { argumentsJson } of toolCallsOf(message)) {
          const after = planAfter(items, argumentsJson);
          if (after === null) continue;
          items = after;
          plan = items.map(({ text }) => numbered(text));
        }
      const texts = isHuman(message) ? comparedTexts(message).filter((text) => text.trim() !== "") : [];
      return texts.map((text) => ({ kind: "instructions", needle: numbered(text) }));
    },
  };
}

/** The passages of a history as far as it has been followed: the last statements of a person or a tool, with the lines around them. */
interface Passages {
  /** The passages of a reply's references, comparable: one for each reference that a person or a tool stated. */
  usedBy(reply: Message): readonly { readonly reference: number; readonly text: string }[];
  follow(message: Message): void;
}

/** Passages of a history without messages. Each source message is read once, when something that it states is used. */
function createPassages(references: PreparedReferences): Passages {
  const known: KnownPassages = {
    newest: Array.from({ length: references.index.statementCount() }, () => null),
    calls: new Map(),
    found: new Map(),
    texts: new WeakMap(),
  };
  return {
    usedBy(reply) {
      return references.usesOf(reply).flatMap(({ reference, sourceStatement }) => {
        const message = known.newest[sourceStatement] ?? null;
        if (message === null) return [];
        const window = references.index.windowOf(sourceStatement);
        const text = passageOf(known, { statement: sourceStatement, window, message });
        return text === null ? [] : [{ reference, text }];
      });
    },
    follow(message) {
      for (const call of toolCallsOf(message)) known.calls.set(call.callId, call);
      if (!isSourceMessage(message)) return;
      const stated = isAcknowledgement(message, known.calls) ? null : message;
      for (const statement of references.statementsIn(message)) known.newest[statement] = stated;
    },
  };
}

/** Texts that a result may have and still say nothing, and characters and words beyond its call; chosen. */
const SAYS_NOTHING = { texts: 500, chars: 4_000, words: 40 } as const;

/** True for a result that only says that its call, which changed files or the plan, was carried out (docs/evidence.md): no reply needs it. */
function isAcknowledgement(message: Message, calls: ReadonlyMap<string, ToolCallPart>): boolean {
  const call = message.role === "tool-result" && !message.isError ? calls.get(message.callId) : undefined;
  if (call === undefined) return false;
  const changes = call.paths.length > 0 && call.paths.every(({ access }) => access === "modify");
  if (!changes && planAfter([], call.argumentsJson) === null) return false;
  const own = argumentTexts(call.argumentsJson).join("\n");
  const texts = argumentTexts(textOf(message));
  const told = texts.length > SAYS_NOTHING.texts ? null : texts.filter((text) => !own.includes(text)).join("\n");
  if (told === null || told.length > SAYS_NOTHING.chars) return false;
  const words = [...new Set(told.match(/\p{L}{3,}/gu))];
  if (words.filter((word) => !own.includes(word)).length > SAYS_NOTHING.words) return false;
  const named = extractReferences(told);
  if (!named.every(({ kind, text }) => kind === "number" || own.includes(text))) return false;
  return !ERROR_WORDS.test(named.reduce((rest, { text }) => rest.replaceAll(text, " "), told));
}

interface KnownPassages {
  readonly newest: (Message | null)[];
  readonly calls: Map<string, ToolCallPart>;
  /** By statement: its passage in the message that it was looked for in last. */
  readonly found: Map<number, { readonly message: Message; readonly passage: string | null }>;
  readonly texts: WeakMap<Message, readonly StatingText[]>;
}

function passageOf(
  known: KnownPassages,
  { statement, window, message }: { readonly statement: number; readonly window: string; readonly message: Message },
): string | null {
  const before = known.found.get(statement);
  if (before?.message === message) return before.passage;
  const stated = statedLine(known, message, window);
  const passage = stated === null ? null : passageAround(stated, window);
  known.found.set(statement, { message, passage });
  return passage;
}

/** Lines on each side of the line that stated something (docs/evidence.md). */
const PASSAGE_LINES = 3;

/** A line of a text that states something, unchanged but for the white space around it. */
interface StatedLine {
  readonly raw: string;
  readonly text: StatingText;
  readonly place: number;
}

/**
 * A text that states something: its lines as they are compared, those that it shows, the last place of each, without white space around it, and the
 * lines that are too long.
 */
interface StatingText {
  readonly lines: readonly string[];
  readonly shown: ReturnType<typeof shownLines>;
  readonly places: ReadonlyMap<string, number>;
  readonly long: readonly { readonly raw: string; readonly place: number }[];
}

/** The last line of a message that a statement was read from. Reads each message once; only lines that are too long are searched. */
function statedLine(known: KnownPassages, message: Message, window: string): StatedLine | null {
  const texts = known.texts.get(message) ?? statingTexts(message);
  known.texts.set(message, texts);
  for (const text of texts) {
    const place = text.places.get(window);
    if (place !== undefined) return { text, raw: window, place };
  }
  for (const text of texts) {
    const line = text.long.findLast(({ raw }) => raw.includes(window));
    if (line !== undefined) return { text, ...line };
  }
  return null;
}

function statingTexts(message: Message): readonly StatingText[] {
  const texts = comparedTexts(message).toReversed();
  return texts.map((text) => {
    const places = new Map<string, number>();
    const long: { raw: string; place: number }[] = [];
    const found = text.split("\n");
    for (const [place, line] of found.entries()) {
      const raw = line.trim();
      if (raw.length > LONGEST_LINE_CHARS) long.push({ raw, place });
      else places.set(raw, place);
    }
    const shown = message.role === "tool-result" ? shownLines(found) : { from: 0, end: found.length };
    return { lines: comparable(text).lines, shown, places, long };
  });
}

/**
 * A line with its neighbours, up to a line that is too long to be one; of a line that is itself too long, only the stating part. Lines around the
 * shown ones state nothing.
 */
function passageAround({ raw, text: { lines, shown }, place }: StatedLine, window: string): string | null {
  if (place < shown.from || place >= shown.end) return null;
  const isShort = (at: number) => (lines[at]?.length ?? Number.POSITIVE_INFINITY) <= LONGEST_LINE_CHARS;
  if (!isShort(place)) {
    const numberChars = raw.length - (lines[place] ?? "").trim().length;
    const start = raw.lastIndexOf(window);
    return raw.slice(Math.max(start, numberChars), start + window.length).trim();
  }
  let from = place;
  while (from > Math.max(shown.from, place - PASSAGE_LINES) && isShort(from - 1)) from -= 1;
  let through = place;
  while (through < Math.min(shown.end - 1, place + PASSAGE_LINES) && isShort(through + 1)) through += 1;
  return lines
    .slice(from, through + 1)
    .join("\n")
    .trim();
}
