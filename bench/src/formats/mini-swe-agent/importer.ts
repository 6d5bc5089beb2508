import { UNREPORTED_USAGE } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/internal";
import { contentParts } from "../content-parts.ts";
import { type DocumentSession, documentImporter } from "../document.ts";
import { type Fields, numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import type { Importer } from "../importer.ts";
import { callDraft, type LogItem, type ReplyPart, textPart } from "../log-items.ts";
import { chatCallPart } from "../message-lists/openai-chat.ts";
import { openAiUsageOf } from "../openai-usage.ts";
import { callIdChain, replyItem, resultItem, userItem } from "../plain-items.ts";
import { onlyCommandBlock } from "./command-block.ts";

const FORMAT = "mini-swe-agent";

/** Trajectories of mini-swe-agent: commands are blocks in the reply's text, outputs are the next user message. */
export const miniSweAgentImporter: Importer = documentImporter({
  format: FORMAT,
  description: "mini-swe-agent: *.traj.json (seen: format mini-swe-agent-1, 1.17)",
  numbering: "if-several",
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
  const id = stringAt(document, "instance_id");
  const start = {
    ...(id === null ? {} : { id }),
    createdMs: secondsAt(first, "timestamp"),
    system: hasSystem ? (stringAt(first, "content") ?? "") : "",
    agent: { name: FORMAT, version: stringAt(recordAt(document, "info"), "mini_version") },
  };
  return { start, items: itemsOf(messages) };
}

function itemsOf(messages: readonly Fields[]): readonly LogItem[] {
  const items: LogItem[] = [];
  const callIdOf = callIdChain();
  let openCallId: string | null = null;
  let hasTask = false;
  for (const message of messages) {
    const atMs = secondsAt(message, "timestamp");
    const parts = contentParts(message.content);
    if (message.role === "assistant") {
      const reply = replyParts(message, callIdOf);
      items.push(replyOf(message, reply.parts, atMs));
      openCallId = reply.callId;
    } else if (message.role === "tool") items.push(resultItem(stringAt(message, "tool_call_id") ?? "", parts, { atMs }));
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
  const text = stringAt(message, "content") ?? "";
  if (calls.length > 0) return { parts: [textPart(text), ...calls.map((call) => chatCallPart({}, call))], callId: null };
  const block = onlyCommandBlock(text);
  if (block === null) return { parts: [textPart(text)], callId: null };
  const callId = callIdOf(text);
  const args = { command: block.command };
  const call = callDraft({ bash: "command" }, { callId, toolName: "bash", argumentsJson: JSON.stringify(args), args });
  return { parts: [textPart(block.before), call, textPart(block.after)], callId };
}

/** Milliseconds since 1970 from the seconds at `key`. */
function secondsAt(fields: Fields | undefined, key: string): number | null {
  const seconds = numberAt(fields, key);
  return seconds === null ? null : Math.round(seconds * 1000);
}
