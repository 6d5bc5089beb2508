import { isRecord, jsonIn } from "../json.ts";
import type { ToolResultMessage } from "./message.ts";
import { MISSING_RESULT_TEXT } from "./repair.ts";

/** How many lines at a text's beginning a program may write before it says how a command ended; chosen: agents write four to six. */
const HEAD_LINES = 8;

/** Characters of a text's two ends that are looked at; chosen. */
const END_CHARS = 800;

/** A line, or an element, that says how a command ended: `Exit code 1`, `Process exited with code 1`, `[exit code 2]`, `<returncode>1</returncode>`. */
const STATUS =
  /^\W{0,4}(?:[a-z]+ ){0,5}(?:exit(?:ed)?|return)(?:[ _-]?(?:with|code|status|value)\b){0,4}[ :=>]{0,3}(-?\d{1,10})(?:\W{0,4}$|<\/)/i;

/** A last line that says that a command was ended: `Command aborted`, `Command timed out after 10 seconds`. */
const ENDED = /^\W{0,4}(?:[a-z]+ ){0,2}(?:aborted|timed out|killed|interrupted)\b[^.]{0,40}$/i;

/** The beginning of a failure of a tool that runs no command: `Could not find the text in a.ts`. */
const NOT_DONE = /^(?:Could not|Cannot|Can't|Unable to|Failed to) [a-z]/;

/** A first line that names an error before anything else: `TypeError: …`, `error: …`, `ENOENT: …`, `Error`. */
const ERROR_FIRST = /^(?:[\w.]{0,60}(?:[Ee]rror|ERROR|Exception)|E[A-Z]{3,12})(?::|$)/;

/** A text that is one element whose name says that it is an error. */
const ERROR_ELEMENT = /^<[a-z_-]{0,40}error>/i;

/** Keys under which results in JSON have a command's status. */
const STATUS_KEYS = ["exit_code", "exitCode", "returncode"] as const;

/**
 * True for a result that reads as a failure, for wires that do not report failures. A status that a program wrote around its output decides, else an error's name at the
 * beginning. In a tool's view of a file that name belongs to the file, unless the view has nothing else.
 */
export function readsAsFailed({ category, parts }: Pick<ToolResultMessage, "category" | "parts">): boolean {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (texts.length < parts.length) return false;
  const text = texts.join("\n").trim();
  const status = statusIn(text);
  if (status !== null) return status !== 0;
  if (text === MISSING_RESULT_TEXT) return true;
  if (category === "file-content" && text.includes("\n")) return false;
  if (category === "generic" && NOT_DONE.test(text)) return true;
  const [first = ""] = text.slice(0, END_CHARS).split("\n", 1);
  return ERROR_ELEMENT.test(text) || ERROR_FIRST.test(first.trimEnd()) || ENDED.test(lastLineOf(text));
}

/** The status that a program wrote in the first lines of an output, or in its last one; `null` for none. */
function statusIn(text: string): number | null {
  if (text.startsWith("{")) {
    const parsed = jsonIn(text);
    const records = isRecord(parsed) ? [parsed, parsed.metadata].filter(isRecord) : [];
    const values = records.flatMap((record) => STATUS_KEYS.map((key) => record[key]));
    return values.find((value) => typeof value === "number") ?? null;
  }
  const head = text.slice(0, END_CHARS).split("\n", HEAD_LINES);
  for (const line of [...head, lastLineOf(text)]) {
    const [, status] = STATUS.exec(line) ?? [];
    if (status !== undefined) return Number(status);
  }
  return null;
}

function lastLineOf(text: string): string {
  return text.slice(-END_CHARS).split("\n").at(-1) ?? "";
}
