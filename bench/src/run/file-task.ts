import type { ModelPrices, Policy } from "@plimsoll/core";
import { encodingsOf, isPlimsollError } from "@plimsoll/core";
import { createTokenizerLoader, type Environment, MODEL_CATALOG, type ModelCatalog } from "@plimsoll/providers";
import { recordCalibration } from "../calibrate/calibration-record.ts";
import { importFile } from "../formats/registry.ts";
import { type PreparedSession, prepareSession } from "../replay/prepared-session.ts";
import { type ReplayRequest, replay } from "../replay.ts";
import type { CalibrationRecord } from "../results/calibration-record.ts";
import type { ReplayRow, SessionDescription, SourceNote, WindowRequest } from "../results.ts";
import { openSource } from "../summaries/open-source.ts";
import type { SummarizerChoice } from "../summaries/summarizer-choice.ts";
import type { SummarySource } from "../summaries/summary-source.ts";
import type { SummaryTally } from "../summaries/summary-tally.ts";
import { describeSession } from "./describe-session.ts";

/** A file to import, with its name as the user gave it. */
export interface InputFile {
  readonly path: string;
  readonly displayName: string;
}

/** Some cells of one file: plain data, so that a worker can be given it. */
export interface FileTask {
  readonly file: InputFile;
  readonly policies: readonly Policy[];
  readonly windows: readonly WindowRequest[];
  /** Cells by number: window × count of policies + policy. */
  readonly cells: readonly number[];
  /** Prices by model id that come before those of the catalog. */
  readonly prices: ReadonlyMap<string, ModelPrices>;
  readonly summarizer: SummarizerChoice;
}

/** A row with its place: the file's session, and the cell's number. */
export interface PlacedRow {
  readonly session: number;
  readonly cell: number;
  readonly row: ReplayRow;
}

/**
 * What came of a task. A file that cannot be replayed is skipped as a whole, with one line; `stopped` ends the run: the summaries that it is
 * about cannot be had.
 */
export type FileReplay =
  | {
      readonly kind: "replayed";
      readonly sessions: readonly SessionDescription[];
      readonly notes: readonly SourceNote[];
      readonly rows: readonly PlacedRow[];
      /** Of the task that has the first cell; the others leave it out. */
      readonly calibration: readonly CalibrationRecord[];
      /** Requests for summaries that went to a model, or would have to. */
      readonly summaries: SummaryTally;
    }
  | { readonly kind: "stopped"; readonly reason: string }
  | { readonly kind: "skipped"; readonly reason: string };

/**
 * Runs tasks; remembers the file of the last one, as most tasks that follow each other are of one file. `environment` is where a model that
 * writes summaries has its key and address; the process's where it is left out.
 */
export function createFileReplayer(environment?: Environment): (task: FileTask) => Promise<FileReplay> {
  const loadTokenizers = createTokenizerLoader();
  let known: { readonly path: string; readonly sessions: Promise<readonly PreparedSession[]> } | null = null;
  return async (task) => {
    const { path, displayName } = task.file;
    if (known?.path !== path) known = { path, sessions: prepareFile(path, displayName) };
    const catalog = catalogWith(task.prices);
    const summaries = openSource(task.summarizer, { catalog, ...(environment === undefined ? {} : { environment }) });
    const stops: string[] = [];
    const source: SummarySource = (place) =>
      summaries.source({
        ...place,
        stop: (error) => {
          stops.push(reasonOf(error));
          place.stop(error);
        },
      });
    try {
      const tokenizers = await loadTokenizers(task.policies.flatMap(encodingsOf));
      const replayed = await replayTask(await known.sessions, task, { catalog, tokenizers, summaries: source });
      return { kind: "replayed", ...replayed, summaries: summaries.takeTally() };
    } catch (error) {
      const [reason] = stops;
      if (reason !== undefined) return { kind: "stopped", reason };
      // One bad file must not end the run; what is wrong with it is said in the summary.
      return { kind: "skipped", reason: reasonOf(error) };
    }
  };
}

async function prepareFile(path: string, displayName: string): Promise<readonly PreparedSession[]> {
  return (await importFile(path, displayName)).map(prepareSession);
}

type ReplayedTask = Omit<Extract<FileReplay, { readonly kind: "replayed" }>, "kind" | "summaries">;

async function replayTask(
  sessions: readonly PreparedSession[],
  { policies, windows, cells }: FileTask,
  given: Pick<ReplayRequest, "catalog" | "tokenizers" | "summaries">,
): Promise<ReplayedTask> {
  const rows: PlacedRow[] = [];
  for (const [index, session] of sessions.entries()) {
    for (const cell of cells) {
      const window = windows[Math.floor(cell / policies.length)];
      const policy = policies[cell % policies.length];
      if (window === undefined || policy === undefined) throw new Error(`no cell ${cell}`);
      rows.push({ session: index, cell, row: await replay(session, { ...given, policy, window }) });
    }
  }
  const calibration = cells.includes(0) ? sessions.flatMap(({ transcript }) => recordCalibration(transcript) ?? []) : [];
  const notes = sessions.flatMap(({ transcript }) => transcript.notes.map((note) => ({ file: transcript.file, ...note })));
  return { sessions: sessions.map(describeSession), notes, rows, calibration };
}

function catalogWith(prices: ReadonlyMap<string, ModelPrices>): ModelCatalog {
  return { ...MODEL_CATALOG, pricesOf: (modelId) => prices.get(modelId) ?? MODEL_CATALOG.pricesOf(modelId) };
}

function reasonOf(error: unknown): string {
  if (isPlimsollError(error)) return error.message;
  return error instanceof Error ? `cannot be replayed: ${error.message}` : "cannot be replayed";
}
