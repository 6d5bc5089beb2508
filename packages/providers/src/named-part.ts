import { isRecord } from "@plimsoll/core/extend";
import { type Fields, stringAt } from "./fields.ts";

/** The words of a refusal, the parameters and places that its fields name, and the refused request, or only its items. */
export interface RefusedRequest {
  readonly status: number | null;
  /** Everything that was said, as it came. */
  readonly text: string;
  readonly proses: readonly string[];
  readonly places: readonly string[];
  readonly request: unknown;
}

/** Names of reasoning, in each vendor's words and each wire's fields and types. */
const REASONING = /reasoning|thinking|thought/i;

function isReasoning(node: Fields): boolean {
  const type = stringAt(node, "type") ?? "";
  // A vendor's summary is sealed as reasoning is, and leaves with it.
  return REASONING.test(type) || type === "compaction" || node.thought === true;
}

/** The history in a request: its list of objects with a role, or of items; of bare items themselves. */
function historyIn(request: unknown): readonly unknown[] | null {
  if (Array.isArray(request)) return request;
  if (!isRecord(request)) return null;
  const key = HISTORIES.find((each) => Array.isArray(request[each]));
  const { [key ?? ""]: history } = request;
  return Array.isArray(history) ? history : null;
}

const HISTORIES: readonly string[] = ["messages", "input", "contents", "prompt"];

/** True for the name of a whole history. */
export function isHistory(name: string): boolean {
  return HISTORIES.includes(name);
}

interface Held {
  /** Texts by which reasoning is known: its ids, and the beginnings of its seals. */
  readonly reasoning: string[];
  /** Ids of items: the vendor looks for their counterparts. */
  readonly itemIds: readonly string[];
  /** Types and fields of reasoning, as they are written; none if there is no reasoning. */
  readonly own: Set<string>;
  /** Types and fields of other parts, bare. */
  readonly types: Set<string>;
}

/** A seal has no blank and so many characters, and is known by its first ones: refusals quote the beginning. Chosen. */
const LEAST_SEAL_CHARS = 24;
const SEAL_CHARS = 12;

/** Depth to which a history is looked into. Chosen: a block in a result of a message, and the object around its seal. */
const MOST_DEPTH = 8;

/** A name without the marks between its words, which wires and vendors write differently. */
const bare = (name: string) => name.toLowerCase().replace(/[\W_]+/g, "");

function heldIn(history: readonly unknown[]): Held {
  const itemIds = history.flatMap((item) => (stringAt(item, "type") === null ? [] : (stringAt(item, "id") ?? [])));
  const held: Held = { reasoning: [], itemIds, own: new Set(), types: new Set() };
  const look = (value: unknown, isInside: boolean, depth: number) => {
    if (depth > MOST_DEPTH) return;
    if (typeof value === "string" && isInside && value.length >= LEAST_SEAL_CHARS && !/\s/.test(value))
      held.reasoning.push(value.slice(0, SEAL_CHARS));
    if (Array.isArray(value)) for (const each of value) look(each, isInside, depth + 1);
    if (!isRecord(value)) return;
    const isOwn = isInside || isReasoning(value);
    const type = stringAt(value, "type");
    if (type !== null && isOwn) held.own.add(type);
    else if (type !== null) held.types.add(bare(type));
    const id = isOwn ? stringAt(value, "id") : null;
    if (id !== null) held.reasoning.push(id);
    for (const [key, each] of Object.entries(value)) {
      const isField = isOwn || (REASONING.test(key) && each !== null && each !== "");
      if (isField) held.own.add(key);
      else if (isRecord(each)) held.types.add(bare(key));
      look(each, isField, depth + 1);
    }
  };
  look(history, false, 0);
  return held;
}

/** Places in a text: names and indexes, as paths, pointers and lists of steps are written. */
function pathsIn(text: string): readonly (readonly string[])[] {
  const written = text.replaceAll("\\", "").match(/[A-Za-z_]\w*(?:[./]\w+|\[\d+\])+|\["?\w+"?(?:, ?"?\w+"?)+\]/g) ?? [];
  return written.map((each) => each.split(/\W+/).filter((step) => step !== "")).filter((steps) => steps.some(isIndex));
}

const isIndex = (step: string) => /^\d+$/.test(step);

/**
 * Finds the part at a place of the history. `null` for a place outside, for a whole item, and for a place with a missing step. Steps that are not there are passed
 * over: vendors put the types of parts between them.
 */
function partAt(steps: readonly string[], history: readonly unknown[]): "reasoning" | "other" | null {
  let node: unknown = history;
  let depth = 0;
  let isWhole = true;
  for (const step of steps.slice(steps.findIndex(isIndex))) {
    const next = Array.isArray(node)
      ? node[Number(step)]
      : isRecord(node) && Object.hasOwn(node, step)
        ? node[step]
        : undefined;
    if (next === undefined) {
      isWhole = false;
      continue;
    }
    if ((isRecord(next) && isReasoning(next)) || (depth > 0 && REASONING.test(step) && next !== null)) return "reasoning";
    node = next;
    depth += 1;
  }
  return depth > 1 && isWhole ? "other" : null;
}

const SEALED_NAMES =
  /encrypted[\W_]*(?:content|reasoning)|thoughts?[\W_]*signature|redacted[\W_]*thinking|(?:reasoning|thinking|thought)s?["'`\s_-]*(?:item|block|part|signature)/i;
const SEAL_NAMES = /signature|(?:de|en)crypt/i;
const ECHO = /"role\\*" ?: ?\\*"(?:user|assistant|model)\\*"/;
const ITEM_ID = /\bitem[\s_]*ids?\b/i;
/** Codes of parameters that ask for reasoning. */
const SETTING = /support|param|effort|budget|mode|config|level/i;
/** Words of a type that is not taken. */
const UNKNOWN_TYPE =
  /\b(?:unknown|invalid|unsupported|unexpected)\b[\w ]{0,30}\b(?:variant|type|tag|kind)\b\W{1,4}(\w+)(?![.\w])/i;
/** Words about a missing part, as opposed to a wrong one. */
const WANTED = /missing|expected|without|required|must (?:start|begin|be (?:passed|provided|included|present|followed))/i;
const WRONG = /valid|verif|corrupt|crypt|match|bound|modif|tamper/i;

/**
 * Finds the part of the request that a refusal is about: by a place, an id or the beginning of a seal that the request has, else by the names of the vendors'
 * sealed fields. A missing part is no reason to remove a present one. `other` for another part of the request that the refusal names, `null` if it names nothing.
 */
export function namedPart({ status, text, proses, places, request }: RefusedRequest): "reasoning" | "other" | null {
  // A fault of the moment names nothing; an error that repeats the request itself names everything.
  if (status !== null && status >= 500) return null;
  const isEcho = ECHO.test(text);
  const history = historyIn(request);
  const held = history === null ? null : heldIn(history);
  const found = history === null ? [] : pathsIn(text).map((steps) => partAt(steps, history));
  const words = text.split(/[^\w+/=-]+/);
  const isSaid = (known: string) =>
    words.some((word) => word === known || (word.length > SEAL_CHARS && word.startsWith(known)));
  if (found.includes("reasoning") || (!isEcho && held?.reasoning.some(isSaid))) return "reasoning";
  // A name of one word may be a setting's, too.
  const isOwn = (name: string) => /[^a-z]/.test(name) && held?.own.has(name) === true;
  if (found.includes("other") || places.some((place) => !isOwn(place) && isParameter(place, request))) return "other";
  if (isEcho) return "other";
  if (held?.own.has(UNKNOWN_TYPE.exec(text)?.[1] ?? "")) return "reasoning";
  if (held?.itemIds.some(isSaid) || (held?.itemIds.length && ITEM_ID.test(text))) return "reasoning";
  const isSealed =
    words.some(isOwn) || SEALED_NAMES.test(text) || (SEAL_NAMES.test(text) && (isMalformed(status) || REASONING.test(text)));
  if (held?.own.size === 0) return isSealed || mentions(held, { proses, request }) ? "other" : null;
  const codes = [...text.replaceAll("\\", "").matchAll(/"(?:type|code)" ?: ?"(\w+)"/g)].map(([, code = ""]) => code);
  if (codes.some((code) => REASONING.test(code) && !SETTING.test(code))) return "reasoning";
  const isMissing = proses.some((prose) => WANTED.test(prose)) && !proses.some((prose) => WRONG.test(prose));
  if (isSealed) return isMissing ? "other" : "reasoning";
  return mentions(held, { proses, request }) ? "other" : null;
}

/** True for statuses of a request that is wrong in itself. */
export function isMalformed(status: number | null): boolean {
  return status === 400 || status === 422;
}

function isParameter(place: string, request: unknown): boolean {
  const [first = "", ...rest] = place.split(/\W+/).filter((step) => step !== "");
  const isOfHistory = isIndex(first) || isHistory(first) || rest.some(isIndex) || SEAL_NAMES.test(place);
  return !isOfHistory || (isRecord(request) && Object.hasOwn(request, first) && !isHistory(first));
}

/** Types that are named by more than a word of any sentence. */
const LEAST_TYPE_CHARS = 9;
const OTHER_PARTS =
  /\b(?:multimodal|media|image|picture|photo|audio|video|document|pdf|file|attachment|(?:function|tool)[\s_](?:call|use|result|output|response))s?\b/i;

/** True for words that name media or calls, the type of another part of the history, another parameter, or a name, address or value that the request has. */
function mentions(held: Held | null, { proses, request }: Pick<RefusedRequest, "proses" | "request">): boolean {
  const words = proses.flatMap((prose) => prose.split(/[\s"'`(),;]+/)).map((word) => word.replace(/[.:!?]+$/, ""));
  const body = JSON.stringify(request) ?? "";
  const parameters = isRecord(request) ? Object.keys(request).filter((key) => key !== "model" && !isHistory(key)) : [];
  const said = proses.map(bare).join(" ");
  const types = [...(held?.types ?? [])].filter((type) => type.length >= LEAST_TYPE_CHARS);
  if (types.some((type) => said.includes(type)) || proses.some((prose) => OTHER_PARTS.test(prose))) return true;
  if (words.some((word) => parameters.includes(word.split(".")[0] ?? ""))) return true;
  const values = words.filter((word) => word.length >= 5 && /[\d./:_-]/.test(word)).slice(0, MOST_VALUES);
  return values.some((word) => body.includes(word));
}

/** Words of a refusal that are looked for in the request, each in the whole of it. Chosen. */
const MOST_VALUES = 100;
