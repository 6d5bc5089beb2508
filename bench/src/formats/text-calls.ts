import type { UserMessage } from "@plimsoll/core";
import type { ToolTable } from "@plimsoll/core/extend";
import { type CallDraft, type LogItem, objectCall, type ReplyPart, resultItem, textPart, userItem } from "./log-items.ts";
import { inputItems } from "./message-lists/anthropic.ts";

/** A reply without calls of the API may end in a call that is written as text: an element named after a tool of the table. */
export function textReply(
  table: ToolTable,
  parts: readonly ReplyPart[],
  callIdOf: (content: string) => string,
): { readonly parts: readonly ReplyPart[]; readonly textCallId: string | null } {
  const last = parts.at(-1);
  if (last?.type !== "text") return { parts, textCallId: null };
  const callId = callIdOf(last.text);
  const found = textCallOf(table, last.text, callId);
  if (found === null) return { parts, textCallId: null };
  return { parts: [...parts.slice(0, -1), textPart(found.before), found.call], textCallId: callId };
}

/** The result of a call that was written as text, the person's words, and the surroundings, which the agent puts behind both. */
export function textResultItems(
  message: Parameters<typeof inputItems>[0],
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
    const spoken = said.length === 0 && surroundings.length > 0 ? [] : [input];
    return surroundings.length === 0 ? spoken : [...spoken, userItem("injected", surroundings, { atMs: from.atMs })];
  });
}

/** The call that a text ends in, `null` if it has none: an element named after a tool, whose children are the arguments. Linear in the text for each known tool. */
function textCallOf(
  table: ToolTable,
  text: string,
  callId: string,
): { readonly before: string; readonly call: CallDraft } | null {
  for (const toolName of Object.keys(table)) {
    const opening = `<${toolName}>`;
    const start = text.lastIndexOf(`\n${opening}`) + 1;
    if (!text.startsWith(opening, start)) continue;
    const end = text.lastIndexOf(`</${toolName}>`);
    const args = elementsOf(text.slice(start + opening.length, end < start ? text.length : end));
    return { before: text.slice(0, start), call: objectCall(table, callId, toolName, args) };
  }
  return null;
}

/** An element, behind anything but an element; line breaks at the ends of its text do not count. */
const ELEMENT = /[^<]*<(\w{1,40})>\n?([\s\S]*?)\n?<\/\1>/gy;

/** The adjacent elements `<name>text</name>` of a text, up to the first that is not closed. */
function elementsOf(text: string): { readonly [name: string]: string } {
  return Object.fromEntries(Array.from(text.matchAll(ELEMENT), ([, name = "", content = ""]) => [name, content]));
}

const RESULT_ENDING = "] Result:";

/** Returns the text behind the heading `[tool for 'x'] Result:`; `null` for a text without the heading. */
function textAfterResultHeading(text: string): string | null {
  const lineEnd = text.indexOf("\n");
  const heading = (lineEnd < 0 ? text : text.slice(0, lineEnd)).trimEnd();
  if (!heading.startsWith("[") || !heading.endsWith(RESULT_ENDING)) return null;
  return lineEnd < 0 ? "" : text.slice(lineEnd + 1);
}

/** True for the block of surroundings that the agent puts behind a message. */
export function isEnvironment(text: string): boolean {
  return text.trimStart().startsWith("<environment_details>");
}
