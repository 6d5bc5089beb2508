import type { Policy } from "@plimsoll/core";
import { createContextManager, createDigest } from "@plimsoll/core";
import type { Comparison } from "./comparison.ts";
import { longSession } from "./long-session.ts";

/** A person waits for the fit that cuts: it ranks what is indexed and reads no text again but what it quotes. */
export function cutOf(policy: Policy, messageCount: number): Comparison {
  const { signal } = new AbortController();
  const entries = longSession(messageCount);
  const messages = entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  const manager = createContextManager({ policy, summarizer: createDigest(), entries });
  const model = { contextWindowTokens: 128_000, maxOutputTokens: 8_000 };
  const now = { reason: "manual", keep: null } as const;
  return {
    slow: `${policy.name}: the fit that cuts ${messageCount} messages`,
    fast: "JSON.stringify of them",
    runSlow: async () => {
      const { kind } = await manager.fit({ gate: "before-step", pending: [], model, nowMs: null, now }, signal);
      if (kind !== "compacted") throw new Error(`nothing was cut: ${kind}`);
    },
    runFast: () => JSON.stringify(messages),
    restore: () => manager.revert(null),
    unlike: "the fit plans, digests and recalls; the goal is at most three times as long",
  };
}
