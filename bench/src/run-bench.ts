import type { Policy } from "@plimsoll/core";
import { isPlimsollError } from "@plimsoll/core";
import { MODEL_CATALOG, type ModelCatalog } from "@plimsoll/providers";
import { importFile } from "./formats/registry.ts";
import { REFERENCES_VERSION } from "./references/extract.ts";
import type { WindowRequest } from "./replay/cell.ts";
import { type PreparedSession, prepareSession } from "./replay/prepared-session.ts";
import { replay } from "./replay.ts";
import type { BenchReport, ReplayRow, SessionDescription, SkippedInput, SourceNote } from "./results.ts";
import type { Transcript } from "./transcript.ts";

/** What to replay: files that were found, under every policy in every window. */
export interface BenchInput {
  readonly files: readonly InputFile[];
  readonly policies: readonly Policy[];
  readonly windows: readonly WindowRequest[];
  readonly plimsollVersion: string;
  /** Prices, windows and cache rules; those of this version where a run has none of its own. */
  readonly catalog?: ModelCatalog;
  readonly onProgress?: (progress: BenchProgress) => void;
}

/** A file to import, with its name as the user gave it. */
export interface InputFile {
  readonly path: string;
  readonly displayName: string;
}

/** How far a run is, for a progress bar: said before each file and after each replay. */
export interface BenchProgress {
  readonly file: string;
  readonly filesDone: number;
  readonly filesTotal: number;
  /** Replays of this file, of `replaysTotal`; 0 of 0 while it is read. */
  readonly replaysDone: number;
  readonly replaysTotal: number;
}

/**
 * Replays everything. Works file by file, so that memory follows the largest session. What cannot be read, or fails in a
 * replay, is skipped with one line; everything else still runs. No clock: the same input gives the same report.
 */
export async function runBench(input: BenchInput): Promise<BenchReport> {
  const sessions: SessionDescription[] = [];
  const rows: ReplayRow[] = [];
  const skipped: SkippedInput[] = [];
  const notes: SourceNote[] = [];
  const catalog = input.catalog ?? MODEL_CATALOG;
  for (const [filesDone, file] of input.files.entries()) {
    const progress = { file: file.displayName, filesDone, filesTotal: input.files.length };
    input.onProgress?.({ ...progress, replaysDone: 0, replaysTotal: 0 });
    try {
      const transcripts = await importFile(file.path, file.displayName);
      const replaysTotal = transcripts.length * input.policies.length * input.windows.length;
      let replaysDone = 0;
      for (const transcript of transcripts) {
        const session = prepareSession(transcript);
        sessions.push(describeSession(session));
        notes.push(...transcript.notes.map((note) => ({ file: transcript.file, ...note })));
        for (const window of input.windows) {
          for (const policy of input.policies) {
            rows.push(await replay(session, { policy, window, catalog }));
            replaysDone += 1;
            input.onProgress?.({ ...progress, replaysDone, replaysTotal });
          }
        }
      }
    } catch (error) {
      // One bad file must not end the run; what is wrong with it is said in the summary.
      skipped.push({ file: file.displayName, reason: reasonOf(error) });
    }
  }
  const policies = input.policies.map((policy) => ({ name: policy.name, policy }));
  const { plimsollVersion } = input;
  const referencesVersion = REFERENCES_VERSION;
  return { formatVersion: 1, plimsollVersion, referencesVersion, policies, sessions, rows, skipped, notes };
}

function describeSession({ transcript, sizeModel, repaired }: PreparedSession): SessionDescription {
  const reported = sizeModel.calls.flatMap((call) => call.reportedTokens ?? []);
  return {
    session: transcript.name,
    file: transcript.file,
    format: transcript.format,
    parentSession: transcript.parentName,
    modelIds: [...new Set(sizeModel.calls.map((call) => call.modelId))],
    messages: transcript.entries.filter((entry) => entry.type === "message").length,
    calls: sizeModel.calls.length,
    maxReportedPromptTokens: reported.reduce((largest, tokens) => Math.max(largest, tokens), 0),
    sumReportedPromptTokens: reported.reduce((sum, tokens) => sum + tokens, 0),
    recordedBoundaries: countBoundaries(transcript),
    repairs: repaired.repairCount + repaired.continuationCount,
    isEstimated: sizeModel.isEstimated,
    sizeModel: sizeModel.error,
  };
}

function countBoundaries({ entries }: Transcript): number {
  return entries.filter((entry) => entry.type === "compaction").length;
}

function reasonOf(error: unknown): string {
  if (isPlimsollError(error)) return error.message;
  return error instanceof Error ? `cannot be replayed: ${error.message}` : "cannot be replayed";
}
