import type { Message } from "@plimsoll/core";
import { EMPTY_VIEW, foldEntry } from "@plimsoll/core/extend";
import { createContextChanges, createHeldContext, createNeedleIndex, type HeldContext } from "../needs/needles.ts";
import type { Needs } from "../needs/needs.ts";
import { comparableText, messageTexts } from "../needs/texts.ts";
import type { PreparedSession } from "../replay/prepared-session.ts";
import type { InSession } from "../statistics.ts";
import { type CallDeeds, filledLines } from "./calls.ts";
import { EXPERIMENT_CALLS } from "./experiments.ts";

/** An outcome that a measure may predict. */
export type Outcome = "the edit fails" | "the file is read again";

/** One case: what was missing from the recorded context by a measure, and whether the outcome came about. */
export interface PredictionCase extends InSession {
  readonly agent: string;
  readonly outcome: Outcome;
  readonly measure: string;
  /** 0 if nothing was missing, 1 if all was; `null` if the measure asks nothing there. */
  readonly score: number | null;
  readonly happened: boolean;
}

/** The share of a reading's lines that must stand together for the file to be in hand (docs/evidence.md). */
const FILE_SHARE = 0.8;

/**
 * Collects the cases from which predictions are counted: a recorded session's edits, and at each compaction the files that had been read since the one
 * before and not been changed. Each reading is asked about once, at the first compaction after it.
 */
export function predictionCases(
  session: PreparedSession,
  { needs, deeds, compactions }: { needs: Needs; deeds: readonly CallDeeds[]; compactions: readonly number[] },
): readonly PredictionCase[] {
  const places = new Map<Message, number>(deeds.map(({ reply }, place) => [reply, place]));
  const cuts = new Map(compactions.map((place, index) => [place, index]));
  const { name, format } = session.transcript;
  const shown = createHeldContext(needs.index, needs.needleCount);
  const changesTo = createContextChanges();
  const cases: PredictionCase[] = [];
  let view = EMPTY_VIEW;
  for (const entry of session.entries) {
    const place = entry.type === "message" ? places.get(entry.message) : undefined;
    const call = place === undefined ? undefined : deeds[place];
    if (place !== undefined && call !== undefined && session.copiedReplies?.has(call.reply) !== true) {
      const cut = cuts.get(place);
      const found: UnlabelledCase[] = [];
      if (call.edits > 0) {
        shown.follow(changesTo(view.messages));
        found.push(...editCases(call, needs.at(session.references.ordinalOf(call.reply) ?? -1), shown));
      }
      if (cut !== undefined) {
        const before = deeds.slice(cut === 0 ? 0 : compactions[cut - 1], place);
        const after = deeds.slice(place, Math.min(compactions[cut + 1] ?? deeds.length, place + EXPERIMENT_CALLS));
        found.push(...fileCases({ before, after, context: view.messages.slice() }));
      }
      cases.push(...found.map((each) => ({ session: name, agent: format, ...each })));
    }
    view = foldEntry(view, entry);
  }
  return cases;
}

type UnlabelledCase = Omit<PredictionCase, "session" | "agent">;

const EDIT_MEASURES = [
  ["edits", "replaced texts"],
  ["fileInHand", "file in hand"],
  ["passages", "passages"],
] as const;

function editCases({ failedEdits }: CallDeeds, wanted: ReturnType<Needs["at"]>, shown: HeldContext): readonly UnlabelledCase[] {
  return EDIT_MEASURES.map(([kind, measure]) => {
    const needed = wanted.filter((need) => need.kind === kind);
    const missing = needed.filter(({ needle }) => !shown.holds(needle)).length;
    const score = needed.length === 0 ? null : missing / needed.length;
    return { outcome: "the edit fails", measure, score, happened: failedEdits > 0 };
  });
}

/** The calls around a compaction, and what the recorded agent sent first after it. */
interface FileSources {
  readonly before: readonly CallDeeds[];
  readonly after: readonly CallDeeds[];
  readonly context: readonly Message[];
}

/** For each file that had been read: what of its newest reading is missing, and whether it is read again. */
function fileCases({ before, after, context }: FileSources): readonly UnlabelledCase[] {
  const readings = newestReadings(before);
  const paths = [...readings.keys()];
  const texts = paths.map((path) => comparableText(readings.get(path) ?? "").trim());
  const index = createNeedleIndex([
    ...texts.map((text) => ({ text, share: FILE_SHARE })),
    ...paths.map((path) => ({ text: path, share: 1 })),
  ]);
  const shown = createHeldContext(index, 2 * paths.length);
  shown.follow({ removed: [], added: context });
  const lines = new Set(context.flatMap(messageTexts).flatMap(filledLines));
  const again = new Set(after.flatMap(({ rereadPaths }) => rereadPaths));
  return paths.flatMap((path, number): readonly UnlabelledCase[] => {
    const own = filledLines(texts[number] ?? "");
    const missing = own.filter((line) => !lines.has(line)).length;
    const scores = [
      ["file in hand", shown.holds(number) ? 0 : 1],
      ["the file's lines", own.length === 0 ? null : missing / own.length],
      ["path named", shown.holds(paths.length + number) ? 0 : 1],
    ] as const;
    return scores.map(([measure, score]) => {
      return { outcome: "the file is read again", measure, score, happened: again.has(path) };
    });
  });
}

/** The texts that were read last of each file that was not changed afterwards, by path. */
function newestReadings(deeds: readonly CallDeeds[]): ReadonlyMap<string, string> {
  const newest = new Map<string, string>();
  for (const { readings, changedPaths } of deeds) {
    for (const path of changedPaths) newest.delete(path);
    for (const { path, text } of readings) newest.set(path, text);
  }
  return newest;
}
