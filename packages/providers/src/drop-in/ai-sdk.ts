import { usageOf } from "@plimsoll/core";
import type { ModelMessage } from "ai";
import { jsonValueOf, numberAt, recordAt, stringAt } from "../fields.ts";
import type { CompactorOptions } from "./array-compactor.ts";
import { createArrayCompactor } from "./array-compactor.ts";
import type { RequestOverhead } from "./array-log.ts";
import { MODEL_MESSAGES } from "./model-messages.ts";
import type { WireArray } from "./wire-array.ts";

export type { CompactionMiddleware } from "./ai-sdk-middleware.ts";
export { createCompactionMiddleware } from "./ai-sdk-middleware.ts";
export type { CompactorOptions } from "./array-compactor.ts";
export type { RequestOverhead } from "./array-log.ts";

/** The part of the SDK's `PrepareStepFunction` that is used; it fits agents with any tools. */
export type PrepareStep = (step: {
  readonly steps: readonly unknown[];
  readonly messages: ModelMessage[];
}) => Promise<{ messages: ModelMessage[] }>;

/**
 * A `prepareStep` that sends a compacted array in place of the whole one. It learns from the usage of the steps before; an overflow that the
 * provider reports reaches the caller, since a step cannot be sent again from here: where that may happen, wrap the model with
 * `createCompactionMiddleware` instead.
 */
export function createPrepareStep(options: CompactorOptions, overhead: RequestOverhead = {}): PrepareStep {
  const compactor = createArrayCompactor(STEPS, options);
  let observedSteps = 0;
  return async ({ steps, messages }) => {
    const last = steps.at(-1);
    if (steps.length < observedSteps) observedSteps = 0;
    if (last !== undefined && steps.length > observedSteps) compactor.observe(last);
    observedSteps = steps.length;
    return { messages: await compactor.fit(messages, overhead) };
  };
}

/** The arrays of an agent's steps, and what its steps tell of usage. */
const STEPS: WireArray<ModelMessage, unknown> = {
  ...MODEL_MESSAGES,
  observed: (step) => {
    const usage = recordAt(step, "usage");
    const details = recordAt(usage, "inputTokenDetails");
    const response = recordAt(step, "response");
    return {
      requestId: stringAt(response, "id") ?? "",
      modelId: stringAt(response, "modelId") ?? "",
      usage: usageOf({
        totalInputTokens: numberAt(usage, "inputTokens"),
        uncachedTokens: numberAt(details, "noCacheTokens"),
        cacheReadTokens: numberAt(details, "cacheReadTokens"),
        cacheWriteTokens: numberAt(details, "cacheWriteTokens"),
        outputTokens: numberAt(usage, "outputTokens"),
        reasoningTokens: numberAt(recordAt(usage, "outputTokenDetails"), "reasoningTokens"),
        raw: jsonValueOf(usage),
      }),
    };
  },
};
