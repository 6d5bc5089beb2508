import { UNREPORTED_USAGE, type Usage } from "@plimsoll/core";
import type { ToolTable } from "@plimsoll/core/extend";
import { openAiUsage } from "@plimsoll/providers";
import { contentParts } from "../content-parts.ts";
import { documentImporter, headMessages, listSessions, type MessageList } from "../document.ts";
import { type Fields, parseRecord, recordAt, recordsAt, stringAt } from "../fields.ts";
import type { Importer } from "../importer.ts";
import {
  type CallDraft,
  callDraft,
  callIdChain,
  type LogItem,
  type ReplyPart,
  replyItem,
  resultItem,
  textPart,
  unreadItem,
  userItem,
} from "../log-items.ts";

const ROLES: readonly unknown[] = ["system", "developer", "user", "assistant", "tool", "function"];

/** Message lists in the form of Chat Completions: an array, a request, or one message a line. */
export const openAiChatImporter: Importer = documentImporter({
  format: "openai-chat",
  description: "Message list of OpenAI Chat Completions: [messages] or {messages, tools, model}",
  recognises: (head) => {
    const messages = headMessages(head);
    const isOfForm = ({ role, parts }: Fields) => typeof role === "string" && parts === undefined;
    return messages.some(({ role }) => ROLES.includes(role)) && messages.every(isOfForm);
  },
  sessions: (documents) => listSessions(documents, chatItems, systemOf),
});

function systemOf(list: MessageList): string {
  const [first] = list.messages;
  const isSystem = first?.role === "system" || first?.role === "developer";
  return isSystem && list.system === "" ? textOfContent(first?.content) : list.system;
}

function textOfContent(content: unknown): string {
  return contentParts(content)
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n");
}

function chatItems(list: MessageList): readonly LogItem[] {
  const items: LogItem[] = [];
  const callIdOf = callIdChain();
  let functionCallId = "";
  for (const [index, message] of list.messages.entries()) {
    const parts = contentParts(message.content);
    switch (message.role) {
      case "assistant": {
        const legacy = recordAt(message, "function_call");
        if (legacy !== null) functionCallId = callIdOf(JSON.stringify(legacy));
        const calls = legacy === null ? recordsAt(message, "tool_calls") : [{ id: functionCallId, function: legacy }];
        items.push(chatReply(message, calls, list.modelId));
        break;
      }
      case "tool":
        items.push(resultItem(stringAt(message, "tool_call_id") ?? "", parts));
        break;
      case "function":
        items.push(resultItem(functionCallId, parts));
        break;
      case "user":
        items.push(userItem("human", parts));
        break;
      default:
        if (!ROLES.includes(message.role)) items.push(unreadItem(`role ${message.role}`));
        else if (index > 0 || list.system !== "") items.push(userItem("injected", parts));
    }
  }
  return items;
}

function chatReply(message: Fields, calls: readonly Fields[], modelId: string | null): LogItem {
  const reasoning = stringAt(message, "reasoning_content") ?? stringAt(message, "reasoning");
  const parts: readonly ReplyPart[] = [
    ...(reasoning === null ? [] : [{ type: "reasoning" as const, text: reasoning, opaque: null }]),
    ...contentParts(message.content).filter((part) => part.type === "text"),
    ...(stringAt(message, "refusal") === null ? [] : [textPart(stringAt(message, "refusal") ?? "")]),
    ...calls.map((call) => chatCallPart({}, call)),
  ];
  const usage = openAiUsageOf(recordAt(message, "usage")) ?? UNREPORTED_USAGE;
  return replyItem(parts, usage, { sourceId: stringAt(message, "id"), modelId: stringAt(message, "model") ?? modelId });
}

/** A call in the form of Chat Completions; arguments that are an object, as some gateways write them, become their JSON. */
export function chatCallPart(table: ToolTable, call: Fields): CallDraft {
  const body = recordAt(call, "function") ?? recordAt(call, "custom") ?? call;
  const given = body.arguments ?? body.input ?? {};
  const argumentsJson = typeof given === "string" ? given : JSON.stringify(given);
  return callDraft(table, {
    callId: stringAt(call, "id") ?? "",
    toolName: stringAt(body, "name") ?? "",
    argumentsJson,
    args: parseRecord(argumentsJson),
  });
}

/** The usage of an answer in OpenAI's forms; `null` if no prompt is reported. */
export function openAiUsageOf(usage: Fields | null): Usage | null {
  const read = openAiUsage(usage);
  return read.input.totalTokens ? read : null;
}
