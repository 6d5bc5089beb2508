import { createHash } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { constants, gunzip, gzip } from "node:zlib";
import { BUILT_IN_KINDS, canonicalJson, type EnginePolicy, type Kinds, type Tokenizers } from "@plimsoll/core/extend";
import { MODEL_CATALOG, type ModelCatalog } from "@plimsoll/providers";
import { readRegularFile, temporaryName } from "@plimsoll/stores";
import { cellOf, type WindowRequest } from "../drive/cell.ts";
import { drive } from "../drive/drive.ts";
import type { Program } from "../drive/program.ts";
import { digestSource, type SummarySource } from "../drive/summary-source.ts";
import { METRICS, type RunMetrics } from "../metrics/registry.ts";
import { createRowMetrics } from "../metrics/row-metrics.ts";
import type { PreparedSession } from "../open/prepared-session.ts";
import type { CallPoint, ReplayRow } from "../results.ts";

/** The policy and the window of a replay. The catalog is that of this version unless a run has prices of its own. */
export interface ReplayRequest {
  readonly policy: EnginePolicy;
  readonly window: WindowRequest;
  readonly catalog?: ModelCatalog;
  /** Tokenizers for a policy whose estimator is a byte-pair encoding. */
  readonly tokenizers?: Tokenizers;
  /** Kinds that the policy may name, and how results are cut; the built-in ones if they are left out. */
  readonly kinds?: Kinds;
  /** Who writes the summaries; the digest unless a run has others. */
  readonly summaries?: SummarySource;
  /** The program that compacts in the engine's place; the engine itself if it is left out. */
  readonly program?: Program | null;
  /** The metrics of the replay: those of every run unless others follow them. */
  readonly metrics?: RunMetrics;
}

const NO_COMPOSITION = { kinds: [], samples: [] };

/**
 * Replays one session under one policy in one window, call by call, with every metric. Deterministic: no clock, no randomness, one
 * source of summaries for all policies. It is open loop: recorded replies do not react to what was edited.
 */
export async function replay(session: PreparedSession, request: ReplayRequest): Promise<ReplayRow> {
  const { policy, window, tokenizers = {}, summaries = digestSource, metrics = METRICS } = request;
  const { kinds = BUILT_IN_KINDS, program = null, catalog = MODEL_CATALOG } = request;
  const cell = cellOf(session, { policy, kinds, window, catalog, tokenizers, summaries, program });
  const row = {
    session: session.transcript.name,
    policy: policy.name,
    window: cell.window,
    contextWindowTokens: cell.contextWindowTokens,
    inputBudgetTokens: cell.inputBudgetTokens,
    overheadTokens: cell.overheadTokens,
    why: cell.why,
  };
  if (cell.why !== null)
    return { ...row, metrics: null, series: [], compactions: [], cacheMisses: [], composition: NO_COMPOSITION };
  const recorder = createRowMetrics(session, cell, { catalog, metrics });
  const series: CallPoint[] = [];
  const copied = new Set(session.transcript.copiedIds);
  const failures = await drive(session, cell, (sent) => {
    const { call, promptTokens, compactions, overflowed } = sent;
    if (!copied.has(sent.recorded.requestId)) series.push({ call, promptTokens, compactions: compactions.length, overflowed });
    recorder.add(sent);
  });
  return { ...row, ...recorder.result(), series, ...(failures.length === 0 ? {} : { failures }) };
}

/** Where finished replays are kept, so that a run that was broken off goes on where it was. Plain data. */
export interface ReplayState {
  readonly folder: string;
  /** The version of everything but the input that a replay depends on; replays of another version are not found. */
  readonly version: string;
}

/** A value under what it was made from. A value that was not kept, or not wholly, is absent. */
export interface KeptReplays {
  /** The value, if there is one that the guard accepts. */
  read<Value>(made: unknown, isValue: (value: unknown) => value is Value): Promise<Value | null>;
  keep(made: unknown, value: unknown): Promise<void>;
}

/** Keeps nothing. */
export const NOTHING_KEPT: KeptReplays = { read: () => Promise.resolve(null), keep: () => Promise.resolve() };

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** The most bytes of a kept value; chosen. */
const MAXIMUM_BYTES = 500_000_000;

/** Opens the folder of finished replays. Each is a file named by the hash of its input; a damaged one counts as absent, and a failed write is ignored. */
export function openKeptReplays({ folder, version }: ReplayState): KeptReplays {
  const fileOf = (made: unknown) => {
    const key = createHash("sha256").update(canonicalJson({ version, made })).digest("hex");
    return join(folder, `${key}.json.gz`);
  };
  return {
    read: async (made, isValue) => {
      try {
        const value: unknown = JSON.parse((await unpack(readRegularFile(fileOf(made), MAXIMUM_BYTES))).toString("utf8"));
        return isValue(value) ? value : null;
      } catch {
        // Absent, damaged or of another form: it is replayed again.
        return null;
      }
    },
    keep: async (made, value) => {
      const file = fileOf(made);
      const temporary = temporaryName(file);
      try {
        const packed = await pack(JSON.stringify(value), { level: constants.Z_BEST_SPEED });
        await writeFile(temporary, packed, { flag: "wx" }).catch(async () => {
          // It has not been there yet.
          await mkdir(folder, { recursive: true, mode: OWNER_ONLY });
          await writeFile(temporary, packed, { flag: "wx" });
        });
        await rename(temporary, file);
      } catch {
        // A full disk costs the going on, not the run.
        await rm(temporary, { force: true }).catch(() => undefined);
      }
    },
  };
}

/** The mode of kept files: they quote the sessions. */
const OWNER_ONLY = 0o700;
