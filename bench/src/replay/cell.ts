import type { ModelLimits } from "@plimsoll/core";
import { BUILT_IN_KINDS, type EnginePolicy, type Kinds, type Tokenizers } from "@plimsoll/core/build";
import { RECORDED_POLICY } from "@plimsoll/core/internal";
import type { ModelCatalog } from "@plimsoll/providers";
import type { PreparedSession } from "./prepared-session.ts";
import { digestSource, type SummarySource } from "./summary-source.ts";

/** What makes a session's cell. */
export interface CellRequest {
  readonly policy: EnginePolicy;
  readonly window: WindowRequest;
  readonly catalog: Pick<ModelCatalog, "contextWindowOf">;
  /** What a policy counts by whose estimator is a byte-pair encoding. */
  readonly tokenizers?: Tokenizers;
  /** What the policy may name, and how results are cut; the built-in kinds if they are left out. */
  readonly kinds?: Kinds;
  /** Who writes the summaries; the digest if it is left out. */
  readonly summaries?: SummarySource;
}

/** One session under one policy in one window: the limits that hold there, and who writes its summaries. */
export interface Cell {
  readonly policy: EnginePolicy;
  readonly window: WindowSpec;
  readonly contextWindowTokens: number;
  readonly maxOutputTokens: number;
  readonly inputBudgetTokens: number;
  /** Overhead at the first call, in tokens. */
  readonly overheadTokens: number;
  readonly tokenizers: Tokenizers;
  readonly kinds: Kinds;
  /** Why the cell is not applicable; `null` if it is replayed. */
  readonly why: string | null;
  readonly summaries: SummarySource;
}

/** Output reserve of a replay if the recording names none: 8,192 tokens, the maximum output that most agents ask for. */
const OUTPUT_RESERVE_TOKENS = 8192;
/** Never more than an eighth of the working room, so that small rooms stay rooms for input. Chosen. */
const OUTPUT_RESERVE_SHARE = 8;
/** Window of a model that neither the recording nor the catalog knows: that of most models in the recorded sessions. */
const UNTOLD_WINDOW_TOKENS = 200_000;
/** The next larger window that is sold, for recordings with prompts above what was taken for their window. */
const LARGE_WINDOW_TOKENS = 1_000_000;

/**
 * The cell of a session. If the overhead alone fills more than half the window there is nothing to measure: triggers are shares
 * of the window, and most would lie below the overhead. This holds for working room too. `recorded` plans nothing and is
 * always applicable.
 */
export function cellOf(session: PreparedSession, cell: CellRequest): Cell {
  const { policy, window: request, catalog, tokenizers = {}, kinds = BUILT_IN_KINDS, summaries = digestSource } = cell;
  const overheadTokens = session.sizeModel.firstOverheadTokens;
  const limits = request.kind === "real" ? realLimits(session, catalog) : roomLimits(overheadTokens, request.tokens);
  const { contextWindowTokens, maxOutputTokens } = limits;
  const window = request.kind === "real" ? ({ kind: "real", tokens: contextWindowTokens } as const) : request;
  const isTooSmall = overheadTokens > contextWindowTokens / 2 && !isRecordedPolicy(policy);
  const why = isTooSmall
    ? `the overhead (${overheadTokens} tokens) exceeds half the window (${contextWindowTokens} tokens)`
    : null;
  const inputBudgetTokens = contextWindowTokens - maxOutputTokens;
  return { policy, window, ...limits, inputBudgetTokens, overheadTokens, tokenizers, kinds, why, summaries };
}

/** True for the one policy that folds the recorded agent's own compactions and rejects nothing: what it sends was accepted. */
export function isRecordedPolicy(policy: EnginePolicy): boolean {
  return policy.name === RECORDED_POLICY.name && !policy.enabled;
}

/** The limits that the engine is given. */
export function limitsOf(cell: Cell): ModelLimits {
  return { contextWindowTokens: cell.contextWindowTokens, maxOutputTokens: cell.maxOutputTokens };
}

type Limits = Pick<Cell, "contextWindowTokens" | "maxOutputTokens">;

function roomLimits(overheadTokens: number, roomTokens: number): Limits {
  return { contextWindowTokens: overheadTokens + roomTokens, maxOutputTokens: reserveOf(roomTokens) };
}

/** The largest window that the recording names; else the catalog's for its models; never below the recorded prompts. */
function realLimits({ entries, sizeModel }: PreparedSession, catalog: CellRequest["catalog"]): Limits {
  const named = entries.flatMap((entry) => (entry.type === "model-change" ? (entry.limits?.contextWindowTokens ?? []) : []));
  const modelIds = [...new Set(sizeModel.calls.map((call) => call.modelId))];
  const known = named.length > 0 ? named : modelIds.flatMap((modelId) => catalog.contextWindowOf(modelId) ?? []);
  const windowTokens = known.length > 0 ? Math.max(...known) : UNTOLD_WINDOW_TOKENS;
  const largestPrompt = sizeModel.calls.reduce((largest, call) => Math.max(largest, call.reportedTokens ?? 0), 0);
  const contextWindowTokens = largestPrompt > windowTokens ? Math.max(LARGE_WINDOW_TOKENS, largestPrompt) : windowTokens;
  return { contextWindowTokens, maxOutputTokens: reserveOf(contextWindowTokens) };
}

function reserveOf(roomTokens: number): number {
  return Math.min(OUTPUT_RESERVE_TOKENS, Math.floor(roomTokens / OUTPUT_RESERVE_SHARE));
}

/** A window to replay in: working room above each session's own overhead, or each session's real window. */
export type WindowRequest = { readonly kind: "working-room"; readonly tokens: number } | { readonly kind: "real" };

/** A window as it was for one session: working room above the session's overhead, or a model's real window. */
export type WindowSpec =
  | { readonly kind: "working-room"; readonly tokens: number }
  | { readonly kind: "real"; readonly tokens: number };
