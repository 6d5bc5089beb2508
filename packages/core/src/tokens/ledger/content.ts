import type { ImagePart, Message } from "../../message/message.ts";
import type { ClassCounts } from "../char-classes.ts";
import { countClasses, NO_COUNTS } from "../char-classes.ts";
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
  return { counts, reasoningCounts, reasoning: reasoningOf(message), images };
}

function reasoningOf({ parts }: Message): MessageContent["reasoning"] {
  if (parts.some((part) => part.type === "reasoning" && part.opaque !== null)) return "opaque";
  return parts.some((part) => part.type === "reasoning") ? "readable" : "none";
}
