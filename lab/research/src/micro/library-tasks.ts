import type { BaseMessage } from "@langchain/core/messages";
import { getBufferString, trimMessages } from "@langchain/core/messages";
import type { Message, Policy, SessionEntry } from "@plimsoll/core";
import { createContextManager, PI_POLICY } from "@plimsoll/core";
import { createWorkCounter } from "@plimsoll/core/build";

/** LangChain's own text of a list of messages, at four characters a token: its count if a model has no tokenizer. */
export function approximateTokens(messages: readonly BaseMessage[]): number {
  return Math.ceil(getBufferString([...messages]).length / 4);
}

/** What a trim gave, and the characters that were counted for it. */
export interface Trimmed<T> {
  readonly messages: readonly T[];
  readonly charactersCounted: number;
}

/** The newest messages within a number of tokens, from a human message on: `trimMessages` as its documentation sets it up. */
export async function trimmedByLangChain(messages: readonly BaseMessage[], maxTokens: number): Promise<Trimmed<BaseMessage>> {
  let charactersCounted = 0;
  const tokenCounter = (counted: BaseMessage[]) => {
    const text = getBufferString(counted);
    charactersCounted += text.length;
    return Math.ceil(text.length / 4);
  };
  const trimmed = await trimMessages([...messages], { maxTokens, tokenCounter, strategy: "last", startOn: "human" });
  return { messages: trimmed, charactersCounted };
}

const MEASURE = { kind: "chars-per-token", charsPerToken: 4, unit: "utf16-units", rounding: "ceil" } as const;

/** Drops the oldest messages until the rest fits the window by characters / 4, without a model and without a notice. */
const TRIM_POLICY: Policy = {
  ...PI_POLICY,
  name: "trim",
  estimator: { ...MEASURE, perMessageTokens: 0, minimumMessageTokens: 0, imageTokens: 0 },
  cutEstimator: null,
  gates: { at: ["before-step"], countPending: false },
  trigger: { above: { ratio: 1, of: "window" } },
  strategies: [{ kind: "drop-oldest", amount: "until-it-fits", notice: "none" }],
  truncation: null,
  facts: { maxTokens: 0 },
};

/** The same trim by a context manager that is made for it alone: it reads the whole log first, and checks what it hands out. */
export async function trimmedByPlimsoll(entries: readonly SessionEntry[], maxTokens: number): Promise<Trimmed<Message>> {
  const work = createWorkCounter();
  const messages = await fitted(TRIM_POLICY, { entries, windowTokens: maxTokens, work });
  return { messages, charactersCounted: work.total().charactersScanned };
}

/** Results that stay when the others are cleared. */
export const KEPT_RESULTS = 10;

/** Clears all but the newest results whatever they come to. */
export const CLEAR_POLICY: Policy = {
  ...TRIM_POLICY,
  name: "clear",
  trigger: { above: { tokens: 0 } },
  strategies: [{ kind: "clear-tool-results", keepResults: KEPT_RESULTS, clearAtLeastTokens: 0 }],
};

/** Clears all but the newest results, by a context manager that is made for it alone. */
export function clearedByPlimsoll(entries: readonly SessionEntry[]): Promise<readonly Message[]> {
  return fitted(CLEAR_POLICY, { entries, windowTokens: 1_000_000_000, work: createWorkCounter() });
}

interface FitTask {
  readonly entries: readonly SessionEntry[];
  readonly windowTokens: number;
  readonly work: ReturnType<typeof createWorkCounter>;
}

async function fitted(policy: Policy, { entries, windowTokens, work }: FitTask): Promise<readonly Message[]> {
  const summarizer = () => Promise.reject(new Error("nothing is summarised"));
  const manager = createContextManager({ policy, summarizer, entries, work });
  const model = { contextWindowTokens: windowTokens, maxOutputTokens: 0 };
  const outcome = await manager.fit({ gate: "before-step", pending: [], model, nowMs: null }, new AbortController().signal);
  if (outcome.kind !== "compacted") throw new Error(`nothing was cut: ${outcome.kind}`);
  return manager.context().messages;
}
