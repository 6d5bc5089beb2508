import type { Message, ToolResultMessage } from "@plimsoll/core";
import { textOf } from "@plimsoll/core";
import { argumentsOf } from "../call-arguments.ts";
import { createEdits, writtenMessage } from "../edited.ts";
import type { GeminiContent, GeminiModule, GeminiPart } from "./gemini-module.ts";

/** The messages of a session in Gemini's form and back. */
export interface GeminiMessages {
  /** As the program keeps them: results of one batch together, without the model's thoughts. */
  contentsOf(messages: readonly Message[]): readonly GeminiContent[];
  /** The messages of ours that contents stand for, in order; what the program wrote itself is a summary. */
  oursOf(contents: readonly GeminiContent[], nowMs: number | null): readonly Message[];
}

/** Translates the messages of one session. `folder` is where the program says that it put what it cut. */
export function createGeminiMessages(module: Pick<GeminiModule, "coalesceConsecutiveRoles">, folder: string): GeminiMessages {
  const contents = new Map<Message, GeminiContent>();
  const ours = new Map<GeminiPart, Message>();
  const results = new Map<string, ToolResultMessage>();
  const edits = createEdits();
  const contentOf = (message: Message) => {
    const known = contents.get(message);
    if (known !== undefined) return known;
    const made = geminiContent(message);
    contents.set(message, made);
    for (const part of made.parts) ours.set(part, message);
    if (message.role === "tool-result") results.set(message.callId, message);
    return made;
  };
  const written = (part: GeminiPart, role: GeminiContent["role"], nowMs: number | null): Message => {
    const { functionResponse } = part;
    const result = functionResponse === undefined ? undefined : results.get(functionResponse.id);
    const text = (functionResponse?.response.output ?? part.text ?? "").replaceAll(folder, "/tmp");
    if (result !== undefined) return edits.withText(result, text);
    const id = `gemini-${role}-${ours.size}`;
    if (role === "user") return writtenMessage(text, { id, nowMs });
    return {
      role: "assistant",
      id,
      origin: "notice",
      parts: [{ type: "text", text }],
      modelId: null,
      requestId: null,
      stopReason: null,
      atMs: nowMs,
    };
  };
  return {
    contentsOf: (messages) =>
      module
        .coalesceConsecutiveRoles(
          messages.flatMap((message, place) => [
            { id: message.id, content: contentOf(message) },
            ...(isUnanswered(message, messages[place + 1]) ? [{ id: `${message.id}-answer`, content: ANSWER }] : []),
          ]),
        )
        .map(({ content }) => content),
    oursOf: (history, nowMs) => {
      const all = history.flatMap(({ role, parts }) =>
        parts.map((part) => {
          const known = ours.get(part);
          if (known !== undefined) return known;
          const made = written(part, role, nowMs);
          ours.set(part, made);
          if (!contents.has(made)) contents.set(made, { role, parts: [part] });
          return made;
        }),
      );
      return all.filter((message, place) => message !== all[place - 1]);
    },
  };
}

/** The program's words behind its summary: a summary of ours, which stands alone, is one content with the person's words without it. */
const ANSWER: GeminiContent = { role: "model", parts: [{ text: "Got it. Thanks for the additional context!" }] };

function isUnanswered(message: Message, next: Message | undefined): boolean {
  return message.role === "user" && message.origin === "summary" && next?.role !== "assistant";
}

function geminiContent(message: Message): GeminiContent {
  switch (message.role) {
    case "user":
      return { role: "user", parts: message.parts.map(userPart) };
    case "tool-result":
      return {
        role: "user",
        parts: [{ functionResponse: { id: message.callId, name: message.toolName, response: { output: textOf(message) } } }],
      };
    case "assistant": {
      const parts = message.parts.flatMap((part): readonly GeminiPart[] => {
        if (part.type === "text") return [{ text: part.text }];
        if (part.type === "reasoning") return [];
        return [{ functionCall: { id: part.callId, name: part.toolName, args: argumentsOf(part.argumentsJson) } }];
      });
      // A reply of thoughts alone stays a reply.
      return { role: "model", parts: parts.length === 0 ? [{ text: "" }] : parts };
    }
    default:
      return message satisfies never;
  }
}

/** An image is named and not sent: the program would ask its provider to count it. */
function userPart(part: Extract<Message, { role: "user" }>["parts"][number]): GeminiPart {
  return { text: part.type === "text" ? part.text : "(image)" };
}
