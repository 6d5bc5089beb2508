import { isPlimsollError } from "@plimsoll/core";
import { encodingsOf, isRecord, type ModelPrices } from "@plimsoll/core/extend";
import { createTokenizerLoader, type Environment, MODEL_CATALOG, type ModelCatalog } from "@plimsoll/providers";
import type { Program } from "../drive/program.ts";
import type { SummarySource } from "../drive/summary-source.ts";
import { type BenchParts, BUILT_IN_PARTS } from "../extension.ts";
import type { RunMetrics } from "../metrics/registry.ts";
import type { OpenedFile, Opener } from "../open/corpus.ts";
import { describeSession } from "../open/describe-session.ts";
import { countedSession, type PreparedSession } from "../open/prepared-session.ts";
import type { SessionDescription, SourceNote } from "../open/session-description.ts";
import { rowSchema, sessionSchema, sourceNoteSchema } from "../results/report-json.ts";
import type { ReplayRow } from "../results.ts";
import { openSource, type SummaryTally, summarizerName } from "../summaries/open-source.ts";
import type { FileTask, PlacedRow } from "./file-task.ts";
import { placedError } from "./load-parts.ts";
import { type KeptReplays, NOTHING_KEPT, openKeptReplays, type ReplayRequest, replay } from "./replay.ts";

/**
 * The outcome of a task. A file that cannot be replayed is skipped as a whole, with one line; `stopped` ends the run: the summaries that it is about
 * cannot be had.
 */
export type FileReplay =
  | (ReplayedCells & {
      readonly kind: "replayed";
      /** Requests for summaries that went to a model, or would have to. */
      readonly summaries: SummaryTally;
    })
  | { readonly kind: "stopped"; readonly reason: string }
  | { readonly kind: "skipped"; readonly reason: string };

/** The tools that a process brings to its tasks. */
export interface ReplayerOptions {
  /** Where a model that writes summaries has its key and address; the process's if it is left out. */
  readonly environment?: Environment;
  /** The parts that replays are made with; the built-in ones alone unless given. */
  readonly parts?: BenchParts;
  readonly opener: Opener;
}

/** Runs tasks over files that are opened once; remembers the prices of the file of the last one. */
export function createFileReplayer({
  environment,
  parts = BUILT_IN_PARTS,
  opener,
}: ReplayerOptions): (task: FileTask) => Promise<FileReplay> {
  const loadTokenizers = createTokenizerLoader();
  let pricedPath = "";
  let priced: Prices = new Map();
  return async (task) => {
    if (pricedPath !== task.file.path) priced = new Map();
    pricedPath = task.file.path;
    const catalog = catalogWith(task.prices, priced);
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
      const tokenizers = await loadTokenizers(task.policies.flatMap((policy) => encodingsOf(policy, parts.kinds)));
      const given = { catalog, tokenizers, summaries: source, metrics: parts.metrics, kinds: parts.kinds };
      const file = await opener.open(task.file);
      const replayed = await replayCells(file, task, { given, kept: keptOf(task, parts), programs: parts.programs });
      return { kind: "replayed", ...replayed, summaries: summaries.takeTally() };
    } catch (error) {
      const [reason] = stops;
      if (reason !== undefined) return { kind: "stopped", reason };
      // One bad file must not end the run; what is wrong with it is said in the summary.
      return { kind: "skipped", reason: reasonOf(placedError(error, parts.modules)) };
    }
  };
}

/** Finds the kept replays: the parts that a replay was made with belong to its name. */
function keptOf({ state }: FileTask, { identity }: BenchParts): KeptReplays {
  if (state === null || identity === null) return NOTHING_KEPT;
  return openKeptReplays({ ...state, version: `${state.version} ${identity}` });
}

/** Prices by model and time. */
type Prices = Map<string, ModelPrices | null>;

/** All policies ask for the same prices: each is looked up once a file. */
function catalogWith(given: ReadonlyMap<string, ModelPrices>, known: Prices): ModelCatalog {
  const pricesOf: ModelCatalog["pricesOf"] = (modelId, atMs) => {
    const key = `${modelId} ${atMs}`;
    const prices = given.get(modelId) ?? known.get(key);
    if (prices !== undefined) return prices;
    const found = MODEL_CATALOG.pricesOf(modelId, atMs);
    known.set(key, found);
    return found;
  };
  return { ...MODEL_CATALOG, pricesOf };
}

function reasonOf(error: unknown): string {
  if (isPlimsollError(error)) return error.message;
  return error instanceof Error ? `cannot be replayed: ${error.message}` : "cannot be replayed";
}

/** The results of a file's cells. */
interface ReplayedCells {
  readonly sessions: readonly SessionDescription[];
  readonly notes: readonly SourceNote[];
  readonly rows: readonly PlacedRow[];
  /** Cells that were not replayed, because they were kept. */
  readonly cellsKept: number;
}

/** The tools of replays in addition to their cell, and the folder of finished ones. */
interface CellTools {
  readonly given: Pick<ReplayRequest, "tokenizers" | "summaries" | "kinds"> &
    Required<Pick<ReplayRequest, "catalog">> & { readonly metrics: RunMetrics };
  readonly kept: KeptReplays;
  /** The programs that policies of their names stand for. */
  readonly programs: readonly Program[];
}

/** Replays the task's cells, but for those that are kept; what is new is kept, a cell at a time. */
async function replayCells(file: OpenedFile, task: FileTask, tools: CellTools): Promise<ReplayedCells> {
  const { policies, windows, cells, prices, summarizer } = task;
  const { kept, given, programs } = tools;
  const source = sourceOf(file, task);
  let counted: readonly PreparedSession[] | null = null;
  const ownSessions = () => {
    counted ??= file.sessions().flatMap((session) => countedSession(session, task.shared) ?? []);
    return counted;
  };
  const about = await keptOr(kept, { from: { source, what: "sessions" }, isValue: isAbout }, async () => {
    const sessions = ownSessions();
    const notes = sessions.flatMap(({ transcript }) => transcript.notes.map((note) => ({ file: transcript.file, ...note })));
    return { sessions: sessions.map((session) => describeSession(session, given.catalog)), notes };
  });
  const isRows = rowsGuard(given.metrics);
  const rows: PlacedRow[] = [];
  let cellsKept = 0;
  for (const cell of cells) {
    const window = windows[Math.floor(cell / policies.length)];
    const policy = policies[cell % policies.length];
    if (window === undefined || policy === undefined) throw new Error(`no cell ${cell}`);
    const made = { source, policy, window, prices: [...prices], summarizer: summarizerName(summarizer) };
    const before = await kept.read(made, isRows);
    if (before !== null) cellsKept += 1;
    const program = programs.find(({ name }) => name === policy.name) ?? null;
    const replayed = before ?? (await replayAll(ownSessions(), { policy, window, program, ...given }));
    if (before === null) await kept.keep(made, replayed);
    rows.push(...replayed.map((row, session) => ({ session, cell, row })));
  }
  return { ...about, rows, cellsKept };
}

/** Names the source of a replay's session; nothing is read for it if nothing is kept. */
function sourceOf({ source: content }: OpenedFile, { file: input, shared, state }: FileTask): unknown {
  if (state === null) return null;
  const source = { name: input.displayName, content };
  return shared.length === 0 ? source : { ...source, shared };
}

async function replayAll(sessions: readonly PreparedSession[], request: ReplayRequest): Promise<readonly ReplayRow[]> {
  const rows: ReplayRow[] = [];
  for (const session of sessions) rows.push(await replay(session, request));
  return rows;
}

interface Made<Value> {
  readonly from: unknown;
  readonly isValue: (value: unknown) => value is Value;
}

/** The value that is kept, else the one that is made now, which is kept then. */
async function keptOr<Value>(kept: KeptReplays, { from, isValue }: Made<Value>, make: () => Promise<Value>): Promise<Value> {
  const before = await kept.read(from, isValue);
  if (before !== null) return before;
  const value = await make();
  await kept.keep(from, value);
  return value;
}

const sessionsSchema = sessionSchema.array();
const notesSchema = sourceNoteSchema.array();

function rowsGuard(metrics: RunMetrics): (value: unknown) => value is readonly ReplayRow[] {
  const schema = rowSchema(metrics).array();
  return (value): value is readonly ReplayRow[] => schema.safeParse(value).success;
}

function isAbout(value: unknown): value is Pick<ReplayedCells, "sessions" | "notes"> {
  const { sessions, notes } = isRecord(value) ? value : {};
  return sessionsSchema.safeParse(sessions).success && notesSchema.safeParse(notes).success;
}
