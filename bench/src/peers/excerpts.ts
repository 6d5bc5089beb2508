import { isHuman, textOf } from "@plimsoll/core";
import { defineStrategy, type StrategyKind, safeCutAtOrBefore, safeCuts } from "@plimsoll/core/extend";
import { z } from "zod";

/** Lines take at most this share of the removed tokens, so that every cut shrinks the context, and of the room. Chosen. */
const LEAVING_RATIO = 0.5;
const ROOM_RATIO = 0.25;

const CHARS_PER_TOKEN = 3;

/** Replaces all that may go by single lines of it: those with the most rare words for their length. Only each word's newest line counts. */
export const EXCERPTS: StrategyKind = defineStrategy<{ readonly kind: "excerpts" }>({
  kind: "excerpts",
  schema: z.strictObject({ kind: z.literal("excerpts") }),
  needsModel: () => false,
  plan: (_, { messages, lastStep, roomTokens }) => {
    const cut = safeCutAtOrBefore(safeCuts(messages, lastStep), messages.length);
    const human = messages.findLastIndex(isHuman);
    const stretches = [messages.slice(0, Math.max(0, Math.min(human, cut))), messages.slice(human + 1, cut)];
    const spans = stretches.flatMap((stretch) => {
      const [first, last] = [stretch[0], stretch.at(-1)];
      return first === undefined || last === undefined ? [] : [{ from: first.id, through: last.id, promptId: null }];
    });
    const lines = stretches.flat().flatMap((message) =>
      textOf(message)
        .split("\n")
        .filter((line) => line.trim() !== ""),
    );
    const leavingChars = lines.reduce((sum, line) => sum + line.length + 1, 0);
    const text = worthiest(lines, Math.min(leavingChars * LEAVING_RATIO, roomTokens * ROOM_RATIO * CHARS_PER_TOKEN));
    if (text === "") return { kind: "not-applicable", reason: "no line that leaves has a rare word" };
    return { kind: "edits", edits: [{ kind: "replace-spans", by: "digest", spans, written: { text, usage: null } }] };
  },
});

/** Characters that each line is charged in addition, so that short ones do not crowd out those that say something. Chosen. */
const LINE_COST_CHARS = 12;

/** The lines that are worth most for their length, in their own order. */
function worthiest(lines: readonly string[], maximumChars: number): string {
  const newest = new Map(lines.flatMap((line, at) => rareWords(line).map((word) => [word, at] as const)));
  const worth = new Map<number, number>();
  for (const at of newest.values()) worth.set(at, (worth.get(at) ?? 0) + 1);
  const ratio = ([at, words]: readonly [number, number]) => words / ((lines[at]?.length ?? 0) + LINE_COST_CHARS);
  const kept: number[] = [];
  let leftChars = maximumChars;
  for (const [at] of [...worth].sort((a, b) => ratio(b) - ratio(a) || b[0] - a[0])) {
    const chars = (lines[at]?.length ?? 0) + 1;
    if (chars > leftChars) continue;
    leftChars -= chars;
    kept.push(at);
  }
  return kept
    .sort((a, b) => a - b)
    .map((at) => lines[at])
    .join("\n");
}

/** Names with a digit, a mark or a capital inside: they distinguish lines. */
function rareWords(line: string): readonly string[] {
  const words = line.match(/[A-Za-z0-9_./:@-]{3,80}/g) ?? [];
  return words.filter((word) => /[0-9_./:@-][A-Za-z0-9]|[a-z][A-Z]/.test(word));
}
