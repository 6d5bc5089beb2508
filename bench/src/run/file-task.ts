import type { ModelPrices, Policy } from "@plimsoll/core";
import { encodingsOf, isPlimsollError } from "@plimsoll/core";
import { createTokenizerLoader, type LoadTokenizers, MODEL_CATALOG, type ModelCatalog } from "@plimsoll/providers";
import { recordCalibration } from "../calibrate/calibration-record.ts";
import { importFile } from "../formats/registry.ts";
import { type PreparedSession, prepareSession } from "../replay/prepared-session.ts";
import { replay } from "../replay.ts";
import type { CalibrationRecord } from "../results/calibration-record.ts";
import type { ReplayRow, SessionDescription, SourceNote, WindowRequest } from "../results.ts";
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
}

/** A row with its place: the file's session, and the cell's number. */
export interface PlacedRow {
  readonly session: number;
  readonly cell: number;
  readonly row: ReplayRow;
}

/** What came of a task; a file that cannot be replayed is skipped as a whole, with one line. */
export type FileReplay =
  | {
      readonly kind: "replayed";
      readonly sessions: readonly SessionDescription[];
      readonly notes: readonly SourceNote[];
      readonly rows: readonly PlacedRow[];
      /** Of the task that has the first cell; the others leave it out. */
      readonly calibration: readonly CalibrationRecord[];
    }
  | { readonly kind: "skipped"; readonly reason: string };

/** Runs tasks; remembers the file of the last one, as most tasks that follow each other are of one file. */
export function createFileReplayer(): (task: FileTask) => Promise<FileReplay> {
  const loadTokenizers = createTokenizerLoader();
  let known: { readonly path: string; readonly sessions: Promise<readonly PreparedSession[]> } | null = null;
  return async (task) => {
    const { path, displayName } = task.file;
    if (known?.path !== path) known = { path, sessions: prepareFile(path, displayName) };
    try {
      return await replayTask(await known.sessions, task, loadTokenizers);
    } catch (error) {
      // One bad file must not end the run; what is wrong with it is said in the summary.
      return { kind: "skipped", reason: reasonOf(error) };
    }
  };
}

async function prepareFile(path: string, displayName: string): Promise<readonly PreparedSession[]> {
  return (await importFile(path, displayName)).map(prepareSession);
}

async function replayTask(
  sessions: readonly PreparedSession[],
  task: FileTask,
  loadTokenizers: LoadTokenizers,
): Promise<FileReplay> {
  const { policies, windows, cells } = task;
  const catalog = catalogWith(task.prices);
  const tokenizers = await loadTokenizers(policies.flatMap(encodingsOf));
  const rows: PlacedRow[] = [];
  for (const [index, session] of sessions.entries()) {
    for (const cell of cells) {
      const window = windows[Math.floor(cell / policies.length)];
      const policy = policies[cell % policies.length];
      if (window === undefined || policy === undefined) throw new Error(`no cell ${cell}`);
      rows.push({ session: index, cell, row: await replay(session, { policy, window, catalog, tokenizers }) });
    }
  }
  const calibration = cells.includes(0) ? sessions.flatMap(({ transcript }) => recordCalibration(transcript) ?? []) : [];
  const notes = sessions.flatMap(({ transcript }) => transcript.notes.map((note) => ({ file: transcript.file, ...note })));
  return { kind: "replayed", sessions: sessions.map(describeSession), notes, rows, calibration };
}

function catalogWith(prices: ReadonlyMap<string, ModelPrices>): ModelCatalog {
  return { ...MODEL_CATALOG, pricesOf: (modelId) => prices.get(modelId) ?? MODEL_CATALOG.pricesOf(modelId) };
}

function reasonOf(error: unknown): string {
  if (isPlimsollError(error)) return error.message;
  return error instanceof Error ? `cannot be replayed: ${error.message}` : "cannot be replayed";
}
