import type { ContextManager, FitInput, Policy } from "@plimsoll/core";
import { createContextManager } from "@plimsoll/core";
import type { WorkCount, WorkCounter } from "@plimsoll/core/build";
import { createWorkCounter } from "@plimsoll/core/build";
import { workBetween } from "@plimsoll/core/internal";
import { longSession } from "./long-session.ts";

/** A session whose window is so large that no gate fires. */
export interface QuietSession {
  readonly manager: ContextManager;
  readonly work: WorkCounter;
  readonly input: FitInput;
}

/** How long a session is; results have the usual length if nothing is said. */
export interface SessionSize {
  readonly messageCount: number;
  readonly resultChars?: number;
}

/** Opens a session of that size; what is pending is one short message. */
export function quietSession(policy: Policy, size: SessionSize): QuietSession {
  const work = createWorkCounter();
  const manager = createContextManager({
    policy,
    summarizer: () => Promise.reject(new Error("no gate fires")),
    entries: longSession(size.messageCount, size.resultChars),
    work,
  });
  const pending = [
    { role: "user", id: "next", origin: "human", parts: [{ type: "text", text: "And now?" }], atMs: null },
  ] as const;
  const model = { contextWindowTokens: 1_000_000_000, maxOutputTokens: 8000 };
  return { manager, work, input: { gate: "before-step", pending, model, nowMs: null } };
}

/** Work of a session at its end. */
export interface WorkAtEnd {
  /** One gate that fires nothing, with a pending message that is new to the session. */
  readonly gate: WorkCount;
  /** One more step: a call, its result and the prediction of the next request. */
  readonly step: WorkCount;
}

/** Measures that on a session of that size. Throws if the gate fired. */
export async function workAtEnd(policy: Policy, size: SessionSize): Promise<WorkAtEnd> {
  const { manager, work, input } = quietSession(policy, size);
  const atGate = work.total();
  const outcome = await manager.fit(input, new AbortController().signal);
  if (outcome.kind !== "unchanged") throw new Error(`the gate fired: ${outcome.kind}`);
  const atStep = work.total();
  for (const entry of longSession(3).slice(2))
    if (entry.type === "message")
      manager.append({ type: "message", message: { ...entry.message, id: `next-${entry.message.id}` } });
  manager.predict();
  return { gate: workBetween(atGate, atStep), step: workBetween(atStep, work.total()) };
}
