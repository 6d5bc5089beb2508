import type { BeforeCompaction, PreparedSummaryPort } from "../engine/fit-input.ts";
import type { SessionEntry } from "../entry.ts";
import type { IsBoundReasoning } from "../message/bound-reasoning.ts";
import type { Kinds } from "../policy/kinds.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import type { FileTracker, StateProvider, Summarizer, Wait } from "../ports.ts";
import type { Tokenizers } from "../tokens/built-in-estimators.ts";
import type { WorkCounter } from "../tokens/measure.ts";
import type { ModelPriors } from "../tokens/model-prior.ts";
import type { ContextListener } from "./events.ts";
import type { LogArchive } from "./held-log.ts";
import type { SessionReadings } from "./session-readings.ts";

/** Options of a context manager. */
export interface ContextManagerOptions {
  readonly policy: EnginePolicy;
  /** Kinds that the policy may name in addition to those of this package; made by `withKinds`. */
  readonly kinds?: Kinds;
  readonly summarizer: Summarizer;
  /** A log to go on with. If a crash left it unsendable, a repair is appended and announced. */
  readonly entries?: Iterable<SessionEntry>;
  /** Whether that repair is made: "append" if it is left out; "none" for a caller who gives the whole history again. */
  readonly repairs?: "append" | "none";
  /** Reads entries back from where the whole log is stored; absent for a manager that keeps the log in memory. */
  readonly archive?: LogArchive;
  readonly onEvent?: ContextListener;
  /** Asked before each compaction; may cancel it or supply the summary. */
  readonly beforeCompaction?: BeforeCompaction;
  /** Gives the summary that was prepared, if there is one; asked when the engine acts by itself. */
  readonly prepared?: PreparedSummaryPort;
  /** Milliseconds after which a request for a summary without an answer fails, and a hook without one is ignored; 300,000 if left out. */
  readonly answerDeadlineMs?: number;
  /** The timer of that deadline; the platform's if left out. */
  readonly wait?: Wait;
  /** Instructions that stay verbatim whatever is compacted: project rules, constraints. */
  readonly pinned?: readonly string[];
  /** The live state of todo lists and sub-agents, asked for at each compaction. */
  readonly stateProviders?: readonly StateProvider[];
  /** Files that the agent tracks in addition to its calls, asked for at each compaction. */
  readonly fileTracker?: FileTracker;
  /** Tokens that are sent at each request but are not in the log; a replay of another agent's session knows them. */
  readonly hiddenOverheadTokens?: number;
  /** Estimates of each model's tokens until its provider reports usage; one fitted over all models if left out. */
  readonly modelPriors?: ModelPriors;
  /** Tells which reasoning is removed once messages before it change; none is if left out. */
  readonly isBoundReasoning?: IsBoundReasoning;
  /** Tokenizers by encoding, for a policy whose estimator is `bpe`. */
  readonly tokenizers?: Tokenizers;
  /** Counts the text and messages that all estimators read, for bounds that tests assert; a new counter if left out. */
  readonly work?: WorkCounter;
  /** Shares readings of message objects with other sessions that have the same ones; nothing is shared if left out. */
  readonly readings?: SessionReadings;
}
