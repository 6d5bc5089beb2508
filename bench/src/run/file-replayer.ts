import { isPlimsollError } from "@plimsoll/core";
import { encodingsOf, type ModelPrices } from "@plimsoll/core/extend";
import { createTokenizerLoader, type Environment, MODEL_CATALOG, type ModelCatalog } from "@plimsoll/providers";
import { type BenchParts, BUILT_IN_PARTS } from "../extension.ts";
import type { SummarySource } from "../replay/summary-source.ts";
import { openSource, type SummaryTally } from "../summaries/open-source.ts";
import type { FileTask } from "./file-task.ts";
import { type KeptReplays, NOTHING_KEPT, openKeptReplays } from "./kept-replays.ts";
import { placedError } from "./load-parts.ts";
import { type LoadedFile, loadFile } from "./loaded-file.ts";
import { type ReplayedCells, replayCells } from "./replay-cells.ts";

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
}

/**
 * Runs tasks; remembers the file of the last one, as most tasks that follow each other are of one file.
 */
export function createFileReplayer({
  environment,
  parts = BUILT_IN_PARTS,
}: ReplayerOptions = {}): (task: FileTask) => Promise<FileReplay> {
  const loadTokenizers = createTokenizerLoader();
  let file: LoadedFile | null = null;
  return async (task) => {
    if (file?.path !== task.file.path) file = loadFile(task.file, parts.importers);
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
      const tokenizers = await loadTokenizers(task.policies.flatMap((policy) => encodingsOf(policy, parts.kinds)));
      const given = { catalog, tokenizers, summaries: source, metrics: parts.metrics, kinds: parts.kinds };
      const replayed = await replayCells(file, task, {
        given,
        kept: keptOf(task, parts),
        programs: parts.programs,
      });
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

function catalogWith(prices: ReadonlyMap<string, ModelPrices>): ModelCatalog {
  return { ...MODEL_CATALOG, pricesOf: (modelId, atMs) => prices.get(modelId) ?? MODEL_CATALOG.pricesOf(modelId, atMs) };
}

function reasonOf(error: unknown): string {
  if (isPlimsollError(error)) return error.message;
  return error instanceof Error ? `cannot be replayed: ${error.message}` : "cannot be replayed";
}
