import type { CallOutcome, Facts } from "../facts/facts.ts";
import { fileOperations, lastErrors } from "../facts/facts.ts";
import { CONTEXT_FRAMING, foldedBeginning, quotedText, textOnOneLine } from "../message/framing.ts";
import type { Framing } from "../message/framing-beginnings.ts";
import { textOf } from "../message/message.ts";
import { characterBoundaryAtOrBefore } from "../text.ts";
import type { PathAccess } from "../tool.ts";

/** State of the caller that must survive: pinned instructions, and the live state of todo lists and sub-agents. */
export interface KeptState {
  readonly pinned: readonly string[];
  readonly state: readonly { readonly title: string; readonly text: string }[];
  /** Which files are listed, and how; by touch if nothing is said. */
  readonly files?: FileOrder | undefined;
}

/**
 * Which files are listed, and in which order: all of the log, the one touched last at the end, or by name; or by name those that calls name in
 * what is no longer in the context, as pi does.
 */
export type FileOrder = "by-touch" | "by-name" | "covered";

/** Nothing pinned, no live state. */
export const NO_KEPT_STATE: KeptState = { pinned: [], state: [] };

/** Shares of the room that pinned instructions leave, in the order in which they are written; chosen. What one does not use is left to the next. */
const SHARES = [
  { of: "first-human", ratio: 0.3 },
  { of: "state", ratio: 0.25 },
  { of: "files", ratio: 0.3 },
  { of: "errors", ratio: 0.15 },
] as const;

/**
 * The facts as text of at most `maximumChars`, or `null` if there are none. Quoted text is fenced as data. Pinned
 * instructions come first and may take all of it; the rest shares what they leave. The newest files and errors are kept if not all
 * fit, with a count of the others.
 */
export function factsText(facts: Facts, kept: KeptState, maximumChars: number): string | null {
  if (maximumChars <= 0) return null;
  if (kept.pinned.length > 0 || kept.state.length > 0) return writtenFacts(facts, kept, maximumChars);
  const known = written.get(facts) ?? new Map<string, string | null>();
  written.set(facts, known);
  const form = `${kept.files} ${maximumChars}`;
  const before = known.get(form);
  if (before !== undefined) return before;
  const text = writtenFacts(facts, kept, maximumChars);
  known.set(form, text);
  return text;
}

/** By form, if nothing but the log is told: sessions that share their folds compact with the same facts again and again, as replays of one do. */
const written = new WeakMap<Facts, Map<string, string | null>>();

function writtenFacts(facts: Facts, kept: KeptState, maximumChars: number): string | null {
  const framing = factFraming(kept);
  const pinned = fenced("pinned-instructions", kept.pinned, { framing, roomChars: maximumChars });
  const blocks = pinned === "" ? [] : [pinned];
  const sharedChars = Math.max(0, maximumChars - (pinned === "" ? 0 : pinned.length + 2));
  let spareChars = 0;
  for (const share of SHARES) {
    const roomChars = Math.floor(sharedChars * share.ratio) + spareChars;
    const block = blockFor(share.of, { facts, kept, framing, roomChars });
    spareChars = roomChars - block.length - 2;
    if (block !== "") blocks.push(block);
  }
  return blocks.length === 0 ? null : blocks.join("\n\n");
}

interface Room {
  readonly framing: Framing;
  readonly roomChars: number;
}

interface BlockInput extends Room {
  readonly facts: Facts;
  readonly kept: KeptState;
}

function blockFor(kind: (typeof SHARES)[number]["of"], { facts, kept, framing, roomChars }: BlockInput): string {
  switch (kind) {
    case "first-human":
      return facts.firstHuman === null || facts.firstHuman === facts.lastHuman
        ? ""
        : fenced("first-request", [textOf(facts.firstHuman)], { framing, roomChars });
    case "state":
      return kept.state
        .map(({ title, text }) =>
          fenced(tagOf(title), [text], { framing, roomChars: Math.floor(roomChars / kept.state.length) - 1 }),
        )
        .filter((block) => block !== "")
        .join("\n");
    case "files": {
      if (kept.files === "covered") return "";
      const { files } = told(facts);
      const states = new Map(facts.tracked.map((file) => [file.path, file.state]));
      const line = (path: string) => {
        const state = states.get(path) ?? null;
        return state === null ? textOnOneLine(path) : `${textOnOneLine(path)} ${textOnOneLine(state)}`;
      };
      const pathsOf = (access: "read" | "modify") =>
        files.flatMap(([path, kind]) => (kind === access ? [() => line(path)] : []));
      const half = { framing, roomChars: Math.floor(roomChars / 2) - 1, order: kept.files };
      return [newestLines("modified-files", pathsOf("modify"), half), newestLines("read-files", pathsOf("read"), half)]
        .filter((block) => block !== "")
        .join("\n");
    }
    case "errors":
      return newestLines("last-errors", told(facts).errors, { framing, roomChars });
    default:
      return kind satisfies never;
  }
}

/** Facts of the log, whatever the room: its files, the one touched last at the end, and its errors. */
interface Told {
  readonly files: readonly (readonly [path: string, access: PathAccess["access"]])[];
  readonly errors: readonly LineToWrite[];
}

const toldOf = new WeakMap<Facts, Told>();

function told(facts: Facts): Told {
  const known = toldOf.get(facts);
  if (known !== undefined) return known;
  const read = { files: [...fileOperations(facts.accesses)], errors: errorLines(lastErrors(facts.outcomes)) };
  toldOf.set(facts, read);
  return read;
}

/** A line that is written if it is asked for: most of what a long log says does not fit. */
export type LineToWrite = () => string;

/** One error a line, and what follows of it. No line of an error reads as another one: it is quoted if it names one's tool and arguments. */
function errorLines(errors: readonly (CallOutcome & { readonly error: string })[]): readonly LineToWrite[] {
  const beginnings = errors
    .slice(-MOST_ERRORS)
    .map(({ toolName, argumentsJson }) => foldedBeginning(`${toolName} ${argumentsJson.charAt(0)}`, NAME_CHARS).folded);
  const others: Framing = { lines: [...new Set(beginnings)], bracketWords: [], tags: [] };
  return errors.map(
    ({ toolName, argumentsJson, error }) =>
      () =>
        `${textOnOneLine(toolName)} ${quotedText(`${argumentsJson}: ${error}`, others)}`,
  );
}

/** Errors that are shown at most: no room holds more. Chosen. */
const MOST_ERRORS = 100;

/** Characters of a call by which its line is known; chosen. */
const NAME_CHARS = 80;

/** A tag's name is known by what it begins with. */
const TAG_NAME = /^[\p{L}\p{N}_ -]+/u;

/** A title as a tag: nothing in it can end the tag. */
function tagOf(title: string): string {
  const tag = textOnOneLine(title).split(/[<>]/).join(" ").trim();
  return TAG_NAME.test(tag) ? tag : `state ${tag}`.trim();
}

/** Texts between tags, cut at the end if they do not fit. Nothing in them can end the block early, or begin another one. */
function fenced(tag: string, texts: readonly string[], { framing, roomChars }: Room): string {
  return roomChars <= frameCharsOf(tag) ? "" : framed(tag, quotedText(texts.join("\n").trim(), framing), roomChars);
}

/** Our own beginnings of lines and tags where facts are written: the titles of live state are tags too. */
export function factFraming({ state }: KeptState): Framing {
  const titles = state.flatMap(({ title }) => TAG_NAME.exec(tagOf(title)) ?? []);
  const folded = titles.map((title) => foldedBeginning(title, Number.POSITIVE_INFINITY).folded);
  const names = folded.filter((name) => name !== "");
  return names.length === 0 ? CONTEXT_FRAMING : { ...CONTEXT_FRAMING, tags: [...CONTEXT_FRAMING.tags, ...names] };
}

/** Characters of both tags with their angles, slash and line ends, and one to spare. */
function frameCharsOf(tag: string): number {
  return 2 * tag.length + 8;
}

function framed(tag: string, text: string, roomChars: number): string {
  const frameChars = frameCharsOf(tag);
  if (text === "" || roomChars <= frameChars) return "";
  const end = characterBoundaryAtOrBefore(text, roomChars - frameChars);
  const shown = end < text.length ? `${text.slice(0, characterBoundaryAtOrBefore(text, end - 1))}…` : text;
  return `<${tag}>\n${shown}\n</${tag}>`;
}

/** As many of the newest lines as fit between the tags, oldest first or by name, with a count of those left out; nothing if none does. */
export function newestLines(
  tag: string,
  unquoted: readonly LineToWrite[],
  { framing, roomChars, order = "by-touch" }: Room & { readonly order?: FileOrder | undefined },
): string {
  const countChars = 40;
  let usedChars = frameCharsOf(tag) + countChars;
  const lines: string[] = [];
  for (const write of unquoted.toReversed()) {
    const line = quotedText(write(), framing);
    if (usedChars + line.length + 1 > roomChars) break;
    usedChars += line.length + 1;
    lines.push(line);
  }
  if (lines.length === 0) return "";
  lines.reverse();
  const earlierCount = unquoted.length - lines.length;
  const newest = order === "by-touch" ? lines : lines.toSorted();
  const shown = earlierCount > 0 ? [`(${earlierCount} earlier not shown)`, ...newest] : newest;
  return framed(tag, shown.join("\n").trim(), roomChars);
}
