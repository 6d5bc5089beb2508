import type Anthropic from "@anthropic-ai/sdk";
import type { ReasoningPart } from "@plimsoll/core";
import { stringAt } from "../fields.ts";

/**
 * The reasoning as the wire wants it back. `opaque` is the vendor's own block without its text, as decoding keeps it. Reasoning of other
 * wires, and reasoning whose signature was not kept, is left out: without its signature it is rejected.
 */
export function anthropicReasoning(part: ReasoningPart): Anthropic.ContentBlockParam[] {
  const signature = stringAt(part.opaque, "signature");
  const data = stringAt(part.opaque, "data");
  switch (stringAt(part.opaque, "type")) {
    case "thinking":
      return signature === null ? [] : [{ type: "thinking", thinking: part.text, signature }];
    case "redacted_thinking":
      return data === null ? [] : [{ type: "redacted_thinking", data }];
    default:
      return [];
  }
}
