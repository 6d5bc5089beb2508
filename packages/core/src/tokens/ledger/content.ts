import { type ImagePart, type Message, oncePerMessage } from "../../message/message.ts";
import { messageChars } from "../../message/size.ts";
import { type ClassCounts, countClasses, NO_COUNTS } from "../char-classes.ts";
import { type ImageRule, imageTokensOf, type WorkCounter } from "../measure.ts";

/** The content of one message: read once, weighed as often as needed. */
export interface MessageContent {
  /** Classes of what is sent as text: text parts, names and arguments of calls. */
  readonly counts: ClassCounts;
  /** Classes of reasoning that is readable. */
  readonly reasoningCounts: ClassCounts;
  /** Whether a vendor's own form of reasoning is there to be sent back; "none" if the message has no reasoning. */
  readonly reasoning: "none" | "readable" | "opaque";
  readonly images: readonly ImagePart[];
  /** True for a summary whose text a vendor keeps to itself. */
  readonly isUnseen: boolean;
}

/** The content of a message; each message is scanned once. */
export type ContentOf = (message: Message) => MessageContent;

/** A {@link ContentOf} that remembers messages by identity. */
export function contentReader(work: WorkCounter): ContentOf {
  const known = oncePerMessage((message) => readContent(message, work));
  const newest: NewestContent = { message: null, content: null };
  return (message) => contentBy(newest, known, message);
}

/** A message that is new is asked for twice in a row, and a look into a table of all messages takes as long as all else that is done with it. */
interface NewestContent {
  message: Message | null;
  content: MessageContent | null;
}

function contentBy(newest: NewestContent, known: ContentOf, message: Message): MessageContent {
  if (newest.message === message && newest.content !== null) return newest.content;
  const content = known(message);
  newest.message = message;
  newest.content = content;
  return content;
}

function readContent(message: Message, work: WorkCounter): MessageContent {
  work.visited(1);
  const texts: string[] = [];
  const reasoningTexts: string[] = [];
  const images: ImagePart[] = [];
  for (const part of message.parts) {
    switch (part.type) {
      case "text":
        texts.push(part.text);
        break;
      case "tool-call":
        texts.push(part.toolName, part.argumentsJson);
        break;
      case "reasoning":
        reasoningTexts.push(part.text);
        break;
      case "image":
        images.push(part);
        break;
      default:
        part satisfies never;
    }
  }
  const isUnseen = isSummary(message) && messageChars(message) < LEAST_SUMMARY_CHARS;
  const counts = countTexts(texts, work);
  return { counts, reasoningCounts: countTexts(reasoningTexts, work), reasoning: reasoningOf(message), images, isUnseen };
}

/** The classes of some texts together. */
export function countTexts(texts: readonly string[], work: WorkCounter): ClassCounts {
  if (texts.length === 0) return NO_COUNTS;
  const counts = [...NO_COUNTS];
  for (const text of texts) {
    work.scanned(text.length);
    countClasses(text, counts);
  }
  return counts;
}

function reasoningOf({ parts }: Message): MessageContent["reasoning"] {
  if (parts.some((part) => part.type === "reasoning" && part.opaque !== null)) return "opaque";
  return parts.some((part) => part.type === "reasoning") ? "readable" : "none";
}

/** A summary that can be read is longer: its header alone has twice as many characters. */
const LEAST_SUMMARY_CHARS = 60;

/** The assumed size of a summary that a vendor sends back encrypted: the recorded ones were some 1,900 and 2,200 tokens. */
const UNSEEN_SUMMARY_TOKENS = 2000;

function isSummary(message: Message): boolean {
  return message.role !== "tool-result" && message.origin === "summary";
}

/** Tokens of a message that no weight gives: its images, and a summary that cannot be read. */
export function fixedTokensOf({ images, isUnseen }: MessageContent, rule: ImageRule): number {
  return imageTokensOf(images, rule) + (isUnseen ? UNSEEN_SUMMARY_TOKENS : 0);
}

/** True for two readings of the same content: a log that is read again has other values of the same messages. */
export function isSameContent(a: MessageContent, b: MessageContent): boolean {
  if (a === b) return true;
  return (
    a.images.length === b.images.length &&
    isSameCounts(a.counts, b.counts) &&
    isSameCounts(a.reasoningCounts, b.reasoningCounts)
  );
}

function isSameCounts(a: ClassCounts, b: ClassCounts): boolean {
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}

/** The content of several messages added up, before it is priced: any model's weights can be applied to it. */
export interface ContentSum {
  readonly counts: ClassCounts;
  readonly messages: number;
  /** Images, and what the messages do not show. */
  readonly fixedTokens: number;
}

/** No message. */
export const NO_CONTENT: ContentSum = { counts: NO_COUNTS, messages: 0, fixedTokens: 0 };

/**
 * The sum with one more message. Readable reasoning is left out: it is sent only together with a vendor's own form of it, and then the report
 * of its reply counts it.
 */
export function withContent(sum: ContentSum, { counts }: MessageContent, fixedTokens: number): ContentSum {
  return addSums(sum, { counts, messages: 1, fixedTokens });
}

/** Both sums together. */
export function addSums(a: ContentSum, b: ContentSum): ContentSum {
  return {
    counts: addCounts(a.counts, b.counts),
    messages: a.messages + b.messages,
    fixedTokens: a.fixedTokens + b.fixedTokens,
  };
}

/** The sum of two vectors of counts. */
export function addCounts(a: ClassCounts, b: ClassCounts): ClassCounts {
  const sum = [...a];
  for (let index = 0; index < sum.length; index++) sum[index] = (sum[index] ?? 0) + (b[index] ?? 0);
  return sum;
}

/** The weighted sum of counts. */
export function weighCounts(counts: ClassCounts, weights: ClassCounts): number {
  let sum = 0;
  for (let index = 0; index < counts.length; index++) sum += (counts[index] ?? 0) * (weights[index] ?? 0);
  return sum;
}

/** The overhead as counts: system text with dynamic context, tools, and the hidden tokens as they are. */
export interface OverheadCounts {
  readonly counts: ClassCounts;
  readonly toolCounts: ClassCounts;
  readonly hiddenTokens: number;
}
