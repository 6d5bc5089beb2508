import { isPlimsollError, type ModelClient, type ModelReply, type ModelRequest, PlimsollError, usageOf } from "@plimsoll/core";
import { type Cassette, cassetteKey, NO_USAGE, type RecordedAnswer } from "./cassette.ts";

/** The cassette that a client plays from and records to. */
export interface RecordingOptions {
  readonly host: string;
  readonly cassette: Cassette;
  /** Answers requests that the cassette does not hold. Rejects to end the replay. */
  readonly ask: (request: ModelRequest, signal: AbortSignal) => Promise<RecordedAnswer>;
  /** Called for every answer; `wasThere`: the cassette had it already. */
  readonly onAnswer: (request: ModelRequest, answer: RecordedAnswer, wasThere: boolean) => void;
}

/**
 * A model client that answers from a cassette, and asks the model only for missing answers. A model's answers are kept, also an empty one or an
 * overflow of its window: the same run gives the same result with and without the provider.
 *
 * @throws PlimsollError `summary-failed` for an answer that was none, `context-overflow` for a request that did not fit.
 */
export function recordingClient({ host, cassette, ask, onAnswer }: RecordingOptions): ModelClient {
  return {
    complete: async (request, signal) => {
      const key = cassetteKey(host, request);
      const there = await cassette.read(key);
      const answer = there ?? (await ask(request, signal));
      onAnswer(request, answer, there !== null);
      return replyOf(key, request, answer);
    },
    stream: () => {
      throw new Error("summaries are not streamed");
    },
  };
}

/** Asks a provider and keeps its answer. Failures that another attempt could mend are not kept and reject. */
export function askAndKeep(
  client: ModelClient,
  { host, cassette }: Pick<RecordingOptions, "host" | "cassette">,
): RecordingOptions["ask"] {
  return async (request, signal) => {
    const answer = await client.complete(request, signal).then(answerOf, answerOfFailure);
    return await cassette.keep(cassetteKey(host, request), answer);
  };
}

function answerOf({ draft, stopReason, usage }: ModelReply): RecordedAnswer {
  return {
    outcome: "reply",
    text: draft.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"),
    stopReason,
    callsTool: draft.parts.some(({ type }) => type === "tool-call"),
    usage: {
      inputTokens: usage.input.totalTokens,
      cacheReadTokens: usage.input.cacheReadTokens,
      cacheWriteTokens: usage.input.cacheWriteTokens,
      outputTokens: usage.output.totalTokens,
    },
  };
}

/** Turns a failure into an answer if the same request would meet it again; any other failure is not the model's. */
function answerOfFailure(error: unknown): RecordedAnswer {
  if (isPlimsollError(error, "context-overflow")) return noReply("overflow");
  if (isPlimsollError(error, "provider-failed") && error.details.reason === "empty-reply") return noReply("empty");
  throw error;
}

function noReply(outcome: "empty" | "overflow"): RecordedAnswer {
  return { outcome, text: "", stopReason: "error", callsTool: false, usage: NO_USAGE };
}

function replyOf(key: string, { modelId }: ModelRequest, answer: RecordedAnswer): ModelReply {
  if (answer.outcome === "empty") throw new PlimsollError("summary-failed", "the model's reply was empty");
  if (answer.outcome === "overflow") throw new PlimsollError("context-overflow", "the request for a summary does not fit");
  const { text, stopReason, callsTool, usage } = answer;
  const call = { type: "tool-call", callId: key, toolName: "", argumentsJson: "{}", paths: [] } as const;
  return {
    requestId: key,
    draft: {
      role: "assistant",
      origin: "model",
      parts: [{ type: "text", text }, ...(callsTool ? [call] : [])],
      modelId,
      requestId: key,
      stopReason,
      atMs: null,
    },
    stopReason,
    usage: usageOf({
      totalInputTokens: usage.inputTokens,
      cacheReadTokens: usage.cacheReadTokens,
      cacheWriteTokens: usage.cacheWriteTokens,
      outputTokens: usage.outputTokens,
    }),
  };
}
