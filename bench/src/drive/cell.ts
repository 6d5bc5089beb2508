import type { ModelLimits, SessionOptions } from "@plimsoll/core";
import { BUILT_IN_KINDS, type EnginePolicy, type Kinds, RECORDED_POLICY } from "@plimsoll/core/extend";
import { type ModelCatalog, modelCostsFrom } from "@plimsoll/providers";
import type { PreparedSession } from "../open/prepared-session.ts";
import { realWindowOf } from "../open/real-window.ts";
import type { Program } from "./program.ts";
import { digestSource, type SummarySource } from "./summary-source.ts";

/** The request for a session's cell. */
export interface CellRequest {
  readonly policy: EnginePolicy;
  readonly window: WindowRequest;
  readonly catalog: ModelCatalog;
  /** Tokenizers for a policy whose estimator is a byte-pair encoding. */
  readonly tokenizers?: NonNullable<SessionOptions["tokenizers"]>;
  /** Kinds that the policy may name, and how results are cut; the built-in ones if they are left out. */
  readonly kinds?: Kinds;
  /** The writer of the summaries; the digest if it is left out. */
  readonly summaries?: SummarySource;
  /** The program that compacts in the engine's place; `null`, the engine, if it is left out. */
  readonly program?: Program | null;
  /** Where in a person's own modules an error was thrown; `null` if that is elsewhere. */
  readonly placeOf?: (error: unknown) => string | null;
}

/** One session under one policy in one window: the limits that hold there, and the writer of its summaries. */
export interface Cell extends Required<Omit<CellRequest, "window" | "catalog">> {
  readonly window: WindowSpec;
  readonly contextWindowTokens: number;
  readonly maxOutputTokens: number;
  readonly inputBudgetTokens: number;
  readonly overheadTokens: number;
  /** Why the cell is not applicable; `null` if it is replayed. */
  readonly why: string | null;
  /** The prices that the engine judges its cuts by. */
  readonly modelCosts: NonNullable<SessionOptions["modelCosts"]>;
}

/** Output reserve of a replay if the recording names none: 8,192 tokens, the maximum output that most agents ask for. */
export const OUTPUT_RESERVE_TOKENS = 8192;
/** Never more than an eighth of the working room, so that small rooms stay rooms for input. Chosen. */
const OUTPUT_RESERVE_SHARE = 8;

/**
 * Sets up one replay: a session under a policy in a window, with its limits in tokens. If system prompt and tools fill more than half the window,
 * `why` says that there is nothing to measure: most triggers would lie below them. `recorded` plans nothing and is always applicable.
 */
export function cellOf(session: PreparedSession, { window: request, catalog, ...asked }: CellRequest): Cell {
  const overheadTokens = session.sizeJudge.firstOverheadTokens;
  const window: WindowSpec = request.kind === "real" ? { kind: "real", ...realWindowOf(session, catalog) } : request;
  const contextWindowTokens = window.kind === "real" ? window.tokens : overheadTokens + window.tokens;
  const maxOutputTokens = Math.min(OUTPUT_RESERVE_TOKENS, Math.floor(window.tokens / OUTPUT_RESERVE_SHARE));
  const isTooSmall = overheadTokens > contextWindowTokens / 2 && !isRecordedPolicy(asked.policy);
  const why = isTooSmall
    ? `the overhead (${overheadTokens} tokens) exceeds half the window (${contextWindowTokens} tokens)`
    : null;
  return {
    ...{ tokenizers: {}, kinds: BUILT_IN_KINDS, summaries: digestSource, program: null, placeOf: () => null },
    ...asked,
    ...{ window, contextWindowTokens, maxOutputTokens, overheadTokens, why },
    inputBudgetTokens: contextWindowTokens - maxOutputTokens,
    modelCosts: modelCostsFrom(catalog),
  };
}

/** True for the one policy that folds the recorded agent's own compactions and rejects nothing, since its requests were accepted. */
export function isRecordedPolicy(policy: EnginePolicy): boolean {
  return policy.name === RECORDED_POLICY.name && !policy.enabled;
}

/** The limits that the engine is given. */
export function limitsOf(cell: Cell): ModelLimits {
  return { contextWindowTokens: cell.contextWindowTokens, maxOutputTokens: cell.maxOutputTokens };
}

/** The context window of a replay: `tokens` above each session's own system prompt and tools (`working-room`), or the window that each session ran in (`real`). */
export type WindowRequest = { readonly kind: "working-room"; readonly tokens: number } | { readonly kind: "real" };

/** A window as it was for one session: working room above the session's overhead, or its real window with the reason for its size. */
export type WindowSpec =
  | { readonly kind: "working-room"; readonly tokens: number }
  | { readonly kind: "real"; readonly tokens: number; readonly reason: string };
