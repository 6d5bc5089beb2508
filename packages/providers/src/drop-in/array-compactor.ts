import type { ContextListener, FitInput, Message, ModelLimits, Policy, SessionEntry, Summarizer } from "@plimsoll/core";
import { createContextManager, createDigest, isHuman } from "@plimsoll/core";
import { failureOf } from "../client/failure.ts";
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
  send(items: readonly Item[], call: (items: Item[]) => Promise<Answer>, overhead?: RequestOverhead): Promise<Answer>;
  /** The session log so far. */
  entries(): readonly SessionEntry[];
}

const NEVER_ABORTED = new AbortController().signal;

/**
 * A compactor over one kind of array. It files the array's messages in a log by chain hash, so that the same array is matched to it at each
 * call, whoever made its objects; an array that was edited or rewound begins a new log.
 */
export function createArrayCompactor<Item, Answer>(
  wire: WireArray<Item, Answer>,
  { policy, limits, summarizer = createDigest(), onEvent }: CompactorOptions,
): ArrayCompactor<Item, Answer> {
  const log = createArrayLog(wire, () =>
    createContextManager({ policy, summarizer, ...(onEvent === undefined ? {} : { onEvent }) }),
  );
  const inputAt = (gate: FitInput["gate"], pending: readonly Message[] = []): FitInput => ({
    gate,
    pending,
    model: limits,
    nowMs: null,
  });
  const fit = async (items: readonly Item[], overhead: RequestOverhead = {}, signal = NEVER_ABORTED): Promise<Item[]> => {
    const fresh = log.take(items, overhead);
    const last = fresh.at(-1);
    const submitted = last !== undefined && isHuman(last) ? [last] : [];
    for (const message of fresh.slice(0, fresh.length - submitted.length)) log.append(message);
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
  const recovers = async (thrown: unknown, recovery: number): Promise<boolean> => {
    const { error, class: failureClass } = failureOf(thrown, UNKNOWN_SOURCE);
    if (failureClass !== "context-overflow" || !policy.enabled || recovery >= policy.overflow.maxRecoveries) return false;
    const limit = error.details.limitTokens;
    const observedLimitTokens = typeof limit === "number" ? limit : null;
    const input = { ...inputAt("on-overflow"), observedLimitTokens, recovery };
    return (await log.manager().fit(input, NEVER_ABORTED)).kind === "compacted";
  };
  return {
    fit,
    observe,
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
          if (!(await recovers(error, recovery))) throw error;
          sent = log.current();
        }
      }
    },
  };
}

/** The caller's client has the key; only the failure's class is used. The text is one that no message holds. */
const UNKNOWN_SOURCE = { provider: "provider", key: "\u0000" } as const;
