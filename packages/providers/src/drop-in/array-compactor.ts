import type {
  ArtifactStore,
  ContextListener,
  FitInput,
  Message,
  ModelLimits,
  OutputCategory,
  Policy,
  Recalled,
  RecallRange,
  SessionEntry,
  Summarizer,
} from "@plimsoll/core";
import {
  admitToolResult,
  createContextManager,
  createDigest,
  createMemoryArtifactStore,
  isHuman,
  recallArtifact,
} from "@plimsoll/core";
import { failureOf } from "../client/failure.ts";
import { modelPriors } from "../priors/model-priors.ts";
import type { RequestOverhead } from "./array-log.ts";
import { createArrayLog } from "./array-log.ts";
import type { WireArray } from "./wire-array.ts";

/** What a drop-in is made of. */
export interface CompactorOptions {
  readonly policy: Policy;
  readonly limits: ModelLimits;
  /** Writes the summaries; the deterministic digest, which asks no model, where it is left out. */
  readonly summarizer?: Summarizer;
  readonly onEvent?: ContextListener;
  /** Keeps results that are cut to the policy's cap when they arrive; a store that lives as long as the process where it is left out. */
  readonly artifacts?: ArtifactStore;
  /** What a tool's output looks like, which decides how it is cut; "generic" for all where it is left out. */
  readonly categoryOf?: (toolName: string) => OutputCategory;
}

/** Compacts an array that its caller keeps whole and resends at each call. */
export interface ArrayCompactor<Item, Answer> {
  /** The array to send in place of the whole one. Items that nothing was done to are the caller's own. */
  fit(items: readonly Item[], overhead?: RequestOverhead, signal?: AbortSignal): Promise<Item[]>;
  /** Tells what the newest request measured. */
  observe(answer: Answer): void;
  /**
   * Fits, calls, observes; where the vendor says that the prompt does not fit, compacts further and calls again as often as the policy lets it.
   * Every other error reaches the caller as it came.
   */
  send<Own extends Answer>(
    items: readonly Item[],
    call: (items: Item[]) => PromiseLike<Own>,
    overhead?: RequestOverhead,
  ): Promise<Own>;
  /**
   * The fitted array's next attempt after a failed one: further compacted where the vendor said that the prompt does not fit and the policy lets it;
   * `null` where the failure is the caller's. `recovery` counts the attempts of one request from 0.
   */
  recover(thrown: unknown, recovery: number): Promise<Item[] | null>;
  /** A piece of what a notice's handle names; `null` for an unknown handle. A tool of yours can offer it to the model. */
  recall(handle: string, range: RecallRange): Promise<Recalled | null>;
  /** The session log so far. */
  entries(): readonly SessionEntry[];
}

const NEVER_ABORTED = new AbortController().signal;

/**
 * A compactor over one kind of array. It files the array's messages in a log by chain hash, so that the same array is matched to it at each
 * call, whoever made its objects; an array that was edited or rewound begins a new log. A tool result over the policy's cap is cut
 * when it arrives, as an agent does it: the notice names the handle under which the whole is kept.
 */
export function createArrayCompactor<Item, Answer>(
  wire: WireArray<Item, Answer>,
  options: CompactorOptions,
): ArrayCompactor<Item, Answer> {
  const { policy, limits, summarizer = createDigest(), onEvent, categoryOf = () => "generic" } = options;
  const artifacts = options.artifacts ?? createMemoryArtifactStore();
  const log = createArrayLog(wire, () =>
    createContextManager({ policy, summarizer, modelPriors, ...(onEvent === undefined ? {} : { onEvent }) }),
  );
  const inputAt = (gate: FitInput["gate"], pending: readonly Message[] = []): FitInput => ({
    gate,
    pending,
    model: limits,
    nowMs: null,
  });
  const admit = async (message: Message): Promise<Message> => {
    if (message.role !== "tool-result") return message;
    const category = categoryOf(message.toolName);
    const known = category === message.category ? message : { ...message, category };
    const admitted = await admitToolResult(known, { policy, artifacts });
    // How it is cut matters to later compactions alone: what is whole stays the caller's.
    return admitted.handle === null ? message : admitted.message;
  };
  const fit = async (items: readonly Item[], overhead: RequestOverhead = {}, signal = NEVER_ABORTED): Promise<Item[]> => {
    const fresh = log.take(items, overhead);
    const last = fresh.at(-1);
    const submitted = last !== undefined && isHuman(last) ? [last] : [];
    for (const message of fresh.slice(0, fresh.length - submitted.length)) log.append(message, await admit(message));
    const gate = submitted.length > 0 ? "before-submit" : "after-tool-batch";
    await log.manager().fit(inputAt(gate, submitted), signal);
    for (const message of submitted) log.append(message);
    await log.manager().fit(inputAt("before-step"), signal);
    return log.current();
  };
  const observe = (answer: Answer) => {
    const told = wire.observed(answer);
    if (told !== null) log.report(told);
  };
  const recover = async (thrown: unknown, recovery: number): Promise<Item[] | null> => {
    const { error, class: failureClass } = failureOf(thrown, UNKNOWN_SOURCE);
    if (failureClass !== "context-overflow" || !policy.enabled || recovery >= policy.overflow.maxRecoveries) return null;
    const limit = error.details.limitTokens;
    const observedLimitTokens = typeof limit === "number" ? limit : null;
    const input = { ...inputAt("on-overflow"), observedLimitTokens, recovery };
    const outcome = await log.manager().fit(input, NEVER_ABORTED);
    return outcome.kind === "compacted" ? log.current() : null;
  };
  return {
    fit,
    observe,
    recover,
    recall: async (handle, range) => log.manager().recall(handle, range) ?? (await recallArtifact(handle, range, artifacts)),
    entries: () => log.manager().entries(),
    send: async (items, call, overhead) => {
      let sent = await fit(items, overhead);
      for (let recovery = 0; ; recovery++) {
        try {
          const answer = await call(sent);
          observe(answer);
          return answer;
        } catch (error) {
          // An overflow is the engine's to mend; what it cannot mend, and everything else, is the caller's.
          const next = await recover(error, recovery);
          if (next === null) throw error;
          sent = next;
        }
      }
    },
  };
}

/** The caller's client has the key; only the failure's class is used. The text is one that no message holds. */
const UNKNOWN_SOURCE = { provider: "provider", key: "\u0000" } as const;
