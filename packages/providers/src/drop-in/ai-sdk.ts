import type { ModelMessage } from "ai";

export { createCompactionMiddleware } from "./ai-sdk-middleware.ts";

/** The part of the results of `generateText` and `streamText` that is used, in versions 6 and 7 of the SDK. */
interface FinishedCall {
  readonly response: Told<{ readonly messages: readonly ModelMessage[] }>;
  /** All messages of the call, as version 7 reports them; its `response` has only the last step's. */
  readonly responseMessages?: Told<readonly ModelMessage[]>;
}

type Told<Value> = Value | PromiseLike<Value>;

/** Returns every message that a call added, including tool calls and results, for you to append to your array. For versions 6 and 7 of the SDK. */
export async function responseMessagesOf(call: FinishedCall): Promise<readonly ModelMessage[]> {
  return (await call.responseMessages) ?? (await call.response).messages;
}
