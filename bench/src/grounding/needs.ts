import type { Message, SessionEntry } from "@plimsoll/core";
import { isHuman, textOf, toolCallsOf } from "@plimsoll/core";
import { messageChars } from "@plimsoll/core/build";
import type { PreparedReferences } from "../references/prepare.ts";
import { comparableText, comparedTexts, numberedLines } from "./comparable-text.ts";
import type { EditQuote } from "./edit-quotes.ts";
import { editQuotes } from "./edit-quotes.ts";
import type { Needle, NeedleIndex } from "./needle-index.ts";
import { createNeedleIndex } from "./needle-index.ts";
import { createPassages } from "./passages.ts";
import { decisionsIn, nextStepIn, planItems } from "./said.ts";

/** What kinds of things a call needs of its context (docs/protocol.md). */
export const NEED_KINDS = [
  "edits",
  "passages",
  "fileInHand",
  "instructions",
  "plan",
  "nextStep",
  "decisions",
  "filesNamed",
] as const;

/** One of {@link NEED_KINDS}. */
export type NeedKind = (typeof NEED_KINDS)[number];

/** One thing that a call needs. */
export interface Need {
  readonly kind: NeedKind;
  /** By number. */
  readonly needle: number;
  /** Place in the recorded history of the newest message before the call that holds it. */
  readonly statedAt: number;
  /** Whether that message lies far back, in tokens of the size model. */
  readonly isFar: boolean;
}

/** What all calls of a session need; made once a session, read by every probe over it. */
export interface Needs {
  readonly index: NeedleIndex;
  readonly needleCount: number;
  /** Characters of a needle's text, and of all recorded messages' texts. */
  charsOf(needle: number): number;
  readonly recordedChars: number;
  /** What the call needs whose reply is at this place of the recorded history. */
  at(ordinal: number): readonly Need[];
  /** By kind: what calls need that no earlier message holds. It is counted nowhere else. */
  readonly leftOut: Readonly<Record<NeedKind, number>>;
}

/** What needs are found in, in addition to the log. */
export interface NeedSources {
  readonly references: PreparedReferences;
  /** Tokens of a recorded message, by the size model. */
  readonly messageTokens: (message: Message, call: number) => number;
}

/** A need is far if what states it lies at least so many tokens back (docs/protocol.md). */
export const FAR_NEED_TOKENS = 20_000;

/** An old text shorter than this is met by chance (docs/protocol.md). */
const SHORTEST_QUOTE_CHARS = 20;

/** Of a file that is changed, this share of the lines must stand together (docs/protocol.md). */
const FILE_SHARE = 0.8;

/** For so many calls a stated next step is due, and so many calls ahead files are asked for (docs/protocol.md). */
const NEXT_STEP_CALLS = 10;
const FILES_AHEAD_CALLS = 30;

/** Finds what each reply of a log needs. Reads each message twice: once for what it needs, once for what it holds. */
export function prepareNeeds(entries: readonly SessionEntry[], { references, messageTokens }: NeedSources): Needs {
  const history = recordedHistory(entries, references, messageTokens);
  const needles = createNeedles();
  const wanted = wantedBy(history, references, needles);
  const index = createNeedleIndex(needles.all());
  const holders: number[][] = needles.all().map(() => []);
  for (const [ordinal, { message }] of history.entries())
    for (const needle of index.heldIn(message)) holders[needle]?.push(ordinal);
  const leftOut = { ...NOTHING_LEFT_OUT };
  const needs = wanted.map((list, ordinal) =>
    list.flatMap(({ kind, needle }): readonly Need[] => {
      const statedAt = newestBefore(holders[needle] ?? [], ordinal);
      if (statedAt === null) {
        leftOut[kind] += 1;
        return [];
      }
      const distanceTokens = (history[ordinal]?.tokensBefore ?? 0) - (history[statedAt + 1]?.tokensBefore ?? 0);
      return [{ kind, needle, statedAt, isFar: distanceTokens >= FAR_NEED_TOKENS }];
    }),
  );
  const recordedChars = history.reduce((chars, { message }) => chars + messageChars(message), 0);
  const charsOf = (needle: number) => needles.all()[needle]?.text.length ?? 0;
  return { index, needleCount: holders.length, charsOf, recordedChars, at: (ordinal) => needs[ordinal] ?? [], leftOut };
}

const NOTHING_LEFT_OUT: Readonly<Record<NeedKind, number>> = {
  edits: 0,
  passages: 0,
  fileInHand: 0,
  instructions: 0,
  plan: 0,
  nextStep: 0,
  decisions: 0,
  filesNamed: 0,
};

/** A recorded message with the tokens of all before it. */
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

function newestBefore(ascending: readonly number[], ordinal: number): number | null {
  return ascending.findLast((place) => place < ordinal) ?? null;
}

interface Needles {
  /** The number of a text, comparable; the same for the same text and share. */
  number(text: string, share?: number): number;
  all(): readonly Needle[];
}

function createNeedles(): Needles {
  const numbers = new Map<string, number>();
  const all: Needle[] = [];
  return {
    number(text, share = 1) {
      const key = `${share} ${text}`;
      const known = numbers.get(key);
      if (known !== undefined) return known;
      numbers.set(key, all.length);
      all.push({ text, share });
      return all.length - 1;
    },
    all: () => all,
  };
}

interface Wanted {
  readonly kind: NeedKind;
  readonly needle: number;
}

/** By the place of a reply, what it needs. */
function wantedBy(
  history: readonly Recorded[],
  references: PreparedReferences,
  needles: Needles,
): readonly (readonly Wanted[])[] {
  const standing = createStanding(needles);
  const files = createFiles(needles);
  const passages = createPassages(references);
  const passagesUsed = (reply: Message) =>
    passages.usedBy(reply).map((text): Wanted => ({ kind: "passages", needle: needles.number(text) }));
  const ahead = filesAhead(history, needles);
  return history.map(({ message }, ordinal) => {
    const isReply = message.role === "assistant" && message.origin === "model";
    const wanted = isReply
      ? [...standing.due(), ...files.needed(message), ...passagesUsed(message), ...(ahead.get(ordinal) ?? [])]
      : [];
    standing.follow(message);
    files.follow(message);
    passages.follow(message);
    return wanted;
  });
}

interface Standing {
  due(): readonly Wanted[];
  follow(message: Message): void;
}

/** What stays due for more than the next call: the person's messages, the plan, decisions, what was said to come next. */
function createStanding(needles: Needles): Standing {
  const instructions = new Set<number>();
  const decisions = new Set<number>();
  let plan: readonly number[] = [];
  let nextStep: { readonly needle: number; readonly calls: number } | null = null;
  const numbered = (text: string) => needles.number(comparableText(text).trim());
  return {
    due() {
      const due: Wanted[] = [...instructions].map((needle) => ({ kind: "instructions", needle }));
      for (const needle of decisions) due.push({ kind: "decisions", needle });
      for (const needle of plan) due.push({ kind: "plan", needle });
      if (nextStep !== null && nextStep.calls < NEXT_STEP_CALLS) due.push({ kind: "nextStep", needle: nextStep.needle });
      if (nextStep !== null) nextStep = { ...nextStep, calls: nextStep.calls + 1 };
      return due;
    },
    follow(message) {
      if (isHuman(message)) {
        for (const text of comparedTexts(message)) if (text.trim() !== "") instructions.add(numbered(text));
        for (const decision of decisionsIn(textOf(message))) decisions.add(numbered(decision));
      }
      if (message.role !== "assistant") return;
      const said = nextStepIn(textOf(message));
      if (said !== null) nextStep = { needle: numbered(said), calls: 0 };
      for (const { argumentsJson } of toolCallsOf(message)) {
        const items = planItems(argumentsJson);
        if (items === null) continue;
        plan = items.map(numbered);
        for (const decision of items.flatMap(decisionsIn)) decisions.add(numbered(decision));
      }
    },
  };
}

interface Files {
  needed(reply: Message): readonly Wanted[];
  follow(message: Message): void;
}

/** The newest reading or writing of each file, and what a reply that changes files quotes of them. */
function createFiles(needles: Needles): Files {
  const newest = new Map<string, string>();
  const readings = new Map<string, string>();
  return {
    needed(reply) {
      const calls = toolCallsOf(reply);
      const quoted = calls.flatMap(editQuotes).flatMap((quote) => quotedText(quote, newest) ?? []);
      const edits = new Set(quoted.map(comparableQuote).filter(({ length }) => length >= SHORTEST_QUOTE_CHARS));
      const wanted: Wanted[] = [...edits].map((text) => ({ kind: "edits", needle: needles.number(text) }));
      const changed = calls.flatMap(({ paths }) => paths.filter(({ access }) => access === "modify"));
      // A file that was never read or written in sight has the empty text, which no message holds: it is left out.
      for (const path of new Set(changed.map(({ path }) => path))) {
        const text = comparableText(newest.get(path) ?? "");
        wanted.push({ kind: "fileInHand", needle: needles.number(withoutBlankEnds(text), FILE_SHARE) });
      }
      return wanted;
    },
    follow(message) {
      for (const { callId, paths, argumentsJson } of toolCallsOf(message)) {
        for (const { path, access } of paths) {
          if (access === "read") readings.set(callId, path);
          const written = access === "modify" && paths.length === 1 ? writtenText(argumentsJson) : null;
          if (written !== null) newest.set(path, written);
        }
      }
      const path = message.role === "tool-result" && !message.isError ? readings.get(message.callId) : undefined;
      if (path !== undefined) newest.set(path, textOf(message));
    },
  };
}

/** White space at a quote's ends says nothing: an editor's quote may begin within a line. */
function comparableQuote(text: string): string {
  return comparableText(text).trim();
}

/** Whole lines are compared: the white space before the first one belongs to it. */
function withoutBlankEnds(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
}

function quotedText(quote: EditQuote, newest: ReadonlyMap<string, string>): string | null {
  if (quote.kind === "text") return quote.text;
  const lines = numberedLines(newest.get(quote.path) ?? "");
  if (lines === null) return null;
  const range = Array.from({ length: quote.last - quote.first + 1 }, (_, place) => lines.get(quote.first + place));
  return range.includes(undefined) ? null : range.join("\n");
}

/** The whole text that a call writes into a file; `null` for a change of a part. */
function writtenText(argumentsJson: string): string | null {
  const written = /^\s*\{/.test(argumentsJson) ? textsUnder(argumentsJson, ["content", "contents", "file_text"]) : [];
  return written[0] ?? null;
}

function textsUnder(argumentsJson: string, keys: readonly string[]): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(argumentsJson);
    if (typeof parsed !== "object" || parsed === null) return [];
    return Object.entries(parsed).flatMap(([key, value]) => (keys.includes(key) && typeof value === "string" ? [value] : []));
  } catch {
    // Arguments that a model cut off write nothing.
    return [];
  }
}

/** By the place of a reply, the files that its call and the next ones touch and that earlier calls had touched. */
function filesAhead(history: readonly Recorded[], needles: Needles): ReadonlyMap<number, readonly Wanted[]> {
  const calls = [...history.entries()].flatMap(([ordinal, { message }]) =>
    message.role === "assistant" && message.origin === "model"
      ? [{ ordinal, paths: toolCallsOf(message).flatMap(({ paths }) => paths.map(({ path }) => path)) }]
      : [],
  );
  const touched = new Set<string>();
  const found = new Map<number, readonly Wanted[]>();
  for (const [place, { ordinal, paths }] of calls.entries()) {
    const coming = new Set(calls.slice(place, place + FILES_AHEAD_CALLS).flatMap((call) => call.paths));
    const known = [...coming].filter((path) => path !== "" && touched.has(path));
    found.set(
      ordinal,
      known.map((path) => ({ kind: "filesNamed", needle: needles.number(path) })),
    );
    for (const path of paths) touched.add(path);
  }
  return found;
}
