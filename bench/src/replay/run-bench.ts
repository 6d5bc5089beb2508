import { stat } from "node:fs/promises";
import { PlimsollError } from "@plimsoll/core";
import { type EnginePolicy, option } from "@plimsoll/core/extend";
import type { ModelPrices } from "@plimsoll/providers";
import { z } from "zod";
import type { WindowRequest } from "../drive/cell.ts";
import { type BenchParts, BUILT_IN_PARTS } from "../extension.ts";
import { REFERENCES_VERSION } from "../needs/references.ts";
import { type Corpus, eachAtMost, type InputFile, openCorpus } from "../open/corpus.ts";
import type { BenchReport, PolicySweep, Shard, SkippedInput } from "../results.ts";
import { DEFAULT_SUMMARIZER, type SummarizerChoice, type SummaryTally, summarizerName } from "../summaries/open-source.ts";
import type { FileReplay } from "./file-replayer.ts";
import type { FileTask } from "./file-task.ts";
import type { RowsFile } from "./rows-file.ts";
import {
  type CheckedRows,
  checkedRows,
  type FileKeys,
  type FileResult,
  finishResult,
  keyOf,
  type RunDescription,
  reportOf,
} from "./run-result.ts";
import { createSerialPool, type WorkerPool } from "./worker-pool.ts";

/** Input of {@link runBench}: it replays each session of the files under every policy in every window. */
export interface BenchInput {
  readonly files: readonly InputFile[];
  readonly policies: readonly EnginePolicy[];
  readonly windows: readonly WindowRequest[];
  /** Places of policies in a sweep, by policy name; left out for policies that belong to none. */
  readonly sweeps?: ReadonlyMap<string, PolicySweep>;
  readonly plimsollVersion: string;
  readonly prices?: ReadonlyMap<string, ModelPrices>;
  /** The files, opened by the pool; this run opens them if it is left out. Give it to a run that is one of several over the same files. */
  readonly corpus?: Corpus;
  readonly shard?: Shard | null;
  /** Runs and measures the replays; only this process if left out. The caller closes it. */
  readonly pool?: WorkerPool;
  /** The writer of the summaries; the digest unless given. */
  readonly summarizer?: SummarizerChoice;
  /** Where finished rows are kept and looked for, so that none is made twice; nowhere unless given. */
  readonly kept?: KeptRows | null;
  /** Inputs that were given and are not there: the report lists them. */
  readonly missing?: readonly SkippedInput[];
  /** Options that changed nothing, a line each: the report lists them. */
  readonly withoutEffect?: readonly string[];
  readonly onProgress?: (progress: BenchProgress) => void;
  /** Called for each task with its requests for summaries by a model. */
  readonly onSummaries?: (tally: SummaryTally) => void;
}

const { list, object, fn, text } = option;

const BENCH_INPUT = option.schema<BenchInput>({
  files: list,
  policies: z.array(object).readonly(),
  windows: list,
  plimsollVersion: text,
  pool: option.having("open", "run").optional(),
  ...option.optional(object.nullable(), "shard", "kept"),
  ...option.optional(object, "sweeps", "prices", "corpus", "summarizer"),
  ...option.optional(list, "missing", "withoutEffect"),
  ...option.optional(fn, "onProgress", "onSummaries"),
});

/** A file of rows, and the version of everything but the input that a row depends on: rows of another version are not found. */
export interface KeptRows {
  readonly rows: RowsFile;
  readonly version: string;
  /** The parts that replays are made with; the built-in ones unless given. Nothing is kept of parts that cannot be distinguished from others of their names. */
  readonly parts?: BenchParts;
  /** Called with the number of cells that were there. */
  readonly onKept?: (cells: number) => void;
}

/** Progress of a run, reported at its start and after each task. Work is in bytes of the files × policies × windows. */
export interface BenchProgress {
  readonly file: string;
  readonly filesDone: number;
  readonly filesTotal: number;
  readonly workDone: number;
  readonly workTotal: number;
}

/**
 * Replays every session of the files under every policy in every window. Each worker has one file at a time, so that memory
 * grows with the largest files and not with their number. `skipped` lists each unreadable or failing input with one line; everything else still runs. No clock, and rows
 * in the order of the input however tasks
 * end: the same input gives the same report.
 *
 * @throws PlimsollError `bad-input` if a model's summary is missing: the provider failed, or the cassette lacks it.
 */
export async function runBench(input: BenchInput): Promise<BenchReport> {
  option.check("a bench", BENCH_INPUT, input);
  const { shard = null, pool = createSerialPool() } = input;
  // Before the files are shared out: a part counts as the whole run counts.
  const corpus = input.corpus ?? (await openCorpus(input.files, pool));
  const files = shareOf(input.files, shard).filter(({ displayName }) => corpus.lineages.hasOwn(displayName));
  // A file that is not there is said by its task; a session of a database is one of many alike.
  const bytes = await Promise.all(files.map(async ({ path }) => (await stat(path).catch(() => null))?.size ?? 1));
  const progress = createProgress(input, files, bytes);
  const kept = keptIn(input);
  const replayed = await eachAtMost(files, pool.jobs, (file, place) =>
    replayFile(file, { input, pool, corpus, kept, onCell: () => progress(place) }),
  );
  const run = describeRun(input, corpus);
  if (kept !== null) finishResult(kept.rows, { run, shard, files: replayed.map(({ keys }) => keys) });
  return reportOf(
    run,
    shard,
    replayed.map(({ result }) => result),
  );
}

/** The files of a part: every `count`th, so that parts take about as long as each other. All of them for a whole run. */
function shareOf<File>(files: readonly File[], shard: Shard | null): readonly File[] {
  return shard === null ? files : files.filter((_, place) => place % shard.count === shard.index - 1);
}

function describeRun(
  {
    files,
    policies,
    sweeps,
    windows,
    plimsollVersion,
    summarizer = DEFAULT_SUMMARIZER,
    prices = new Map(),
    missing = [],
    withoutEffect = [],
  }: BenchInput,
  { lineages: { counts } }: Corpus,
): RunDescription {
  return {
    plimsollVersion,
    referencesVersion: REFERENCES_VERSION,
    inputs: files.map(({ displayName }) => displayName),
    policies: policies.map((policy) => ({ name: policy.name, policy, sweep: sweeps?.get(policy.name) ?? null })),
    windows,
    summarizer: summarizerName(summarizer),
    pricedModels: [...prices.keys()],
    missing,
    withoutEffect,
    lineages: counts.repeatedAnswers > 0 ? counts : null,
  };
}

interface Kept extends Pick<KeptRows, "rows" | "onKept"> {
  readonly version: string;
  readonly checked: CheckedRows;
}

function keptIn({ kept = null }: BenchInput): Kept | null {
  if (kept === null) return null;
  const { rows, version, parts = BUILT_IN_PARTS, onKept } = kept;
  if (parts.identity === null) return null;
  return {
    rows,
    version: `${version} ${parts.identity}`,
    checked: checkedRows(rows, parts),
    ...(onKept === undefined ? {} : { onKept }),
  };
}

interface FileRun {
  readonly input: BenchInput;
  readonly pool: WorkerPool;
  readonly corpus: Corpus;
  readonly kept: Kept | null;
  readonly onCell: () => void;
}

/** A file's result, and the keys under which its lines are. */
interface FinishedFile {
  readonly result: FileResult;
  readonly keys: FileKeys;
}

/** Replays a file's cells, but for those that are there; each that is new is appended when it is finished. The first that fails speaks for all of them. */
async function replayFile(file: InputFile, { input, pool, corpus, kept, onCell }: FileRun): Promise<FinishedFile> {
  const { policies, windows, prices = new Map(), summarizer = DEFAULT_SUMMARIZER } = input;
  const name = file.displayName;
  const cells = windows.flatMap((window) => policies.map((policy) => ({ policy, window })));
  const shared = corpus.lineages.in(name);
  const task = { file, prices, summarizer, shared };
  const made = { version: kept?.version, file: name, source: corpus.sources.get(name) ?? null, shared };
  const key = keyOf({ ...made, what: "sessions", prices: [...prices] });
  const before = kept?.checked.file(key) ?? null;
  const about = before === null ? await finished({ ...task, cell: null }, pool) : ({ kind: "described", ...before } as const);
  if (about.kind !== "described") {
    for (const _ of cells) onCell();
    return skippedFile(name, about);
  }
  const { sessions, notes } = about;
  if (before === null) kept?.rows.append("file", key, { sessions, notes });
  const by = { prices: [...prices], summarizer: summarizerName(summarizer) };
  const replayed = await Promise.all(
    cells.map(async (cell) => {
      const keys = sessions.map(({ session }) => keyOf({ ...made, ...cell, ...by, session }));
      const there = kept === null ? [] : keys.flatMap((each) => kept.checked.row(each) ?? []);
      const isThere = kept !== null && there.length === keys.length;
      const replay = isThere ? null : await finished({ ...task, cell }, pool);
      onCell();
      if (replay === null) {
        kept?.onKept?.(1);
        return { keys, rows: there };
      }
      if (replay.kind !== "replayed") return { keys, failed: replay };
      input.onSummaries?.(replay.summaries);
      for (const [place, row] of replay.rows.entries()) kept?.rows.append("row", keys[place] ?? "", row);
      return { keys, rows: replay.rows };
    }),
  );
  const rows: ReplayedCell[] = [];
  for (const [cell, each] of replayed.entries()) {
    if ("failed" in each) return skippedFile(name, each.failed);
    rows.push(...each.rows.map((row, session) => ({ session, cell, row, key: each.keys[session] ?? "" })));
  }
  const inOrder = rows.toSorted((a, b) => a.session - b.session || a.cell - b.cell);
  return {
    result: { kind: "replayed", file: name, sessions, notes, rows: inOrder.map(({ row }) => row) },
    keys: { file: name, key, rows: inOrder.map((each) => each.key) },
  };
}

/** A row with its place: the file's session, and the cell's number. */
interface ReplayedCell {
  readonly session: number;
  readonly cell: number;
  readonly row: BenchReport["rows"][number];
  readonly key: string;
}

function skippedFile(file: string, failed: FinishedTask): FinishedFile {
  const reason = "reason" in failed ? failed.reason : "cannot be replayed";
  return { result: { kind: "skipped", file, reason }, keys: { file, reason } };
}

type FinishedTask = Exclude<FileReplay, { readonly kind: "stopped" }>;

async function finished(task: FileTask, pool: WorkerPool): Promise<FinishedTask> {
  // A worker that died, of want of memory for instance, costs its file and no other.
  const replay = await pool.run(task).catch((error: unknown): FinishedTask => {
    return { kind: "skipped", reason: `cannot be replayed: ${error instanceof Error ? error.message : String(error)}` };
  });
  if (replay.kind === "stopped")
    throw new PlimsollError("bad-input", `no summary: ${replay.reason}; answers so far are kept, and the same command resumes`);
  return replay;
}

function createProgress(
  { policies, windows, onProgress }: BenchInput,
  files: readonly InputFile[],
  bytes: readonly number[],
): (place: number) => void {
  const cellsTotal = policies.length * windows.length;
  const cellsLeft = files.map(() => cellsTotal);
  const workTotal = bytes.reduce((sum, size) => sum + size * cellsTotal, 0);
  let workDone = 0;
  const say = (place: number) => {
    const filesDone = cellsLeft.filter((left) => left <= 0).length;
    onProgress?.({ file: files[place]?.displayName ?? "", filesDone, filesTotal: files.length, workDone, workTotal });
  };
  say(0);
  return (place) => {
    cellsLeft[place] = (cellsLeft[place] ?? 0) - 1;
    workDone += bytes[place] ?? 0;
    say(place);
  };
}
