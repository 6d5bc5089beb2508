import { z } from "zod";
import { deadlineOf } from "../deadline.ts";
import { failureText } from "../engine/ask-hook.ts";
import type { BeforeCompaction, FitInput, FitState, PreparedSummaryPort, SummaryWriter } from "../engine/fit-input.ts";
import type { GateState } from "../engine/why-act.ts";
import type { SessionEntry, StepOutcome } from "../entry.ts";
import { withTrackedFiles } from "../facts/facts.ts";
import type { IsBoundReasoning } from "../message/bound-reasoning.ts";
import { BUILT_IN_KINDS, bindingOnce, type Kinds } from "../policy/kinds.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import { askState, askTracker, type Door, passed } from "../port-door.ts";
import type { FileTracker, StateProvider, Summarizer, Wait } from "../ports.ts";
import type { RecallIndex } from "../recall/recall-index.ts";
import { createEstimator, type EstimatorSpec, type Measures, type Tokenizers } from "../tokens/built-in-estimators.ts";
import type { Ledger, Overhead } from "../tokens/estimator.ts";
import { createWorkCounter, type ModelPriors, pooledPriors, type WorkCounter } from "../tokens/measure.ts";
import type { ContextListener } from "./events.ts";
import type { SessionState, StateFold } from "./session-state.ts";

/**
 * Where the log is kept, for a manager that holds in memory only what the context needs and what the archive does not have yet. Entries are
 * counted from 0 over the whole log.
 */
export interface LogArchive {
  entryAt(index: number): Promise<SessionEntry>;
  /** Hands over all entries, in order. */
  read(onEntry: (entry: SessionEntry) => void): Promise<void>;
}

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
}

/** The setup by which a session is measured and made to fit; it stays the same while the session is open. */
export interface SessionSetup extends StateFold {
  readonly policy: EnginePolicy;
  readonly kinds: Kinds;
  readonly cutEstimator: FitState["cutEstimator"];
  readonly deadline: FitState["deadline"];
  /** `null` if no reasoning is bound. */
  readonly isBoundReasoning: IsBoundReasoning | null;
  readonly ports: Pick<
    ContextManagerOptions,
    "summarizer" | "beforeCompaction" | "prepared" | "pinned" | "stateProviders" | "fileTracker"
  >;
}

const PINNED: Door<readonly string[]> = { port: "pinned", shape: z.array(z.string()), wanted: "a list of texts" };

/**
 * The setup that options ask for.
 *
 * @throws PlimsollError `bad-policy` if the policy counts by an encoding whose tokenizer was not given.
 */
export function sessionSetup(options: ContextManagerOptions): SessionSetup {
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

/** Collects the overhead that each request sends in addition to the messages. */
export function overheadOf(
  { view: { system, tools } }: SessionState,
  { hiddenTokens }: StateFold,
  dynamicContext: string | null,
): Overhead {
  return { system, tools, dynamicContext, hiddenTokens };
}

/** One fit of a session: by which policy, and by which ledger it is measured. */
export interface SessionFit {
  readonly policy: EnginePolicy;
  readonly input: FitInput;
  readonly measuredBy: Ledger;
  readonly writer?: SummaryWriter;
}

/** Collects the state that a gate reads, before it is known whether anything is done. */
export function gateStateOf(
  state: SessionState,
  setup: SessionSetup,
  { policy, input, measuredBy }: Pick<SessionFit, "policy" | "input" | "measuredBy">,
): GateState {
  const { breaker, ledger, reportedAtMs } = state;
  const { estimatedTokens, estimatedAtLastCallTokens } = ledger;
  // Before two calls tell what a step adds, the first one does.
  const stepTokens = ledger.stepGrowthTokens || estimatedTokens - (estimatedAtLastCallTokens ?? estimatedTokens);
  const sinceTokens = breaker.estimatedAtLastAttemptTokens ?? ledger.estimatedAtLastCutTokens;
  return {
    policy,
    estimator: setup.estimator,
    ledger: measuredBy,
    overhead: overheadOf(state, setup, input.dynamicContext ?? null),
    newTokens: sinceTokens === null ? null : (estimatedTokens - sinceTokens) * ledger.factor,
    stepTokens: stepTokens * ledger.factor,
    isGoalMissed: breaker.isGoalMissed,
    reportedAtMs,
  };
}

/** Collects the state that the engine sees. Asks the ports for what is true now: tracked files, the state to keep. */
export function fitStateOf(
  { state, recallIndex }: { readonly state: SessionState; readonly recallIndex: RecallIndex | null },
  setup: SessionSetup,
  fit: SessionFit,
): FitState {
  const { view, breaker } = state;
  const { kinds, cutEstimator, deadline, isBoundReasoning, work, ports } = setup;
  const { policy, writer } = fit;
  const failedPorts: StepOutcome[] = [];
  // What they say is worth much, but no session ends because it is missing.
  const answerIn = <Answer>(strategy: string, ask: () => Answer): Answer | null => {
    try {
      return ask();
    } catch (error) {
      failedPorts.push({ strategy, outcome: "failed", detail: failureText(error) });
      return null;
    }
  };
  const { fileTracker: track, stateProviders = [] } = ports;
  const tracked = track === undefined ? null : answerIn("file-tracker", () => askTracker(track));
  const told = stateProviders.map((provide, index) => answerIn("state-provider", () => askState(provide, index)));
  return {
    kinds,
    messages: () => view.messages.slice(),
    lastEntryId: view.lastEntryId,
    lastCompaction: view.activeCompactions.at(-1) ?? null,
    modelId: view.modelId,
    isBoundReasoning:
      isBoundReasoning === null || view.boundReasoning === "vendor-drops"
        ? null
        : (part) => isBoundReasoning(part, view.modelId),
    writer: writer ?? null,
    cutEstimator,
    summarizer: ports.summarizer,
    useModel: breaker.failures < policy.progress.maximumFailures,
    recallIndex: recallIndex?.now() ?? null,
    facts: tracked === null ? state.facts : withTrackedFiles(state.facts, tracked),
    kept: { pinned: ports.pinned ?? [], state: told.filter((each) => each !== null), files: policy.facts.files },
    failedPorts,
    beforeCompaction: ports.beforeCompaction ?? null,
    prepared: ports.prepared ?? null,
    deadline,
    work,
    ...gateStateOf(state, setup, fit),
  };
}
