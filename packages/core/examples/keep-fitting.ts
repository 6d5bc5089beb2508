import { createDigest, createSession, type Message, PLIMSOLL_POLICY } from "@plimsoll/core";

/** Feeds messages into a session with a small window and returns the context's size after each. */
export async function keepFitting(messages: readonly Message[]): Promise<readonly number[]> {
  const session = createSession({
    policy: PLIMSOLL_POLICY,
    summarizer: createDigest(), // or a function that asks your model
    nowMs: Date.now,
    onEvent: (event) => {
      if (event.type !== "compaction-end") return;
      const { tokensBefore, tokensAfter, steps } = event.entry.record;
      console.log(`${tokensBefore} → ${tokensAfter} tokens by ${steps.map((step) => step.strategy).join(", ")}`);
    },
  });
  const sizes: number[] = [];
  for (const message of messages) {
    const model = { contextWindowTokens: 8000, maxOutputTokens: 1000 };
    await session.fit({ gate: "before-submit", pending: [message], model }, new AbortController().signal);
    session.append({ type: "message", message });
    sizes.push(session.context().messages.length); // session.context() is the context to send
  }
  return sizes;
}
