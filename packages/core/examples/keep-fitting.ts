import { createContextManager, createDigest, type Message, PLIMSOLL_POLICY } from "@plimsoll/core";

/** Feeds messages into a session with a small window and returns what would be sent after each. */
export async function keepFitting(messages: readonly Message[]): Promise<readonly number[]> {
  const manager = createContextManager({
    policy: PLIMSOLL_POLICY,
    summarizer: createDigest(), // or a function that asks your model
    onEvent: (event) => {
      if (event.type !== "compaction-end") return;
      const { tokensBefore, tokensAfter, steps } = event.entry.record;
      console.log(`${tokensBefore} → ${tokensAfter} tokens by ${steps.map((step) => step.strategy).join(", ")}`);
    },
  });
  const sizes: number[] = [];
  for (const message of messages) {
    const model = { contextWindowTokens: 8000, maxOutputTokens: 1000 };
    await manager.fit({ gate: "before-submit", pending: [message], model, nowMs: Date.now() }, new AbortController().signal);
    manager.append({ type: "message", message });
    sizes.push(manager.context().messages.length); // manager.context() is what to send
  }
  return sizes;
}
