import { UNREPORTED_USAGE } from "@plimsoll/core";
import { isRecord, type ToolTable } from "@plimsoll/core/extend";
import { contentParts } from "../content-parts.ts";
import { type DocumentSession, documentImporter } from "../document.ts";
import { type Fields, numberAt, recordAt, recordsAt, stringAt, stringsAt } from "../fields.ts";
import type { Importer } from "../importer.ts";
import { callDraft, callIdChain, type LogItem, replyItem, resultItem, textPart, userItem } from "../log-items.ts";
import { chatCallPart } from "../message-lists/openai-chat.ts";
import { textAction } from "./text-actions.ts";

const FORMAT = "swe-agent";

const TOOLS: ToolTable = {
  bash: "command",
  open: "read",
  create: "modify",
  goto: "read",
  scroll_up: "read",
  scroll_down: "read",
  edit: "modify",
  insert: "modify",
  append: "modify",
  find_file: "search",
  search_dir: "search",
  search_file: "search",
  submit: "other",
};

/** How its own commands begin their answer if they did nothing (tools/windowed and config/commands of 0.x, read 2026). */
const REFUSED = /^(?:Your proposed edit has introduced new syntax error|Usage: |File \S+ not found|No file open)/;

/** Trajectories of SWE-agent. They report no sizes per call, so that a replay runs on estimates. */
export const sweAgentImporter: Importer = documentImporter({
  format: FORMAT,
  description: "SWE-agent: *.traj (seen: 1.0), without sizes per call",
  numbering: "if-several",
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
      const text = textPart(openCallId === null ? (stringAt(entry, "content") ?? "") : (stringAt(entry, "thought") ?? ""));
      const { toolName, args, openFile: opened } = textAction(action ?? "", openFile);
      openFile = openCallId === null ? openFile : opened;
      const argumentsJson = JSON.stringify(args);
      const textCall = openCallId === null ? [] : [callDraft(TOOLS, { callId: openCallId, toolName, argumentsJson, args })];
      items.push(replyItem([text, ...calls.map((call) => chatCallPart(TOOLS, call)), ...textCall], UNREPORTED_USAGE));
    } else if (entry.role === "tool") items.push(resultItem(stringsAt(entry, "tool_call_ids")[0] ?? "", parts));
    else if (openCallId !== null && entry.role === "user") {
      items.push(resultItem(openCallId, parts, { isError: REFUSED.test(stringAt(entry, "content") ?? "") }));
      openCallId = null;
    } else {
      const isTask = !isDemonstration && !items.some((item) => item.kind === "user" && item.origin === "human");
      items.push(userItem(isTask ? "human" : "injected", parts));
    }
  }
  return items;
}
