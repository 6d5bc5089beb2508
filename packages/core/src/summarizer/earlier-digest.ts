import { isNothing } from "../facts/sentences.ts";
import type { Message } from "../message/message.ts";
import { summaryIn } from "../prompts/parts.ts";
import { MARKS } from "./quoted-lines.ts";
import { sectionsIn } from "./sections.ts";

/** The sections of earlier summaries among covered messages. */
export interface Earlier {
  /** Lines by section, oldest summary first. */
  readonly lines: ReadonlyMap<string, readonly string[]>;
  /** Text under no known section, oldest first. */
  readonly prose: readonly string[];
}

/** Which of an earlier digest's lines are out of date. */
export interface OutOfDate {
  readonly plan: boolean;
  readonly nextStep: boolean;
}

/** Takes earlier summaries apart: their lines without what is out of date, what says nothing, and headings above nothing. Linear. */
export function earlierIn(messages: readonly Message[], titles: readonly string[], outOfDate: OutOfDate): Earlier {
  const gone = [...(outOfDate.plan ? [MARKS.done, MARKS.open] : []), ...(outOfDate.nextStep ? [MARKS.nextStep] : [])];
  const lines = new Map<string, readonly string[]>();
  const prose: string[] = [];
  for (const message of messages) {
    if (message.role === "tool-result" || message.origin !== "summary") continue;
    const { preamble, found } = sectionsIn(summaryOf(message), titles);
    if (preamble !== "" && !isNothing(preamble)) prose.push(preamble);
    for (const { title, body } of found) {
      const valid = body.split("\n").filter((line) => !gone.some((mark) => line.startsWith(mark)) && !isLeftEmpty(line));
      const told = fromFirstItem(withoutBareHeadings(valid)).map((line) => quotedLine(line, titles));
      if (told.length > 0) lines.set(title, [...(lines.get(title) ?? []), ...told]);
    }
  }
  return { lines, prose };
}

/** The summary itself: its first part, without the header and without the facts, which are written anew. */
function summaryOf(message: Message): string {
  const [part] = message.parts;
  return part?.type === "text" ? summaryIn(part.text) : "";
}

/** True for a line that says that there is nothing. What is moved in was said by somebody. */
function isLeftEmpty(line: string): boolean {
  return !line.startsWith(" ") && isNothing(line);
}

/** The lines without headings that have nothing before the next heading of their rank, or before the end. */
function withoutBareHeadings(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let followingRank = 0;
  for (const line of lines.toReversed()) {
    const rank = rankOf(line);
    if (rank > 0 && followingRank <= rank) continue;
    kept.push(line);
    if (line.trim() !== "") followingRank = rank === 0 ? CONTENT : rank;
  }
  return kept.reverse();
}

/** Below any heading. */
const CONTENT = 7;

/** Rank of a line as a heading inside a section; 0 for any other line. Lines that begin with one or two marks are code. */
function rankOf(line: string): number {
  const rank = line.indexOf(" ");
  return rank > 2 && rank < CONTENT && line.startsWith("#".repeat(rank)) ? rank : 0;
}

/** The lines from the first that is not moved in: it begins what was said, or goes on with what cannot be told from it. */
export function fromFirstItem(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => /^\S/.test(line));
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return start < 0 ? [] : [...lines.slice(start, last), (lines[last] ?? "").trimEnd()];
}

/** A line that is no code fence and no heading of a section: parts of a fence may be left out, and what was fenced must not become one. */
function quotedLine(line: string, titles: readonly string[]): string {
  const isSection = line.startsWith("#") && sectionsIn(line, titles).preamble !== line.trim();
  return isSection || line.startsWith("```") ? ` ${line}` : line;
}
