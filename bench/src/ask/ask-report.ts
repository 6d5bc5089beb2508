import type { WindowRequest } from "../replay/cell.ts";
import type { Agreement } from "./agreement.ts";
import type { Difference, Share } from "./ask-statistics.ts";

/**
 * The contexts under which a model is asked: all that was recorded, what the policy made of it, the same once more (how often a model agrees with
 * itself is the floor of every difference), and the newest messages of the policy's size.
 */
export const ASKED_CONTEXTS = ["full", "compacted", "again", "tail"] as const;

/** One of {@link ASKED_CONTEXTS}. */
export type AskedContext = (typeof ASKED_CONTEXTS)[number];

/**
 * A model's next actions at recorded calls after cuts, as plain data: a section of the bench's report. It holds no text of a session but names of
 * tools, and nothing of what a run paid: a run that is answered from the cassette gives the same bytes.
 */
export interface AskReport {
  /** `host:id`. */
  readonly model: string;
  readonly window: WindowRequest;
  /** How many calls were to be drawn for each policy. */
  readonly callsAPolicy: number;
  readonly sessions: readonly AskedSession[];
  readonly policies: readonly AskedPolicy[];
  readonly calls: readonly AskedCall[];
}

/** The figures of one policy. */
export interface AskedPolicy extends OpenPolicy {
  readonly drawnCalls: number;
  readonly drawnSessions: number;
  readonly contexts: readonly AskedContextFigures[];
  readonly comparisons: readonly Comparison[];
  /** How much more often the compacted context's answer agrees with the recording than another context's. */
  readonly differences: readonly ContextDifference[];
}

/** Figures of the answers with one context. */
export interface AskedContextFigures {
  readonly context: AskedContext;
  /** By the estimator of the asked model; `null` if nothing was drawn. */
  readonly meanPromptTokens: number | null;
  readonly answered: number;
  readonly missing: readonly { readonly why: MissingReason; readonly calls: number }[];
}

/** How far the actions of two sides agree, over the calls at which both are known. */
export interface Comparison {
  readonly of: AskedContext;
  readonly with: AskedContext | "recorded";
  readonly calls: number;
  readonly tool: Share;
  /** Over the calls at which one of them names a path. */
  readonly path: Share;
  readonly arguments: Share;
}

/** The difference of two contexts' agreement with the recording, over the calls at which both were answered. */
export interface ContextDifference {
  readonly of: AskedContext;
  readonly minus: AskedContext;
  readonly tool: Difference;
  readonly path: Difference;
  readonly arguments: Difference;
}

/** One call under one policy. */
export interface AskedCall extends CallPlace {
  readonly policy: string;
  readonly recordedTool: string | null;
  readonly answers: Readonly<Record<AskedContext, AskedAnswer>>;
}

/** An answer: its agreement with the recording, or the reason why it is missing. */
export type AskedAnswer =
  | { readonly kind: "answered"; readonly toolName: string | null; readonly agreement: Agreement }
  | { readonly kind: "missing"; readonly why: MissingReason };

/** A policy and the calls after its cuts that a model can be asked about. */
export interface OpenPolicy {
  readonly policy: string;
  readonly openCalls: number;
  /** Calls that are left out: the full history does not fit the model's window. */
  readonly tooLongCalls: number;
}

/** A session that calls were drawn from. */
export interface AskedSession {
  readonly session: string;
  readonly toolsFrom: ToolsFrom;
  /** Whether the recording tells its system text. */
  readonly hasSystem: boolean;
}

/** `log`: the recording has their definitions; `calls`: they are made from the recorded calls; `nowhere`: there are none. */
export type ToolsFrom = "log" | "calls" | "nowhere";

/** A recorded call that can be asked about: its session's name, and its place among the session's calls. */
export interface CallPlace {
  readonly session: string;
  readonly call: number;
}

/**
 * Why there is no answer: the provider `failed` after retries or refused the request; the prompt did not fit (`overflow`); the reply was `empty`,
 * `cut-off` at its limit, or a refusal (`refused`); or it was `not-asked`, because the run stopped before.
 */
export type MissingReason = "failed" | "overflow" | "empty" | "cut-off" | "refused" | "not-asked";
