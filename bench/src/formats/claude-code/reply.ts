import type { AssistantMessage, Usage } from "@plimsoll/core";
import type { ToolTable } from "@plimsoll/core/extend";
import { anthropicUsageOf, replyPartsOfBlocks } from "../anthropic-blocks.ts";
import { type Fields, numberAt, recordAt, recordsAt, stringAt, timeMsAt } from "../fields.ts";
import type { ReplyItem, ReplyPart } from "../log-items.ts";

const TOOLS: ToolTable = {
  Read: "read",
  NotebookRead: "read",
  Write: "modify",
  Edit: "modify",
  MultiEdit: "modify",
  NotebookEdit: "modify",
  Bash: "command",
  BashOutput: "command",
  PowerShell: "command",
  KillBash: "other",
  KillShell: "other",
  TaskOutput: "command",
  Grep: "search",
  Glob: "search",
  LS: "search",
  WebSearch: "search",
  ToolSearch: "search",
  WebFetch: "other",
  Task: "other",
  Agent: "other",
  TodoWrite: "other",
  TaskCreate: "other",
  TaskUpdate: "other",
  TaskList: "other",
  TaskGet: "other",
  EnterPlanMode: "other",
  ExitPlanMode: "other",
  AskUserQuestion: "other",
  SendMessage: "other",
};

const STOP_REASONS: ReadonlyMap<string, AssistantMessage["stopReason"]> = new Map([
  ["end_turn", "end"],
  ["stop_sequence", "end"],
  ["tool_use", "tool-calls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "refusal"],
]);

/** The model's name on messages that the agent wrote itself. */
const SYNTHETIC_MODEL = "<synthetic>";

/** A reply that grows line by line: each line has one or more of its blocks and repeats its usage. */
export interface GrowingReply extends ReplyItem {
  readonly parts: ReplyPart[];
  /** Keys that tell its blocks apart. */
  readonly blockKeys: Set<string>;
  usage: Usage | null;
  stopReason: AssistantMessage["stopReason"];
}

/** The reply that an `assistant` line starts, still without its blocks. */
export function startReply(value: Fields, line: number): GrowingReply {
  const message = recordAt(value, "message");
  const model = stringAt(message, "model");
  return {
    kind: "reply",
    parts: [],
    blockKeys: new Set(),
    modelId: model === SYNTHETIC_MODEL ? null : model,
    requestId: stringAt(value, "requestId") ?? stringAt(message, "id"),
    stopReason: null,
    usage: null,
    limits: null,
    sourceId: stringAt(message, "id") ?? stringAt(value, "uuid"),
    line,
    atMs: timeMsAt(value, "timestamp"),
  };
}

/** Adds a line's blocks to its reply. Blocks that the reply has already, from an earlier state of the stream, are not added again. */
export function growReply(reply: GrowingReply, value: Fields): void {
  const message = recordAt(value, "message");
  for (const part of replyPartsOfBlocks(TOOLS, recordsAt(message, "content"))) {
    const key = blockKeyOf(part);
    if (!reply.blockKeys.has(key)) reply.parts.push(part);
    reply.blockKeys.add(key);
  }
  reply.usage = laterUsage(reply.usage, withCost(recordAt(message, "usage"), value.costUSD));
  const reason = stringAt(message, "stop_reason");
  if (reason !== null) reply.stopReason = STOP_REASONS.get(reason) ?? "other";
}

/** Versions up to 1.0 write what a call cost beside its message. */
function withCost(usage: Fields | null, costUSD: unknown): Fields | null {
  return usage === null || costUSD === undefined ? usage : { ...usage, costUSD };
}

function blockKeyOf(part: ReplyPart): string {
  if (part.type === "tool-call") return `call ${part.callId}`;
  if (part.type === "text") return `text ${part.text}`;
  return `reasoning ${part.text} ${JSON.stringify(part.opaque)}`;
}

/** The later of two reports of one call, unless its output is smaller: early lines hold a count from the stream's start. */
function laterUsage(before: Usage | null, usage: Fields | null): Usage | null {
  const isSmaller = before !== null && (numberAt(usage, "output_tokens") ?? 0) <= (before.output.totalTokens ?? 0);
  return isSmaller ? before : (anthropicUsageOf(usage) ?? before);
}
