import type { Transcript } from "@plimsoll/bench";
import { prepareSession } from "@plimsoll/bench/internal";
import { createWorkCounter } from "@plimsoll/core/build";
import { createRecallIndex, lineHash, textLines, type Unit, type UnitFacts } from "@plimsoll/core/internal";

/** A unit that could have been recalled at a cut, and how often the calls up to the next cut needed it. */
export interface RecallObservation {
  readonly facts: UnitFacts;
  /** Needs of the calls up to the next cut that it holds, in parts of a need. */
  readonly uses: number;
  readonly edits: number;
  readonly cut: number;
  readonly message: number;
  readonly unit: number;
  readonly needs: readonly (readonly [string, number])[];
}

/** How far a window is filled between cuts, and what stays at one in its place, in tokens. */
export interface CutRhythm {
  readonly betweenTokens: number;
  readonly recentTokens: number;
}

/** What could have been recalled at each of a session's cuts, if it were cut in that rhythm. */
export function recallObservations(transcript: Transcript, rhythm: CutRhythm): readonly RecallObservation[] {
  const session = prepareSession(transcript);
  const needs = session.needs();
  const index = createRecallIndex(createWorkCounter());
  const observations: RecallObservation[] = [];
  const history = session.entries.flatMap((entry) =>
    entry.type === "message" && session.references.ordinalOf(entry.message) >= 0 ? [entry.message] : [],
  );
  const tokens = history.map((message) => session.sizeModel.messageTokens(message, 0));
  const after = (from: number, limit: number) => {
    let sum = 0;
    let end = from;
    while (end < history.length && sum < limit) sum += tokens[end++] ?? 0;
    return end;
  };
  let recentFrom = 0;
  let cut = 0;
  let cutNumber = 0;
  for (;;) {
    const before = cut;
    cut = after(cut, rhythm.betweenTokens);
    if (cut >= history.length) return observations;
    for (const message of history.slice(before, cut)) index.add(message);
    let recent = 0;
    recentFrom = cut;
    while (recentFrom > 0 && recent < rhythm.recentTokens) recent += tokens[--recentFrom] ?? 0;
    const staying = new Set(history.slice(recentFrom, cut));
    const units = index.units((message) => !staying.has(message));
    const used = new Map<Unit, { uses: number; edits: number; needs: (readonly [string, number])[] }>();
    const unitsOf = new Map<unknown, Unit[]>();
    for (const unit of units) unitsOf.set(unit.of.message, [...(unitsOf.get(unit.of.message) ?? []), unit]);
    const horizon = after(cut, rhythm.betweenTokens);
    for (let ordinal = cut; ordinal < horizon; ordinal++)
      for (const { kind, needle, statedAt, isFar } of needs.at(ordinal)) {
        if ((kind !== "edits" && kind !== "passages") || statedAt >= recentFrom) continue;
        const stated = history[statedAt];
        const text = needs.textOf(needle);
        const hashes = textLines(text)
          .map((line) => lineHash(text, line))
          .filter((hash) => hash !== 0);
        if (hashes.length === 0) continue;
        for (const unit of stated === undefined ? [] : (unitsOf.get(stated) ?? [])) {
          const own = new Set(unit.lines.map((line) => lineHash(unit.of.text, line)));
          const share = hashes.filter((hash) => own.has(hash)).length / hashes.length;
          if (share === 0) continue;
          const sum = used.get(unit) ?? { uses: 0, edits: 0, needs: [] };
          used.set(unit, {
            uses: sum.uses + share,
            edits: sum.edits + (kind === "edits" ? share : 0),
            needs: [...sum.needs, [`${kind[0]}${isFar ? "f" : "n"}${ordinal}:${needle}`, share]],
          });
        }
      }
    for (const unit of units)
      observations.push({
        facts: index.facts(unit),
        ...(used.get(unit) ?? { uses: 0, edits: 0, needs: [] }),
        cut: cutNumber,
        message: history.indexOf(unit.of.message),
        unit: unit.index,
      });
    cutNumber += 1;
  }
}
