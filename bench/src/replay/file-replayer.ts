import { isPlimsollError } from "@plimsoll/core";
import { encodingsOf } from "@plimsoll/core/extend";
import { createTokenizerLoader, MODEL_CATALOG, type ModelCatalog, type ModelPrices } from "@plimsoll/providers";
import type { SummarySource } from "../drive/summary-source.ts";
import { type BenchParts, BUILT_IN_PARTS } from "../extension.ts";
import type { Opener } from "../open/corpus.ts";
import { describeSession } from "../open/describe-session.ts";
import { countedSession, type PreparedSession } from "../open/prepared-session.ts";
import type { SessionDescription, SourceNote } from "../open/session-description.ts";
import type { ReplayRow } from "../results.ts";
import { openSource, type SummaryTally } from "../summaries/open-source.ts";
import { createRecordedSource } from "../summaries/recorded-source.ts";
import type { FileTask } from "./file-task.ts";
import { ownPlaceOf, placedError } from "./load-parts.ts";
import { replay } from "./replay.ts";

/**
 * The outcome of a task. A file that cannot be replayed is skipped as a whole, with one line; `stopped` ends the run: the summaries that it is about
 * cannot be had.
 */
export type FileReplay =
  | { readonly kind: "described"; readonly sessions: readonly SessionDescription[]; readonly notes: readonly SourceNote[] }
  | {
      readonly kind: "replayed";
      readonly rows: readonly ReplayRow[];
      readonly summaries: SummaryTally;
    }
  | { readonly kind: "stopped"; readonly reason: string }
  | { readonly kind: "skipped"; readonly reason: string };

/** The tools that a process brings to its tasks. */
export interface ReplayerOptions {
  /** Where a model that writes summaries has its key and address; the process's if it is left out. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The parts that replays are made with; only the built-in ones unless given. */
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
  const recorded = createRecordedSource();
  let pricedPath = "";
  let priced: Prices = new Map();
  return async (task) => {
    if (pricedPath !== task.file.path) priced = new Map();
    pricedPath = task.file.path;
    const catalog = catalogWith(task.prices, priced);
    const summaries = openSource(task.summarizer, { catalog, recorded, ...(environment === undefined ? {} : { environment }) });
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
      const sessions = (await opener.open(task.file))
        .sessions()
        .flatMap((session) => countedSession(session, task.shared) ?? []);
      if (task.cell === null) return described(sessions, catalog, task.prices);
      const { policy, window } = task.cell;
      const tokenizers = await loadTokenizers(encodingsOf(policy, parts.kinds));
      const program = parts.programs.find(({ name }) => name === policy.name) ?? null;
      const placeOf = (error: unknown) => ownPlaceOf(error, parts.modules);
      const given = { catalog, tokenizers, summaries: source, metrics: parts.metrics, kinds: parts.kinds, placeOf };
      const rows: ReplayRow[] = [];
      for (const session of sessions) rows.push(await replay(session, { policy, window, program, ...given }));
      return { kind: "replayed", rows, summaries: summaries.takeTally() };
    } catch (error) {
      const [reason] = stops;
      if (reason !== undefined) return { kind: "stopped", reason };
      // One bad file must not end the run; the summary names its fault.
      return { kind: "skipped", reason: reasonOf(placedError(error, parts.modules)) };
    }
  };
}

function described(sessions: readonly PreparedSession[], catalog: ModelCatalog, own: FileTask["prices"]): FileReplay {
  const notes = sessions.flatMap(({ transcript }) => transcript.notes.map((note) => ({ file: transcript.file, ...note })));
  const isOwn = ({ modelIds }: SessionDescription) => modelIds.some((modelId) => own.has(modelId));
  const all = sessions.map((session) => describeSession(session, catalog));
  return { kind: "described", sessions: all.map((each) => (isOwn(each) ? { ...each, hasOwnPrices: true } : each)), notes };
}

/** By half hour, in which no list changes, and model. */
type Prices = Map<string, ModelPrices | null>;
const HALF_HOUR_MS = 1_800_000;

/** All policies ask for the same prices: each is looked up once a file. */
function catalogWith(given: ReadonlyMap<string, ModelPrices>, known: Prices): ModelCatalog {
  const pricesOf: ModelCatalog["pricesOf"] = (modelId, atMs = null) => {
    const place = `${atMs === null ? "" : Math.floor(atMs / HALF_HOUR_MS)} ${modelId}`;
    const prices = given.get(modelId) ?? known.get(place);
    if (prices !== undefined) return prices;
    const found = MODEL_CATALOG.pricesOf(modelId, atMs);
    known.set(place, found);
    return found;
  };
  return { ...MODEL_CATALOG, pricesOf };
}

function reasonOf(error: unknown): string {
  if (isPlimsollError(error)) return error.message;
  return error instanceof Error ? `cannot be replayed: ${error.message}` : "cannot be replayed";
}
