import type { ProgramFacts } from "./facts.ts";

/** Differences between two files of facts: one line for each place, as `thresholds.0.actsTokens: 168000 → 170000`. The day does not count. */
export function changesBetween(before: ProgramFacts, after: ProgramFacts): readonly string[] {
  const [one, other] = [leaves(before), leaves(after)];
  const places = [...new Set([...one.keys(), ...other.keys()])].filter((place) => place !== "recorded");
  return places.flatMap((place) => {
    const [was, is] = [one.get(place), other.get(place)];
    return was === is ? [] : [`${place}: ${was ?? "none"} → ${is ?? "none"}`];
  });
}

function leaves(value: unknown, place = "", found: Map<string, string> = new Map()): Map<string, string> {
  if (typeof value !== "object" || value === null) return found.set(place, String(value));
  for (const [key, item] of Object.entries(value)) leaves(item, place === "" ? key : `${place}.${key}`, found);
  return found;
}
