import { UNREPORTED_USAGE } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { contentParts } from "../content-parts.ts";
import { type DocumentSession, documentImporter } from "../document.ts";
import { type Fields, numberAt, recordAt, recordsAt, stringAt, stringsAt } from "../fields.ts";
import type { Importer } from "../importer.ts";
import {
  callIdChain,
  type LogItem,
  objectCall,
  replyItem,
  resultItem,
  textPart,
  toolTable,
  unreadItem,
  userItem,
} from "../log-items.ts";
import { blockReplyParts } from "../message-lists/anthropic.ts";
import { chatCallPart } from "../message-lists/openai-chat.ts";

const FORMAT = "swe-agent";

const TOOLS = toolTable([
  ["command", "bash"],
  ["read", "open goto scroll_up scroll_down"],
  ["modify", "create edit insert append"],
  ["search", "find_file search_dir search_file"],
  ["other", "submit"],
]);

/** How its own commands begin their answer if they did nothing (tools/windowed and config/commands of 0.x, read 2026). */
const REFUSED = /^(?:Your proposed edit has introduced new syntax error|Usage: |File \S+ not found|No file open)/;

/** Trajectories of SWE-agent. They report no sizes per call, so that a replay runs on estimates. */
export const sweAgentImporter: Importer = documentImporter({
  format: FORMAT,
  description: "SWE-agent: *.traj (seen: 1.0), without sizes per call",
  recognises: ({ firstObjects: [first] }) =>
    Array.isArray(first?.trajectory) && recordsAt(first, "history").some((entry) => "role" in entry),
  sessions: (documents) => documents.filter(isRecord).map(sessionOf),
});

function sessionOf(document: Fields): DocumentSession {
  const history = recordsAt(document, "history");
  const isSystem = (entry: Fields) => entry.role === "system";
  const system = history.filter(isSystem).map((entry) => stringAt(entry, "content") ?? "");
  const items = itemsOf(history.filter((entry) => !isSystem(entry)));
  const stats = recordAt(recordAt(document, "info"), "model_stats");
  const statedUsd = numberAt(stats, "instance_cost") ?? numberAt(stats, "total_cost");
  return { start: { system: system.join("\n\n"), agent: { name: FORMAT, version: null } }, items, statedUsd };
}

function itemsOf(history: readonly Fields[]): readonly LogItem[] {
  const items: LogItem[] = [];
  const callIdOf = callIdChain();
  let openCallId: string | null = null;
  let openFile: string | null = null;
  for (const entry of history) {
    const isDemonstration = entry.is_demo === true || entry.message_type === "demonstration";
    const parts = contentParts(entry.content);
    if (entry.role === "assistant" && !isDemonstration) {
      const calls = recordsAt(entry, "tool_calls");
      const action = calls.length > 0 ? null : stringAt(entry, "action");
      openCallId = action === null || action === "" ? null : callIdOf(action);
      const texts = openCallId === null ? blockReplyParts(entry) : [textPart(stringAt(entry, "thought") ?? "")];
      const { toolName, args, openFile: opened } = textAction(action ?? "", openFile);
      openFile = openCallId === null ? openFile : opened;
      const textCall = openCallId === null ? [] : [objectCall(TOOLS, openCallId, toolName, args)];
      items.push(replyItem([...texts, ...calls.map((call) => chatCallPart(TOOLS, call)), ...textCall], UNREPORTED_USAGE));
    } else if (entry.role === "tool") items.push(resultItem(stringsAt(entry, "tool_call_ids")[0] ?? "", parts));
    else if (openCallId !== null && entry.role === "user") {
      items.push(resultItem(openCallId, parts, { isError: REFUSED.test(stringAt(entry, "content") ?? "") }));
      openCallId = null;
    } else if (entry.role !== "user" && !isDemonstration) items.push(unreadItem(`role ${entry.role}`));
    else {
      const isTask = !isDemonstration && !items.some((item) => item.kind === "user" && item.origin === "human");
      items.push(userItem(isTask ? "human" : "injected", parts));
    }
  }
  return items;
}

/** An action that was written as text, as a call: the tool, its arguments, and the file that is open from then on. */
interface TextAction {
  readonly toolName: string;
  readonly args: Fields;
  readonly openFile: string | null;
}

/**
 * Reads an action of the agent's own command line (SWE-agent, tools/windowed, tools/windowed_edit_*, tools/search, tools/edit_anthropic, read 2026):
 * its commands work on one open file, which an edit does not name. Anything else is a command of the shell.
 */
function textAction(action: string, openFile: string | null): TextAction {
  const [first = ""] = action.split("\n", 1);
  const [toolName = "", ...words] = shellWords(first.length < action.trimEnd().length && BLOCK.test(first) ? first : action);
  const [one = "", two = ""] = words;
  const path = openFile ?? "";
  const block = action.slice(first.length + 1).replace(/\n?end_of_(?:edit|insert|append)\s*$/, "");
  const call = (args: Fields, opened = openFile): TextAction => ({ toolName, args, openFile: opened });
  switch (toolName) {
    case "open":
      return one === "" ? shell(action, openFile) : call({ path: one, ...numberOf("line_number", two) }, one);
    case "create":
      return one === "" ? shell(action, openFile) : call({ path: one, content: "" }, one);
    case "goto":
      return call({ path, ...numberOf("line_number", one) });
    case "scroll_up":
    case "scroll_down":
      return call({ path });
    case "edit": {
      const [, from, to] = /^(\d+):(\d+)$/.exec(one) ?? [];
      if (from !== undefined) return call({ path, start_line: Number(from), end_line: Number(to), new_text: block });
      return call({ path, old_str: one, new_str: two });
    }
    case "insert":
      return /^\d+$/.test(one)
        ? call({ path, insert_line: Number(one), insert_text: block })
        : call({ path, insert_text: one, ...numberOf("insert_line", two) });
    case "append":
      return call({ path, insert_text: one === "" ? block : one });
    case "find_file":
    case "search_dir":
      return call({ pattern: one, ...(two === "" ? {} : { path: two }) });
    case "search_file":
      return call({ pattern: one, path: two === "" ? path : two });
    case "str_replace_editor":
      return call({ command: one, path: two, ...flagsOf(words.slice(2)) }, openFile);
    case "submit":
      return call({});
    default:
      return shell(action, openFile);
  }
}

function shell(command: string, openFile: string | null): TextAction {
  return { toolName: "bash", args: { command }, openFile };
}

/** The first line of an edit whose text follows as a block of its own, which is no line of the shell. */
const BLOCK = /^(?:edit \d+:\d+|insert \d+|append)\s*$/;

function numberOf(key: string, word: string): Fields {
  return /^\d+$/.test(word) ? { [key]: Number(word) } : {};
}

function flagsOf(words: readonly string[]): Fields {
  return Object.fromEntries(
    words.flatMap((word, at) => (word.startsWith("--") ? [[word.slice(2), words[at + 1] ?? ""] as const] : [])),
  );
}

/** One quoted piece, an escaped character, or a word between blanks. */
const PIECE = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)|(\s+)|(['"])/g;

/** The words of a command line, without their quotes. Nothing is expanded. */
function shellWords(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | null = null;
  for (const [, single, double, escaped, plain, blank, open] of line.matchAll(PIECE)) {
    if (blank === undefined)
      word = `${word ?? ""}${single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped ?? plain ?? open ?? ""}`;
    else if (word !== null) {
      words.push(word);
      word = null;
    }
  }
  return word === null ? words : [...words, word];
}
