import { isRecord } from "../json.ts";

/** A call that a script makes; `args` is `null` if they are not plain in its text: made while it runs. */
export interface ScriptCall {
  readonly name: string;
  readonly args: unknown;
}

/** Scripts longer than this are not read: no call of an agent is that long; chosen. */
const LONGEST_SCRIPT_CHARS = 1_000_000;

/** Lists and objects of this many levels are read; chosen. */
const DEEPEST_VALUE = 20;

/** A call of a member of `tools`, by name or by a quoted name. The text before it decides nothing. */
const TOOL_CALL = /\btools\s*(?:\?\.|\.)\s*([A-Za-z_$][\w$]*)\s*\(|\btools\s*(?:\?\.)?\[\s*(["'])([^"'\\\n]+)\2\s*\]\s*\(/y;

/** A name that is given a value once. */
const DECLARATION = /\b(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=(?![=>])\s*/y;

/** True for a text that looks like a script that calls tools, of any tool. */
export function isToolScript(text: string): boolean {
  return text.length <= LONGEST_SCRIPT_CHARS && /\btools\s*(?:\?\.)?\s*[.[]/.test(text) && text.includes("(");
}

/**
 * Finds the calls of `tools` in a script, in order, as far as its text shows them: literals, names declared with one, joined lists and added strings.
 * It skips strings and comments, so that quotations call nothing, and runs nothing. Linear in the script.
 */
export function scriptCalls(script: string): readonly ScriptCall[] {
  if (!isToolScript(script)) return [];
  const names: Names = { values: new Map(), leftChars: LONGEST_SCRIPT_CHARS };
  const calls: ScriptCall[] = [];
  for (let at = 0; at < script.length; ) {
    const called = matchAt(TOOL_CALL, script, at);
    if (called !== null) {
      const value = script.charAt(afterSpace(script, called.end)) === ")" ? { value: {} } : valueAt(script, called.end, names);
      calls.push({ name: called.groups[0] ?? called.groups[2] ?? "", args: value === null ? null : value.value });
      at = called.end;
      continue;
    }
    const declared = matchAt(DECLARATION, script, at);
    if (declared !== null) {
      const value = valueAt(script, declared.end, names);
      const [name = ""] = declared.groups;
      names.values.set(name, value === null || names.values.has(name) ? NOT_PLAIN : value.value);
      at = value?.end ?? declared.end;
      continue;
    }
    at = matchAt(TOKEN, script, at)?.end ?? script.length;
  }
  return calls;
}

/** A name whose value is made while the script runs. */
const NOT_PLAIN: unique symbol = Symbol("not plain");

/** The names of a script with their values. Their values may be as long as a script altogether: names of names double at each step. */
interface Names {
  readonly values: Map<string, unknown>;
  leftChars: number;
}

interface Read {
  readonly value: unknown;
  readonly end: number;
}

/** An expression that is plain; `null` for any other. Strings that are added and lists that are joined are one string. */
function valueAt(script: string, from: number, names: Names, depth = 0): Read | null {
  let read = termAt(script, afterSpace(script, from), names, depth);
  while (read !== null) {
    const { value, end } = read;
    const next = afterSpace(script, end);
    const joined = Array.isArray(value) ? matchAt(/\.join\(\s*/y, script, next) : null;
    if (joined !== null && Array.isArray(value)) {
      const mark: Read | null =
        script.charAt(joined.end) === ")" ? { value: ",", end: joined.end } : quotedAt(script, joined.end);
      const close = mark === null ? -1 : afterSpace(script, mark.end);
      if (typeof mark?.value !== "string" || script.charAt(close) !== ")") return null;
      const { value: between } = mark;
      names.leftChars -= between.length * value.length;
      read = names.leftChars < 0 ? null : { value: value.map(String).join(between), end: close + 1 };
    } else if (script.charAt(next) === "+" && typeof value === "string") {
      const more = termAt(script, afterSpace(script, next + 1), names, depth);
      read = more === null || typeof more.value !== "string" ? null : { value: value + more.value, end: more.end };
    } else return isEnd(script, next) ? read : null;
  }
  return null;
}

/** A plain value is followed by the end of an expression; anything else makes another value of it. A new line ends a statement. */
function isEnd(script: string, at: number): boolean {
  return at >= script.length || ",;)]}".includes(script.charAt(at)) || /\n\s*$/.test(script.slice(Math.max(0, at - 40), at));
}

function termAt(script: string, at: number, names: Names, depth: number): Read | null {
  if (depth > DEEPEST_VALUE) return null;
  const first = script.charAt(at);
  if (first === "[") return listAt(script, at + 1, names, depth + 1);
  if (first === "{") return objectAt(script, at + 1, names, depth + 1);
  const quoted = quotedAt(script, at);
  if (quoted !== null) return quoted;
  const number = matchAt(/-?\d[\d_]*(?:\.\d+)?\b/y, script, at);
  if (number !== null) return { value: Number(number.text.replaceAll("_", "")), end: number.end };
  const name = matchAt(/[A-Za-z_$][\w$]*/y, script, at);
  if (name === null || name.text === "tools") return null;
  if (Object.hasOwn(WORDS, name.text)) return { value: WORDS[name.text], end: name.end };
  const known = names.values.get(name.text) ?? NOT_PLAIN;
  if (typeof known === "string") names.leftChars -= known.length;
  // A list in a list by its name would be walked once for each of its places.
  const isTaken = known !== NOT_PLAIN && names.leftChars >= 0 && (depth === 0 || typeof known !== "object");
  return isTaken ? { value: known, end: name.end } : null;
}

const WORDS: { readonly [word: string]: unknown } = { true: true, false: false, null: null, undefined: undefined };

function listAt(script: string, from: number, names: Names, depth: number): Read | null {
  const items: unknown[] = [];
  for (let at = afterSpace(script, from); script.charAt(at) !== "]"; ) {
    const item = valueAt(script, at, names, depth);
    if (item === null) return null;
    items.push(item.value);
    at = afterComma(script, item.end, "]");
    if (at < 0) return null;
    if (script.charAt(at) === "]") return { value: items, end: at + 1 };
  }
  return { value: items, end: afterSpace(script, from) + 1 };
}

function objectAt(script: string, from: number, names: Names, depth: number): Read | null {
  const fields: [string, unknown][] = [];
  let at = afterSpace(script, from);
  while (script.charAt(at) !== "}") {
    const name = matchAt(/[A-Za-z_$][\w$]*|\d+/y, script, at);
    const key = quotedAt(script, at) ?? (name === null ? null : { value: name.text, end: name.end });
    if (key === null) return null;
    const colon = afterSpace(script, key.end);
    // `{ patch }` is short for `{ patch: patch }`.
    const member = script.charAt(colon) === ":" ? valueAt(script, colon + 1, names, depth) : termAt(script, at, names, depth);
    if (member === null) return null;
    fields.push([String(key.value), member.value]);
    at = afterComma(script, member.end, "}");
    if (at < 0) return null;
  }
  return { value: Object.fromEntries(fields), end: at + 1 };
}

/** The place of the next member or of the closing bracket; -1 if there is neither. */
function afterComma(script: string, from: number, close: string): number {
  const at = afterSpace(script, from);
  if (script.charAt(at) === close) return at;
  return script.charAt(at) === "," ? afterSpace(script, at + 1) : -1;
}

/** A string in any of its three forms; a token that is passed over, also an unended string; and white space with comments. */
const QUOTED = /(String\.raw(?=`))?(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`)/sy;
const TOKEN = /"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\.)*`?|\/\/[^\n]*\n?|\/\*.*?(?:\*\/|$)|[\w$]+|\s+|./sy;
const SPACE = /(?:\s+|\/\/[^\n]*\n?|\/\*.*?(?:\*\/|$))*/sy;

/** A string; `null` for one with a piece that is made while the script runs, and for anything else. */
function quotedAt(script: string, at: number): Read | null {
  const quoted = matchAt(QUOTED, script, at);
  const [raw, double, single, template] = quoted?.groups ?? [];
  if (quoted === null || (template !== undefined && /(?:^|[^\\])\$\{/.test(template))) return null;
  const text = double ?? single ?? template ?? "";
  return { value: raw === undefined ? unescaped(text) : text, end: quoted.end };
}

const ESCAPES: { readonly [letter: string]: string } = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  v: "\v",
  "0": "\0",
  "\n": "",
};

function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(
    /\\(?:u\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|([\s\S]))/g,
    (_, ...found: (string | undefined)[]) => {
      const [long, four, two, letter = ""] = found;
      const code = Number.parseInt(long ?? four ?? two ?? "", 16);
      if (Number.isNaN(code)) return ESCAPES[letter] ?? letter;
      return code <= 0x10ffff ? String.fromCodePoint(code) : "";
    },
  );
}

function afterSpace(script: string, from: number): number {
  return matchAt(SPACE, script, from)?.end ?? from;
}

function matchAt(pattern: RegExp, text: string, at: number) {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found === null ? null : { text: found[0], groups: found.slice(1), end: at + found[0].length };
}

/** The arguments of a call as an object: of a tool that takes a text, the text under `input`. */
export function scriptArguments(args: unknown): { readonly [key: string]: unknown } | null {
  if (typeof args === "string") return { input: args };
  return isRecord(args) ? args : null;
}
