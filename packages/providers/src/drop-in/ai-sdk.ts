import { usageOf } from "@plimsoll/core";
import type { LanguageModel, ModelMessage } from "ai";
import { refuseUnsupported } from "../client/supported.ts";
import { jsonValueOf, numberAt, recordAt, stringAt } from "../fields.ts";
import type { ArrayCompactor, ArrayRequest } from "./array-compactor.ts";
import { createArrayCompactor } from "./array-compactor.ts";
import type { CompactorOptions } from "./compactor-options.ts";
import { limitsWithMargin, withMargin } from "./compactor-options.ts";
import { MODEL_MESSAGES, stepsFor } from "./model-messages.ts";
import { createSentArrays } from "./sent-arrays.ts";
import type { WireArray } from "./wire-array.ts";

export { createCompactionMiddleware } from "./ai-sdk-middleware.ts";

/** The step that is prepared: the part of the SDK's own type that is used, so that it fits agents with any tools. */
interface PreparedStep {
  readonly steps: readonly unknown[];
  readonly messages: ModelMessage[];
  readonly model?: LanguageModel;
  /** The agent's own context, as the SDK's version 6 calls it. */
  readonly experimental_context?: unknown;
  /** The agent's own context, as the SDK's version 7 calls it. */
  readonly runtimeContext?: unknown;
}

/** The part of the SDK's `PrepareStepFunction` that is used. */
type PrepareStep = (step: PreparedStep) => Promise<{ messages: ModelMessage[] }>;

/** A `prepareStep` with what its compactor also offers. */
type CompactionPrepareStep = PrepareStep &
  Pick<ArrayCompactor<ModelMessage, unknown>, "recall" | "conversations" | "delete" | "close">;

/** Options of `prepareStep`. */
interface PrepareStepOptions extends CompactorOptions {
  /** Which conversation a step is of: a user's or a thread's id. Without it the history tells. */
  readonly conversation?: (step: PreparedStep) => string;
}

/**
 * A `prepareStep` that sends a compacted array in place of the whole one; one serves any number of agents at once. It learns from the usage
 * of the steps before and leaves a fiftieth of the window free. An overflow that the provider reports reaches the caller, since a step cannot be sent again from here: if that may
 * happen, wrap the model with `createCompactionMiddleware` instead.
 */
export function createPrepareStep(
  { conversation, ...options }: PrepareStepOptions,
  request: Pick<ArrayRequest<unknown>, "system" | "tools" | "limits" | "maxOutputTokens" | "signal"> = {},
): CompactionPrepareStep {
  refuseUnsupported("ai");
  const compactor = createArrayCompactor(STEPS, { ...options, limits: limitsWithMargin(options.limits) });
  const limits = request.limits === undefined ? {} : { limits: withMargin(request.limits) };
  const sent = createSentArrays<ModelMessage>();
  const prepareStep: PrepareStep = async (step) => {
    const answer = step.steps.at(-1);
    const of = conversation === undefined ? {} : { conversation: conversation(step) };
    const asks = step.model === undefined ? {} : { modelId: modelIdOf(step.model) };
    const facts = { ...request, ...limits, ...asks, ...of, ...(answer === undefined ? {} : { answer }) };
    const whole = sent.wholeOf(step.messages);
    const fitted = await compactor.fit(whole, facts);
    const messages = step.model === undefined ? fitted : [...stepsFor(providerOf(step.model), fitted)];
    sent.remember(messages, whole);
    return { messages };
  };
  const { recall, conversations, close } = compactor;
  return Object.assign(prepareStep, { recall, conversations, delete: compactor.delete, close });
}

/** The fields that are read of a result of `generateText` or `streamText`, in versions 6 and 7 of the SDK. */
interface FinishedCall {
  readonly response: Told<{ readonly messages: readonly ModelMessage[] }>;
  /** All messages of the call, as version 7 tells them; its `response` has the last step's alone. */
  readonly responseMessages?: Told<readonly ModelMessage[]>;
}

type Told<Value> = Value | PromiseLike<Value>;

/** Every message that a call added, its tool calls and their results too: what an agent appends to its array, in versions 6 and 7 of the SDK. */
export async function responseMessagesOf(call: FinishedCall): Promise<readonly ModelMessage[]> {
  return (await call.responseMessages) ?? (await call.response).messages;
}

function modelIdOf(model: LanguageModel): string {
  return typeof model === "string" ? model : model.modelId;
}

/** A model that is named by its id alone is asked for through a gateway, whose ids begin with the provider's name. */
function providerOf(model: LanguageModel): string {
  return typeof model === "string" ? model.replace("/", ".") : model.provider;
}

/** The arrays of an agent's steps, and what its steps tell of usage. */
const STEPS: WireArray<ModelMessage, unknown> = {
  ...MODEL_MESSAGES,
  observed: (step) => {
    const usage = recordAt(step, "usage");
    const details = recordAt(usage, "inputTokenDetails");
    const response = recordAt(step, "response");
    const timestamp = response?.timestamp;
    return {
      // A step is told of when the next one begins: what lies between is a pause.
      ...(timestamp instanceof Date ? { atMs: timestamp.getTime() } : {}),
      requestId: stringAt(response, "id") ?? "",
      modelId: stringAt(response, "modelId") ?? "",
      usage: usageOf({
        totalInputTokens: numberAt(usage, "inputTokens"),
        uncachedTokens: numberAt(details, "noCacheTokens"),
        cacheReadTokens: numberAt(details, "cacheReadTokens"),
        cacheWriteTokens: numberAt(details, "cacheWriteTokens"),
        cacheWriteOneHourTokens: numberAt(recordAt(recordAt(usage, "raw"), "cache_creation"), "ephemeral_1h_input_tokens"),
        outputTokens: numberAt(usage, "outputTokens"),
        reasoningTokens: numberAt(recordAt(usage, "outputTokenDetails"), "reasoningTokens"),
        raw: jsonValueOf(usage),
      }),
    };
  },
};
