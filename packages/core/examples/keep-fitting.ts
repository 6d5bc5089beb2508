import { createDigest, createSession, type Message, PLIMSOLL_POLICY } from "@plimsoll/core";

/** Feeds a person's messages into a session with a small window and counts the context's messages after each. */
export async function keepFitting(messages: readonly Message[]): Promise<readonly number[]> {
  const session = createSession({
    policy: PLIMSOLL_POLICY,
    summarizer: createDigest(), // under PLIMSOLL_MODEL_POLICY, a function that asks your model
    nowMs: Date.now,
    onEvent: (event) => {
      if (event.type !== "compaction-end") return;
      console.log(`${event.tokensBefore} → ${event.tokensAfter} tokens by ${event.strategies.join(", ")}`);
    },
  });
  session.append({ type: "setup-change", id: "setup", system: "You mend parsers.", tools: [], atMs: null });
  const counts: number[] = [];
  for (const message of messages) {
    const model = { contextWindowTokens: 8000, maxOutputTokens: 1000 };
    await session.fit({ gate: "before-submit", pending: [message], model }, new AbortController().signal);
    session.append({ type: "message", message });
    counts.push(session.context().messages.length); // session.context() is the context to send
  }
  return counts;
}
