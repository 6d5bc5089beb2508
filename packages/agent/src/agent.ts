import type {
  ArtifactStore,
  Context,
  FitInput,
  FitOutcome,
  IsBoundReasoning,
  ModelClient,
  ModelLimits,
  ModelRequest,
  PlimsollError,
  Policy,
  Session,
  SessionEntry,
  SessionOptions,
  SessionStore,
  StateProvider,
  Summarizer,
  UserMessage,
} from "@plimsoll/core";
import {
  type AgentTool,
  type Kinds,
  type MessageDraft,
  option,
  REPLY_RATIO,
  type recallArtifact,
  type setupChange,
  type ToolEffect,
  withReplyWithin,
} from "@plimsoll/core/extend";
import { z } from "zod";
import type { AgentListener, ContextUsage, EndReason } from "./events.ts";

/** A message of the person: text, or parts with images. */
export type UserInput = string | UserMessage["parts"];

/** The end of a run: `steps` counts its model calls, `text` is the model's last text, and `error` is `null` unless the reason is `failed`. */
export interface RunOutcome {
  readonly reason: EndReason;
  readonly steps: number;
  readonly text: string;
  readonly error: PlimsollError | null;
}

/** How an agent is, at any moment from its start on. */
export interface AgentState {
  readonly sessionId: string;
  readonly status: "idle" | "running" | "compacting" | "closed";
  readonly mode: string;
  readonly modelId: string;
  readonly policy: string;
  /** Model calls of the current run, or of the last one. */
  readonly step: number;
  /** Messages that wait for the next step. */
  readonly waiting: number;
  readonly context: ContextUsage;
  readonly totals: ReturnType<Session["totals"]>;
}

/** A compaction that a person asks for. `keep` is the part that stays verbatim; `null` leaves it to the policy. */
export interface CompactRequest {
  readonly keep?: NonNullable<FitInput["now"]>["keep"];
  readonly focus?: string | null;
}

/** Runs a model with tools, one run at a time, and logs the session. When a promise resolves, everything that happened is in the log. */
export interface Agent {
  readonly sessionId: string;
  /** Place and size of the incomplete last line that a crash left in the log, which opening removed; `null` if there was none. */
  readonly cutOff: { readonly line: number; readonly bytes: number } | null;
  /** How system text and tools differ from those in the log of a resumed session; `null` if they do not. The log records the new ones. */
  readonly setupChange: ReturnType<typeof setupChange>;
  /**
   * Appends a person's message and runs until the model makes no more tool calls. A provider's failure is an outcome, not a rejection. Rejects
   * with `bad-input` for empty input, or during a run or compaction; also if the log cannot be written, or for a bug in Plimsoll.
   */
  submit(input: UserInput): Promise<RunOutcome>;
  /** Replaces the whole history by the given messages, and submits. The log keeps the old history. */
  replaceHistoryAndSubmit(history: readonly MessageDraft[], input: UserInput): Promise<RunOutcome>;
  /** Adds a message to the current run, before its next step. Throws `bad-input` for empty input, or if there is no run. */
  steer(input: UserInput): void;
  /** Cancels the current run or compaction; its open tool calls get error results. Does nothing if there is none. */
  cancel(): void;
  /** Compacts now, or before the next step of the current run. Rejects with `aborted` if it is cancelled. */
  compact(request?: CompactRequest): Promise<FitOutcome>;
  /** Undoes the newest compaction, or takes back a pin of the model that is newer. Rejects with `bad-input` if there is none, or during a run or compaction. */
  undo(): ReturnType<Session["undo"]>;
  /** Switches to another model, and compacts first if the context is too large for its window. Rejects with `bad-input` during a run or compaction. */
  switchModel(model: AgentModel): Promise<FitOutcome>;
  /** Sets the mode, which decides which tools may be used. Throws `bad-input` for a mode other than `default` and those of the options. */
  setMode(mode: string): void;
  state(): AgentState;
  /** Returns the context that the next request would send, without dynamic context. */
  context(): Context;
  /** The whole log, read from the store. */
  entries(): Promise<readonly SessionEntry[]>;
  recall(handle: string, range: Parameters<typeof recallArtifact>[1]): ReturnType<typeof recallArtifact>;
  /** Calls the listener with every event from now on. Returns the function that ends the subscription. */
  subscribe(listener: AgentListener): () => void;
  /**
   * Cancels, waits for the end of the run, writes all entries that the store lacks, including messages that wait for a step, and releases the log. Later requests reject
   * or throw `closed`; state and log stay readable. If the store fails, it rejects and keeps all; call it again.
   */
  close(): Promise<void>;
}

/** A tool call that `authorize` decides about before it runs. */
export interface PendingCall {
  /** The call's log: for a sub-agent's calls, the sub-agent's. */
  readonly sessionId: string;
  readonly callId: string;
  readonly toolName: string;
  readonly argumentsJson: string;
  readonly effect: ToolEffect;
}

/** A decision about a call. The model reads `why`. */
export type Authorization = { readonly kind: "allow" } | { readonly kind: "deny"; readonly why: string };

/**
 * Decides about calls before they run, one by one in order; a batch runs once all its calls are decided. The signal is the run's: after an abort the answer is ignored.
 * If it rejects, the call does not run, and the rejection becomes its result.
 */
export type Authorize = (call: PendingCall, signal: AbortSignal) => Promise<Authorization>;

/**
 * The model that an agent asks. Requests ask for replies of up to `limits.maxOutputTokens` tokens, which stay free in the window; if that is `null`, 8,192, or a quarter
 * of a smaller window.
 */
export interface AgentModel {
  readonly client: ModelClient;
  readonly modelId: string;
  /** Its limits; by default the options' `limitsOf` finds them. */
  readonly limits?: ModelLimits;
  readonly reasoning?: ModelRequest["reasoning"];
}

/** The log that an agent writes: a new one, or one to go on with. */
type AgentSession =
  | {
      readonly kind: "new";
      readonly sessionId: string;
      readonly system: string;
      readonly agent?: { readonly name: string; readonly version: string | null };
      readonly parent?: { readonly sessionId: string; readonly callId: string | null };
    }
  | {
      readonly kind: "resume";
      readonly sessionId: string;
      /** The new system text; the log's own by default. The tools are those of the options. */
      readonly system?: string;
    };

/** Options of an agent. */
export interface AgentOptions {
  readonly session: AgentSession;
  readonly sessions: SessionStore;
  readonly model: AgentModel;
  /** A policy, or the name of a preset. */
  readonly policy: Policy | string;
  /** Kinds that the policy may name in addition to those of this package, and truncations of results; made by `withKinds`. */
  readonly kinds?: Kinds;
  /** Writes summaries; by default the current model does. */
  readonly summarizer?: Summarizer;
  /** Hides texts in requests, summary requests and the log, also those of sub-agents; a call runs with the model's own arguments. */
  readonly redact?: NonNullable<SessionOptions["redact"]>;
  readonly tools: readonly AgentTool[];
  /** Decides about each call before it runs, also for sub-agents; without it every call runs. */
  readonly authorize?: Authorize;
  readonly artifacts: ArtifactStore;
  readonly nowMs: () => number;
  /**
   * Names of the tools that may be used in each mode; without an entry for the mode all tools may. The model sees all tools in every
   * mode, since the tool list is part of the cached prefix: a call that the mode does not allow gets an error result.
   */
  readonly modes?: { readonly [mode: string]: readonly string[] };
  /** The mode at the start; "default" if left out. */
  readonly mode?: string;
  /**
   * Returns text that is true only now, such as a branch's name; called before each request, and sent after the cached prefix. For a model that binds reasoning each
   * change is a message that stays until a compaction; blank text changes nothing there.
   */
  readonly dynamicContext?: () => string | null | Promise<string | null>;
  /** Most model calls of one run; 200 by default. */
  readonly maxSteps?: number;
  /** How deep sub-agents may start sub-agents; 1 by default, 0 for none. */
  readonly subAgentDepth?: number;
  readonly onEvent?: AgentListener;
  /** Estimates of each model's tokens until its provider reports usage; one fitted over all models by default. */
  readonly modelPriors?: NonNullable<SessionOptions["modelPriors"]>;
  /** Prices of models, by which a cut is judged; their usual ratio by default. */
  readonly modelCosts?: NonNullable<SessionOptions["modelCosts"]>;
  /** Finds the limits of models that come without them, `null` for an unknown one. */
  readonly limitsOf?: NonNullable<SessionOptions["limitsOf"]>;
  /** Says which reasoning is removed once messages before it change; none by default. */
  readonly isBoundReasoning?: IsBoundReasoning;
  /** Tokenizers by encoding, for a policy whose estimator is `bpe`. */
  readonly tokenizers?: NonNullable<SessionOptions["tokenizers"]>;
  /** The live state that compaction must not forget, by the session's id: each sub-agent has its own. */
  readonly stateOf?: (sessionId: string) => readonly StateProvider[];
  /** Further options of the session. Sub-agents do not get them. */
  readonly context?: Pick<SessionOptions, "beforeCompaction" | "pinned" | "fileTracker" | "hiddenOverheadTokens" | "work">;
}

const { text, fn, object, count } = option;

/** Schema of {@link AgentModel}. */
export const AGENT_MODEL: z.ZodType<AgentModel> = option.schema<AgentModel>({
  client: option.having("complete", "stream"),
  modelId: text,
  limits: option.limits.optional(),
  reasoning: z.enum(["low", "medium", "high"]).optional(),
});

type Kind<Name> = Extract<AgentSession, { readonly kind: Name }>;

/** Schema of {@link AgentOptions}; their `context` is checked with the session's options. */
export const AGENT_OPTIONS: z.ZodType<AgentOptions> = option.schema<AgentOptions>({
  session: z.union([
    option.schema<Kind<"new">>({
      kind: z.literal("new"),
      sessionId: text,
      system: text,
      ...option.optional(object, "agent", "parent"),
    }),
    option.schema<Kind<"resume">>({ kind: z.literal("resume"), sessionId: text, system: text.optional() }),
  ]),
  sessions: option.having("create", "open", "read"),
  model: AGENT_MODEL,
  policy: option.policy,
  tools: z.array(option.having("run")).readonly(),
  artifacts: option.having("put", "get"),
  nowMs: fn,
  mode: text.optional(),
  kinds: option.kinds.optional(),
  ...option.optional(object, "modes", "tokenizers", "context"),
  ...option.optional(
    fn,
    "summarizer",
    "redact",
    "authorize",
    "dynamicContext",
    "onEvent",
    "modelPriors",
    "modelCosts",
    "limitsOf",
    "isBoundReasoning",
    "stateOf",
  ),
  ...option.optional(count, "maxSteps", "subAgentDepth"),
});

/** Most model calls of one run, against loops that never end; chosen. */
export const DEFAULT_MAX_STEPS = 200;

/** A sub-agent may not start another one, unless the caller says so. */
export const DEFAULT_SUB_AGENT_DEPTH = 1;

/** The mode of an agent that is given none. */
export const DEFAULT_MODE = "default";

/** Output that is asked for if a model's limit is not known; chosen: every current model gives as much. */
export const DEFAULT_MAX_OUTPUT_TOKENS = 8192;

/** A model whose limits are known. */
export type SizedModel = AgentModel & { readonly limits: ModelLimits };

/** Options of an agent that was started. */
export type StartedOptions = Omit<AgentOptions, "policy" | "model"> & { readonly policy: Policy; readonly model: SizedModel };

/** The model with its requested output: the request must ask for exactly the tokens that the budget keeps free, or the provider rejects it. */
export function withOutputReserve(model: AgentModel, limitsOf: AgentOptions["limitsOf"] = () => null): SizedModel {
  return { ...model, limits: reserved(model.limits ?? option.limitsOf(model.modelId, limitsOf)) };
}

function reserved(limits: ModelLimits): ModelLimits {
  const { contextWindowTokens, maxOutputTokens } = limits;
  const roomTokens = contextWindowTokens === null ? DEFAULT_MAX_OUTPUT_TOKENS : Math.floor(contextWindowTokens * REPLY_RATIO);
  return withReplyWithin({ ...limits, maxOutputTokens: maxOutputTokens ?? Math.min(DEFAULT_MAX_OUTPUT_TOKENS, roomTokens) });
}
