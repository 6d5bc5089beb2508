import type { EnginePolicy } from "@plimsoll/core/extend";
import type { ModelPrices } from "@plimsoll/providers";
import type { WindowRequest } from "../drive/cell.ts";
import type { SessionLineage } from "../lineage.ts";
import type { InputFile } from "../open/corpus.ts";
import type { SummarizerChoice } from "../summaries/open-source.ts";

/** A file's sessions to describe, or to replay under one policy in one window: plain data, so that a worker can be given it. */
export interface FileTask {
  readonly file: InputFile;
  readonly cell: { readonly policy: EnginePolicy; readonly window: WindowRequest } | null;
  readonly prices: ReadonlyMap<string, ModelPrices>;
  readonly summarizer: SummarizerChoice;
  /** Of the file's sessions those that share answers with others: shared answers count once. */
  readonly shared: readonly SessionLineage[];
}
