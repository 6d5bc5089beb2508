import { distance } from "fastest-levenshtein";

/** A name is near if at most half of its characters would have to change (chosen: `svne` is two of four away from `sven`). */
const NEAR_RATIO = 1 / 2;

/**
 * The known name that a mistyped one starts or is nearest to, or `undefined` if none is near. Of several that are as near, one
 * with the same first letter: swapped letters are seldom the first. Case does not count.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const typed = name.toLowerCase();
  if (typed === "") return undefined;
  const ranked = known
    .map((candidate) => ({ candidate, rank: rankOf(typed, candidate.toLowerCase()) }))
    .filter(({ candidate, rank }) => rank <= Math.max(typed.length, candidate.length) * NEAR_RATIO)
    .toSorted((a, b) => a.rank - b.rank);
  return ranked[0]?.candidate;
}

/** Half a step more or less than the number of changed characters. */
const TIE_BREAK = 0.5;

function rankOf(typed: string, candidate: string): number {
  if (candidate.startsWith(typed)) return 0;
  const changes = Math.min(distance(typed, candidate), beginningChanges(typed, candidate));
  return candidate[0] === typed[0] ? changes - TIE_BREAK : changes;
}

/** Shorter beginnings are like too many names. */
const FEWEST_BEGINNING_CHARS = 4;

/** How much a mistyped beginning differs, one step more since the rest is missing: `clade` is meant for `claude-code`. */
function beginningChanges(typed: string, candidate: string): number {
  if (typed.length < FEWEST_BEGINNING_CHARS) return Number.POSITIVE_INFINITY;
  const lengths = [typed.length - 1, typed.length, typed.length + 1];
  return 1 + Math.min(...lengths.map((length) => distance(typed, candidate.slice(0, length))));
}

/** Suggests names behind a message about an unknown one: the nearest one if there is one, else all. */
export function suggestion(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return near === undefined ? `known: ${known.join(", ")}` : `did you mean ${near}?`;
}
