import { PlimsollError } from "../error.ts";
import type { AssistantMessage, StopReason } from "../message/message.ts";
import type { ModelClient, ModelReply, ModelRequest } from "../ports.ts";
import { usageOf } from "../usage.ts";

/** An answer of a scripted model: text and tool calls, an error that it rejects with, or `hang` for no answer until the caller aborts. */
export type ScriptedReply =
  | {
      readonly text?: string;
      readonly calls?: readonly ScriptedCall[];
      readonly promptTokens?: number;
      readonly stopReason?: StopReason;
    }
  | { readonly error: PlimsollError }
  | "hang";

/** A call that a scripted model makes. */
interface ScriptedCall {
  readonly callId: string;
  readonly toolName: string;
  readonly argumentsJson: string;
}

/** A model that answers by a script and keeps its requests. */
interface ScriptedModel {
  readonly client: ModelClient;
  readonly requests: () => readonly ModelRequest[];
}

/** Makes a model for tests; `answer` gets each request and its index from 0. Unless it gives `promptTokens`, they are a quarter of the messages' characters. */
export function scriptedModel(answer: (request: ModelRequest, index: number) => ScriptedReply): ScriptedModel {
  const requests: ModelRequest[] = [];
  const reply = async (request: ModelRequest, signal: AbortSignal): Promise<ModelReply> => {
    const index = requests.length;
    requests.push(request);
    const scripted = answer(request, index);
    if (scripted === "hang") return await aborted(signal);
    if ("error" in scripted) throw scripted.error;
    return replyOf(request, index, scripted);
  };
  return {
    requests: () => requests,
    client: {
      complete: reply,
      stream: async function* (request, signal) {
        const whole = await reply(request, signal);
        for (const part of whole.draft.parts) if (part.type === "text") yield { type: "text-delta", text: part.text };
        yield { type: "reply", reply: whole };
      },
    },
  };
}

function replyOf(
  request: ModelRequest,
  index: number,
  scripted: Exclude<ScriptedReply, "hang" | { error: unknown }>,
): ModelReply {
  const { text = "", calls = [] } = scripted;
  const requestId = `request-${index}`;
  const stopReason = scripted.stopReason ?? (calls.length > 0 ? "tool-calls" : "end");
  const draft: Omit<AssistantMessage, "id"> = {
    role: "assistant",
    origin: "model",
    parts: [
      ...(text === "" ? [] : [{ type: "text", text } as const]),
      ...calls.map((call) => ({ type: "tool-call", paths: [], ...call }) as const),
    ],
    modelId: request.modelId,
    requestId,
    stopReason,
    atMs: null,
  };
  const promptTokens = scripted.promptTokens ?? Math.ceil(JSON.stringify(request.context.messages).length / 4);
  const usage = usageOf({ totalInputTokens: promptTokens, outputTokens: Math.ceil(text.length / 4) });
  return { requestId, draft, stopReason, usage };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(new PlimsollError("aborted", "the request was aborted"));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}
