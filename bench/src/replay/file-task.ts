import type { EnginePolicy, ModelPrices } from "@plimsoll/core/extend";
import type { WindowRequest } from "../drive/cell.ts";
import type { SessionLineage } from "../lineage.ts";
import type { InputFile } from "../open/corpus.ts";
import type { ReplayRow } from "../results.ts";
import type { SummarizerChoice } from "../summaries/open-source.ts";
import type { ReplayState } from "./replay.ts";

/** Some cells of one file: plain data, so that a worker can be given it. */
export interface FileTask {
  readonly file: InputFile;
  readonly policies: readonly EnginePolicy[];
  readonly windows: readonly WindowRequest[];
  /** Cells by number: window × count of policies + policy. */
  readonly cells: readonly number[];
  /** Prices by model id that come before those of the catalog. */
  readonly prices: ReadonlyMap<string, ModelPrices>;
  readonly summarizer: SummarizerChoice;
  /** Of the file's sessions those that share answers with others: what they share counts once. */
  readonly shared: readonly SessionLineage[];
  /** Where finished cells are kept; `null` keeps none. */
  readonly state: ReplayState | null;
}

/** A row with its place: the file's session, and the cell's number. */
export interface PlacedRow {
  readonly session: number;
  readonly cell: number;
  readonly row: ReplayRow;
}
