import type { Transcript } from "@plimsoll/bench";
import { prepareSession } from "@plimsoll/bench/extend";
import type { Message } from "@plimsoll/core";
import { createRecallIndex, createWorkCounter, textLines, type useFeatures } from "@plimsoll/core/extend";

/** A unit that could have been recalled at a cut, and the part of it that the calls up to the next cut needed. */
export interface RecallObservation {
  readonly facts: Parameters<typeof useFeatures>[0];
  /** Needs that it holds, in parts of one: of passages, and of texts that an edit replaces. */
  readonly passages: number;
  readonly edits: number;
}

/** How much a window takes in between two cuts, and how much each cut leaves in its place, in tokens. */
export interface CutRhythm {
  readonly betweenTokens: number;
  readonly recentTokens: number;
}

/** The passages that could have been recalled at each of a session's cuts, if it were cut in that rhythm. */
export function recallObservations(transcript: Transcript, rhythm: CutRhythm): readonly RecallObservation[] {
  const session = prepareSession(transcript);
  const needs = session.needs();
  const history = session.entries.flatMap((entry) =>
    entry.type === "message" && session.references.ordinalOf(entry.message) !== null ? [entry.message] : [],
  );
  const sizes = history.map((message) => session.sizeJudge.messageTokens(message, 0));
  const index = createRecallIndex(createWorkCounter());
  const observations: RecallObservation[] = [];
  let indexed = 0;
  for (let cut = endOf(sizes, 0, rhythm.betweenTokens); cut < sizes.length; cut = endOf(sizes, cut, rhythm.betweenTokens)) {
    for (const message of history.slice(indexed, cut)) index.add(message);
    indexed = cut;
    const recent = startOf(sizes, cut, rhythm.recentTokens);
    const staying = new Set(history.slice(recent, cut));
    const facts: RecallObservation["facts"][] = [];
    // The worth of units is asked in the order of the log.
    const ranked = index.now().ranked({ passes: (message) => !staying.has(message), worth: (each) => facts.push(each) });
    const units = ranked.map(({ unit }) => unit).toSorted((a, b) => a.of.place - b.of.place || a.index - b.index);
    const used = createUses(units);
    const next = endOf(sizes, cut, rhythm.betweenTokens);
    for (let ordinal = cut; ordinal < next; ordinal++)
      for (const { kind, needle, statedAt } of needs.at(ordinal))
        if ((kind === "edits" || kind === "passages") && statedAt < recent)
          used.add(kind, needs.needles[needle]?.text ?? "", history[statedAt]);
    for (const [at, each] of facts.entries())
      for (const unit of units.slice(at, at + 1)) observations.push({ facts: each, ...used.of(unit) });
  }
  return observations;
}

type Index = ReturnType<ReturnType<typeof createRecallIndex>["now"]>;
type Unit = ReturnType<Index["ranked"]>[number]["unit"];

/** Lines with fewer characters say nothing that distinguishes them from others, as in core. */
const TELLING_CHARS = 4;

/** A line without the white space around it; nothing for a short one. */
function wordsOf(text: string, { start, end }: Unit["lines"][number]): string {
  const words = text.slice(start, end).trim();
  return words.length < TELLING_CHARS ? "" : words;
}

interface Uses {
  passages: number;
  edits: number;
}

/** Finds the units that hold a need, by the share of its lines. */
function createUses(units: readonly Unit[]): {
  add(kind: keyof Uses, text: string, statedBy: Message | undefined): void;
  of(unit: Unit): Uses;
} {
  const byMessage = new Map<Message, { readonly unit: Unit; readonly lines: ReadonlySet<string> }[]>();
  const uses = new Map<Unit, Uses>();
  for (const unit of units) {
    const own = byMessage.get(unit.of.message) ?? [];
    byMessage.set(unit.of.message, own);
    own.push({ unit, lines: new Set(unit.lines.map((line) => wordsOf(unit.of.text, line))) });
  }
  return {
    add: (kind, text, statedBy) => {
      const lines = textLines(text)
        .map((line) => wordsOf(text, line))
        .filter((words) => words !== "");
      for (const each of (statedBy === undefined ? undefined : byMessage.get(statedBy)) ?? []) {
        const share = lines.filter((words) => each.lines.has(words)).length / Math.max(1, lines.length);
        const sum = uses.get(each.unit) ?? { passages: 0, edits: 0 };
        uses.set(each.unit, sum);
        sum[kind] += share;
      }
    },
    of: (unit) => uses.get(unit) ?? { passages: 0, edits: 0 },
  };
}

/** The first place behind so many tokens from a place on. */
function endOf(sizes: readonly number[], from: number, tokens: number): number {
  let sum = 0;
  let end = from;
  while (end < sizes.length && sum < tokens) sum += sizes[end++] ?? 0;
  return end;
}

/** The place from which on there are so many tokens up to another. */
function startOf(sizes: readonly number[], end: number, tokens: number): number {
  let sum = 0;
  let start = end;
  while (start > 0 && sum < tokens) sum += sizes[--start] ?? 0;
  return start;
}
