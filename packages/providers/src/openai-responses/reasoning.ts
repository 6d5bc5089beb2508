import type { ReasoningPart } from "@plimsoll/core";
import type OpenAI from "openai";
import { recordsAt, stringAt } from "../fields.ts";

/**
 * The reasoning as the wire wants it back: `opaque` is the vendor's own item, as decoding keeps it. Reasoning of other wires, and reasoning
 * whose encrypted content was not kept, is left out: nothing is stored at the vendor that its id could name.
 */
export function reasoningItem(part: ReasoningPart): OpenAI.Responses.ResponseReasoningItem[] {
  const id = stringAt(part.opaque, "id");
  const encrypted = stringAt(part.opaque, "encrypted_content");
  if (stringAt(part.opaque, "type") !== "reasoning" || id === null || encrypted === null) return [];
  const summary = recordsAt(part.opaque, "summary").map((each) => ({
    type: "summary_text" as const,
    text: stringAt(each, "text") ?? "",
  }));
  return [{ type: "reasoning", id, summary, encrypted_content: encrypted }];
}
