import { isRecord } from "@plimsoll/core/extend";
import { type Fields, parseRecord, recordAt, recordsAt, stringAt } from "./fields.ts";
import type { FileHead, FileSource } from "./importer.ts";

/** Logs of agents without an importer, recognised by their lines (forms as public threads show them, read in November 2026). */
const UNREAD_AGENTS: readonly (readonly [name: string, isLine: (line: Fields) => boolean])[] = [
  // TokenTracker#90: no results, ids, times, model or sizes.
  [
    "Cursor's agent transcript",
    (line) =>
      line.type === "turn_ended" ||
      (stringAt(line, "role") !== null && Array.isArray(recordAt(line, "message")?.content) && !("sessionId" in line)),
  ],
  // agent-sessions#55, cass#328: no sizes, no times.
  ["Grok Build's chat history", (line) => "synthetic_reason" in line || "prompt_index" in line],
];

/** The agent that wrote these lines, if it is known that no importer reads its logs; `null` for all others. */
export function unreadAgentIn(lines: readonly Fields[]): string | null {
  return UNREAD_AGENTS.find(([, isLine]) => lines.some(isLine))?.[0] ?? null;
}

const MOST_LINES = 10_000;

const MOST_FIELDS = 6;

/** Describes an unreadable file: its agent if known, and the number and kind of its records; for anything but messages its fields. */
export function foundIn(source: FileSource, { firstObjects }: FileHead): string {
  const own: Fields[] = [];
  for (const { number, text } of source.lines()) {
    const value = parseRecord(text);
    if (value !== null) own.push(value);
    if (number >= MOST_LINES) break;
  }
  const lines = own.length > 0 ? own : firstObjects;
  const name = unreadAgentIn(lines);
  const messages = lines.filter((line) => ROLES.has(stringAt(line, "role") ?? stringAt(line, "type") ?? ""));
  if (name === null && messages.length === 0) return fieldsIn(firstObjects);
  const bodies = messages.flatMap((line) => [line, recordAt(line, "message") ?? []].flat());
  const blocks = bodies.flatMap((body) => [body, ...recordsAt(body, "content")]);
  const calls = blocks.flatMap((block) => (block.type === "tool_use" ? [block] : recordsAt(block, "tool_calls")));
  const results = blocks.filter(({ type, role }) => type === "tool_result" || role === "tool").length;
  const without = ["usage", "model"].filter((key) => !blocks.some((block) => key in block || `${key}_id` in block));
  const ids = calls.some((call) => stringAt(call, "id") === null) ? " without an id" : "";
  const counts = [countOf(messages.length, "message"), countOf(calls.length, "tool call") + ids, countOf(results, "result")];
  return `${name ?? "messages of an unknown form"}: ${[...counts, ...without.map((key) => `no ${key}`)].join(", ")}`;
}

const ROLES: ReadonlySet<string> = new Set(["user", "assistant", "model", "tool", "tool_result", "human", "ai"]);

function countOf(count: number, what: string): string {
  return count === 0 ? `no ${what}s` : `${count} ${what}${count === 1 ? "" : "s"}`;
}

function fieldsIn([first]: readonly Fields[]): string {
  const names = Object.entries(first ?? {}).map(([name, value]) => {
    const [inner] = Array.isArray(value) ? value.filter(isRecord) : [];
    return inner === undefined ? name : `${name}[${Object.keys(inner).slice(0, MOST_FIELDS).join(", ")}]`;
  });
  return names.length === 0
    ? "no line with a JSON object"
    : `objects with the fields ${names.slice(0, MOST_FIELDS).join(", ")}`;
}
