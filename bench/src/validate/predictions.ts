import type { Message } from "@plimsoll/core";
import { textOf, toolCallsOf } from "@plimsoll/core";
import { EMPTY_VIEW, foldEntry } from "@plimsoll/core/internal";
import { comparableText } from "../grounding/comparable-text.ts";
import { createHeldContext } from "../grounding/held-needs.ts";
import { createNeedleIndex } from "../grounding/needle-index.ts";
import type { Needs } from "../grounding/needs.ts";
import { messageTexts } from "../references/message-texts.ts";
import type { PreparedSession } from "../replay/prepared-session.ts";
import { type DeedsAt, readPaths } from "./calls.ts";
import { EXPERIMENT_CALLS } from "./experiments.ts";

/** What a measure may predict. */
export type Outcome = "the edit fails" | "the file is read again";

/** One case: what was missing from the recorded context by a measure (0 nothing, 1 all), and whether the outcome came about. */
export interface PredictionCase {
  readonly session: string;
  readonly agent: string;
  readonly outcome: Outcome;
  readonly measure: string;
  readonly score: number;
  readonly happened: boolean;
  /** For edits: whether the reply is within the calls after a compaction. Files are asked about at compactions alone. */
  readonly isAfterCompaction: boolean;
}

/** The share of a reading's lines that must stand together for the file to be in hand (docs/protocol.md). */
const FILE_SHARE = 0.8;

/** What a recorded session says of whether measures predict anything: its edits, and the files it had read when it compacted. */
export function predictionCases(
  session: PreparedSession,
  { needs, deeds, compactions }: { needs: Needs; deeds: readonly DeedsAt[]; compactions: readonly number[] },
): readonly PredictionCase[] {
  const contexts = recordedContexts(session, deeds);
  const label = { session: session.transcript.name, agent: session.transcript.format };
  const edits = editCases(session, { needs, deeds, compactions, contexts });
  const files = compactions.flatMap((place, index) =>
    fileCases(deeds, { place, through: compactions[index + 1] ?? deeds.length, context: contexts[place] ?? [], session }),
  );
  return [...edits, ...files].map((each) => ({ ...label, ...each }));
}

type UnlabelledCase = Omit<PredictionCase, "session" | "agent">;

/** By reply, what the recorded agent sent before it. */
function recordedContexts({ entries }: PreparedSession, deeds: readonly DeedsAt[]): readonly (readonly Message[])[] {
  const replies = new Set<Message>(deeds.map(({ reply }) => reply));
  const contexts: (readonly Message[])[] = [];
  let view = EMPTY_VIEW;
  for (const entry of entries) {
    if (entry.type === "message" && replies.has(entry.message)) contexts.push(view.messages.slice());
    view = foldEntry(view, entry);
  }
  return contexts;
}

interface EditSources {
  readonly needs: Needs;
  readonly deeds: readonly DeedsAt[];
  readonly compactions: readonly number[];
  readonly contexts: readonly (readonly Message[])[];
}

function editCases(session: PreparedSession, { needs, deeds, compactions, contexts }: EditSources): readonly UnlabelledCase[] {
  const shown = createHeldContext(needs.index, needs.needleCount);
  return deeds.flatMap(({ reply, deeds: { edits, failedEdits } }, place): readonly UnlabelledCase[] => {
    shown.show(contexts[place] ?? []);
    if (edits === 0) return [];
    const wanted = needs.at(session.references.ordinalOf(reply) ?? -1);
    const lastCut = compactions.findLast((compaction) => compaction <= place);
    const isAfterCompaction = lastCut !== undefined && place < lastCut + EXPERIMENT_CALLS;
    return (["edits", "fileInHand", "passages"] as const).flatMap((kind) => {
      const needed = wanted.filter((need) => need.kind === kind);
      if (needed.length === 0) return [];
      const missing = needed.filter(({ needle }) => !shown.holds(needle)).length;
      const score = missing / needed.length;
      return [{ outcome: "the edit fails", measure: NAMES[kind], score, happened: failedEdits > 0, isAfterCompaction }];
    });
  });
}

const NAMES = { edits: "edit grounding", fileInHand: "file in hand", passages: "passage evidence" } as const;

interface FileSources {
  readonly place: number;
  /** The reply at which the next compaction ends what can be said. */
  readonly through: number;
  readonly context: readonly Message[];
  readonly session: PreparedSession;
}

/** At a compaction: for each file that had been read, what of its newest reading is missing, and whether it is read again. */
function fileCases(deeds: readonly DeedsAt[], { place, through, context, session }: FileSources): readonly UnlabelledCase[] {
  const readings = newestReadings(deeds.slice(0, place), session);
  const paths = [...readings.keys()];
  const texts = paths.map((path) => comparableText(readings.get(path) ?? "").trim());
  const index = createNeedleIndex([
    ...texts.map((text) => ({ text, share: FILE_SHARE })),
    ...paths.map((path) => ({ text: path, share: 1 })),
  ]);
  const shown = createHeldContext(index, 2 * paths.length);
  shown.show(context);
  const lines = new Set(context.flatMap(messageTexts).flatMap((text) => comparableText(text).split("\n")));
  const after = deeds.slice(place, Math.min(through, place + EXPERIMENT_CALLS));
  const again = new Set(after.flatMap(({ deeds: { rereadPaths } }) => rereadPaths));
  return paths.flatMap((path, number): readonly UnlabelledCase[] => {
    const scores = {
      "file in hand": shown.holds(number) ? 0 : 1,
      "lines of the file": missingShare(texts[number] ?? "", lines),
      "path named": shown.holds(paths.length + number) ? 0 : 1,
    };
    return Object.entries(scores).map(([measure, score]) => {
      return { outcome: "the file is read again", measure, score, happened: again.has(path), isAfterCompaction: true };
    });
  });
}

/** The texts that were read last of each file, by path. */
function newestReadings(deeds: readonly DeedsAt[], { entries }: PreparedSession): ReadonlyMap<string, string> {
  const pathOf = new Map<string, string>();
  for (const { reply } of deeds) {
    for (const call of toolCallsOf(reply)) for (const path of readPaths(call)) pathOf.set(call.callId, path);
  }
  const newest = new Map<string, string>();
  for (const entry of entries) {
    if (entry.type !== "message" || entry.message.role !== "tool-result" || entry.message.isError) continue;
    const path = pathOf.get(entry.message.callId);
    if (path !== undefined) newest.set(path, textOf(entry.message));
  }
  return newest;
}

function missingShare(text: string, lines: ReadonlySet<string>): number {
  const own = text.split("\n").filter((line) => line.trim() !== "");
  return own.length === 0 ? 1 : own.filter((line) => !lines.has(line)).length / own.length;
}
