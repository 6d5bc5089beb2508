import type Anthropic from "@anthropic-ai/sdk";
import type { ContextEvent, Policy, Summarizer } from "@plimsoll/core";
import { createAnthropicSession } from "@plimsoll/providers/anthropic";
import { READ_PAGE, readPage } from "./read-page-tool.ts";
import { type Store, saidIn } from "./said.ts";

/** The parts of the service. */
export interface ServiceParts {
  readonly store: Store;
  readonly client: Anthropic;
  readonly summarizer: Summarizer;
  readonly policy: Policy;
  readonly modelId: string;
  /** The model's window in tokens; `null` for the one that the catalogue knows. */
  readonly windowTokens: number | null;
}

/** A message of a person. Its number, counted from 1, makes sending it again harmless. */
export interface PersonsMessage {
  readonly conversationId: string;
  readonly number: number;
  readonly text: string;
}

/** Events that a client gets while its message is answered. */
export type Told =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool"; readonly name: string }
  | { readonly type: "compacted"; readonly tokensBefore: number | null; readonly tokensAfter: number | null };

/** How it ended. `number` is the one that the conversation waits for, if it was another one. */
export type Answered =
  | { readonly kind: "done"; readonly text: string }
  | { readonly kind: "wrong-number"; readonly number: number }
  | { readonly kind: "too-many-steps" };

/** Model calls for one message at most, against loops that never end. Chosen. */
const MAXIMUM_STEPS = 50;
const MAXIMUM_REPLY_TOKENS = 2_000;

/**
 * Answers a message, or repeats an earlier answer. A replica that died left everything up to its last entry: the message and some of its steps may be in
 * the log; logged parts are not asked for again.
 *
 * @throws PlimsollError `session-conflict` while another replica has the conversation.
 */
export async function answerMessage(
  parts: ServiceParts,
  { conversationId, number, text }: PersonsMessage,
  { tell, signal }: { readonly tell: (told: Told) => void; readonly signal: AbortSignal },
): Promise<Answered> {
  const { store, client } = parts;
  const session = await openSession(parts, conversationId, tell);
  try {
    const said = await saidIn(store.sessions, conversationId, number);
    if (said.answer !== null) return { kind: "done", text: said.answer };
    if (number !== said.count && number !== said.count + 1) return { kind: "wrong-number", number: said.count + 1 };
    if (number === said.count + 1) session.user(text);
    for (let step = 0; step < MAXIMUM_STEPS; step++) {
      const reply = await session.send((request) => {
        // The SDK leaves its listener on the signal that it is given.
        const stream = client.messages.stream(request, { signal: AbortSignal.any([signal]) });
        stream.on("text", (delta) => tell({ type: "text", text: delta }));
        return stream.finalMessage();
      }, signal);
      if (session.calls.length === 0)
        return { kind: "done", text: reply.content.map((block) => (block.type === "text" ? block.text : "")).join("") };
      for (const { callId, toolName, argumentsJson } of session.calls) {
        tell({ type: "tool", name: toolName });
        session.result(callId, readPage(argumentsJson));
      }
    }
    return { kind: "too-many-steps" };
  } finally {
    await session.close();
  }
}

function openSession(parts: ServiceParts, sessionId: string, tell: (told: Told) => void) {
  const { store, summarizer, policy, modelId, windowTokens } = parts;
  const onEvent = (event: ContextEvent) => {
    if (event.type !== "compaction-end") return;
    const { tokensBefore, tokensAfter } = event.entry.record;
    tell({ type: "compacted", tokensBefore, tokensAfter });
  };
  return createAnthropicSession({
    policy,
    summarizer,
    sessionId,
    sessions: store.sessions,
    artifacts: store.artifacts,
    system: "You answer questions about the handbook.",
    request: { model: modelId, max_tokens: MAXIMUM_REPLY_TOKENS, tools: [READ_PAGE] },
    onEvent,
    ...(windowTokens === null ? {} : { limits: { contextWindowTokens: windowTokens, maxOutputTokens: MAXIMUM_REPLY_TOKENS } }),
  });
}
