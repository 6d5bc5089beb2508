/** The wires that the simulator speaks. */
export type WireName = "anthropic" | "openai-chat" | "openai-responses" | "gemini";

/** One reply that the simulator gives. */
export interface SimulatedReply {
  readonly parts: readonly SimulatedPart[];
  /** The reason why it ends; by default its parts decide. */
  readonly stop?: "length" | "refusal" | "window-full";
  /** The usage that the reply reports; by default the tokens that the simulator counted. */
  readonly usage?: ScriptedUsage;
}

/** Usage that is reported instead of the counts; fields left out are reported as counted, and of the cache no more than the prompt. */
export type ScriptedUsage = "missing" | { readonly promptTokens: number; readonly outputTokens?: number };

/**
 * One part of a reply. Signatures and call ids are the simulator's to give. A call with the form `text` has plain text as its arguments: only the Responses wire
 * knows such tools ("custom"). Reasoning with the form `redacted` comes without its text: only the Messages wire sends it so.
 */
export type SimulatedPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string; readonly form?: "redacted" }
  | { readonly type: "tool-call"; readonly toolName: string; readonly argumentsJson: string; readonly form?: "text" };

/** The request that a script or fault function gets, after validation. */
export interface SimulatedRequest {
  readonly wire: WireName;
  /** Number of requests before this one, with any outcome. */
  readonly index: number;
  /** Number of replies given before this one. */
  readonly replyIndex: number;
  readonly modelId: string;
  readonly promptTokens: number;
  readonly messageCount: number;
  readonly isStreamed: boolean;
  readonly toolNames: readonly string[];
  /** Text of the newest message that is not the model's. */
  readonly newestText: string;
  /** Whether a Messages request asks for the vendor's own summary; a reply of only text is one. A script that is a list has its own answer for it. */
  readonly asks: "reply" | "summary";
}

/** A message of a recorded session, as far as a script is made from it. Plimsoll's own messages are such. */
export interface TranscriptMessage {
  readonly role: string;
  readonly origin?: string;
  readonly parts?: readonly { readonly [key in "type" | "text" | "toolName" | "argumentsJson"]?: string }[];
}

/** Makes a script of replies from the model's messages of a recorded session. Reasoning keeps only its text; parts without text are left out. */
export function repliesOfTranscript(messages: Iterable<TranscriptMessage>): readonly SimulatedReply[] {
  const replies: SimulatedReply[] = [];
  for (const message of messages) {
    if (message.role !== "assistant" || message.origin !== "model") continue;
    replies.push({
      parts: (message.parts ?? []).flatMap(({ type, text = "", toolName = "", argumentsJson = "" }): SimulatedPart[] => {
        if (type === "tool-call") return [{ type, toolName, argumentsJson }];
        return (type === "text" || type === "reasoning") && text.trim() !== "" ? [{ type, text }] : [];
      }),
    });
  }
  return replies;
}

/** The reply when a script has no more of them. */
export const SCRIPT_END: SimulatedReply = { parts: [{ type: "text", text: "The script has ended." }] };
