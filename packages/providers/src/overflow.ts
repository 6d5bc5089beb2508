import type { RequestLimits } from "@plimsoll/core";
import { isRecord, jsonIn, type Rejection, writtenJson } from "@plimsoll/core/extend";
import { isHistory, isMalformed, namedPart } from "./named-part.ts";
import type { Phrase } from "./overflow-patterns.ts";
import {
  AUTH_PHRASES,
  ENTITLEMENT_PHRASES,
  LARGE_SIZE_PATTERN,
  LEADING_STATUS_PATTERN,
  LIMIT_PATTERNS,
  NO_BODY_PATTERN,
  OVERFLOW_PHRASES,
  OVERLOAD_PHRASES,
  PARAMETER_PHRASES,
  PER_MINUTE_PHRASES,
  PROMPT_PATTERNS,
  QUOTA_PHRASES,
  RATE_LIMIT_PHRASES,
  REPLY_LIMIT_PATTERNS,
  REPLY_PATTERNS,
  REQUESTED_PATTERNS,
  RETRY_PHRASES,
  TOO_LARGE_PHRASES,
  TRANSIENT_PHRASES,
  TRANSIENT_STATUSES,
  UNIT_LIMIT_PATTERNS,
  UNIT_PATTERNS,
  USUAL_WINDOW_TOKENS,
} from "./overflow-patterns.ts";

/**
 * The class of a failed request: it decides the next step.
 * - `context-overflow`: the prompt does not fit the context window; shrink it
 * - `request-too-large`: the request is larger than is accepted at all: in bytes, or in tokens against a limit per minute that it exceeds by itself.
 *   Shrinking helps, waiting never does; it says nothing about the context window
 * - `rate-limit`: too much in too short a time; wait
 * - `quota`: money or a plan is used up
 * - `auth`: the key, or its rights
 * - `reasoning-refused`: reasoning that the request holds is refused, by its place, its id or the name of its seal; leave it out
 * - `transient`: a fault of the moment; send it again
 * - `other`: anything else, wrong parameters among it
 */
export type ProviderErrorClass =
  | "context-overflow"
  | "request-too-large"
  | "rate-limit"
  | "quota"
  | "auth"
  | "reasoning-refused"
  | "transient"
  | "other";

/** A provider's failure as it came: `body` may be text or parsed JSON, `code` the vendor's own. */
export interface ProviderFailure {
  readonly status: number | null;
  readonly message: string;
  readonly code?: string | null;
  readonly body?: unknown;
  /** The body of the request, if it is known, so that its parts can be named. */
  readonly request?: unknown;
}

/** A failure's class, and the numbers that it names if it is about size; `null` if it does not. */
export interface ClassifiedFailure {
  readonly class: ProviderErrorClass;
  readonly limitTokens: number | null;
  readonly requestedTokens: number | null;
}

/** Longest text that is read: errors are short, and a proxy may answer with a page or with the request itself. Chosen. */
const MAXIMUM_TEXT_CHARS = 16_384;

/**
 * Classifies a provider's failure. It first sets apart failures that are never an overflow (limits per time, quotas, keys, wrong parameters), whatever else the message
 * says; a vaguer status (a proxy's 502 around an overflow) does not hide one. Linear in the text.
 */
export function classifyProviderError(failure: ProviderFailure): ClassifiedFailure {
  const text = textOf(failure);
  const status = failure.status ?? statusAtStart(text);
  const counts = countsIn(text, failure);
  const named = namedPart(refusedRequest(failure, status));
  const sizeClass = classOf(text, status, { isAlone: exceedsAlone(text), isSum: counts.isSum });
  const failureClass = named === "reasoning" ? "reasoning-refused" : sizeClass;
  const numbers = { limitTokens: counts.limitTokens, requestedTokens: counts.requestedTokens };
  if (holds(text, ENTITLEMENT_PHRASES))
    return { class: failureClass, ...numbers, limitTokens: numbers.limitTokens ?? USUAL_WINDOW_TOKENS };
  const isAboutSize = failureClass === "context-overflow" || failureClass === "request-too-large";
  return { class: failureClass, ...(isAboutSize ? numbers : { limitTokens: null, requestedTokens: null }) };
}

/** Decides the outcome of a failed request. A refusal that names a parameter, or a place in the request, is not unknown. */
export function outcomeOf(failure: ProviderFailure, failureClass: ProviderErrorClass): Rejection["outcome"] {
  const text = textOf(failure);
  switch (failureClass) {
    case "context-overflow":
      return holds(text, ENTITLEMENT_PHRASES) ? { kind: "not-entitled" } : { kind: "too-large", of: "tokens" };
    case "request-too-large":
      return tooLarge(text);
    case "rate-limit":
      return { kind: "rate" };
    case "reasoning-refused":
    case "quota":
    case "auth":
      return { kind: failureClass };
    case "transient":
      return holds(text, TRANSIENT_PHRASES) ? { kind: "overload" } : ofTheMoment(failure, text);
    case "other":
      if (isOfBoth(text) !== null || isReplyNamed(failure, text))
        return { kind: "reply-too-large", limit: numberFrom(text, REPLY_LIMIT_PATTERNS) ?? onlyOther(text, failure) };
      return unnamed(failure, text);
    default:
      return failureClass satisfies never;
  }
}

function tooLarge(text: string): Rejection["outcome"] {
  if (holds(text, PER_MINUTE_PHRASES)) return { kind: "too-large", of: "minute" };
  const of = mediaUnitIn(text) ?? "bytes";
  const limit = numberFrom(text, UNIT_LIMIT_PATTERNS);
  const [, large, times] = LARGE_SIZE_PATTERN.exec(text) ?? [];
  const isLarge = /bytes$/i.test(of) && large !== undefined && (limit === null || limit < BYTES_PER_KB);
  return { kind: "too-large", of, limit: isLarge ? Number(large) * (times === "m" ? BYTES_PER_KB ** 2 : BYTES_PER_KB) : limit };
}

/** The smaller unit of that name: a limit that is taken too low is kept. */
const BYTES_PER_KB = 1000;

function mediaUnitIn(text: string): keyof RequestLimits | null {
  if (holds(text, TRANSIENT_PHRASES)) return null;
  return UNIT_PATTERNS.find(({ all }) => all.every((pattern) => pattern.test(text)))?.unit ?? null;
}

/** A fault of the moment, as its status says, in words that do not: a server answers too much with it, too. */
function ofTheMoment(failure: ProviderFailure, text: string): Rejection["outcome"] {
  const outcome = unnamed(failure, text);
  if (UNSAID_STATUSES.includes(failure.status ?? statusAtStart(text) ?? 0)) return outcome;
  const isSaid = outcome.kind !== "unknown" || holds(text, OVERLOAD_PHRASES);
  return isSaid ? { kind: "overload" } : { kind: "overload", isUnsaid: true };
}

/** Statuses of a fault that a server need not mend by itself. */
const UNSAID_STATUSES: readonly number[] = [500, 502];

/** Statuses about something else than the size of a request: a key, money, a place, a method, a protocol or a rate. */
const OTHER_STATUSES: readonly number[] = [401, 402, 403, 404, 405, 407, 410, 421, 426, 429, 505, 511];

function isOther(status: number | null): boolean {
  return status !== null && (status < 400 || OTHER_STATUSES.includes(status));
}

/** Decides the outcome of a refusal in unknown words: invalid if it names the fault. */
function unnamed(failure: ProviderFailure, text: string): Rejection["outcome"] {
  const { status, message, body, request } = failure;
  const said = saidIn([body, message]);
  const isOwn = PROMPT_LENGTH.test(text) ? (name: string) => PROMPT_NAME.test(name) : () => false;
  const isNamed =
    said.places.some((place) => !isOwn(place)) || said.proses.some((prose) => namesItsReason(prose, request, isOwn));
  const kind = isOther(status) || isNamed || holds(text, PARAMETER_PHRASES) ? "invalid" : "unknown";
  // A refusal that names only the whole history names nothing in it.
  const isOpen = kind === "unknown" || (said.places.length > 0 && said.places.every(isHistory));
  const isOfForm = isOpen && isMalformed(status) && namedPart(refusedRequest(failure, status)) === null;
  return isOfForm ? { kind, isOfForm } : { kind };
}

function refusedRequest({ message, code, body, request }: ProviderFailure, status: number | null) {
  const text = [message, code ?? "", bodyText(body)].map((each) => each.slice(0, MAXIMUM_TEXT_CHARS)).join(" ");
  return { status, text, ...saidIn([body, message]), request };
}

interface Said {
  readonly proses: string[];
  readonly places: string[];
}

/** Depth to which texts that hold JSON are read. Chosen: a gateway around a gateway. */
const MOST_WRAPPERS = 6;

/** Reads objects, JSON in strings and strings around JSON. A word without blanks is a code or an id, and says nothing. */
function saidIn(value: unknown): Said {
  const said: Said = { proses: [], places: [] };
  look(value, said, 0);
  return said;
}

function look(value: unknown, said: Said, depth: number): void {
  if (depth > MOST_WRAPPERS) return;
  if (typeof value === "string") lookInText(value.slice(0, MAXIMUM_TEXT_CHARS), said, depth);
  else if (Array.isArray(value)) for (const each of value.slice(0, MOST_ITEMS)) look(each, said, depth + 1);
  else if (isRecord(value)) {
    const fields = Object.entries(value).slice(0, MOST_ITEMS);
    for (const [, each] of fields) if (typeof each !== "string" || !isCode(each)) look(each, said, depth + 1);
    said.places.push(...fields.flatMap(placeIn));
  }
}

/** The most parts of an error that are read. Chosen. */
const MOST_ITEMS = 50;

function isCode(text: string): boolean {
  return /^[\x21-\x7e]*$/.test(text) && !/^["{[]/.test(text);
}

/**
 * Reads the name of a parameter or the end of a place of the request off a field: `param` of OpenAI's errors, `loc` of FastAPI's, `path` of zod's, `field` of Google's and
 * `pointer` of RFC 9457. A path as text is an address.
 */
function placeIn([key, value]: readonly [string, unknown]): readonly string[] {
  if (key === "param" || key === "field" || key === "pointer") return typeof value === "string" && value !== "" ? [value] : [];
  const isPath = Array.isArray(value) && ((key === "loc" && value.length > 1) || (key === "path" && value.length > 0));
  return isPath ? [String(value.at(-1))] : [];
}

function lookInText(text: string, said: Said, depth: number): void {
  const prose = text.replace(LEADING_STATUS_PATTERN, "").trim();
  const whole = parsedJson(prose);
  const [start, end] = [prose.indexOf("{"), prose.lastIndexOf("}")];
  const inner = whole !== undefined || start < 0 || end < start ? undefined : prose.slice(start, end + 1);
  const held = inner === undefined ? whole : (parsedJson(inner) ?? parsedJson(asJson(inner)));
  if (held === undefined) lookInLines(prose, said, depth);
  else {
    if (inner !== undefined) said.proses.push(withoutTags(prose.replace(inner, " ")));
    look(held, said, depth + 1);
  }
}

/** Reads lines of JSON, or events that hold it; words are read as they are. */
function lookInLines(prose: string, said: Said, depth: number): void {
  const lines = prose.split("\n").map((text) => ({ text, held: parsedJson(text.replace(/^\s*data:/, "").trim()) }));
  const isJson = prose.includes("{") && lines.some(({ held }) => isRecord(held));
  for (const { text, held } of isJson ? lines : [{ text: prose, held: undefined }])
    if (held !== undefined) look(held, said, depth + 1);
    else if (isJson || prose !== "") said.proses.push(withoutTags(text));
}

function parsedJson(text: string): unknown {
  return /^["{[]/.test(text) ? jsonIn(text) : undefined;
}

/** A dictionary as Python prints it, in JSON. */
function asJson(text: string): string {
  return text
    .replace(/'((?:[^'\\]|\\.)*)'(?=\s*[:,}\]])/g, (_, inner: string) => JSON.stringify(inner.replaceAll("\\'", "'")))
    .replace(/\bNone\b/g, "null")
    .replace(/\bTrue\b/g, "true")
    .replace(/\bFalse\b/g, "false");
}

function withoutTags(text: string): string {
  return text.replace(/<(style|script)\b[\s\S]*?<\/\1>/gi, " ").replace(/<[^<>]*>/g, " ");
}

/** A name in quotes: a word as identifiers are written, or a place. */
const QUOTED_NAME = /(?:^|[\s([{:=,])(["'`])[a-z_][\w$]*(?:[.[][\w$.[\]]*)?\1(?![\p{L}\p{N}])/gu;

/** Names of the whole prompt, or of its allowed length. A refusal that says that there is too much of it names no reason that less would not help against. */
const PROMPT_NAME =
  /^(?:(?:max|total|num|n|model)_)*(?:prompt|inputs?|messages|contents|context|ctx|keep|conversation|history|seq|sequence|model_len|max_length)(?:_?(?:tokens?|ids|len|length|size|window|limit|count|too|long))*$/i;
const PROMPT_LENGTH =
  /too[ _-](?:long|large|big|many|much)|exceed|overflow|\b(?:long|larg|great)er\b|\bat most\b|\bmaximum\b|>=|> ?\d/;

/** A place: a name, an index and a member of it, or an index in brackets. */
const PLACE = /(?:^|[^\w./-])[A-Za-z_]{2,}(?:(?:\.\d+)+\.[A-Za-z_]|\[\d+\])/;

/** Names in words, as parameters are written: with underscores, or in camel case. */
const IDENTIFIER = /(?<![\w.])(?:[a-z]+(?:_[a-z]+)+|[a-z]{2,}(?:[A-Z][a-z]+)+)(?!\w)/g;

/**
 * True for words that name a parameter or a place of the request, by the form of names, in any language. A word before a colon at the beginning, an annotation in
 * brackets, a `key=value` and the name of an error are no names of parameters, unless the request's own body has them.
 */
function namesItsReason(prose: string, request: unknown, isOwn: (name: string) => boolean): boolean {
  const quoted = [...prose.matchAll(QUOTED_NAME)].map(([name]) => name.replace(/^.*?["'`]|["'`]$/gs, ""));
  if (quoted.some((name) => !isOwn(name)) || PLACE.test(prose)) return true;
  const body = isRecord(request) ? request : {};
  const [, label, inside = ""] = /^\s*([A-Za-z_]\w*)((?:\.\w+)*)\s*:\s/.exec(prose) ?? [];
  if (label !== undefined && (Object.hasOwn(body, label) || inside.includes("_"))) return true;
  const sentence = prose.replace(/^\s*[\w.]+\s*:/, " ").replace(/\([^()]*\)|\w+=\S*/g, " ");
  const names = [...sentence.matchAll(IDENTIFIER)].map(([name]) => name);
  if (names.some((name) => !/(?:_error|Error|Exception)$/.test(name) && !isOwn(name))) return true;
  const words = new Set(sentence.split(/\W+/));
  return Object.entries(body).some(([key, value]) => typeof value === "number" && key.length > 2 && words.has(key));
}

/** Tokens of the prompt that a failure names, without the reply that was asked for; `null` if it names none by itself. */
export function namedPromptTokens(failure: ProviderFailure): number | null {
  return countsIn(textOf(failure), failure).promptTokens;
}

interface Counts extends Omit<ClassifiedFailure, "class"> {
  readonly promptTokens: number | null;
  /** True if the numbers add up to prompt and reply together, in any words: the reply is the requested one. */
  readonly isSum: boolean;
}

/**
 * Reads the numbers by their arithmetic where the reply that was asked for is among them, else by their words. A sum that is one more than the limit is the least
 * that was too much, and no count: vLLM says so. A limit of the input leaves the reply out.
 */
function countsIn(text: string, { request, status }: ProviderFailure): Counts {
  const all = numbersIn(text, status);
  const replyTokens = askedReplyTokens(request);
  const [limit, requested, prompt] = [LIMIT_PATTERNS, REQUESTED_PATTERNS, PROMPT_PATTERNS].map((each) =>
    numberFrom(text, each),
  );
  const words = { limitTokens: limit ?? null, requestedTokens: requested ?? null, promptTokens: prompt ?? null };
  const summed = replyTokens === null ? null : addedUp(all, replyTokens, { ...words, isOfReply: isOfBoth(text) === false });
  const [low = null, high = null, ...rest] = [...new Set(all)];
  const isPair = low !== null && high !== null && rest.length === 0 && high < low * MOST_EXCESS;
  const limitTokens = summed?.limitTokens ?? words.limitTokens ?? (isPair ? low : null);
  const requestedTokens = summed?.requestedTokens ?? words.requestedTokens ?? (isPair && limitTokens === low ? high : null);
  const isLeast = requestedTokens === (limitTokens ?? 0) + 1 && (summed !== null || words.promptTokens === null);
  const isOfInput = summed === null && /\binput\b/.test(text) && !OTHER_LIMIT.test(text);
  return {
    limitTokens: limitTokens === null || !isOfInput ? limitTokens : limitTokens + (replyTokens ?? 0),
    requestedTokens: isLeast ? null : requestedTokens,
    promptTokens: isLeast ? null : (summed ?? words).promptTokens,
    isSum: summed !== null,
  };
}

/** A request is at most so many times its limit, if nothing but two counts says which is which. Chosen. */
const MOST_EXCESS = 10;

const OTHER_LIMIT = /context|window|output|completion|max_|total|model length/;

/** Identifies prompt, reply and limit, with the words' own claims; `null` if these numbers are no such three. */
function addedUp(
  all: readonly number[],
  replyTokens: number,
  words: Omit<Counts, "isSum"> & { readonly isOfReply: boolean },
): Omit<Counts, "isSum"> | null {
  if (!all.includes(replyTokens)) return null;
  const { limitTokens: named, requestedTokens: whole } = words;
  // A prompt in several parts: the words name the sum.
  if (named !== null && whole !== null && whole > Math.max(named, replyTokens) && whole !== words.promptTokens)
    return { promptTokens: whole - replyTokens, requestedTokens: whole, limitTokens: named };
  for (const promptTokens of all) {
    const sum = promptTokens + replyTokens;
    if (promptTokens === replyTokens || (named ?? 0) >= sum) continue;
    const isOther = (each: number) => each !== promptTokens && (each !== replyTokens || promptTokens < replyTokens);
    const limitTokens = all.findLast((each) => each < sum && isOther(each));
    if (all.includes(sum) && limitTokens !== undefined)
      return { promptTokens, requestedTokens: sum, limitTokens: named ?? limitTokens };
  }
  const others = all.filter((each) => each !== replyTokens);
  // A limit that is as long as the reply is named beside it.
  const isSame = new Set(others).size === 1 && all.length > others.length * 2 && !words.isOfReply;
  const isLimit = named === replyTokens || isSame;
  const limitTokens = isLimit ? replyTokens : (others.find((each) => each === named) ?? others.at(-1) ?? 0);
  const isPrompt = (each: number) =>
    each !== limitTokens && each !== limitTokens + 1 && (each <= limitTokens || each !== whole);
  const promptTokens = others.findLast(isPrompt) ?? 0;
  const requestedTokens = promptTokens + replyTokens;
  return promptTokens > 0 && requestedTokens > limitTokens ? { promptTokens, requestedTokens, limitTokens } : null;
}

/** A count of its own: no part of a name, a date, a version or a fraction, no code, and not of characters or bytes. */
const COUNT = /(?<![\w.-])(?:\d{1,3}(?:[,_]\d{3})+|\d{3,9})(?!\w|-\d|[,:]\d|\.(?!0\b)\d)(?!\W{0,2}(?:char|byte|[km]i?b\b|字))/g;
const CODE = /(?:(?:code|status)\W{0,5}|(?:^(?:\d{3} )*|["'])(?=\d{3,5}: ))(\d+)/g;

/** Smaller numbers count no window. Chosen. */
const LEAST_COUNT = 256;

function numbersIn(text: string, status: number | null): readonly number[] {
  const all = [...text.matchAll(COUNT)].map(([digits]) => Number(digits.replace(/[,_]/g, "")));
  const codes = [status, ...[...text.matchAll(CODE)].map(([, code]) => Number(code))];
  return all.filter((each) => each >= LEAST_COUNT && !codes.includes(each)).sort((a, b) => a - b);
}

const REPLY_NAME = /^max_?(?:completion_|output_?|new_)?tokens$/i;

/** The longest reply that a request's body asks for, on any wire; `null` if it does not say. */
function askedReplyTokens(request: unknown): number | null {
  if (!isRecord(request)) return null;
  const fields = [request, ...Object.values(request).filter(isRecord)].flatMap(Object.entries);
  const [, asked] = fields.find(([name, value]) => REPLY_NAME.test(name) && typeof value === "number") ?? [];
  return typeof asked === "number" ? asked : null;
}

/** The one count beside the reply that was asked for, if that is named and the count is less; `null` for any other text. */
function onlyOther(text: string, { request, status }: ProviderFailure): number | null {
  const all = [...new Set(numbersIn(text, status))];
  const [low = null] = all;
  return all.length === 2 && all[1] === askedReplyTokens(request) ? low : null;
}

/** True for a refusal whose fields name the longest reply as the value above its limit. */
function isReplyNamed({ body, message }: ProviderFailure, text: string): boolean {
  return LESS_WORDS.test(text) && saidIn([body, message]).places.some((place) => REPLY_NAME.test(place));
}

const LESS_WORDS = /less[ _]than|at most|exceed|too (?:large|high|long)|<=|smaller|\bmaximum value/;

/** Whether words of a longest reply name the prompt with it; `null` for no such words. */
function isOfBoth(text: string): boolean | null {
  return REPLY_PATTERNS.every((pattern) => pattern.test(text)) ? PROMPT_WORDS.test(text) : null;
}

const PROMPT_WORDS = /\b(?:input|prompt)\b[^.:]{0,40}\b(?:tokens|length)\b/;

function classOf(
  text: string,
  status: number | null,
  { isAlone, isSum }: { readonly isAlone: boolean; readonly isSum: boolean },
): ProviderErrorClass {
  // The last is gRPC's, with the code of a rate.
  if (isAlone || text.includes("message larger than max")) return "request-too-large";
  if (holds(text, ENTITLEMENT_PHRASES)) return "context-overflow";
  if (status === 402 || (holds(text, QUOTA_PHRASES) && !holds(text, RETRY_PHRASES))) return "quota";
  if (status === 429 || holds(text, RATE_LIMIT_PHRASES)) return "rate-limit";
  if (status === 401 || status === 403 || holds(text, AUTH_PHRASES)) return "auth";
  if (isSum && (status === 200 || !isOther(status))) return "context-overflow";
  if (holds(text, PARAMETER_PHRASES)) return "other";
  if (holds(text, OVERFLOW_PHRASES) || isOfBoth(text) === true || NO_BODY_PATTERN.test(text)) return "context-overflow";
  if (status === 413 || holds(text, TOO_LARGE_PHRASES)) return "request-too-large";
  if (!isOther(status) && mediaUnitIn(text) !== null) return "request-too-large";
  if ((status !== null && TRANSIENT_STATUSES.includes(status)) || holds(text, TRANSIENT_PHRASES)) return "transient";
  return "other";
}

/** True for a limit per minute that this request exceeds with nothing else in that minute. */
function exceedsAlone(text: string): boolean {
  if (!holds(text, PER_MINUTE_PHRASES)) return false;
  const [limitTokens, requestedTokens] = [numberFrom(text, LIMIT_PATTERNS), numberFrom(text, REQUESTED_PATTERNS)];
  return (
    text.includes("request too large") || (limitTokens !== null && requestedTokens !== null && requestedTokens > limitTokens)
  );
}

/** Message, code and body in lower case, white space as single spaces. A refusal that names one place of the history may quote it: quotations are no words of its own. */
function textOf({ message, code, body }: ProviderFailure): string {
  const texts = [message, code ?? "", bodyText(body)].map((text) => text.slice(0, MAXIMUM_TEXT_CHARS));
  const text = texts.join(" ").toLowerCase().replace(/\s+/g, " ").trim();
  return PLACE_FIELD.test(text) ? text.replace(QUOTATION, " ") : text;
}

const PLACE_FIELD = /"(?:param|field|pointer)\\*" ?: ?\\*"[a-z]+\W*\d/;
/** A sentence in quotes inside of a text: in a value of JSON its quotes are escaped. */
const QUOTATION = /\\+"[^"\\]{20,}\\+"|(?<=[^\s:,{[]: ?)"[^"\\{}]{20,}"(?! ?[,:}])/g;

function bodyText(body: unknown): string {
  if (body === undefined || body === null) return "";
  return typeof body === "string" ? body : writtenJson(body);
}

function statusAtStart(text: string): number | null {
  const status = LEADING_STATUS_PATTERN.exec(text)?.[1];
  return status === undefined ? null : Number(status);
}

function holds(text: string, phrases: readonly Phrase[]): boolean {
  return phrases.some((pieces) => pieces.every((piece) => text.includes(piece)));
}

/** The sum of the numbers of the first pattern that is found; `null` without one, or for a sum that is not positive. */
function numberFrom(text: string, patterns: readonly RegExp[]): number | null {
  for (const pattern of patterns) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const sum = found.slice(1).reduce((total, digits) => total + Number(digits.replace(/[,_]/g, "")), 0);
    return sum > 0 ? sum : null;
  }
  return null;
}
