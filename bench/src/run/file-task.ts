import type { EnginePolicy, ModelPrices } from "@plimsoll/core/extend";
import type { SessionLineage } from "../lineage.ts";
import type { WindowRequest } from "../replay/cell.ts";
import type { ReplayRow } from "../results.ts";
import type { SummarizerChoice } from "../summaries/summarizer-choice.ts";
import type { ReplayState } from "./kept-replays.ts";

/** A file to import, with its name as the user gave it. */
export interface InputFile {
  readonly path: string;
  readonly displayName: string;
}

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
