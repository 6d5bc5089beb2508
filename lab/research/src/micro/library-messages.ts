import type { BaseMessage } from "@langchain/core/messages";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { Message, ToolCallPart } from "@plimsoll/core";
import { textOf, toolCallsOf } from "@plimsoll/core";
import type { ToolCallPart as AiSdkCall, ModelMessage } from "ai";
import { longSession } from "./long-session.ts";

/** The messages of a long session. */
export function messagesOf(messageCount: number): readonly Message[] {
  return longSession(messageCount).flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
}

/** The same messages as LangChain has them. */
export function langChainMessages(messages: readonly Message[]): BaseMessage[] {
  return messages.map((message) => {
    const shown = { id: message.id, content: textOf(message) };
    if (message.role === "user") return new HumanMessage(shown);
    if (message.role === "tool-result")
      return new ToolMessage({ ...shown, tool_call_id: message.callId, name: message.toolName });
    const calls = toolCallsOf(message).map((call) => ({ id: call.callId, name: call.toolName, args: argumentsOf(call) }));
    return new AIMessage({ ...shown, tool_calls: calls });
  });
}

/** The same messages as the AI SDK has them. */
export function aiSdkMessages(messages: readonly Message[]): ModelMessage[] {
  return messages.map((message): ModelMessage => {
    const text = textOf(message);
    if (message.role === "user") return { role: "user", content: text };
    if (message.role === "tool-result") {
      const { callId: toolCallId, toolName } = message;
      return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value: text } }] };
    }
    const calls = toolCallsOf(message).map(
      (call): AiSdkCall => ({ type: "tool-call", toolCallId: call.callId, toolName: call.toolName, input: argumentsOf(call) }),
    );
    return { role: "assistant", content: [{ type: "text", text }, ...calls] };
  });
}

function argumentsOf(call: ToolCallPart): Record<string, unknown> {
  return JSON.parse(call.argumentsJson);
}
