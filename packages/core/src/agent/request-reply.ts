import type { FitInput, FitOutcome } from "../engine/fit-input.ts";
import { isPlimsollError, type PlimsollError } from "../error.ts";
import type { JsonValue } from "../json.ts";
import type { Context } from "../message/message.ts";
import type { Policy } from "../policy/policy.ts";
import type { ModelReply } from "../ports.ts";
import type { AgentModel } from "./agent-options.ts";
import type { AgentEventBody } from "./events.ts";
import { DEFAULT_MAX_OUTPUT_TOKENS } from "./output-reserve.ts";

/** What one request needs of the session. */
export interface ReplyRequest {
  readonly model: AgentModel;
  readonly policy: Policy;
  readonly signal: AbortSignal;
  /** The context as it is now; asked again after each recovery. */
  readonly context: () => Promise<Context>;
  /** Compacts at the overflow gate. */
  readonly recover: (facts: Required<Pick<FitInput, "observedLimitTokens" | "recovery">>) => Promise<FitOutcome>;
  /** Logs the size that a rejection named: what was sent measures the context, although nothing came back. */
  readonly measure: (sent: Context, promptTokens: number) => Promise<void>;
  readonly emit: (event: AgentEventBody) => void;
}

/** A reply, and the newest message of the context that it answers. */
export interface Answer {
  readonly reply: ModelReply;
  readonly sent: Context;
}

/**
 * Asks the model, and after a rejection for length lets the policy compact and asks again, as often as the policy allows. Rejects with the
 * provider's error where that did not help.
 */
export async function requestReply(request: ReplyRequest): Promise<Answer> {
  const { policy } = request;
  const maximum = policy.enabled ? policy.overflow.maxRecoveries : 0;
  for (let recovery = 0; ; recovery++) {
    const sent = await request.context();
    try {
      return { reply: await streamed(sent, request), sent };
    } catch (error) {
      if (!isPlimsollError(error, "context-overflow")) throw error;
      const limitTokens = numberIn(error, "limitTokens");
      const isLast = recovery >= maximum;
      const requestedTokens = numberIn(error, "requestedTokens");
      const promptTokens = numberIn(error, "promptTokens");
      if (promptTokens !== null) await request.measure(sent, promptTokens);
      request.emit({ type: "overflow-detected", limitTokens, requestedTokens, recovery: isLast ? 0 : recovery + 1 });
      if (isLast) throw error;
      const outcome = await request.recover({ observedLimitTokens: limitTokens, recovery });
      if (outcome.kind !== "compacted") throw error;
    }
  }
}

async function streamed(context: Context, { model, signal, emit }: ReplyRequest): Promise<ModelReply> {
  const request = {
    context,
    modelId: model.modelId,
    maxOutputTokens: model.limits.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS,
    ...(model.reasoning === undefined ? {} : { reasoning: model.reasoning }),
  };
  for await (const event of model.client.stream(request, signal)) {
    switch (event.type) {
      case "text-delta":
      case "reasoning-delta":
        emit(event);
        break;
      case "tool-call-start":
        break;
      case "retry":
        emit({ type: "request-retry", attempt: event.attempt, class: event.class, waitMs: event.waitMs });
        break;
      case "reply":
        return event.reply;
      default:
        event satisfies never;
    }
  }
  throw new Error("a model client ended without a reply");
}

function numberIn(error: PlimsollError, key: string): number | null {
  const value: JsonValue | undefined = error.details[key];
  return typeof value === "number" ? value : null;
}
