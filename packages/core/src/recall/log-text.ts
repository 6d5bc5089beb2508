import { planAfter } from "../facts/facts.ts";
import { stringsIn } from "../json.ts";
import { forEachRareWord } from "../keep/rare-words.ts";
import { partHandle } from "../message/handle.ts";
import { isHuman, type Message, type ToolCallPart, type ToolResultMessage, textOf } from "../message/message.ts";
import { diagnosisCount } from "../truncation/diagnoses.ts";

/**
 * The kind of a text in the log: a file that a call read, another call's output, a failed call's output, a text that a call wrote into a file, words or
 * a command of the model, words of the person.
 */
export type LogTextKind = "read" | "output" | "failed" | "written" | "said" | "person";

/** One text of a logged message. */
export interface LogText {
  readonly kind: LogTextKind;
  readonly text: string;
  /** A tool's name, or who said it. */
  readonly source: string;
  /** The file that it shows or changes; `null` if that is none, or not known to be one. */
  readonly path: string | null;
  /** The call that it is of, if that names no file by itself; `null` without one. */
  readonly call: ToolCallPart | null;
  readonly handle: string;
}

/** The texts of a message by itself: of a result, what no call says. What compactions wrote, and what the agent puts in, is none. */
export function logTexts(message: Message): readonly LogText[] {
  const texts: LogText[] = [];
  switch (message.role) {
    case "tool-result":
      addParts(texts, message, message.isError ? "failed" : "output", message.toolName);
      break;
    case "user":
      if (isHuman(message)) addParts(texts, message, "person", "person");
      break;
    case "assistant":
      if (message.origin !== "model") break;
      addParts(texts, message, "said", "assistant");
      addCalls(texts, message);
      break;
    default:
      message satisfies never;
  }
  return texts;
}

/** Characters of {@link logTexts} together. */
export function logTextChars(message: Message): number {
  if (message.role === "user" && !isHuman(message)) return 0;
  if (message.role === "assistant" && message.origin !== "model") return 0;
  let chars = 0;
  for (const part of message.parts) {
    if (part.type === "text") chars += part.text.length;
    if (part.type === "tool-call") for (const text of writtenInCall(part)) chars += text.length;
  }
  return chars;
}

/** Facts that a call tells of its result's texts; `null` for each that it does not tell. */
export interface ToldByCall {
  readonly kind: "read" | null;
  readonly path: string | null;
  readonly call: ToolCallPart | null;
  /** Whether the result says nothing beyond the call: of it nothing is brought back. */
  readonly isEchoed: boolean;
}

const NOTHING_TOLD: ToldByCall = { kind: null, path: null, call: null, isEchoed: false };

/** Reads from the call of a result which file its texts show. `openCalls` are those that a result may answer. */
export function toldByCall(message: Message, openCalls: readonly ToolCallPart[]): ToldByCall {
  const call = openCalls.find(({ callId }) => message.role === "tool-result" && callId === message.callId);
  if (message.role !== "tool-result" || call === undefined) return NOTHING_TOLD;
  const path = onlyPath(call);
  const isRead = path !== null && call.paths[0]?.access === "read" && !message.isError;
  return { kind: isRead ? "read" : null, path, call: path === null ? call : null, isEchoed: isEcho(call, message) };
}

/** A result with more characters beyond its call says something, and so does one whose call has more strings; chosen. */
const ECHO = { chars: 400, strings: 500 } as const;

/** True for a result that says nothing beyond its call, which wrote files or a list of tasks: it names nothing that the call does not name. That the call failed the record of errors says. */
function isEcho({ argumentsJson, paths }: ToolCallPart, result: ToolResultMessage): boolean {
  const writes = paths.length > 0 && paths.every(({ access }) => access === "modify");
  if (!writes && planAfter([], argumentsJson) === null) return false;
  const strings = stringsIn(argumentsJson);
  const own = strings.join("\n");
  const text = stringsIn(textOf(result)).join("\n");
  // Shorter strings stand in a text by chance.
  const quoted = strings.filter(({ length }) => length > 3);
  if (quoted.length > ECHO.strings) return false;
  const rest = quoted.reduce((left, string) => left.replaceAll(string, " "), text.replace(/<\/?\w+>/g, " "));
  let saysMore = rest.length > ECHO.chars || (!result.isError && diagnosisCount(rest) > 0);
  forEachRareWord(rest, (word) => {
    saysMore ||= /\p{L}/u.test(word) && !own.includes(word);
  });
  return !saysMore;
}

/** The text parts of a message. Records are written out: one that is made by a spread takes ten times as long. */
function addParts(texts: LogText[], { id, parts }: Message, kind: LogTextKind, source: string): void {
  for (const [index, part] of parts.entries())
    if (part.type === "text" && part.text !== "")
      texts.push({ kind, text: part.text, source, path: null, call: null, handle: partHandle(id, index) });
}

function addCalls(texts: LogText[], { id, parts }: Message): void {
  for (const [index, part] of parts.entries()) {
    if (part.type !== "tool-call") continue;
    const path = onlyPath(part);
    const kind = path !== null && part.paths[0]?.access === "modify" ? "written" : "said";
    const handle = partHandle(id, index);
    for (const text of writtenInCall(part)) texts.push({ kind, text, source: part.toolName, path, call: null, handle });
  }
}

/** The strings in a call's arguments that are not its paths. */
function writtenInCall({ argumentsJson, paths }: ToolCallPart): readonly string[] {
  const strings = stringsIn(argumentsJson);
  return paths.length === 0 ? strings : strings.filter((text) => !paths.some(({ path }) => path === text));
}

function onlyPath({ paths }: ToolCallPart): string | null {
  return paths.length === 1 ? (paths[0]?.path ?? null) : null;
}
