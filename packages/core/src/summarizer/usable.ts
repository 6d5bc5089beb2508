import { z } from "zod";
import { PlimsollError } from "../error.ts";
import { isJsonValue, isRecord, type JsonValue, jsonIn } from "../json.ts";
import { foldedBeginning } from "../message/framing.ts";
import { toolCallsOf } from "../message/message.ts";
import { coverageOf } from "../message/size.ts";
import type { TranscriptLabels } from "../message/transcript-text.ts";
import type { Summary, SummaryRequest } from "../ports.ts";
import { BUILT_IN_PROMPTS } from "../prompts/built-in-prompts.ts";
import { PREFIX_FRAME, SUMMARIZER_ROLE, SUMMARY_RULES } from "../prompts/parts.ts";
import type { Usage } from "../usage.ts";
import { FENCE, isEmptyBody, sectionedText, sectionsIn } from "./sections.ts";

/** The writer of a summary: a writer that was asked for one, or a hook that supplied it in its own words, however few. */
export type SummaryAuthor = "asked" | "hook";

/**
 * The summary, if it can replace its covered messages; the same rules hold for every writer. Its usage and prompts stay only if they can be logged.
 *
 * @throws PlimsollError `summary-failed` for an answer that is no text, did not end by itself, was cut off, has no letters, repeats the request, goes
 * on with the conversation, or is an answer, a refusal or an error in the place of a summary.
 */
export function usableSummary(
  given: Partial<Record<keyof Summary, unknown>>,
  request: SummaryRequest,
  author: SummaryAuthor = "asked",
): Summary {
  const { usage, prompts, repairs, isQuoted, ...reply } = given;
  const whole = endedText(reply);
  const text = whole.trim();
  const own = withoutInstructions(text, instructionsOf(request));
  if (!saysSomething(text)) throw failed("the summary has no letters, or none below its headings");
  if ((own !== text && !saysSomething(own)) || text.includes(SUMMARIZER_ROLE.text))
    throw failed("the summary repeats the request");
  if (isQuoted !== true) refuseContinuation(text, request);
  refuseStandIn(own, request, author);
  const reported = loggableUsage(usage);
  if (isCutOff(own, reported, request)) throw failed("the summary was cut off");
  return {
    text: whole,
    stopReason: "end",
    usage: reported,
    ...(isTexts(prompts) ? { prompts } : {}),
    ...(isTexts(repairs) ? { repairs } : {}),
    ...(isQuoted === true ? { isQuoted } : {}),
  };
}

function failed(why: string): PlimsollError {
  return new PlimsollError("summary-failed", why);
}

/** True for text with a letter outside of its headings. */
function saysSomething(text: string): boolean {
  return text.split("\n").some((line) => !line.trimStart().startsWith("#") && /\p{L}/u.test(line));
}

/** Lines of the request; of a prompt that cannot be found its text is not known. */
function instructionsOf(request: SummaryRequest): readonly string[] {
  const { prompts = BUILT_IN_PROMPTS, sections } = request;
  const asked = request.parts.flatMap((part) => {
    try {
      // The writer of the summary may do without our prompts.
      const prompt = prompts.find(({ id }) => id === part.promptId);
      return prompt?.instructions(sections).split("\n") ?? [];
    } catch {
      return [];
    }
  });
  return [SUMMARIZER_ROLE.text, PREFIX_FRAME.text, ...SUMMARY_RULES, ...asked.filter(saysSomething)];
}

/** A text of such a length is a summary in prose, of any history. Chosen. */
const PROSE_CHARS = 400;

/** A shorter one has at least so many characters, or an eight-hundredth of its covered text: one word is no history. Chosen. */
const LEAST_CHARS = 12;
const LEAST_RATIO = 1 / 800;

/** A writer that wrote one of the sections has written a summary; one that wrote none is believed by the size of its text. Words of refusals only sharpen that. */
function refuseStandIn(text: string, request: SummaryRequest, author: SummaryAuthor): void {
  const { found } = sectionsIn(text, request.sections);
  if (found.length > 0) {
    if (found.every(({ body }) => isEmptyBody(body) || !/[\p{L}\p{N}]/u.test(body)))
      throw failed("every section of the summary is empty");
    return;
  }
  if (isErrorBody(text)) throw failed("the summary is an error");
  if (author === "asked" && !text.split("\n").some(isHeading) && ANSWER_FORMS.some((form) => form.test(text)))
    throw failed("the summary answers a message");
  if (text.length >= PROSE_CHARS) return;
  const says = STAND_INS.find(({ pattern }) => pattern.test(text));
  if (says !== undefined) throw failed(`the summary is ${says.what}`);
  const coveredChars = coverageOf(request.parts.flatMap(({ messages }) => messages)).chars;
  if (author === "asked" && text.length < Math.min(LEAST_CHARS, coveredChars * LEAST_RATIO))
    throw failed(`the summary is too short for what it covers (${text.length} of ${coveredChars} characters)`);
}

/** Words of short texts that are no summaries, in the languages in which models refuse most. */
const STAND_INS = [
  {
    what: "a refusal",
    pattern:
      /^(?:(?:i(?:['’]m| am) (?:very |so |really )?)?sorry\b|i (?:must )?apologi[sz]e|(?:unfortunately,? )?i(?:['’]m| am)? (?:can(?:no|['’])t|cannot|unable|not able|won['’]t|will not|must decline|decline)|as an ai\b|lo siento|lo lamento|mi dispiace|non posso|desculpe|não posso|desolé|désolé|leider kann ich|beklager|jeg kan ikke|jag kan (?:tyvärr )?inte|het spijt me|ik kan (?:niet|dit|u|je)|извините|к сожалению,? я|я не могу|przepraszam|nie mogę|üzgünüm|죄송|すみません|ごめんなさい|no puedo|je suis désolé|je ne peux pas|es tut mir leid|ich kann (?:das|dabei|diese|nicht)|申し訳|抱歉|对不起|我无法|很抱歉)|\b(?:cannot|can['’]t|unable to|not able to|won['’]t) (?:help|assist|comply|fulfil|summari[sz]e|provide (?:a|the) summary|process (?:this|that|your) request)|\b(?:content|usage|safety) polic(?:y|ies)\b/i,
  },
  {
    what: "an error",
    pattern:
      /^\W*(?:(?:\w+ ?)?(?:error|exception)\b\s*[:(\d\n]|error$|traceback\b|fatal:|(?:http[/ .\d]*)?[45]\d\d\b|(?:internal server error|bad gateway|service unavailable|gateway time-?out|too many requests|rate limit|quota exceeded|request (?:failed|timed out)|timed? ?out|unauthorized|forbidden|overloaded|connection (?:refused|reset|error))\b|(?:undefined|null|nan|\[object \w+\])$)/i,
  },
] as const;

/** True for a page or an object with a server's error, of any length. */
function isErrorBody(text: string): boolean {
  if (/^(?:<!doctype html|<html|<\?xml)/i.test(text)) return true;
  if (!text.startsWith("{")) return false;
  const value = jsonIn(text);
  return (
    isRecord(value) &&
    ["error", "errors", "choices", "messages", "parts"].some((key) => value[key] !== undefined && value[key] !== null)
  );
}

/**
 * True if exactly as many tokens were written as were allowed, or if less than half of the sections are there and the last ends within a line: of text that a
 * model wrote. A digest has the sections that it has something for, and shortens its lines itself.
 */
function isCutOff(text: string, usage: Usage | null, { sections, maxTokens }: SummaryRequest): boolean {
  if (usage === null) return false;
  if (usage.output.totalTokens === maxTokens) return true;
  const { found } = sectionsIn(text, sections);
  const isBegun = found.length > 0 && found.length < sections.length / 2;
  return isBegun && /[\p{L},;(-]$/u.test(text) && found.at(-1)?.title !== sections.at(-1) && text.length >= PROSE_CHARS;
}

const COUNT = z.number().nonnegative().nullable().default(null);

const LOGGABLE: z.ZodType<Usage> = z.object({
  input: z
    .object({
      totalTokens: COUNT,
      uncachedTokens: COUNT,
      cacheReadTokens: COUNT,
      cacheWriteTokens: COUNT,
      cacheWriteOneHourTokens: COUNT,
    })
    .prefault({}),
  output: z.object({ totalTokens: COUNT, reasoningTokens: COUNT }).prefault({}),
  billed: z.object({ inputTokens: COUNT, outputTokens: COUNT }).prefault({}),
  raw: z.custom<JsonValue>(isJsonValue).catch(null),
});

/** The usage as a log can hold it, with `null` for unreported figures; `null` if one of them is no count. */
export function loggableUsage(usage: unknown): Usage | null {
  return usage === null ? null : (LOGGABLE.safeParse(usage).data ?? null);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

/** The text of a summary that ended by itself. @throws PlimsollError `summary-failed` for any other, and for an empty one. */
function endedText({ text, stopReason = null }: Partial<Readonly<Record<"text" | "stopReason", unknown>>>): string {
  if (stopReason !== "end") throw failed(`the summary did not end by itself (${String(stopReason)})`);
  if (typeof text !== "string") throw failed("the summary is not text");
  if (text.trim() === "") throw failed("the summary is empty");
  return text;
}

/** The rules that a model's summary must follow. */
export interface SummaryRules {
  /** Titles that it must have, in order; empty for a summary without sections. */
  readonly sections: readonly string[];
  /** UTF-16 code units of the replaced messages. */
  readonly coveredChars: number;
  /** How the history was written down: a summary that goes on in the same way continues the conversation. */
  readonly labels: TranscriptLabels;
  /** Lines of the request that must not come back as if they were the session's own. */
  readonly instructions: readonly string[];
}

/** A summary that can be used, and its repairs. */
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
 * The model's summary, repaired if the repair loses nothing: missing sections say that there is nothing, sections out of order are put in order,
 * added ones lose their rank, lists of files and copied instructions go.
 *
 * @throws PlimsollError `summary-failed` for a reply that is empty, was cut off, calls a tool, goes on with the conversation, has none of its
 * sections, or is not smaller than the replaced messages.
 */
export function repairedSummary(summary: Summary, rules: SummaryRules): RepairedSummary {
  const whole = endedText(summary).trim();
  const unwrapped = withoutWrapping(whole);
  const unlisted = FILE_LIST_TAGS.reduce(withoutBlocks, unwrapped);
  const uninstructed = withoutInstructions(unlisted, rules.instructions);
  const repairs: SummaryRepair[] = [
    ...(unwrapped === whole ? [] : ["wrapping-removed" as const]),
    ...(unlisted === unwrapped ? [] : ["file-list-removed" as const]),
    ...(uninstructed === unlisted ? [] : ["instruction-removed" as const]),
  ];
  refuseContinuation(uninstructed, { labels: rules.labels, parts: [] });
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
  const bodies = new Map(
    rules.sections.map((title) => {
      const told = found.filter((section) => section.title === title && !isEmptyBody(section.body)).map(({ body }) => body);
      return [title, told.length === 0 ? [EMPTY_SECTION] : told];
    }),
  );
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

/** A reply that is one code block as a whole, without its fence. */
function withoutWrapping(text: string): string {
  if (!text.startsWith("```") || !text.endsWith("```")) return text;
  const end = text.indexOf("\n");
  const inner = end < 0 ? "" : text.slice(end + 1, -3);
  return inner.includes("\n```") ? text : inner.trim();
}

const FILE_LIST_TAGS = ["read-files", "modified-files"] as const;

/** The text without the tags and the text between them; of a tag that has no partner only the tag itself goes. Linear. */
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
function withoutInstructions(text: string, instructions: readonly string[]): string {
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

/** @throws PlimsollError `summary-failed` for a text that calls a tool, or goes on with the conversation instead of summarising it. */
function refuseContinuation(text: string, asked: Pick<SummaryRequest, "labels" | "parts" | "conversation">): void {
  const lines = unfencedLines(withoutWrapping(text.trim()));
  const plain = lines.join("\n").replaceAll(/`[^`\n]+`/g, "`");
  const called = asked.parts.flatMap(({ messages }) => messages.flatMap(toolCallsOf)).map(({ toolName }) => toolName);
  const names = new Set([...called, ...(asked.conversation?.tools ?? []).map(({ name }) => name)]);
  const isCall = [...plain.matchAll(/^[ \t]*<([\w.-]+)>/gm)].some(([, name = ""]) => names.has(name));
  const ending = text.replace(/(?<![\s`;])[\s`;]+$/, "");
  const isCallLast = [...names].some((name) => endsInCall(ending, name));
  const closed = new Map([...plain.matchAll(/<\/(\w+)>/g)].map(({ 1: name, index }) => [name, index]));
  const opened = [...plain.matchAll(/(?:^|[.!?])[ \t]*<(?=\w+_\w)(\w+)>(?=[\w<])/gm)];
  const isOpen = opened.some(({ 1: name, index }) => (closed.get(name) ?? -1) < index);
  if (isCall || isCallLast || isOpen || CALL_FORMS.some((form) => form.test(plain))) throw failed("the summary calls a tool");
  if (isDialogue(lines, lines.some(isHeading), asked.labels)) throw failed("the summary continues the conversation");
}

/**
 * Whether the text ends in a call of the tool, in any form, also in a code block: its name in a structure, its arguments, and no more. A list of calls
 * is none.
 */
function endsInCall(text: string, name: string): boolean {
  const at = text.lastIndexOf(name);
  const [before, given] = [text.slice(0, at), text.slice(at + name.length)];
  if (at < 0 || !/[}\])>]$/.test(text) || !/^(?:\W|_|[ \t]+json\b)[^{([<]{0,40}[{([<]|^[{([<]/.test(given)) return false;
  const isOwnLine = /^[ \t]*\n/.test(given) ? /(?:^|[^\w\s`/]|: )$/ : /(?:^|\n[ \t]*\n|```\w*\n|[^\w\s`/])$/;
  return isOwnLine.test(before) && !/(?:^|\n)[ \t]*(?:[-*+]|\d+[.)])[ \t][^\n]*$/.test(before);
}

/** The lines of a text, those in code fences emptied: a quotation there is no turn and no call. */
function unfencedLines(text: string): readonly string[] {
  let isFenced = false;
  return text.split("\n").map((line) => {
    const isFence = FENCE.test(line.trimStart());
    if (isFence) isFenced = !isFenced;
    return isFence || isFenced ? "`" : line;
  });
}

/**
 * The forms in which models write calls as text, at a line's beginning: a special token; a tag with a value, a name, or JSON or a name with further tags in
 * it; a token or label in brackets before JSON or a call; an object with a name and arguments. Prose about them is no such line. All are linear.
 */
const CALL_FORMS: readonly RegExp[] = [
  /(?:^[ \t]*|[\p{L}\p{N}]|[.!?)\u3002][ \t]*)<[|\uff5c]/mu,
  /^(?![\s\S]*<s>)[\s\S]*[\p{L}.!?]<\/s>/u,
  /(?:^[ \t]*|[.!?>][ \t]*)\[([A-Z_]{1,40})\][^\n]{0,400}\[\/\1\]/m,
  /^[ \t]*\[\w+\(.*\)\]$/m,
  /^[ \t]*<[\w:-]+(?:=\S|\s[^>\n]*\bname=|>\s*(?:\[\s*)?\{\s*"|>\s*[\w.-]+[ \t]*\n\s*<\w)/m,
  /^[ \t]*(?:\w+: )?\[[\w /]+(?::[ \t]*[\w.-]+\(|\]:?[ \t]*(?:(?:\[\s*)?\{\s*"|[\w.-]+(?:\[\w+\]\s*\{|\(\{)))/m,
  /^[ \t]*(?:\[\s*)?\{\s*"(?=\w*(?:name|tool|function|type|id))\w+"\s*:[^{}]*(?:\{[^{}]*)?"(?:arguments|parameters|input|args)"\s*:\s*["{]/m,
];

/** An exclamation at the very beginning, and a question at the end that no colon introduces: a record exclaims nothing and asks no questions. */
const ANSWER_FORMS: readonly RegExp[] = [
  /^\p{L}[^\n.?!\u3002\uff1f\uff01:]{0,80}[!\uff01]/u,
  /(?:^|\n)[^\n:\uff1a]*[?\uff1f\u061f][^\p{L}\p{N}]{0,40}$/u,
];

/** The roles of a conversation on every wire, as they are written where no label is known. */
const ROLES = { asks: ["user:", "human:"], answers: ["assistant:", "ai:"] } as const;

/** Whether one speaker speaks and another answers in separate turns, or it begins as the assistant. Lines of speakers among others only report turns. */
function isDialogue(lines: readonly string[], isSectioned: boolean, labels: TranscriptLabels): boolean {
  const { human, command, assistant, call, result } = labels;
  const folded = (text: string) => foldedBeginning(text.replace(/^#+ /, ""), 80).folded.replaceAll(/[[\]]/g, "");
  const answers = [folded(assistant.before), ...ROLES.answers];
  const own = [human, command, call, result].map(({ before }) => folded(before));
  const speakers = [...answers, ...ROLES.asks, ...own].filter((each) => each !== "");
  const beginnings = new Set([...speakers.map((each) => each.charAt(0)), "[", "]", ""]);
  // Most lines begin as no speaker does, and are folded no further.
  const mayBe = (line: string) => beginnings.has(foldedBeginning(line.replace(/^#+ /, ""), 1).folded.charAt(0));
  const speakerOf = (line: string) => {
    const said = !/^\s/.test(line) && mayBe(line) ? folded(line) : null;
    return said === null ? undefined : speakers.find((each) => said.startsWith(each));
  };
  const spoken = lines.map(speakerOf);
  const start = isSectioned ? lines.findLastIndex((line, at) => isHeading(line) && spoken[at] === undefined) + 1 : 0;
  const turns = spoken.flatMap((speaker, at) => (speaker === undefined || at < start ? [] : [{ at, speaker }]));
  const answered = turns.find(({ speaker }, index) => (turns[index + 1]?.speaker ?? speaker) !== speaker);
  if (answered === undefined) return !isSectioned && turns[0]?.at === 0 && answers.includes(turns[0].speaker);
  const told = lines.slice(start, answered.at).join("\n").trim();
  if (/[:\uff1a]$/.test(told)) return false;
  const isApart = /^\s*(?:$|[-*+]\s|\d+[.)]\s)/.test(lines[answered.at - 1] ?? "");
  return isSectioned ? told !== "" && isApart : isApart || told.length < PROSE_CHARS;
}

function isHeading(line: string): boolean {
  return /^#+ /.test(line);
}
