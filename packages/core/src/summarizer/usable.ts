import { PlimsollError } from "../error.ts";
import { isJsonValue, isRecord } from "../json.ts";
import { messageChars } from "../message/size.ts";
import type { Summary, SummaryRequest } from "../ports.ts";
import { PREFIX_FRAME, SUMMARIZER_ROLE, SUMMARY_RULES } from "../prompts/parts.ts";
import type { Usage } from "../usage.ts";
import { isEmptyBody, sectionsIn } from "./sections.ts";
import { promptOfPart } from "./summary-request.ts";
import { refuseContinuation, withoutInstructions } from "./validate.ts";

/** Who wrote a summary: somebody who was asked for one, or a hook that supplied it in its own words, however few. */
export type SummaryAuthor = "asked" | "hook";

/**
 * The summary, if it can take the place of what it covers; the same rules hold for every writer. What it says of its usage and prompts
 * stays only if it can be logged.
 *
 * @throws PlimsollError `summary-failed` for what is no text, did not end by itself, was cut off, has no letters, repeats the request, goes on with the
 * conversation, or is a refusal or an error in the place of a summary.
 */
export function usableSummary(
  given: Partial<Record<keyof Summary, unknown>>,
  request: SummaryRequest,
  author: SummaryAuthor = "asked",
): Summary {
  const { text: whole, stopReason, usage, prompts, repairs }: Record<keyof Summary, unknown> = { ...NOTHING, ...given };
  if (stopReason !== "end") throw failed(`the summary did not end by itself (${String(stopReason)})`);
  if (typeof whole !== "string") throw failed("the summary is no text");
  const text = whole.trim();
  if (text === "") throw failed("the summary is empty");
  const own = withoutInstructions(text, instructionsOf(request));
  if (!hasLetters(withoutHeadings(text))) throw failed("the summary has no letters, or none below its headings");
  if (!hasLetters(withoutHeadings(own)) || text.includes(SUMMARIZER_ROLE.text)) throw failed("the summary repeats the request");
  refuseContinuation(text, request.labels);
  refuseStandIn(own, request, author);
  const reported = usageOf(usage);
  if (isCutOff(own, reported, request)) throw failed("the summary was cut off");
  return {
    text: whole,
    stopReason: "end",
    usage: reported,
    ...(isTexts(prompts) ? { prompts } : {}),
    ...(isTexts(repairs) ? { repairs } : {}),
  };
}

const NOTHING: Record<keyof Summary, unknown> = { text: null, stopReason: null, usage: null, prompts: null, repairs: null };

function failed(why: string): PlimsollError {
  return new PlimsollError("summary-failed", why);
}

function hasLetters(text: string): boolean {
  return /\p{L}/u.test(text);
}

function withoutHeadings(text: string): string {
  return text
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("#"))
    .join("\n");
}

/** Lines of the request; of a prompt that cannot be found its text is not known. */
function instructionsOf(request: SummaryRequest): readonly string[] {
  const asked = request.parts.flatMap((part) => {
    try {
      return promptOfPart(part, request).instructions(request.sections).split("\n");
    } catch {
      // Who wrote the summary may do without our prompts.
      return [];
    }
  });
  return [
    SUMMARIZER_ROLE.text,
    PREFIX_FRAME.text,
    ...SUMMARY_RULES,
    ...asked.filter((line) => hasLetters(withoutHeadings(line))),
  ];
}

/** A text that says so much is a summary in prose, whatever it covers. Chosen. */
const PROSE_CHARS = 400;

/** A shorter one has at least so many characters, or an eight-hundredth of what it covers: no history is told in a word. Chosen. */
const LEAST_CHARS = 12;
const LEAST_RATIO = 1 / 800;

/**
 * Refuses what stands where a summary should. Who was asked for sections and wrote one of them has written a summary; who wrote none is
 * believed by the size of the text beside what it covers. Words of refusals and errors only sharpen that.
 */
function refuseStandIn(text: string, request: SummaryRequest, author: SummaryAuthor): void {
  const { found } = sectionsIn(text, request.sections);
  if (found.length > 0) {
    if (found.every(({ body }) => isEmptyBody(body) || !/[\p{L}\p{N}]/u.test(body)))
      throw failed("every section of the summary is empty");
    return;
  }
  if (isErrorBody(text)) throw failed("the summary is an error");
  if (text.length >= PROSE_CHARS) return;
  const says = STAND_INS.find(({ pattern }) => pattern.test(text));
  if (says !== undefined) throw failed(`the summary is ${says.what}`);
  const coveredChars = request.parts.reduce(
    (sum, { messages }) => sum + messages.reduce((chars, message) => chars + messageChars(message), 0),
    0,
  );
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

/** True for a page or an object in which servers tell what failed, of any length. */
function isErrorBody(text: string): boolean {
  if (/^(?:<!doctype html|<html|<\?xml)/i.test(text)) return true;
  if (!text.startsWith("{")) return false;
  try {
    const value: unknown = JSON.parse(text);
    return (
      isRecord(value) &&
      ["error", "errors", "choices", "messages", "parts"].some((key) => value[key] !== undefined && value[key] !== null)
    );
  } catch {
    // Text that is no JSON is an expected answer.
    return false;
  }
}

/**
 * True if exactly as many tokens were written as were allowed, or if less than half of the sections are there and the last ends within a line: of text that a
 * model wrote. A digest has the sections that it has something for, and shortens its lines itself.
 */
function isCutOff(text: string, usage: Usage | null, { sections, maxTokens }: SummaryRequest): boolean {
  if (usage?.output.totalTokens === maxTokens) return true;
  const { found } = sectionsIn(text, sections);
  const isBegun = found.length > 0 && found.length < sections.length / 2;
  return (
    usage !== null &&
    isBegun &&
    /[\p{L},;(-]$/u.test(text) &&
    found.at(-1)?.title !== sections.at(-1) &&
    text.length >= PROSE_CHARS
  );
}

/** The usage as a log can hold it, with `null` for what is not told; `null` if a figure of it is no count. */
function usageOf(usage: unknown): Usage | null {
  if (!isRecord(usage)) return null;
  const [input, output, billed] = [usage.input, usage.output, usage.billed].map((each) => (isRecord(each) ? each : {}));
  if (![input, output, billed].every((counts) => Object.values(counts ?? {}).every(isCount))) return null;
  const count = (counts: { readonly [key: string]: unknown } | undefined, key: string): number | null => {
    const value = counts?.[key];
    return typeof value === "number" ? value : null;
  };
  return {
    input: {
      totalTokens: count(input, "totalTokens"),
      uncachedTokens: count(input, "uncachedTokens"),
      cacheReadTokens: count(input, "cacheReadTokens"),
      cacheWriteTokens: count(input, "cacheWriteTokens"),
      cacheWriteOneHourTokens: count(input, "cacheWriteOneHourTokens"),
    },
    output: { totalTokens: count(output, "totalTokens"), reasoningTokens: count(output, "reasoningTokens") },
    billed: { inputTokens: count(billed, "inputTokens"), outputTokens: count(billed, "outputTokens") },
    raw: isJsonValue(usage.raw) ? usage.raw : null,
  };
}

function isCount(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === "number" && Number.isFinite(value) && value >= 0);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
