import type { Usage, UserMessage } from "@plimsoll/core";
import { UNREPORTED_USAGE, usageOf } from "@plimsoll/core";
import { contentParts } from "../content-parts.ts";
import type { MessageList } from "../document.ts";
import { documentImporter, headMessages, messageLists } from "../document.ts";
import type { Fields } from "../fields.ts";
import { jsonValueOf, numberAt, recordAt, stringAt, timeMsAt } from "../fields.ts";
import type { Importer } from "../importer.ts";
import type { CallDraft, LogItem, ReplyPart } from "../log-items.ts";
import { callDraft, callIdChain, replyItem, resultItem, textPart, userItem } from "../log-items.ts";
import { blockReplyParts, inputItems } from "../message-lists/anthropic.ts";
import type { ToolTable } from "../tool-shapes.ts";

const FORMAT = "cline";

/** Sessions of Cline: messages in the Anthropic form with times, models and metrics beside them. */
export const clineImporter: Importer = documentImporter({
  format: FORMAT,
  description: "Cline: ~/.cline/data/sessions/*/*.messages.json and tasks/*/api_conversation_history.json",
  numbering: "if-several",
  recognises: (head) => headMessages(head).some(isMessage),
  sessions: (documents) => messageLists(documents).map((list) => ({ start: startOf(list), items: listItems(list) })),
});

function isMessage(message: Fields): boolean {
  const isRole = message.role === "user" || message.role === "assistant";
  return (
    isRole &&
    (recordAt(message, "metrics") !== null || recordAt(message, "modelInfo") !== null || typeof message.ts === "number")
  );
}

function startOf(list: MessageList): { id?: string; system: string; agent: { name: string; version: null } } {
  const id = stringAt(list.fields, "sessionId");
  return { ...(id === null ? {} : { id }), system: list.system, agent: { name: FORMAT, version: null } };
}

/** If no message has metrics, the log reports nothing; if some have, those without were no reported calls. */
function listItems(list: MessageList): readonly LogItem[] {
  const hasMetrics = list.messages.some((message) => recordAt(message, "metrics") !== null);
  const callIdOf = callIdChain();
  const items: LogItem[] = [];
  let openCallId: string | null = null;
  for (const message of list.messages) {
    const from = { sourceId: stringAt(message, "id"), atMs: timeMsAt(message, "ts") };
    if (message.role === "assistant") {
      const parts = replyPartsOf(message, callIdOf);
      openCallId = parts.textCallId;
      const usage = metricsUsage(recordAt(message, "metrics")) ?? (hasMetrics ? null : UNREPORTED_USAGE);
      const info = recordAt(message, "modelInfo");
      items.push(replyItem(parts.parts, usage, { ...from, modelId: stringAt(info, "id") ?? stringAt(info, "modelId") }));
    } else if (recordAt(message, "metadata")?.kind === "compaction_summary") {
      const summary = userItem("summary", contentParts(message.content), { atMs: from.atMs });
      items.push({ kind: "boundary", summary, kept: { kind: "items", items: [] }, tokensBefore: null, line: null, ...from });
    } else items.push(...userItems(message, openCallId, from));
  }
  return items;
}

/** A reply without calls of the API may end in a call that is written as text. */
function replyPartsOf(
  message: Fields,
  callIdOf: (content: string) => string,
): { parts: readonly ReplyPart[]; textCallId: string | null } {
  const parts = blockReplyParts(message);
  const last = parts.at(-1);
  if (last?.type !== "text") return { parts, textCallId: null };
  const callId = callIdOf(last.text);
  const found = textCallOf(last.text, callId);
  if (found === null) return { parts, textCallId: null };
  return { parts: [...parts.slice(0, -1), textPart(found.before), found.call], textCallId: callId };
}

/** The result of a call that was written as text, what the person said, and the surroundings, which the agent puts behind both. */
function userItems(
  message: Fields,
  openCallId: string | null,
  from: { sourceId: string | null; atMs: number | null },
): readonly LogItem[] {
  const isSurroundings = (part: UserMessage["parts"][number]) => part.type === "text" && isEnvironment(part.text);
  return inputItems(message, "human", from).flatMap((item): readonly LogItem[] => {
    if (item.kind !== "user") return [item];
    const said = item.parts.filter((part) => !isSurroundings(part));
    const surroundings = item.parts.filter(isSurroundings);
    const [first, ...rest] = said;
    const given = first?.type === "text" && openCallId !== null ? textAfterResultHeading(first.text) : null;
    const input =
      given === null || openCallId === null
        ? { ...item, parts: said }
        : resultItem(
            openCallId,
            [textPart(given), ...rest].filter((part) => part.type !== "text" || part.text !== ""),
            from,
          );
    return surroundings.length === 0 ? [input] : [input, userItem("injected", surroundings, { atMs: from.atMs })];
  });
}

/** The prompt is inclusive of its cached parts. */
function metricsUsage(metrics: Fields | null): Usage | null {
  const totalInputTokens = numberAt(metrics, "inputTokens");
  if (totalInputTokens === null || totalInputTokens === 0) return null;
  return usageOf({
    totalInputTokens,
    cacheReadTokens: numberAt(metrics, "cacheReadTokens"),
    cacheWriteTokens: numberAt(metrics, "cacheWriteTokens"),
    outputTokens: numberAt(metrics, "outputTokens"),
    raw: jsonValueOf(metrics),
  });
}

/** The tools that versions without a tool API write as elements in the reply's text. */
const TOOLS: ToolTable = {
  execute_command: "command",
  read_file: "read",
  write_to_file: "modify",
  replace_in_file: "modify",
  search_files: "search",
  list_files: "search",
  list_code_definition_names: "search",
  browser_action: "other",
  use_mcp_tool: "other",
  access_mcp_resource: "other",
  web_fetch: "other",
  ask_followup_question: "other",
  plan_mode_respond: "other",
  attempt_completion: "other",
  new_task: "other",
};

/** A reply's text taken apart: the words before the tool's element, and the call. */
interface TextCall {
  readonly before: string;
  readonly call: CallDraft;
}

/**
 * The call that a text ends in, `null` if it has none: an element named after a tool, whose children are the arguments. Linear in
 * the text for each known tool.
 */
function textCallOf(text: string, callId: string): TextCall | null {
  for (const toolName of Object.keys(TOOLS)) {
    const opening = `<${toolName}>`;
    const start = text.lastIndexOf(`\n${opening}`) + 1;
    if (!text.startsWith(opening, start)) continue;
    const end = text.lastIndexOf(`</${toolName}>`);
    const args = elementsOf(text.slice(start + opening.length, end < start ? text.length : end));
    const call = callDraft(TOOLS, { callId, toolName, argumentsJson: JSON.stringify(args), args });
    return { before: text.slice(0, start), call };
  }
  return null;
}

/** The elements `<name>text</name>` that stand beside each other in a text, up to the first that is not closed. */
function elementsOf(text: string): { readonly [name: string]: string } {
  const elements: [string, string][] = [];
  let position = text.indexOf("<");
  while (position >= 0) {
    const nameEnd = text.indexOf(">", position);
    const name = text.slice(position + 1, nameEnd);
    const end = nameEnd < 0 || !/^\w{1,40}$/.test(name) ? -1 : text.indexOf(`</${name}>`, nameEnd);
    if (end < 0) break;
    elements.push([name, trimNewlines(text.slice(nameEnd + 1, end))]);
    position = text.indexOf("<", end + name.length + 3);
  }
  return Object.fromEntries(elements);
}

function trimNewlines(text: string): string {
  const start = text.startsWith("\n") ? 1 : 0;
  return text.slice(start, text.endsWith("\n") && text.length > start ? -1 : undefined);
}

const RESULT_ENDING = "] Result:";

/** What follows the heading `[tool for 'x'] Result:` in a text; `null` for a text without the heading. */
function textAfterResultHeading(text: string): string | null {
  const lineEnd = text.indexOf("\n");
  const heading = (lineEnd < 0 ? text : text.slice(0, lineEnd)).trimEnd();
  if (!heading.startsWith("[") || !heading.endsWith(RESULT_ENDING)) return null;
  return lineEnd < 0 ? "" : text.slice(lineEnd + 1);
}

/** True for the block of surroundings that the agent puts behind a message. */
function isEnvironment(text: string): boolean {
  return text.trimStart().startsWith("<environment_details>");
}
