import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import { isRecord } from "@plimsoll/core/extend";
import type { AgentMiddleware } from "langchain";
import { numberAt, recordAt, stringAt, textAt } from "../fields.ts";
import { toolSpecsOf } from "../wire/tools.ts";
import type { ArrayRequest } from "./array-compactor.ts";
import { LANGCHAIN_MESSAGES } from "./langchain-messages.ts";
import { type CompactorOptions, vendorHistoryIn } from "./request.ts";
import { createWrapper, type Offered } from "./wrapper.ts";

/** The call of an agent's model, as a middleware is given it. */
type ModelCall = Parameters<NonNullable<AgentMiddleware["wrapModelCall"]>>[0];

/** The symbol by which `createMiddleware` of langchain 1.5.14 marks its own. It is not imported, so that a version without it is refused in words. */
const MIDDLEWARE = Symbol.for("AgentMiddleware");

/** Options of the middleware. */
export interface LangChainOptions extends CompactorOptions {
  /** Names the conversation of a call; by default, or if it returns `null`, the checkpointer's `thread_id` does, and without one the messages identify it. */
  readonly conversation?: (call: ModelCall) => string | null;
}

/** A middleware for `createAgent` that also has some functions of its {@link ArrayCompactor}. */
type LangChainMiddleware = AgentMiddleware & Offered<BaseMessage>;

/**
 * Makes a middleware that calls the model with compacted messages. The agent's state stays whole, also in a checkpointer. If the provider says that a prompt does not
 * fit, it compacts further and sends again, as often as the policy allows; the reply stays the model's own, since no option of a call lowers it for every vendor.
 *
 * @throws PlimsollError `bad-input` if the SDK is installed in an unsupported version.
 */
export function createLangChainMiddleware(options: LangChainOptions): LangChainMiddleware {
  const packages = ["langchain", "@langchain/core"] as const;
  const { compactor, offered, keyOf, noteVendors, hidden } = createWrapper(LANGCHAIN_MESSAGES, packages, options);
  const middleware: AgentMiddleware = {
    name: "PlimsollMiddleware",
    tools: [],
    wrapModelCall: async (call, handler) => {
      const request = requestOf(call, keyOf(call));
      const named = vendorHistoryIn(call.modelSettings) ?? vendorHistoryIn(recordAt(call.model, "modelKwargs"));
      if (named !== null) noteVendors(named, request.conversation);
      const asked = async (messages: BaseMessage[]) => {
        const reply = await handler({ ...call, messages });
        if (reply instanceof AIMessage) return reply;
        throw new TypeError("a model's call ended without a reply");
      };
      return await (named === null ? compactor.send(call.messages, asked, request) : asked(hidden(call.messages)));
    },
  };
  return Object.assign(offered, middleware, { [MIDDLEWARE]: true });
}

function requestOf(call: ModelCall, named: string | null): ArrayRequest<BaseMessage> {
  const key = named ?? stringAt(recordAt(call.runtime, "configurable"), "thread_id");
  const modelId = stringAt(call.model, "model") ?? stringAt(call.model, "modelName");
  const maxOutputTokens = numberAt(call.model, "maxTokens");
  const { signal } = call.runtime;
  return {
    // Versions 1.0 of langchain give only the system text, as `systemPrompt`.
    system: isRecord(call.systemMessage) ? textAt(call.systemMessage, "content") : (stringAt(call, "systemPrompt") ?? ""),
    tools: toolSpecsOf(call.tools.map((tool) => convertToOpenAITool(tool))),
    ...(key === null ? {} : { conversation: key }),
    ...(modelId === null ? {} : { modelId }),
    ...(maxOutputTokens === null || maxOutputTokens <= 0 ? {} : { maxOutputTokens }),
    ...(signal === undefined ? {} : { signal }),
  };
}
