import { PlimsollError } from "../error.ts";
import type { TranscriptLabels } from "../message/transcript-text.ts";
import type { Summary } from "../ports.ts";
import { isEmptyBody, type SectionedText, sectionedText, sectionsIn } from "./sections.ts";

/**
 * The summary's text if it can take the place of history.
 *
 * @throws PlimsollError `summary-failed` for an empty reply, or one that ended in any way but its own end.
 */
function validSummaryText(summary: Summary): string {
  if (summary.stopReason !== "end")
    throw new PlimsollError("summary-failed", `the summary did not end by itself (${summary.stopReason})`);
  const text = summary.text.trim();
  if (text === "") throw new PlimsollError("summary-failed", "the summary is empty");
  return text;
}

/** The rules that a model's summary must follow. */
export interface SummaryRules {
  /** Titles that it must have, in order; empty for a summary without sections. */
  readonly sections: readonly string[];
  /** UTF-16 code units of what it replaces. */
  readonly coveredChars: number;
  /** How the history was written down: a summary that goes on in the same way continues the conversation. */
  readonly labels: TranscriptLabels;
  /** Lines of the request that must not come back as if they were the session's own. */
  readonly instructions: readonly string[];
}

/** A summary that can be used, and what was put right in it. */
export interface RepairedSummary {
  readonly text: string;
  readonly repairs: readonly SummaryRepair[];
}

/** A repair to a summary. File lists are taken out because the log's own come with every summary. */
export type SummaryRepair =
  | "wrapping-removed"
  | "preamble-removed"
  | "section-added"
  | "sections-reordered"
  | "heading-demoted"
  | "file-list-removed"
  | "instruction-removed";

/**
 * The model's summary, put right if nothing of it is lost by that: sections that are missing say that there is nothing, sections out of
 * order are put in order, added ones lose their rank, lists of files and copied instructions go.
 *
 * @throws PlimsollError `summary-failed` for a reply that is empty, was cut off, calls a tool, goes on with the conversation, has none of
 * its sections, or is not smaller than what it replaces.
 */
export function repairedSummary(summary: Summary, rules: SummaryRules): RepairedSummary {
  const whole = validSummaryText(summary);
  const unwrapped = withoutWrapping(whole);
  const unlisted = withoutFileLists(unwrapped);
  const uninstructed = withoutInstructions(unlisted, rules.instructions);
  const repairs: SummaryRepair[] = [
    ...(unwrapped === whole ? [] : ["wrapping-removed" as const]),
    ...(unlisted === unwrapped ? [] : ["file-list-removed" as const]),
    ...(uninstructed === unlisted ? [] : ["instruction-removed" as const]),
  ];
  refuseContinuation(uninstructed, rules.labels);
  const sectioned = rules.sections.length === 0 ? { text: uninstructed.trim(), repairs: [] } : inSections(uninstructed, rules);
  if (sectioned.text === "") throw failed("the summary says nothing");
  if (sectioned.text.length >= rules.coveredChars)
    throw failed(
      `the summary is not smaller than what it replaces (${sectioned.text.length} of ${rules.coveredChars} characters)`,
    );
  return { text: sectioned.text, repairs: [...repairs, ...sectioned.repairs] };
}

function inSections(text: string, rules: SummaryRules): RepairedSummary {
  const { preamble, found, unknown } = sectionsIn(text, rules.sections);
  if (found.length === 0) throw failed(`the summary has none of its sections (${rules.sections.join(", ")})`);
  if (found.every(({ body }) => isEmptyBody(body))) throw failed("every section of the summary is empty");
  const bodies = new Map(rules.sections.map((title) => [title, bodiesOf(title, found)]));
  const order = found.map(({ title }) => rules.sections.indexOf(title));
  const isInOrder = order.every((position, index) => index === 0 || position > (order[index - 1] ?? -1));
  const repairs: SummaryRepair[] = [
    ...(preamble === "" ? [] : ["preamble-removed" as const]),
    ...(new Set(found.map(({ title }) => title)).size === rules.sections.length ? [] : ["section-added" as const]),
    ...(isInOrder ? [] : ["sections-reordered" as const]),
    ...(unknown.length === 0 ? [] : ["heading-demoted" as const]),
  ];
  return { text: sectionedText(rules.sections, bodies), repairs };
}

/** The text of a section without content. */
const EMPTY_SECTION = "None";

/** Returns the texts under a title; the word for an empty section if there is none. */
function bodiesOf(title: string, found: SectionedText["found"]): readonly string[] {
  const told = found.filter((section) => section.title === title && !isEmptyBody(section.body)).map(({ body }) => body);
  return told.length === 0 ? [EMPTY_SECTION] : told;
}

/** A reply that is one code block as a whole, without its fence. */
function withoutWrapping(text: string): string {
  if (!text.startsWith("```") || !text.endsWith("```")) return text;
  const end = text.indexOf("\n");
  const inner = end < 0 ? "" : text.slice(end + 1, -3);
  return inner.includes("\n```") ? text : inner.trim();
}

const FILE_LIST_TAGS = ["read-files", "modified-files"] as const;

function withoutFileLists(text: string): string {
  return FILE_LIST_TAGS.reduce(withoutBlocks, text);
}

/** The text without the tags and what is between them; of a tag that has no partner nothing but the tag itself goes. Linear. */
function withoutBlocks(text: string, tag: string): string {
  const [opening, closing] = [`<${tag}>`, `</${tag}>`];
  const pieces: string[] = [];
  let at = 0;
  for (let start = text.indexOf(opening); start >= 0; start = text.indexOf(opening, at)) {
    const end = text.indexOf(closing, start);
    if (end < 0) break;
    pieces.push(text.slice(at, start).trimEnd());
    at = end + closing.length;
  }
  const rest = pieces.length === 0 ? text : [...pieces, text.slice(at).trim()].join("\n").trim();
  return rest.split(opening).join("").split(closing).join("");
}

/** The text without the lines that are an instruction of the request, with or without a bullet. */
export function withoutInstructions(text: string, instructions: readonly string[]): string {
  const known = new Set(instructions.map(bare));
  const lines = text.split("\n");
  const kept = lines.filter((line) => !known.has(bare(line)));
  return kept.length === lines.length ? text : kept.join("\n");
}

/** A line without bullet, number, check box and white space. */
function bare(line: string): string {
  const text = line.trim();
  const start = text.search(/[A-Za-z\u0080-\uffff]/);
  return start <= 0 ? text : text.slice(start);
}

/** How models write calls as text; a summary that begins with such a line acts instead of summarising. */
const CALL_BEGINNINGS = ["<tool_call", "<function_call", "<invoke", "[tool_call:", '{"tool_call'] as const;

/** @throws PlimsollError `summary-failed` for a text that calls a tool, or continues the conversation instead of summarising it. */
export function refuseContinuation(text: string, labels: TranscriptLabels): void {
  const speakers = [labels.human, labels.assistant, labels.call, labels.result].map(({ before }) => before.trim());
  for (const line of text.split("\n")) {
    const start = line.trimStart();
    if (CALL_BEGINNINGS.some((beginning) => start.startsWith(beginning))) throw failed("the summary calls a tool");
    if (speakers.some((speaker) => speaker !== "" && line.startsWith(speaker)))
      throw failed("the summary goes on with the conversation");
  }
}

function failed(why: string): PlimsollError {
  return new PlimsollError("summary-failed", why);
}
