import { z } from "zod";
import type { BeforeCompaction, FitState, PreparedSummaryPort } from "../engine/fit-input.ts";
import type { SessionEntry } from "../entry.ts";
import type { IsBoundReasoning } from "../message/bound-reasoning.ts";
import { BUILT_IN_KINDS, bindingOnce, type Kinds } from "../policy/kinds.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import { type Door, deadlineOf, passed } from "../port-door.ts";
import type { FileTracker, SessionWriter, StateProvider, Summarizer, Wait } from "../ports.ts";
import { createEstimator, type EstimatorSpec, type Measures, type Tokenizers } from "../tokens/built-in-estimators.ts";
import { createWorkCounter, type ModelPriors, pooledPriors, type WorkCounter } from "../tokens/measure.ts";
import type { ContextListener } from "./events.ts";
import type { StateFold } from "./session-state.ts";

/** Options of a session. */
export interface SessionOptions {
  readonly policy: EnginePolicy;
  /** Kinds that the policy may name in addition to those of this package; made by `withKinds`. */
  readonly kinds?: Kinds;
  readonly summarizer: Summarizer;
  /** A log to go on with. If a crash left it unsendable, a repair is appended and announced. */
  readonly entries?: Iterable<SessionEntry>;
  /** Whether that repair is made: "append" if it is left out; "none" for a caller who gives the whole history again. */
  readonly repairs?: "append" | "none";
  /** Where the log is written, holding `entries` already; in memory alone if it is left out. */
  readonly writer?: SessionWriter | null;
  /** The clock, in milliseconds since 1970; `null`, as if it is left out, while the time is not known. */
  readonly nowMs?: () => number | null;
  readonly onEvent?: ContextListener;
  /** Asked before each compaction; may cancel it or supply the summary. */
  readonly beforeCompaction?: BeforeCompaction;
  /** Gives the summary that was prepared, if there is one; asked when the engine acts by itself. The session then prepares none by the policy. */
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
}

/** The setup by which a session is measured and made to fit; it stays the same while the session is open. */
export interface SessionSetup extends StateFold {
  readonly policy: EnginePolicy;
  readonly kinds: Kinds;
  readonly cutEstimator: FitState["cutEstimator"];
  readonly deadline: FitState["deadline"];
  /** `null` if no reasoning is bound. */
  readonly isBoundReasoning: IsBoundReasoning | null;
  readonly ports: Pick<SessionOptions, "summarizer" | "beforeCompaction" | "pinned" | "stateProviders" | "fileTracker">;
}

const PINNED: Door<readonly string[]> = { port: "pinned", shape: z.array(z.string()), wanted: "a list of texts" };

/**
 * The setup that options ask for.
 *
 * @throws PlimsollError `bad-policy` if the policy counts by an encoding whose tokenizer was not given.
 */
export function sessionSetup(options: SessionOptions): SessionSetup {
  const { policy, kinds = BUILT_IN_KINDS, modelPriors: priors = pooledPriors, tokenizers = {} } = options;
  const work = options.work ?? createWorkCounter();
  const estimatorOf = (spec: EstimatorSpec, shared: Measures) =>
    createEstimator(spec, work, { kinds: kinds.estimators, priors, tokenizers, measures: shared });
  const measures: Measures = new Map();
  const estimator = estimatorOf(policy.estimator, measures);
  const cutEstimator = () => (policy.cutEstimator === null ? estimator : estimatorOf(policy.cutEstimator, new Map(measures)));
  // What cannot be used is refused here.
  passed(PINNED, options.pinned ?? []);
  cutEstimator();
  return {
    policy,
    kinds: bindingOnce(kinds),
    estimator,
    cutEstimator,
    hiddenTokens: options.hiddenOverheadTokens ?? 0,
    deadline: deadlineOf(options),
    ports: options,
    work,
    isBoundReasoning: options.isBoundReasoning ?? null,
  };
}
