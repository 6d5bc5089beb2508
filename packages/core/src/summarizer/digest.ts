import type { Message } from "../message/message.ts";
import { isHuman, textOf } from "../message/message.ts";
import type { Summarizer, SummaryRequest } from "../ports.ts";
import { SUMMARY_HEADER } from "../prompts/header.ts";
import { characterBoundaryAtOrBefore } from "../text.ts";

/**
 * A summary that no model writes: the same input gives the same text. It quotes what a summary most needs (requests,
 * failures, conclusions) in the words in which it was said, newest first, up to a size that does not depend on the policy.
 */
export function createDigest(options: DigestOptions = DEFAULT_DIGEST_OPTIONS): Summarizer {
  return (request) => Promise.resolve({ text: digestText(request, options), usage: null, stopReason: "end" });
}

/** Size of a digest. */
export interface DigestOptions {
  /** UTF-16 code units of the whole digest at most. */
  readonly maximumChars: number;
}

/** 6,000 characters, about 1,500 tokens: chosen; summaries in the recorded sessions have 1,000 to 3,000 tokens. */
export const DEFAULT_DIGEST_OPTIONS: DigestOptions = { maximumChars: 6000 };

/** Shares of the digest's size, and the longest single quotation of each kind, in characters; chosen. */
const SECTIONS = [
  { title: "Earlier summary", shareRatio: 0.3, quoteChars: 1500, linesOf: earlierSummaries },
  { title: "Requests", shareRatio: 0.25, quoteChars: 600, linesOf: requests },
  { title: "Failures", shareRatio: 0.1, quoteChars: 240, linesOf: failures },
  { title: "Conclusions", shareRatio: 0.35, quoteChars: 400, linesOf: conclusions },
] as const;

/** The digest's text. Visits each covered message once a section; quotes are cut on character boundaries. */
export function digestText(request: SummaryRequest, options: DigestOptions): string {
  const messages = request.parts.flatMap((part) => part.messages);
  const limitChars = Math.min(options.maximumChars, request.maxTokens * 4);
  let spareChars = 0;
  const blocks: string[] = [];
  for (const section of SECTIONS) {
    const roomChars = Math.floor(limitChars * section.shareRatio) + spareChars;
    const block = sectionText(section.title, section.linesOf(messages), { roomChars, quoteChars: section.quoteChars });
    spareChars = roomChars - block.length;
    if (block !== "") blocks.push(block);
  }
  return blocks.length === 0 ? `${messages.length} earlier messages without text.` : blocks.join("\n\n");
}

/** A heading and as many of the newest lines as fit, oldest of them first; empty where not one line fits. */
function sectionText(title: string, newestFirst: readonly string[], size: { roomChars: number; quoteChars: number }): string {
  const heading = `## ${title}`;
  let usedChars = heading.length;
  const kept: string[] = [];
  for (const line of newestFirst) {
    const quoted = `- ${quote(line, size.quoteChars)}`;
    if (usedChars + 1 + quoted.length > size.roomChars) break;
    usedChars += 1 + quoted.length;
    kept.push(quoted);
  }
  return kept.length === 0 ? "" : [heading, ...kept.reverse()].join("\n");
}

function quote(text: string, maximumChars: number): string {
  const line = text.trim();
  if (line.length <= maximumChars) return line;
  return `${line.slice(0, characterBoundaryAtOrBefore(line, maximumChars - 1))}…`;
}

function earlierSummaries(messages: readonly Message[]): string[] {
  return messages
    .filter((message) => message.role !== "tool-result" && message.origin === "summary")
    .map(summaryOf)
    .reverse();
}

function requests(messages: readonly Message[]): string[] {
  return messages.filter(isHuman).map(textOf).reverse();
}

/** The summary itself: its first part, without the header and without the facts, which are written anew. */
function summaryOf(message: Message): string {
  const [part] = message.parts;
  return part?.type === "text"
    ? part.text.slice(part.text.startsWith(SUMMARY_HEADER.text) ? SUMMARY_HEADER.text.length : 0)
    : "";
}

function failures(messages: readonly Message[]): string[] {
  return messages
    .flatMap((message) =>
      message.role === "tool-result" && message.isError ? [`${message.toolName}: ${lastLine(textOf(message))}`] : [],
    )
    .reverse();
}

function lastLine(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.slice(trimmed.lastIndexOf("\n") + 1);
}

/** What the assistant said, without the texts that only announce a call. */
function conclusions(messages: readonly Message[]): string[] {
  return messages
    .flatMap((message) => (message.role === "assistant" && message.origin === "model" ? [textOf(message)] : []))
    .filter((text) => text.trim() !== "")
    .reverse();
}
