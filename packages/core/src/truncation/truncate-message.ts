import { CONTEXT_FRAMING, quotedText } from "../message/framing.ts";
import type { ToolResultMessage } from "../message/message.ts";
import { utf8Bytes } from "../text.ts";
import type { TruncationRequest } from "./truncate-text.ts";
import { CAP_BYTES_PER_TOKEN, truncateToBytes } from "./truncate-text.ts";

/** A tool result as it enters history, and what of it was left out. */
export interface TruncatedMessage {
  /** The message that was given, itself, if nothing was cut or quoted. */
  readonly message: ToolResultMessage;
  readonly isTruncated: boolean;
  readonly omittedLines: number;
  readonly omittedBytes: number;
}

/**
 * A tool result within the policy's cap, cut by its own category; `null` cuts nothing. The cap applies to all text parts
 * together: small ones stay whole, large ones share what is left. Images are neither counted nor cut. If there is a cap, lines of the result that would read as a notice, stub or summary of ours are quoted first: what is unquoted behind it is ours.
 */
export function truncateMessage(
  message: ToolResultMessage,
  truncation: { readonly capTokens: number } | null,
  how: Pick<TruncationRequest, "hint" | "truncations"> = {},
): TruncatedMessage {
  const capTokens = truncation?.capTokens ?? 0;
  const whole = capTokens === 0 ? message : withoutOurs(message);
  const sizes = whole.parts.map((part) => (part.type === "text" ? utf8Bytes(part.text) : 0));
  const capBytes = largestShare(sizes, capTokens * CAP_BYTES_PER_TOKEN);
  let omittedLines = 0;
  let omittedBytes = 0;
  const parts = whole.parts.map((part) => {
    if (part.type !== "text") return part;
    const cut = truncateToBytes(part.text, { ...how, category: message.category, capTokens, capBytes });
    omittedLines += cut.omittedLines;
    omittedBytes += cut.omittedBytes;
    return cut.isTruncated ? { ...part, text: cut.text } : part;
  });
  const isTruncated = omittedBytes > 0;
  return { message: isTruncated ? { ...whole, parts } : whole, isTruncated, omittedLines, omittedBytes };
}

function withoutOurs(message: ToolResultMessage): ToolResultMessage {
  const parts = message.parts.map((part) => {
    const text = part.type === "text" ? quotedText(part.text, CONTEXT_FRAMING) : "";
    return part.type === "text" && text !== part.text ? { ...part, text } : part;
  });
  return parts.every((part, index) => part === message.parts[index]) ? message : { ...message, parts };
}

/** The largest cap at which the sizes, each cut to it, add up to no more than the room. */
function largestShare(sizes: readonly number[], roomBytes: number): number {
  const ascending = [...sizes].sort((a, b) => a - b);
  let leftBytes = roomBytes;
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(leftBytes / (ascending.length - index));
    if (size > share) return share;
    leftBytes -= size;
  }
  return roomBytes;
}
