import type { ComparedAspect, DeclaredDifference } from "@plimsoll/bench/internal";

/** One thing that was compared at one compaction: equal, or what kind of difference was found. */
export interface Compared {
  readonly session: string;
  readonly call: number;
  readonly aspect: ComparedAspect;
  /** `null` if both do the same. */
  readonly kind: string | null;
}

/** The result of an aspect over all sessions. */
export interface AspectTally {
  readonly aspect: ComparedAspect;
  readonly compared: number;
  readonly same: number;
  /** Declared differences that were met, by kind. */
  readonly declared: ReadonlyMap<string, number>;
  readonly undeclared: readonly Compared[];
}

/** Counts by aspect, in the order in which aspects were met first. */
export function tallied(all: readonly Compared[], differences: readonly DeclaredDifference[]): readonly AspectTally[] {
  const aspects = [...new Set(all.map(({ aspect }) => aspect))];
  return aspects.map((aspect) => {
    const here = all.filter((each) => each.aspect === aspect);
    const kinds = new Set(differences.filter((each) => each.aspect === aspect).map(({ kind }) => kind));
    const met = here.flatMap(({ kind }) => (kind !== null && kinds.has(kind) ? [kind] : []));
    return {
      aspect,
      compared: here.length,
      same: here.filter(({ kind }) => kind === null).length,
      declared: new Map([...kinds].map((kind) => [kind, met.filter((each) => each === kind).length])),
      undeclared: here.filter(({ kind }) => kind !== null && !kinds.has(kind)),
    };
  });
}
