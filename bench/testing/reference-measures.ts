import type { Message, ToolCallPart } from "@plimsoll/core";
import { extractReferences, standsAlone } from "../src/needs/references.ts";
import { argumentsOf, callsOf, comparable, comparableLines, shownIn, stringsIn, textsOf } from "./reference-texts.ts";

/**
 * A second reading of docs/evidence.md, slow and obvious: loops over all texts and `String.includes`. It shares no code with
 * `bench/src/needs`, so that a test can hold one against the other. Ranges of lines are not read.
 */
export type ReferenceKind = "edits" | "passages" | "fileInHand" | "instructions";

/** One use. It is held if one text of the context holds one of `choices`: within lines, or as whole lines. */
export interface ReferenceUse {
  readonly kind: ReferenceKind;
  readonly choices: readonly string[];
  readonly areWholeLines: boolean;
}

/** A message with its texts as they are compared. */
export interface ReadMessage {
  readonly message: Message;
  readonly texts: readonly string[];
}

/** A recorded reply, all messages before it, oldest first, and the references in it that one of them had. */
export interface RecordedReply {
  readonly reply: Message;
  readonly earlier: readonly ReadMessage[];
  readonly references: readonly string[];
}

/** A use with the place of the newest earlier message that holds it. */
export interface StatedUse extends ReferenceUse {
  readonly statedAt: number;
}

/** Lists the needs of a reply that an earlier message held. */
export function referenceUses(recorded: RecordedReply): readonly StatedUse[] {
  const wanted: readonly ReferenceUse[] = [
    ...editUses(recorded.reply),
    ...passageUses(recorded),
    ...fileUses(recorded),
    ...instructionUses(recorded),
  ];
  return wanted.flatMap((use) => {
    const statedAt = recorded.earlier.findLastIndex((message) => isHeldBy(use, message));
    return statedAt < 0 ? [] : [{ ...use, statedAt }];
  });
}

/** True if a text of the message holds what was used. */
export function isHeldBy({ choices, areWholeLines }: ReferenceUse, { texts }: ReadMessage): boolean {
  return texts.some((text) =>
    choices.some((choice) => (areWholeLines ? `\n${text}\n`.includes(`\n${choice}\n`) : text.includes(choice))),
  );
}

/** A message as {@link isHeldBy} asks it. */
export function readMessage(message: Message): ReadMessage {
  return { message, texts: textsOf(message).map(comparable) };
}

const SHORTEST_EDIT_CHARS = 20;

function editUses(reply: Message): readonly ReferenceUse[] {
  const texts = callsOf(reply).flatMap((call) => {
    const args = argumentsOf(call);
    return [...oldTextsIn(args), ...stringsIn(args).flatMap((text) => [...hunksIn(text), ...searchedIn(text)])];
  });
  const compared = new Set(texts.map((text) => comparable(text).trim()));
  const long = [...compared].filter((text) => text.length >= SHORTEST_EDIT_CHARS);
  return long.map((text) => ({ kind: "edits", choices: [text], areWholeLines: false }));
}

const OLD_TEXT_KEYS = ["old_string", "oldString", "old_str", "oldText", "old_text"];
const NEW_TEXT_KEYS = ["new_string", "newString", "new_str", "newText", "new_text"];

/** The old text of an edit, of each edit in a list, and of an edit that searches and replaces. */
function oldTextsIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const keys = Object.keys(value);
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    if (typeof inner !== "string") return oldTextsIn(inner);
    const isOld = OLD_TEXT_KEYS.includes(key) && keys.some((other) => NEW_TEXT_KEYS.includes(other));
    return isOld || (key === "search" && keys.includes("replace")) ? [inner] : [];
  });
}

/** Context lines and removed lines of each hunk of a patch, in either of the two usual forms. */
function hunksIn(text: string): readonly string[] {
  const isDiff = /^--- /m.test(text) && /^\+\+\+ /m.test(text) && /^@@ -\d/m.test(text);
  if (!text.includes("*** Begin Patch") && !isDiff) return [];
  const hunks: string[][] = [];
  let isInside = false;
  const lines = text.split(/\r?\n/);
  for (const [place, line] of lines.entries()) {
    const isFileHead = line.startsWith("--- ") && (lines[place + 1] ?? "").startsWith("+++ ");
    if (line.startsWith("@@") || line.startsWith("*** Update File: ")) {
      hunks.push([]);
      isInside = true;
    } else if (isFileHead || line.startsWith("*** ") || line.startsWith("diff --git ")) isInside = false;
    else if (isInside && /^[ -]|^$/.test(line)) hunks.at(-1)?.push(line.slice(1));
  }
  return hunks.map((hunk) => hunk.join("\n"));
}

/** The first halves of blocks that are marked with SEARCH and REPLACE. */
function searchedIn(text: string): readonly string[] {
  const blocks = text.split(/^[<-]{7} SEARCH>?\r?\n/m).slice(1);
  return blocks.flatMap((block) => block.split(/\r?\n={7}\r?\n/).slice(0, 1));
}

const LONGEST_LINE_CHARS = 320;
const LONG_LINE_CHARS = 160;
const NEIGHBOURS = 3;

function passageUses({ references, earlier }: RecordedReply): readonly ReferenceUse[] {
  return references.flatMap((reference): readonly ReferenceUse[] => {
    for (const { message, texts } of earlier.toReversed()) {
      if (!isSource(message)) continue;
      for (const [place, text] of [...textsOf(message).entries()].reverse()) {
        const start = lastPlaceOf(reference, text);
        if (start === null) continue;
        if (onlySaysDone(message, earlier)) return [];
        const lines = (texts[place] ?? "").split("\n");
        const shown = message.role === "tool-result" ? shownIn(text) : { above: 0, lines };
        const [top, end] = [shown.above, shown.above + shown.lines.length];
        const row = text.slice(0, start).split("\n").length - 1;
        if (row < top || row >= end) return [];
        const passage = passageAt({ text, lines, start, chars: reference.length, top, end });
        return [{ kind: "passages", choices: [passage], areWholeLines: false }];
      }
    }
    return [];
  });
}

function isSource(message: Message): boolean {
  if (message.role === "tool-result") return true;
  return message.role === "user" && (message.origin === "human" || message.origin === "command");
}

/** A result of a call that changed files or wrote a list of tasks, went well, and has no name, word of an error or 41st word beyond the call. */
function onlySaysDone(message: Message, earlier: readonly ReadMessage[]): boolean {
  if (message.role !== "tool-result" || message.isError) return false;
  const call = earlier.flatMap((read) => callsOf(read.message)).findLast(({ callId }) => callId === message.callId);
  if (call === undefined || !(isChange(call) || writesTasks(argumentsOf(call)))) return false;
  const given = stringsIn(argumentsOf(call)).join("\n");
  const more = stringsIn(valueIn(textsOf(message).join("\n"))).filter((text) => !given.includes(text));
  const names = more.flatMap((text) => extractReferences(text)).filter(({ kind }) => kind !== "number");
  const words = new Set(
    more.flatMap((text) => text.split(/[^\p{L}]+/u)).filter((word) => word.length >= 3 && !given.includes(word)),
  );
  if (words.size > 40 || names.some(({ text }) => !given.includes(text))) return false;
  const rest = names.reduce((left, { text }) => left.split(text).join(" "), more.join("\n"));
  return !/error|exception|fail|can't|cannot|unable|invalid|unexpected|undefined|not found|no such|denied|missing|refused|timed out|panic|fatal|abort/i.test(
    rest,
  );
}

function isChange({ paths }: ToolCallPart): boolean {
  return paths.length > 0 && !paths.some(({ access }) => access !== "modify");
}

/** A list of tasks: objects with a status each, one at least. */
function writesTasks(args: unknown): boolean {
  return JSON.stringify(args).includes('"status":');
}

function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function lastPlaceOf(reference: string, text: string): number | null {
  let start = text.lastIndexOf(reference);
  while (start >= 0 && !standsAlone(text, start, start + reference.length)) {
    start = start === 0 ? -1 : text.lastIndexOf(reference, start - 1);
  }
  return start < 0 ? null : start;
}

/** A place of a text as it stands, and the text's lines as they are compared: as many. */
interface StatedPlace {
  readonly text: string;
  readonly lines: readonly string[];
  readonly start: number;
  readonly chars: number;
  /** The first line that is shown, and the first behind those. */
  readonly top: number;
  readonly end: number;
}

function passageAt({ text, lines, start, chars, top, end }: StatedPlace): string {
  const before = text.slice(0, start).split("\n");
  const place = before.length - 1;
  const line = (lines[place] ?? "").trim();
  if ((lines[place] ?? "").length > LONGEST_LINE_CHARS) {
    const rawLine = text.split("\n")[place] ?? "";
    const at = (before.at(-1) ?? "").length - (rawLine.trimEnd().length - line.length);
    const margin = Math.floor((LONG_LINE_CHARS - chars) / 2);
    return line.slice(Math.max(0, at - margin), at + chars + margin).trim();
  }
  const isShort = (at: number) => (lines[at] ?? "").length <= LONGEST_LINE_CHARS;
  let from = place;
  while (from > top && from > place - NEIGHBOURS && isShort(from - 1)) from -= 1;
  let to = place;
  while (to < end - 1 && to < place + NEIGHBOURS && isShort(to + 1)) to += 1;
  const passage = lines.slice(from, to + 1).join("\n");
  return passage.trim();
}

const FILE_SHARE = 0.8;

/** A file is in hand if any run of 80 % of the lines of its newest reading or writing is. */
function fileUses({ reply, earlier }: RecordedReply): readonly ReferenceUse[] {
  const touched = callsOf(reply).flatMap(({ paths }) => paths);
  const changed = new Set(touched.filter(({ access }) => access === "modify").map(({ path }) => path));
  return [...changed].flatMap((path): readonly ReferenceUse[] => {
    const lines = withoutBlankEnds(comparableLines(newestTextOf(path, earlier)));
    if (lines.length === 0) return [];
    const count = Math.ceil(lines.length * FILE_SHARE);
    const starts = Array.from({ length: lines.length - count + 1 }, (_, place) => place);
    const choices = starts.map((from) => lines.slice(from, from + count).join("\n"));
    return [{ kind: "fileInHand", choices, areWholeLines: true }];
  });
}

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line !== "");
  const last = lines.findLastIndex((line) => line !== "");
  return first < 0 ? [] : lines.slice(first, last + 1);
}

const CONTENT_KEYS = ["content", "contents", "file_text"];

function newestTextOf(path: string, earlier: readonly ReadMessage[]): string {
  let newest = "";
  const reads: string[] = [];
  for (const { message } of earlier) {
    for (const call of callsOf(message)) {
      const access = call.paths.find((touched) => isOneFile(touched.path, path) || isOneFile(path, touched.path))?.access;
      if (call.paths.length !== 1) continue;
      if (access === "read") reads.push(call.callId);
      if (access === "modify") newest = contentOf(argumentsOf(call)) ?? newest;
    }
    const isReading = message.role === "tool-result" && !message.isError && reads.includes(message.callId);
    if (isReading) newest = shownIn(textsOf(message).join("\n")).lines.join("\n");
  }
  return newest;
}

/** The same path, or the end of one from the root. */
function isOneFile(end: string, path: string): boolean {
  return path === end || (path.startsWith("/") && !end.startsWith("/") && path.endsWith(`/${end}`));
}

function contentOf(args: unknown): string | null {
  const entries: readonly [string, unknown][] = typeof args === "object" && args !== null ? Object.entries(args) : [];
  const content = entries.find(([key, value]) => CONTENT_KEYS.includes(key) && typeof value === "string")?.[1];
  return typeof content === "string" ? content : null;
}

/** The texts of the person's messages so far; the same text is one use. */
function instructionUses({ earlier }: RecordedReply): readonly ReferenceUse[] {
  const human = earlier.filter(({ message }) => message.role === "user" && message.origin === "human");
  const texts = new Set(human.flatMap((read) => read.texts.map((text) => text.trim())));
  return [...texts]
    .filter((text) => text !== "")
    .map((text) => ({ kind: "instructions", choices: [text], areWholeLines: false }));
}
