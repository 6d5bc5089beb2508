import { UNREPORTED_USAGE } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { contentParts } from "../content-parts.ts";
import { type DocumentSession, documentImporter } from "../document.ts";
import { type Fields, numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import type { Importer } from "../importer.ts";
import {
  callIdChain,
  type LogItem,
  objectCall,
  type ReplyPart,
  replyItem,
  resultItem,
  textPart,
  unreadItem,
  userItem,
} from "../log-items.ts";
import { blockReplyParts } from "../message-lists/anthropic.ts";
import { chatCallPart, openAiUsageOf } from "../message-lists/openai-chat.ts";

const FORMAT = "mini-swe-agent";

/** Trajectories of mini-swe-agent: commands are blocks in the reply's text, outputs are the next user message. */
export const miniSweAgentImporter: Importer = documentImporter({
  format: FORMAT,
  description: "mini-swe-agent: *.traj.json (seen: format mini-swe-agent-1, 1.17)",
  newestSeen: "1.17",
  recognises: ({ firstObjects: [first] }) => {
    const declared = stringAt(first, "trajectory_format") ?? "";
    return (
      declared.startsWith("mini-swe-agent") ||
      (stringAt(recordAt(first, "info"), "mini_version") !== null && Array.isArray(first?.messages))
    );
  },
  sessions: (documents) => documents.filter(isRecord).map(sessionOf),
});

function sessionOf(document: Fields): DocumentSession {
  const [first, ...rest] = recordsAt(document, "messages");
  const hasSystem = first?.role === "system";
  const messages = hasSystem || first === undefined ? rest : [first, ...rest];
  const start = {
    id: stringAt(document, "instance_id"),
    createdMs: secondsAt(first, "timestamp"),
    system: hasSystem ? (stringAt(first, "content") ?? "") : "",
    agent: { name: FORMAT, version: stringAt(recordAt(document, "info"), "mini_version") },
  };
  const statedUsd = numberAt(recordAt(recordAt(document, "info"), "model_stats"), "instance_cost");
  return { start, items: itemsOf(messages), statedUsd };
}

function itemsOf(messages: readonly Fields[]): readonly LogItem[] {
  const items: LogItem[] = [];
  const callIdOf = callIdChain();
  let openCallId: string | null = null;
  let hasTask = false;
  // The end of a run has a role of its own (2.0), and is not sent.
  for (const message of messages.filter(({ role }) => role !== "exit")) {
    const atMs = secondsAt(message, "timestamp");
    const parts = contentParts(message.content);
    if (message.role === "assistant") {
      const reply = replyParts(message, callIdOf);
      items.push(replyOf(message, reply.parts, atMs));
      openCallId = reply.callId;
    } else if (message.role === "tool") items.push(resultItem(stringAt(message, "tool_call_id") ?? "", parts, { atMs }));
    else if (message.role !== "user" && message.role !== "system") items.push(unreadItem(`role ${message.role}`));
    else if (openCallId !== null) {
      items.push(resultItem(openCallId, parts, { atMs }));
      openCallId = null;
    } else {
      items.push(userItem(hasTask ? "injected" : "human", parts, { atMs }));
      hasTask = true;
    }
  }
  return items;
}

function replyOf(message: Fields, parts: readonly ReplyPart[], atMs: number | null): LogItem {
  const response = recordAt(recordAt(message, "extra"), "response");
  const usage = openAiUsageOf(recordAt(response, "usage")) ?? UNREPORTED_USAGE;
  const id = stringAt(response, "id");
  return replyItem(parts, usage, { sourceId: id, requestId: id, modelId: stringAt(response, "model"), atMs });
}

/** A reply with exactly one command block calls it; one with none or several is answered by a complaint, not by an output. */
function replyParts(
  message: Fields,
  callIdOf: (content: string) => string,
): { parts: readonly ReplyPart[]; callId: string | null } {
  const calls = recordsAt(message, "tool_calls");
  const own = blockReplyParts(message);
  const text = own.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (calls.length > 0) return { parts: [...own, ...calls.map((call) => chatCallPart({}, call))], callId: null };
  const block = onlyCommandBlock(text);
  if (block === null) return { parts: own, callId: null };
  const callId = callIdOf(text);
  const call = objectCall({ bash: "command" }, callId, "bash", { command: block.command });
  return { parts: [textPart(block.before), call, textPart(block.after)], callId };
}

function secondsAt(fields: Fields | undefined, key: string): number | null {
  const seconds = numberAt(fields, key);
  return seconds === null ? null : Math.round(seconds * 1000);
}

/** The one command of a reply, with the text around its block. */
export interface CommandBlock {
  readonly before: string;
  readonly command: string;
  readonly after: string;
}

const BLOCK = /```bash[^\S\n]*(?=\n)([\s\S]*?)\n```/g;

/** The command of a reply that has exactly one block fenced as bash; `null` with none or several. A block ends at the first line that begins with the fence. */
export function onlyCommandBlock(text: string): CommandBlock | null {
  const [block, other] = text.matchAll(BLOCK);
  if (block === undefined || other !== undefined) return null;
  const { 0: whole, 1: command = "", index } = block;
  return { before: text.slice(0, index), command: command.trim(), after: text.slice(index + whole.length) };
}
