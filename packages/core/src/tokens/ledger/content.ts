import type { ImagePart, Message } from "../../message/message.ts";
import { messageChars } from "../../message/size.ts";
import type { ClassCounts } from "../char-classes.ts";
import { countClasses, NO_COUNTS } from "../char-classes.ts";
import type { ImageRule } from "../image-rule.ts";
import { imageTokensOf } from "../image-rule.ts";
import type { WorkCounter } from "../work.ts";

/** What one message is made of: read once, weighed as often as needed. */
export interface MessageContent {
  /** Classes of what is sent as text: text parts, names and arguments of calls. */
  readonly counts: ClassCounts;
  /** Classes of reasoning that is readable. */
  readonly reasoningCounts: ClassCounts;
  /** Whether a vendor's own form of reasoning is there to be sent back; "none" where the message has no reasoning. */
  readonly reasoning: "none" | "readable" | "opaque";
  readonly images: readonly ImagePart[];
  /** True for a summary whose text a vendor keeps to itself. */
  readonly isUnseen: boolean;
}

/** The content of a message; each message is scanned once. */
export type ContentOf = (message: Message) => MessageContent;

/** A {@link ContentOf} that remembers messages by identity. */
export function contentReader(work: WorkCounter): ContentOf {
  const known = new WeakMap<Message, MessageContent>();
  return (message) => {
    const seen = known.get(message);
    if (seen !== undefined) return seen;
    const content = readContent(message, work);
    known.set(message, content);
    return content;
  };
}

function readContent(message: Message, work: WorkCounter): MessageContent {
  work.visited(1);
  const counts = [...NO_COUNTS];
  const reasoningCounts = [...NO_COUNTS];
  const images: ImagePart[] = [];
  const read = (text: string, into: number[]) => {
    work.scanned(text.length);
    countClasses(text, into);
  };
  for (const part of message.parts) {
    switch (part.type) {
      case "text":
        read(part.text, counts);
        break;
      case "tool-call":
        read(part.toolName, counts);
        read(part.argumentsJson, counts);
        break;
      case "reasoning":
        read(part.text, reasoningCounts);
        break;
      case "image":
        images.push(part);
        break;
      default:
        part satisfies never;
    }
  }
  const isUnseen = isSummary(message) && messageChars(message) < LEAST_SUMMARY_CHARS;
  return { counts, reasoningCounts, reasoning: reasoningOf(message), images, isUnseen };
}

function reasoningOf({ parts }: Message): MessageContent["reasoning"] {
  if (parts.some((part) => part.type === "reasoning" && part.opaque !== null)) return "opaque";
  return parts.some((part) => part.type === "reasoning") ? "readable" : "none";
}

/** A summary that can be read is longer: its header alone has twice as many characters. */
const LEAST_SUMMARY_CHARS = 60;

/** What a summary is taken for that a vendor sends back encrypted: the recorded ones were some 1,900 and 2,200 tokens. */
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
  const equal = (x: ClassCounts, y: ClassCounts) => x.every((count, index) => count === y[index]);
  return a.images.length === b.images.length && equal(a.counts, b.counts) && equal(a.reasoningCounts, b.reasoningCounts);
}
