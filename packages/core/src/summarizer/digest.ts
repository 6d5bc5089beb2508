import { LINE_BREAKS } from "../message/folded-char.ts";
import type { Message } from "../message/message.ts";
import { isHuman, textOf } from "../message/message.ts";
import type { Summarizer, SummaryRequest } from "../ports.ts";
import { summaryIn } from "../prompts/parts.ts";
import { characterBoundaryAtOrBefore } from "../text.ts";
import { isEmptyBody, sectionedText, sectionsIn } from "./sections.ts";

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
const KINDS = [
  { title: "Earlier summary", shareRatio: 0.3, quoteChars: 1500, linesOf: earlierSummaries, under: ["narrative", "progress"] },
  { title: "Requests", shareRatio: 0.25, quoteChars: 600, linesOf: requests, under: ["task", "goal", "request"] },
  { title: "Failures", shareRatio: 0.1, quoteChars: 240, linesOf: failures, under: ["critical", "pending", "error"] },
  { title: "Conclusions", shareRatio: 0.35, quoteChars: 400, linesOf: conclusions, under: ["narrative", "progress"] },
] as const;

/** The digest's text. Visits each covered message once a kind of quotation; quotes are cut on character boundaries. */
export function digestText(request: SummaryRequest, options: DigestOptions): string {
  const messages = request.parts.flatMap((part) => part.messages);
  const limitChars = Math.min(options.maximumChars, request.maxTokens * 4);
  const frameChars = request.sections.reduce((sum, title) => sum + title.length + FRAME_CHARS, 0);
  // If headings would take most of the room, what is quoted is worth more than its outline.
  if (request.sections.length === 0 || frameChars > limitChars / 2) return underOwnTitles(messages, limitChars);
  return underSections(messages, request.sections, limitChars - frameChars);
}

/** Characters of a section's frame in addition to its title: marks, line breaks, and the word for an empty one. */
const FRAME_CHARS = 10;

function underOwnTitles(messages: readonly Message[], limitChars: number): string {
  const blocks: string[] = [];
  let spareChars = 0;
  for (const { title, shareRatio, quoteChars, linesOf } of KINDS) {
    const heading = `## ${title}`;
    const roomChars = Math.floor(limitChars * shareRatio) + spareChars;
    const lines = newestQuotes(linesOf(messages), { roomChars: roomChars - heading.length - 1, quoteChars });
    const block = lines.length === 0 ? "" : [heading, ...lines].join("\n");
    spareChars = roomChars - block.length;
    if (block !== "") blocks.push(block);
  }
  return blocks.length === 0 ? `${messages.length} earlier messages without text.` : blocks.join("\n\n");
}

/** The same quotations under a policy's own sections. What an earlier summary has under a section is carried over into it. */
function underSections(messages: readonly Message[], sections: readonly string[], limitChars: number): string {
  const bodies = new Map<string, string[]>();
  let spareChars = 0;
  for (const { title, shareRatio, quoteChars, linesOf, under } of KINDS) {
    const roomChars = Math.floor(limitChars * shareRatio) + spareChars;
    const carried = title === "Earlier summary" ? carriedOver(linesOf(messages), sections, roomChars) : null;
    const found =
      carried ?? new Map([[sectionFor(under, sections), newestQuotes(linesOf(messages), { roomChars, quoteChars })]]);
    let usedChars = 0;
    for (const [section, lines] of found) {
      bodies.set(section, [...(bodies.get(section) ?? []), ...lines]);
      usedChars += lines.reduce((sum, line) => sum + line.length + 1, 0);
    }
    spareChars = roomChars - usedChars;
  }
  const last = sections.at(-1) ?? "";
  if ([...bodies.values()].every((lines) => lines.length === 0))
    bodies.set(last, [`${messages.length} earlier messages without text.`]);
  return sectionedText(sections, bodies);
}

/** The section that a kind of quotation belongs to: one whose title has one of the words, else the last. */
function sectionFor(words: readonly string[], sections: readonly string[]): string {
  const found = words.flatMap((word) => sections.filter((title) => title.toLowerCase().includes(word)));
  return found[0] ?? sections.at(-1) ?? "";
}

/** The bodies of the newest earlier summary by section, each with its share of the room; `null` if it has no such sections. */
function carriedOver(
  newestFirst: readonly string[],
  sections: readonly string[],
  roomChars: number,
): ReadonlyMap<string, readonly string[]> | null {
  const [newest] = newestFirst;
  if (newest === undefined) return null;
  const told = sectionsIn(newest, sections).found.filter(({ body }) => !isEmptyBody(body));
  if (told.length === 0) return null;
  const wholeChars = told.reduce((sum, { body }) => sum + body.length, 0);
  const ratio = Math.min(1, roomChars / wholeChars);
  return new Map(told.map(({ title, body }) => [title, newestLines(body, Math.floor(body.length * ratio))]));
}

/** The last lines of a body that fit; the newest of it are at its end. */
function newestLines(body: string, roomChars: number): readonly string[] {
  const lines = body.split("\n");
  let usedChars = 0;
  let start = lines.length;
  while (start > 0) {
    usedChars += (lines[start - 1] ?? "").length + 1;
    if (usedChars > roomChars + 1) break;
    start -= 1;
  }
  return lines.slice(start);
}

/** As many of the newest lines as fit, oldest of them first. */
function newestQuotes(newestFirst: readonly string[], size: { roomChars: number; quoteChars: number }): readonly string[] {
  let usedChars = 0;
  const kept: string[] = [];
  for (const line of newestFirst) {
    const quoted = `- ${quote(line, size.quoteChars)}`;
    if (usedChars + 1 + quoted.length > size.roomChars) break;
    usedChars += 1 + quoted.length;
    kept.push(quoted);
  }
  return kept.reverse();
}

/** The text's beginning. A line of it that would be a heading or a code fence of the digest is moved in. */
function quote(text: string, maximumChars: number): string {
  const whole = text.trim();
  const cut = whole.length <= maximumChars ? whole : `${whole.slice(0, characterBoundaryAtOrBefore(whole, maximumChars - 1))}…`;
  const withoutHeadings = (quoted: string, end: string) =>
    quoted.split(`${end}#`).join(`${end} #`).split(`${end}\`\`\``).join(`${end} \`\`\``);
  return LINE_BREAKS.reduce(withoutHeadings, cut);
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
  return part?.type === "text" ? summaryIn(part.text) : "";
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
