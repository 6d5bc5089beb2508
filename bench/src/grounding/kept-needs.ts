import type { Message } from "@plimsoll/core";
import { madeOnce, type NumberLists, numberLists, numbersAt } from "../references/number-lists.ts";
import { charsAt, type TextList, textAt, textList } from "../references/text-list.ts";
import { createNeedleIndex, type Needle, type NeedleIndex } from "./needle-index.ts";
import type { Need, Needs } from "./needs.ts";
import { NEED_KINDS } from "./wanted.ts";

/** What the calls of a log need, in columns of numbers. The log is not in it. */
export interface KeptNeeds extends Pick<Needs, "recordedChars" | "leftOut"> {
  /** By needle: its text, and its share. */
  readonly needleTexts: TextList;
  readonly needleShares: Float64Array;
  /** By place in the recorded history: four numbers a need. */
  readonly needs: NumberLists;
  /** By place in the recorded history: the needles that the message holds. */
  readonly heldIn: NumberLists;
}

/** Its kind, its needle, where it is stated, and whether that is far. */
const NEED_NUMBERS = 4;

/** Needs as plain data; `messages` are those that they were found in. */
export function keptNeeds({ needles, recordedChars, leftOut, at, index }: Needs, messages: readonly Message[]): KeptNeeds {
  const numbersOf = ({ kind, needle, statedAt, isFar }: Need) => [NEED_KINDS.indexOf(kind), needle, statedAt, isFar ? 1 : 0];
  return {
    needleTexts: textList(needles.map(({ text }) => text)),
    needleShares: Float64Array.from(needles, ({ share }) => share),
    needs: numberLists(messages.map((_, ordinal) => at(ordinal).flatMap(numbersOf))),
    heldIn: numberLists(messages.map((message) => index.heldIn(message))),
    recordedChars,
    leftOut,
  };
}

/** Needs, from what was kept of them. What is asked for is read then. */
export function openNeeds(kept: KeptNeeds, messages: () => readonly Message[]): Needs {
  const { needleTexts, needleShares, recordedChars, leftOut } = kept;
  const needsAt = madeOnce((ordinal) => needsOfNumbers(numbersAt(kept.needs, ordinal)));
  const needles = (): readonly Needle[] =>
    Array.from(needleShares, (share, needle) => ({ text: textAt(needleTexts, needle), share }));
  return {
    index: openIndex(kept, { messages, needles }),
    needleCount: needleShares.length,
    charsOf: (needle) => charsAt(needleTexts, needle),
    textOf: madeOnce((needle) => textAt(needleTexts, needle)),
    get needles() {
      return needles();
    },
    recordedChars,
    at: needsAt,
    leftOut,
  };
}

function needsOfNumbers(numbers: Int32Array): readonly Need[] {
  const needs: Need[] = [];
  for (let at = 0; at < numbers.length; at += NEED_NUMBERS) {
    const kind = NEED_KINDS[numbers[at] ?? 0] ?? NEED_KINDS[0];
    needs.push({ kind, needle: numbers[at + 1] ?? 0, statedAt: numbers[at + 2] ?? 0, isFar: numbers[at + 3] === 1 });
  }
  return needs;
}

/** What other messages hold is searched for, by an index that is built for the first of them. */
function openIndex(
  { heldIn }: KeptNeeds,
  { messages, needles }: { readonly messages: () => readonly Message[]; readonly needles: () => readonly Needle[] },
): NeedleIndex {
  let ordinals: ReadonlyMap<Message, number> | null = null;
  const known = madeOnce((ordinal) => [...numbersAt(heldIn, ordinal)]);
  let index: NeedleIndex | null = null;
  return {
    heldIn: (message) => {
      ordinals ??= new Map(messages().map((recorded, ordinal) => [recorded, ordinal]));
      const ordinal = ordinals.get(message);
      if (ordinal !== undefined) return known(ordinal);
      index ??= createNeedleIndex(needles());
      return index.heldIn(message);
    },
  };
}
