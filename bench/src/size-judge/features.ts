import type { ImagePart, Message, UsageEntry } from "@plimsoll/core";

/**
 * The features that explain a message's size: characters of texts, calls, results and reasoning, hidden tokens of a reply, and one for each message. Lengths are UTF-16 code units: this model shares nothing with the
 * estimators that it judges.
 */
export type Features = readonly [number, number, number, number, number, number];

/** Index of the tokens of a reply that its recording does not show. */
export const HIDDEN_REPLY_FEATURE = 4;

/** No message. */
export const NO_FEATURES: Features = [0, 0, 0, 0, 0, 0];

/** The features of one message; `usage` is that of the call that produced it, `null` for all that are not replies. */
export function featuresOf(message: Message, usage: UsageEntry | null): Features {
  let textChars = 0;
  let callChars = 0;
  let resultChars = 0;
  let reasoningChars = 0;
  for (const part of message.parts) {
    switch (part.type) {
      case "text":
        if (message.role === "tool-result") resultChars += part.text.length;
        else textChars += part.text.length;
        break;
      case "tool-call":
        callChars += part.toolName.length + part.argumentsJson.length;
        break;
      case "reasoning":
        reasoningChars += part.text.length;
        break;
      case "image":
        break;
      default:
        part satisfies never;
    }
  }
  const hidden = usage === null ? 0 : hiddenReplyTokens(usage, textChars + callChars + reasoningChars);
  return [textChars, callChars, resultChars, reasoningChars, hidden, 1];
}

/** The sum of two feature rows. */
export function addFeatures(a: Features, b: Features): Features {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]];
}

/** Tokens an output token's worth of visible text is taken for when a reply's hidden part is guessed from its output count. */
const VISIBLE_TOKENS_PER_CHAR = 0.35;

/** Reasoning as it was reported; else the reported output less its visible part. */
function hiddenReplyTokens({ usage }: UsageEntry, visibleChars: number): number {
  if (usage.output.reasoningTokens !== null) return usage.output.reasoningTokens;
  return Math.max(0, (usage.output.totalTokens ?? 0) - VISIBLE_TOKENS_PER_CHAR * visibleChars);
}

/** Pixels a token: vendors' documented image cost of width × height / 750 (read 2025), up to 1,600 tokens. */
const PIXELS_PER_IMAGE_TOKEN = 750;
const MAXIMUM_IMAGE_TOKENS = 1600;
/** Tokens of an image whose size is not recorded: chosen, near the upper end. */
const UNKNOWN_IMAGE_TOKENS = 1500;

/** Tokens of a page of a document, and pages if they are not recorded: vendors state 1,500 to 3,000 a page; chosen. */
const PAGE_TOKENS = 2000;
const UNKNOWN_PAGES = 5;

/** Tokens of a message's images. They are not fitted: too few recordings have any. */
export function imageTokensOf(message: Message): number {
  let tokens = 0;
  for (const part of message.parts) if (part.type === "image") tokens += imageTokens(part);
  return tokens;
}

function imageTokens({ mediaType, widthPx, heightPx, pageCount = UNKNOWN_PAGES }: ImagePart): number {
  if (!mediaType.startsWith("image/")) return PAGE_TOKENS * pageCount;
  if (widthPx === null || heightPx === null) return UNKNOWN_IMAGE_TOKENS;
  return Math.min(MAXIMUM_IMAGE_TOKENS, Math.ceil((widthPx * heightPx) / PIXELS_PER_IMAGE_TOKEN));
}
