import type { BeforeCompaction, PreparedSummaryPort } from "../engine/fit-input.ts";
import type { SessionEntry } from "../entry.ts";
import type { IsBoundReasoning } from "../message/bound-reasoning.ts";
import type { Kinds } from "../policy/kinds.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import type { FileTracker, StateProvider, Summarizer, Wait } from "../ports.ts";
import type { Tokenizers } from "../tokens/built-in-estimators.ts";
import type { ModelPriors } from "../tokens/model-prior.ts";
import type { WorkCounter } from "../tokens/work.ts";
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
  /** "none" leaves such a log as it is, for a caller who brings the whole history again; "append" if it is left out. */
  readonly repairs?: "append" | "none";
  /** Where the whole log is; absent for a manager that holds it in memory. */
  readonly archive?: LogArchive;
  readonly onEvent?: ContextListener;
  /** Asked before each compaction; may cancel it or supply the summary. */
  readonly beforeCompaction?: BeforeCompaction;
  /** Gives the summary that was prepared, if there is one; asked when the engine acts by itself. */
  readonly prepared?: PreparedSummaryPort;
  /** After so long without an answer a request for a summary has failed, and the hook is passed over: 300,000 if nothing is said. */
  readonly answerDeadlineMs?: number;
  /** Waits for that long; the platform's timer if none is given. */
  readonly wait?: Wait;
  /** Instructions that stay verbatim whatever is compacted: project rules, constraints. */
  readonly pinned?: readonly string[];
  /** The live state of todo lists and sub-agents, asked for at each compaction. */
  readonly stateProviders?: readonly StateProvider[];
  /** Files that the agent tracks in addition to its calls, asked for at each compaction. */
  readonly fileTracker?: FileTracker;
  /** Tokens that are sent at each request but are not in the log; a replay of another agent's session knows them. */
  readonly hiddenOverheadTokens?: number;
  /** Expectations for each model before it reports; the pooled prior if there is none. */
  readonly modelPriors?: ModelPriors;
  /** Which reasoning leaves if what stands before it changes; none does if it is left out. */
  readonly isBoundReasoning?: IsBoundReasoning;
  /** Tokenizers by encoding, for a policy whose estimator is `bpe`. */
  readonly tokenizers?: Tokenizers;
  /** Counts the work of all estimators, for bounds that tests assert; one of its own if none is given. */
  readonly work?: WorkCounter;
  /** Readings of other sessions with the same message values; nothing is shared if it is left out. */
  readonly readings?: SessionReadings;
}
