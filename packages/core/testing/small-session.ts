import type { FitInput, FitOutcome } from "../src/engine/fit-input.ts";
import type { CompactionRecord } from "../src/entry.ts";
import { type Message, textOf } from "../src/message/message.ts";
import type { Policy } from "../src/policy/policy.ts";
import { SVEN_POLICY } from "../src/policy/presets/sven.ts";
import type { Summarizer, SummaryRequest } from "../src/ports.ts";
import type { ContextEvent } from "../src/session/events.ts";
import { createSession } from "../src/session/open-session.ts";
import type { Session, SessionOptions } from "../src/session/session.ts";
import { human, logOf, reply } from "../src/testing/builders.ts";

/** One summary by the model from 8,000 tokens on, six messages kept, at one gate. */
export const SMALL_POLICY: Policy = {
  ...SVEN_POLICY,
  emergency: null,
  gates: { at: ["before-step"], countPending: false },
  trigger: { atLeast: { tokens: 8000 } },
  keep: [{ kind: "recent", messages: 6 }],
  strategies: [{ kind: "summarize", writer: "model", boundary: "any-safe", promptId: "structured", turnPrefixPromptId: null }],
  facts: { maxTokens: 1000 },
};
/** The window of small sessions. */
export const SMALL_WINDOW = { contextWindowTokens: 10_000, maxOutputTokens: null } as const;

/** That many tokens by sven's estimate: four bytes each. */
export const words: (tokens: number) => string = (tokens: number) => "word".repeat(tokens);
/** Turns of 500 tokens a message. */
export const turns: (count: number, first?: number) => readonly Message[] = (count, first = 0) =>
  Array.from({ length: count }, (_, index) => [
    human(`u${first + index}`, words(500)),
    reply(`a${first + index}`, words(500)),
  ]).flat();

/** A session on the shipped engine, and its results. */
export interface SmallSession {
  readonly manager: Session;
  readonly events: ContextEvent[];
  readonly asked: SummaryRequest[];
  readonly fit: (more?: Partial<FitInput>) => Promise<FitOutcome>;
  readonly append: (...messages: readonly Message[]) => void;
  readonly ids: () => readonly string[];
  /** Text of the newest summary or notice, facts included. */
  readonly written: () => string;
}

/** Opens a session over the messages, under {@link SMALL_POLICY} if nothing else is said; `answer` writes the summaries. */
export function smallSession(
  messages: readonly Message[],
  options: Partial<SessionOptions> & { answer?: (call: number) => Promise<string> } = {},
): SmallSession {
  const { answer = () => Promise.resolve("what happened"), ...rest } = options;
  const events: ContextEvent[] = [];
  const asked: SummaryRequest[] = [];
  const summarizer: Summarizer = async (request) => {
    asked.push(request);
    return { text: await answer(asked.length), usage: null, stopReason: "end" };
  };
  const manager = createSession({
    policy: SMALL_POLICY,
    summarizer,
    entries: logOf(messages),
    onEvent: (event) => events.push(event),
    ...rest,
  });
  const made = (message: Message) =>
    message.role !== "tool-result" && (message.origin === "summary" || message.origin === "notice");
  return {
    manager,
    events,
    asked,
    fit: (more = {}) =>
      manager.fit(
        { gate: "before-step", pending: [], model: SMALL_WINDOW, nowMs: null, ...more },
        new AbortController().signal,
      ),
    append: (...more) => {
      for (const message of more) manager.append({ type: "message", message });
    },
    ids: () => manager.context().messages.map((message) => message.id),
    written: () => manager.context().messages.filter(made).map(textOf).join("\n\n"),
  };
}

/** The record of a compaction; `null` if there was none. */
export function recordOf(outcome: FitOutcome): CompactionRecord | null {
  return outcome.entry?.record ?? null;
}

/** Shows each step of an outcome as `strategy outcome`. */
export function stepsOf(outcome: FitOutcome): readonly string[] {
  const steps = recordOf(outcome)?.steps ?? (outcome.kind === "failed" ? outcome.steps : []);
  return steps.map(({ strategy, outcome: came }) => `${strategy} ${came}`);
}
