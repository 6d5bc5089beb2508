import type { Message } from "@plimsoll/core";
import { argumentsOf } from "../call-arguments.ts";
import type { PiMessage, PiUsage } from "./pi-module.ts";
import { piUsage } from "./pi-module.ts";

/** The model that the replay stands in for. */
export const PI_MODEL_NAMES = { provider: "stand-in", model: "stand-in", api: "stand-in" } as const;

/** A message of ours as pi keeps it; a reply has the usage that was reported for its request, or none. */
export function piMessage(message: Message, timestamp: number, usage: PiUsage = piUsage(0, 0)): PiMessage {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.parts.map(piPart), timestamp };
    case "assistant":
      return {
        role: "assistant",
        content: message.parts.map(piPart),
        ...PI_MODEL_NAMES,
        usage,
        stopReason: message.parts.some((part) => part.type === "tool-call") ? "toolUse" : "stop",
        timestamp,
      };
    case "tool-result":
      return {
        role: "toolResult",
        toolCallId: message.callId,
        toolName: message.toolName,
        content: message.parts.map(piPart),
        isError: message.isError,
        timestamp,
      };
    default:
      return message satisfies never;
  }
}

function piPart(part: Message["parts"][number]): object {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image", data: "", mimeType: part.mediaType };
    case "reasoning":
      return { type: "thinking", thinking: part.text };
    case "tool-call":
      return { type: "toolCall", id: part.callId, name: part.toolName, arguments: argumentsOf(part.argumentsJson) };
    default:
      return part satisfies never;
  }
}
