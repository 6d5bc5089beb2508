import type { Needle } from "./needle-index.ts";

/** The kinds of needs that a call has of its context (docs/evidence.md). */
export const NEED_KINDS = ["edits", "passages", "fileInHand", "instructions", "plan"] as const;

/** One of {@link NEED_KINDS}. */
export type NeedKind = (typeof NEED_KINDS)[number];

/** The texts that are looked for, each once. */
export interface Needles {
  /** The number of a text, comparable; the same for the same text and share. */
  number(text: string, share?: number): number;
  all(): readonly Needle[];
}

/** No texts yet. */
export function createNeedles(): Needles {
  const numbersOf = new Map<number, Map<string, number>>();
  const all: Needle[] = [];
  return {
    number(text, share = 1) {
      const numbers = numbersOf.get(share) ?? new Map<string, number>();
      const known = numbers.get(text);
      if (known !== undefined) return known;
      if (numbers.size === 0) numbersOf.set(share, numbers);
      numbers.set(text, all.length);
      all.push({ text, share });
      return all.length - 1;
    },
    all: () => all,
  };
}

/** Something that a call needs, by the number of its text. */
export interface Wanted {
  readonly kind: NeedKind;
  readonly needle: number;
}
