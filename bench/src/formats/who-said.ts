import type { UserMessage } from "@plimsoll/core";
import { textPart } from "./log-items.ts";

type UserPart = UserMessage["parts"][number];

/** Adjacent parts of one speaker. */
export interface Said {
  readonly origin: UserMessage["origin"];
  readonly parts: UserMessage["parts"];
}

/** The author of a text that one tag of the name encloses, or that begins like this; `null` if unknown. */
export interface Speakers {
  readonly ofTag: (name: string) => "injected" | "command" | null;
  readonly ofOpening: (text: string) => "injected" | "command" | null;
}

/**
 * Splits a user message by its authors. A text that a tag of the agent encloses is the agent's, and text before and behind it is the person's; a
 * message that holds a command is a command, except for the agent's insertions.
 */
export function parted(parts: readonly UserPart[], speakers: Speakers): readonly Said[] {
  const pieces = parts.flatMap((part) =>
    part.type === "text" && !("block" in part) ? textPieces(part.text, speakers) : [{ origin: null, part }],
  );
  const rest = pieces.some(({ origin }) => origin === "command") ? "command" : "human";
  const said: { origin: Said["origin"]; parts: UserPart[] }[] = [];
  for (const { origin: found, part } of pieces) {
    const origin = found ?? rest;
    const last = said.at(-1);
    if (last?.origin === origin) last.parts.push(part);
    else said.push({ origin, parts: [part] });
  }
  return said;
}

interface Piece {
  readonly origin: "injected" | "command" | null;
  readonly part: UserPart;
}

/** Blocks of tags at the beginning and at the end are taken off one after another; the rest is one piece. */
function textPieces(text: string, { ofTag, ofOpening }: Speakers): readonly Piece[] {
  const before: Piece[] = [];
  const behind: Piece[] = [];
  let [start, end] = [0, text.length];
  for (let block = blockAt(text, start, ofTag); block !== null; block = blockAt(text, start, ofTag)) {
    before.push({ origin: block.origin, part: textPart(text.slice(block.start, block.end)) });
    start = block.end;
  }
  for (let block = blockBefore(text, start, end, ofTag); block !== null; block = blockBefore(text, start, end, ofTag)) {
    behind.unshift({ origin: block.origin, part: textPart(text.slice(block.start, block.end)) });
    end = block.start;
  }
  if (before.length + behind.length === 0) return [{ origin: ofOpening(text.trimStart()), part: textPart(text) }];
  const middle = text.slice(start, end).trim();
  return middle === "" ? [...before, ...behind] : [...before, { origin: ofOpening(middle), part: textPart(middle) }, ...behind];
}

interface Block {
  readonly origin: "injected" | "command";
  readonly start: number;
  readonly end: number;
}

const OPENING_TAG = /\s*<([A-Za-z][\w-]*(?: [\w-]+)*)(?: [\w-]+="[^"<>]*")*>/y;
const CLOSING_TAG = /<\/([A-Za-z][\w-]*(?: [\w-]+)*)>\s*$/;

/** Longest end of a text in which its closing tag is looked for, in UTF-16 code units; chosen. */
const CLOSING_CHARS = 200;

function blockAt(text: string, start: number, ofTag: Speakers["ofTag"]): Block | null {
  OPENING_TAG.lastIndex = start;
  const name = OPENING_TAG.exec(text)?.[1];
  const origin = name === undefined ? null : ofTag(name);
  if (name === undefined || origin === null) return null;
  // Text behind a notice belongs to it.
  if (isNotice(text.slice(start, OPENING_TAG.lastIndex))) return { origin, start, end: text.length };
  const closing = `</${name}>`;
  const found = text.indexOf(closing, OPENING_TAG.lastIndex);
  // A tag that is never closed goes on to the end.
  return { origin, start, end: found < 0 ? text.length : found + closing.length };
}

function blockBefore(text: string, start: number, end: number, ofTag: Speakers["ofTag"]): Block | null {
  const name = CLOSING_TAG.exec(text.slice(Math.max(start, end - CLOSING_CHARS), end))?.[1];
  const origin = name === undefined ? null : ofTag(name);
  if (name === undefined || origin === null) return null;
  const found = text.lastIndexOf(`<${name}>`, end);
  return found < start ? null : { origin, start: found, end };
}

/**
 * True for a text that begins as agents begin their notices of work in the background (`<task-notification>` of Claude Code and those like it,
 * `<system-notice>`, `<subagent_notification>`): no words of a person, including all text behind. A text that quotes the tag further on is none.
 */
export function isNotice(text: string): boolean {
  return /^\s*<[a-z]+[-_](?:notification|notice)\b/.test(text);
}

/** True for a name that agents give to tags and no page has: lower case, of several words. */
export function isAgentTag(name: string): boolean {
  return /^[a-z]+(?:[-_ ][a-z]+)+$/.test(name);
}

const TAGS_AROUND = /^(?:\s*<[a-z]+(?:[-_][a-z]+)+(?: [\w-]+="[^"<>]*")*>)+|<\/[a-z]+(?:[-_][a-z]+)+>\s*$/g;

/** The words of a message without an agent's tags around them; a command as it was typed. */
export function typedWords(text: string): string {
  const [, name] = (/^\s*<command-/.test(text) ? /<command-name>([^<]*)</.exec(text) : null) ?? [];
  const [, given = ""] = /<command-args>([^<]*)</.exec(text) ?? [];
  return name === undefined ? text.replaceAll(TAGS_AROUND, "") : `${name} ${given}`.trim();
}
