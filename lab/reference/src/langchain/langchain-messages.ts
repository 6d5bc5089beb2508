import type { AssistantMessage, Message, ToolResultMessage } from "@plimsoll/core";
import { toolCallsOf } from "@plimsoll/core";
import { argumentsOf } from "../call-arguments.ts";
import { createEdits, writtenMessage } from "../edited.ts";
import type { LangChainCall, LangChainMessage, LangChainModule } from "./langchain-module.ts";

/** The messages of a session in LangChain's form and back: a message that nobody edits is the same object on both sides. */
export interface LangChainMessages {
  of(message: Message): LangChainMessage;
  /** The message of ours that one of LangChain's stands for; what the program wrote itself is a summary. */
  oursOf(message: LangChainMessage, nowMs: number | null): Message;
}

/** Translates the messages of one session. */
export function createLangChainMessages(module: LangChainModule): LangChainMessages {
  const theirs = new Map<Message, LangChainMessage>();
  const ours = new Map<LangChainMessage, Message>();
  const edits = createEdits();
  const joined = (own: Message, other: LangChainMessage) => {
    theirs.set(own, other);
    ours.set(other, own);
  };
  const results = new Map<string, ToolResultMessage>();
  const replies = new Map<string, AssistantMessage>();
  const remember = (own: Message) => {
    if (own.role === "tool-result") results.set(own.callId, own);
    if (own.role === "assistant") for (const { callId } of toolCallsOf(own)) replies.set(callId, own);
  };
  const original = ({ type, tool_call_id: callId, tool_calls: calls }: LangChainMessage) =>
    type === "tool" ? results.get(callId ?? "") : type === "ai" ? replies.get(calls?.[0]?.id ?? "") : undefined;
  return {
    of: (message) => {
      const known = theirs.get(message);
      if (known !== undefined) return known;
      const made = langChainMessage(message, module);
      joined(message, made);
      remember(message);
      return made;
    },
    oursOf: (message, nowMs) => {
      const known = ours.get(message);
      if (known !== undefined) return known;
      const base = original(message);
      const made =
        base === undefined
          ? writtenMessage(shownText(message), { id: `langchain-summary-${ours.size}`, nowMs })
          : base.role === "tool-result"
            ? edits.withText(base, shownText(message))
            : edits.once(base, JSON.stringify(message.tool_calls), () => withArguments(base, message.tool_calls ?? []));
      // The same edit is made anew at each call: it stays the message that was sent before.
      ours.set(message, made);
      if (!theirs.has(made)) theirs.set(made, message);
      return made;
    },
  };
}

function withArguments(message: AssistantMessage, calls: readonly LangChainCall[]): AssistantMessage {
  return {
    ...message,
    parts: message.parts.map((part) => {
      const call = part.type === "tool-call" ? calls.find(({ id }) => id === part.callId) : undefined;
      return part.type === "tool-call" && call !== undefined ? { ...part, argumentsJson: JSON.stringify(call.args) } : part;
    }),
  };
}

/** The text blocks of a message, as LangChain shows them. */
export function shownText({ content }: LangChainMessage): string {
  if (typeof content === "string") return content;
  const blocks: readonly { readonly text?: unknown }[] = Array.isArray(content) ? content : [];
  return blocks.map(({ text }) => (typeof text === "string" ? text : "")).join("");
}

function langChainMessage(message: Message, { HumanMessage, AIMessage, ToolMessage }: LangChainModule): LangChainMessage {
  const { id } = message;
  switch (message.role) {
    case "user":
      return new HumanMessage({
        id,
        content: contentOf(message),
        ...(message.origin === "summary" ? { additional_kwargs: { lc_source: "summarization" } } : {}),
      });
    case "assistant":
      return new AIMessage({
        id,
        content: contentOf(message),
        tool_calls: toolCallsOf(message).map(({ callId, toolName, argumentsJson }) => ({
          id: callId,
          name: toolName,
          args: argumentsOf(argumentsJson),
          type: "tool_call",
        })),
      });
    case "tool-result":
      return new ToolMessage({
        id,
        content: contentOf(message),
        tool_call_id: message.callId,
        name: message.toolName,
        status: message.isError ? "error" : "success",
      });
    default:
      return message satisfies never;
  }
}

/** One text is a string, as the program's own parts make it; anything else is blocks. */
function contentOf({ parts }: Message): string | readonly object[] {
  const shown = parts.filter(({ type }) => type !== "tool-call");
  const [only] = shown;
  if (only === undefined) return "";
  if (shown.length === 1 && only.type === "text") return only.text;
  return shown.map((part) => {
    if (part.type === "text") return { type: "text", text: part.text };
    if (part.type === "reasoning") return { type: "reasoning", reasoning: part.text };
    return { type: "image_url", image_url: { url: "" } };
  });
}
