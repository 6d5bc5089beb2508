import type { Gate, Message, ModelLimits } from "@plimsoll/core";

/**
 * A published program's own compaction, which a replay runs in place of the engine: messages in, messages out. Its effects are unchecked: it
 * may overflow, lose calls and fail.
 */
export interface Program {
  /** The name by which a run selects it, like a policy's. */
  readonly name: string;
  /** The name of the Plimsoll policy that imitates it; `null` if there is none. */
  readonly likeness: string | null;
  readonly runs: string;
  /** The number of times it compacts and resends a request that a provider rejected as too long. */
  readonly maxRecoveries: number;
  /** Cut of each result in a request for a summary, in characters; `null` if it cuts none. */
  readonly resultCapChars: number | null;
  /** Starts the program at a session's beginning. */
  start(setting: ProgramSetting): ProgramRun | Promise<ProgramRun>;
}

/** Input of a program's start: the model's limits in tokens, the overhead of each request, and the writer of summaries. */
export interface ProgramSetting {
  readonly limits: ModelLimits;
  /** Tokens of system text and tools, which it sends with every request. */
  readonly overheadTokens: number;
  /** Answers its requests for summaries in place of a model; the same for every policy of the run. */
  readonly summarize: StandIn;
}

/** A summary that a program asks for. */
export interface ProgramSummary {
  readonly messages: readonly Message[];
  readonly maxTokens: number;
  /** Whether the request is the conversation itself with the instruction behind it, so that the cache is read, or a text of its own. */
  readonly form: "serialised" | "prefix";
}

/** Answers a request for a summary; rejects if the summary cannot be had. */
export type StandIn = (request: ProgramSummary) => Promise<string>;

/** A program at work on one session. */
export interface ProgramRun {
  /**
   * Asked at each gate, with the messages that it would send. The same array says that nothing is done. An error that it throws is a compaction
   * that failed: the messages stay.
   */
  at(moment: ProgramMoment): Promise<readonly Message[]>;
}

/** A moment of a replay (`gate`) at which a program may compact, with the context then. `nowMs` is in milliseconds since 1970; `null` if it is not known. */
export interface ProgramMoment {
  readonly gate: Gate;
  /** The context: the program's last answer, and the messages since. Unedited messages stay the same objects. */
  readonly messages: readonly Message[];
  /** The person's messages before their submission; none at the other gates. */
  readonly pending: readonly Message[];
  /** The provider's report of the newest answered request; `null` before the first one. */
  readonly reported: ProgramUsage | null;
  readonly nowMs: number | null;
}

/** A provider's report of one request. */
export interface ProgramUsage {
  readonly promptTokens: number;
  readonly outputTokens: number;
}
