import { forEachRareWord } from "../keep/rare-words.ts";
import { textHash } from "./text-lines.ts";
import type { FreshUnit, Unit } from "./units.ts";

/** Which unit stated a line or a rare word last. What the model says takes over nothing from where it was stated: it uses it. */
export interface Statements {
  /** The units that stated lines last, one for each line that was stated. */
  ofLines(hashes: readonly number[]): readonly Unit[];
  /** The units that stated the rare words of a text last. */
  ofWords(text: string): readonly Unit[];
  /** A unit states its lines and words: whatever stated them before is restated now. */
  state(fresh: FreshUnit): void;
  /** Lets go of units. */
  forget(gone: ReadonlySet<Unit>): void;
}

/** Nothing stated yet. */
export function createStatements(): Statements {
  let lines = new Map<number, Unit>();
  let words = new Map<number, Unit>();
  return {
    ofLines: (hashes) => hashes.flatMap((hash) => lines.get(hash) ?? []),
    ofWords: (text) => {
      const found: Unit[] = [];
      forEachRareWord(text, (word) => {
        const unit = words.get(textHash(word, 0, word.length));
        if (unit !== undefined) found.push(unit);
      });
      return found;
    },
    state: ({ unit, hashes }) => {
      for (const hash of hashes) {
        if (hash === 0) continue;
        const before = lines.get(hash);
        if (!takesOver(unit, before)) continue;
        if (before !== undefined && before !== unit) before.restatedLines += 1;
        lines.set(hash, unit);
      }
      const { text } = unit.of;
      forEachRareWord(text.slice(unit.lines[0]?.start, unit.lines.at(-1)?.end), (word) => {
        const hash = textHash(word, 0, word.length);
        if (takesOver(unit, words.get(hash))) words.set(hash, unit);
      });
    },
    forget: (gone) => {
      lines = without(lines, gone);
      words = without(words, gone);
    },
  };
}

function takesOver({ of: { kind } }: Unit, before: Unit | undefined): boolean {
  return kind !== "said" || before === undefined || before.of.kind === "said";
}

function without(stated: ReadonlyMap<number, Unit>, gone: ReadonlySet<Unit>): Map<number, Unit> {
  return new Map([...stated].filter(([, unit]) => !gone.has(unit)));
}
