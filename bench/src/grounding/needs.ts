import type { Message, SessionEntry } from "@plimsoll/core";
import { isHuman, toolCallsOf } from "@plimsoll/core";
import { messageChars } from "@plimsoll/core/build";
import type { PlanItem } from "@plimsoll/core/internal";
import { planAfter } from "@plimsoll/core/internal";
import type { PreparedReferences } from "../references/prepare.ts";
import { comparableText, comparedTexts } from "./comparable-text.ts";
import { createFiles } from "./file-needs.ts";
import type { Needle, NeedleIndex } from "./needle-index.ts";
import { createNeedleIndex } from "./needle-index.ts";
import { createPassages } from "./passages.ts";
import type { NeedKind, Needles, Wanted } from "./wanted.ts";
import { createNeedles } from "./wanted.ts";

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

/** The needs of all calls of a session; made once a session, read by every probe over it. */
export interface Needs {
  readonly index: NeedleIndex;
  readonly needleCount: number;
  /** Characters of a needle's text, and of all recorded messages' texts. */
  charsOf(needle: number): number;
  /** A needle's text, comparable. */
  textOf(needle: number): string;
  readonly recordedChars: number;
  /** Returns the needs of the call whose reply is at this place of the recorded history. */
  at(ordinal: number): readonly Need[];
  /** By kind: what calls need that no earlier message holds. It is counted nowhere else. */
  readonly leftOut: Readonly<Record<NeedKind, number>>;
  /** Needles, by number. */
  readonly needles: readonly Needle[];
}

/** Sources of needs in addition to the log. */
export interface NeedSources {
  readonly references: PreparedReferences;
  /** Tokens of a recorded message, by the size model. */
  readonly messageTokens: (message: Message, call: number) => number;
}

/** A need is far if what states it lies at least so many tokens back (docs/evidence.md). */
export const FAR_NEED_TOKENS = 20_000;

/** Finds what each reply of a log needs. Reads each message twice: once for what it needs, once for what it holds. */
export function prepareNeeds(entries: readonly SessionEntry[], { references, messageTokens }: NeedSources): Needs {
  const history = recordedHistory(entries, references, messageTokens);
  const needles = createNeedles();
  const wanted = wantedBy(history, references, needles);
  const index = createNeedleIndex(needles.all());
  const newestHolder = new Int32Array(needles.all().length).fill(-1);
  const leftOut = { ...NOTHING_LEFT_OUT };
  const needs: (readonly Need[])[] = [];
  let recordedChars = 0;
  // Loops and not callbacks: what is compiled of a function that is made for each session is lost with it.
  for (const { message, tokensBefore } of history) {
    const found: Need[] = [];
    for (const { kind, needle } of wanted[needs.length] ?? []) {
      const statedAt = newestHolder[needle] ?? -1;
      const distanceTokens = tokensBefore - (history[statedAt + 1]?.tokensBefore ?? 0);
      if (statedAt < 0) leftOut[kind] += 1;
      else found.push({ kind, needle, statedAt, isFar: distanceTokens >= FAR_NEED_TOKENS });
    }
    for (const needle of index.heldIn(message)) newestHolder[needle] = needs.length;
    needs.push(found);
    recordedChars += messageChars(message);
  }
  const all = needles.all();
  return {
    index,
    needles: all,
    needleCount: all.length,
    charsOf: (needle) => all[needle]?.text.length ?? 0,
    textOf: (needle) => all[needle]?.text ?? "",
    recordedChars,
    at: (ordinal) => needs[ordinal] ?? [],
    leftOut,
  };
}

const NOTHING_LEFT_OUT: Readonly<Record<NeedKind, number>> = {
  edits: 0,
  passages: 0,
  fileInHand: 0,
  instructions: 0,
  plan: 0,
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

/** By the place of a reply, what it needs. */
function wantedBy(
  history: readonly Recorded[],
  references: PreparedReferences,
  needles: Needles,
): readonly (readonly Wanted[])[] {
  const standing = createStanding(needles);
  const files = createFiles(needles);
  const passages = createPassages(references);
  const all: (readonly Wanted[])[] = [];
  for (const { message } of history) {
    const wanted: Wanted[] = [];
    if (message.role === "assistant" && message.origin === "model") {
      wanted.push(...standing.due(), ...files.needed(message));
      for (const text of passages.usedBy(message)) wanted.push({ kind: "passages", needle: needles.number(text) });
    }
    all.push(wanted);
    standing.follow(message);
    files.follow(message);
    passages.follow(message);
  }
  return all;
}

/** The needs that are due at the next call, followed message by message. */
interface Standing {
  due(): readonly Wanted[];
  follow(message: Message): void;
}

/** Follows the needs that stay due for more than the next call: the person's messages and the plan. */
function createStanding(needles: Needles): Standing {
  const instructions = new Set<number>();
  let items: readonly PlanItem[] = [];
  let plan: readonly number[] = [];
  const numbered = (text: string) => needles.number(comparableText(text).trim());
  return {
    due() {
      const wished: readonly Wanted[] = [...instructions].map((needle) => ({ kind: "instructions", needle }));
      return [...wished, ...plan.map((needle) => ({ kind: "plan" as const, needle }))];
    },
    follow(message) {
      if (isHuman(message)) for (const text of comparedTexts(message)) if (text.trim() !== "") instructions.add(numbered(text));
      if (message.role !== "assistant") return;
      for (const { argumentsJson } of toolCallsOf(message)) {
        const after = planAfter(items, argumentsJson);
        if (after === null) continue;
        items = after;
        plan = items.map(({ text }) => numbered(text));
      }
    },
  };
}
