import { canonicalJson, isNestedDeeper, isRecord } from "@plimsoll/core/extend";
import {
  applyEdits,
  type FormattingOptions,
  findNodeAtLocation,
  modify,
  type ParseError,
  parse as parseJson,
  parseTree,
} from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import type { KnobValue, KnobValues, SettingsPlace } from "./agent-knobs.ts";

type Form = SettingsPlace["form"];

/** A settings file's content as data, or why it cannot be read. */
export type ReadSettings = { readonly content: Readonly<Record<string, unknown>> } | { readonly problem: string };

/** Reads JSON with comments, or TOML. An empty text is a file without settings. */
export function readSettings(form: Form, text: string): ReadSettings {
  if (text.trim() === "") return { content: {} };
  const content = isNestedDeeper(text) ? null : form === "json" ? jsonContent(text) : tomlContent(text);
  return isRecord(content) ? { content } : { problem: `is not ${form.toUpperCase()} with settings` };
}

function jsonContent(text: string): unknown {
  const errors: ParseError[] = [];
  const content: unknown = parseJson(text, errors, { allowTrailingComma: true });
  return errors.length === 0 ? content : null;
}

function tomlContent(text: string): unknown {
  try {
    // Dates are objects of a class; as text they compare.
    return JSON.parse(JSON.stringify(parseToml(text)));
  } catch {
    // Its own program would not read it either, or reads it in another way than we do: both mean hands off.
    return null;
  }
}

/** The value at a path; `undefined` if there is none. */
export function valueAt(content: Readonly<Record<string, unknown>>, path: string): unknown {
  return path.split(".").reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), content);
}

/** The values of knobs that the settings have, by path. Other kinds of values are left out. */
export function valuesIn(content: Readonly<Record<string, unknown>>, paths: readonly string[]): KnobValues {
  return new Map(
    paths.flatMap((path): readonly (readonly [string, KnobValue])[] => {
      const value = valueAt(content, path);
      return typeof value === "number" || typeof value === "boolean" || typeof value === "string" ? [[path, value]] : [];
    }),
  );
}

/** A setting with its path in a wrong place: inside another section, without its own, or with its path as one key. */
export interface Misplaced {
  readonly path: string;
  /** The sections that it is in; none at the top. */
  readonly sections: readonly string[];
}

/** Finds settings that the agent does not read, as they are in a wrong place. */
export function misplacedIn(content: Readonly<Record<string, unknown>>, paths: readonly string[]): readonly Misplaced[] {
  const within = (section: Readonly<Record<string, unknown>>, sections: readonly string[]): readonly Misplaced[] =>
    Object.entries(section).flatMap(([key, inner]) => {
      if (isRecord(inner)) return within(inner, [...sections, key]);
      const name = [...sections, key].join(".");
      const isIn = (path: string) => path === name && path.split(".").length === sections.length + 1;
      return paths
        .filter((path) => !isIn(path) && (`.${name}`.endsWith(`.${path}`) || path.endsWith(`.${name}`)))
        .map((path) => ({ path, sections }));
    });
  return within(content, []);
}

/** The place of a setting in its file. */
export function placeOf(form: Form, path: string): string {
  const sections = path.split(".").slice(0, -1);
  if (form === "toml") return "above the first [table]";
  return sections.length === 0 ? "directly in the outermost { }" : `in "${sections.join('", in "')}" of the outermost { }`;
}

/** Values by their paths; `null` takes a setting out. */
export type SettingChanges = ReadonlyMap<string, KnobValue | null>;

/** The text with other values, or the reason for leaving it unchanged. */
export type ChangedText = { readonly text: string } | { readonly problem: string };

/**
 * The text with these values and nothing else changed: comments, order and layout stay. The result is read again and must be the old content with the
 * values in it, or the text is refused; so an edit cannot spoil syntax that it does not understand.
 */
export function withValues(form: Form, text: string, values: SettingChanges): ChangedText {
  const read = readSettings(form, text);
  if ("problem" in read) return read;
  if ([...values.keys()].some((path) => !hasRoom(read.content, path.split("."))))
    return { problem: "has a value instead of a section" };
  const wanted = canonicalJson([...values].reduce((whole, [path, value]) => put(whole, path.split("."), value), read.content));
  const candidates = form === "json" ? [jsonWith(text, values)] : tomlCandidates(text, values);
  const found = candidates.find((candidate) => {
    const again = readSettings(form, candidate);
    return "content" in again && canonicalJson(again.content) === wanted;
  });
  return found === undefined ? { problem: "has a form that cannot be changed safely" } : { text: found };
}

function put(
  record: Readonly<Record<string, unknown>>,
  [key = "", ...rest]: readonly string[],
  value: KnobValue | null,
): Readonly<Record<string, unknown>> {
  const { [key]: inner, ...others } = record;
  if (value === null && (rest.length === 0 || inner === undefined)) return others;
  return { ...record, [key]: rest.length === 0 ? value : put(isRecord(inner) ? inner : {}, rest, value) };
}

/** Whether every section on the way to a value is one, or is not there yet. */
function hasRoom(section: unknown, [key = "", ...rest]: readonly string[]): boolean {
  if (section === undefined) return true;
  return isRecord(section) && (rest.length === 0 || hasRoom(section[key], rest));
}

const EMPTY = { type: "null", offset: 0, length: 0 } as const;

function jsonWith(text: string, values: SettingChanges): string {
  let whole = text.trim() === "" ? "{}\n" : text;
  for (const [path, value] of values) {
    if (value === null && findNodeAtLocation(parseTree(whole) ?? EMPTY, path.split(".")) === undefined) continue;
    whole = applyEdits(whole, modify(whole, path.split("."), value ?? undefined, { formattingOptions: layoutOf(whole) }));
  }
  return whole;
}

/** The file's own layout; two spaces if it shows none. */
function layoutOf(text: string): FormattingOptions {
  const [, indent = "  "] = /\n([\t ]+)\S/.exec(text) ?? [];
  return { eol: lineEndOf(text), insertSpaces: !indent.startsWith("\t"), tabSize: indent.startsWith("\t") ? 1 : indent.length };
}

function lineEndOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** The text with the key's line changed; without one, with a line behind the last key before the first table, or as the first line. */
function tomlCandidates(text: string, values: SettingChanges): readonly string[] {
  let texts: readonly string[] = [text];
  for (const [key, value] of values) texts = texts.flatMap((candidate) => tomlWith(candidate, key, value));
  return texts;
}

const TABLE_LINE = /^\s*\[/;
const KEY_LINE = /^\s*[\w"'-][^#=]*=/;

function tomlWith(text: string, key: string, value: KnobValue | null): readonly string[] {
  const end = lineEndOf(text);
  const lines = text === "" ? [""] : text.split(end);
  const firstTable = lines.findIndex((line) => TABLE_LINE.test(line));
  const top = firstTable < 0 ? lines : lines.slice(0, firstTable);
  const own = new RegExp(`^\\s*${key}\\s*=\\s*`);
  const place = top.findIndex((line) => own.test(line));
  if (value === null) return [lines.filter((_, at) => at !== place).join(end)];
  if (place >= 0) {
    const line = lines[place] ?? "";
    const [head = ""] = own.exec(line) ?? [];
    const [, rest = ""] = /^[^\s#]+(.*)$/.exec(line.slice(head.length)) ?? [];
    return [lines.with(place, `${head}${JSON.stringify(value)}${rest}`).join(end)];
  }
  const behind = top.findLastIndex((line) => KEY_LINE.test(line)) + 1;
  return [behind, 0].map((at) => lines.toSpliced(at, 0, `${key} = ${JSON.stringify(value)}`).join(end));
}
