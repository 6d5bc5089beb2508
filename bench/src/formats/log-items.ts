import type {
  AssistantMessage,
  ModelLimits,
  OutputCategory,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "@plimsoll/core";
import type { MessageDraft } from "@plimsoll/core/internal";
import type { Fields } from "./fields.ts";
import { type ToolTable, toolShapeOf } from "./tool-shapes.ts";

/** What an importer reads off a recording, in the order of the recording, before ids are given and results are joined. */
export type LogItem = UserItem | ReplyItem | ResultItem | BoundaryItem;

interface Provenance {
  /** The line it stands on, from 1; `null` in documents. */
  readonly line: number | null;
  /** The source's own id, used if it is unique in the log. */
  readonly sourceId: string | null;
}

/** Input that is not a model's. */
export interface UserItem extends Provenance {
  readonly kind: "user";
  readonly origin: UserMessage["origin"];
  readonly parts: UserMessage["parts"];
  readonly atMs: number | null;
}

/** One model call: all that it gave, and what it reported. The parts may grow while the recording is read. */
export interface ReplyItem extends Provenance {
  readonly kind: "reply";
  readonly parts: readonly ReplyPart[];
  readonly modelId: string | null;
  readonly requestId: string | null;
  readonly stopReason: AssistantMessage["stopReason"];
  readonly atMs: number | null;
  /** `null` for a reply that was no reported call, such as an aborted one: it gives no usage entry. */
  readonly usage: Usage | null;
  /** `null` where the recording does not tell the model's limits. */
  readonly limits: ModelLimits | null;
}

/** A part of a reply; calls carry the category that their results will have. */
export type ReplyPart = TextPart | ReasoningPart | CallDraft;

/** A tool call with its paths and the category of its result resolved. */
export interface CallDraft extends ToolCallPart {
  readonly category: OutputCategory;
}

/** The result of a call. */
export interface ResultItem extends Provenance {
  readonly kind: "result";
  readonly callId: string;
  readonly isError: boolean;
  readonly parts: ToolResultMessage["parts"];
  readonly atMs: number | null;
}

/** A compaction that the recorded agent made: what it put in place of the history. */
export interface BoundaryItem extends Provenance {
  readonly kind: "boundary";
  readonly summary: UserItem | null;
  readonly kept: KeptHistory;
  readonly tokensBefore: number | null;
  readonly atMs: number | null;
}

/** What stayed beside the summary: everything from an item on, named items, or a history given in full. */
export type KeptHistory =
  | { readonly kind: "from"; readonly item: LogItem }
  | { readonly kind: "items"; readonly items: readonly LogItem[] }
  | { readonly kind: "history"; readonly drafts: readonly MessageDraft[] };

/** A call by the agent's tool table; `args` are its arguments where they are an object. */
export function callDraft(
  table: ToolTable,
  call: { callId: string; toolName: string; argumentsJson: string; args: Fields | null },
): CallDraft {
  const { callId, toolName, argumentsJson, args } = call;
  return { type: "tool-call", callId, toolName, argumentsJson, ...toolShapeOf(table, toolName, args) };
}

/** A text part. */
export function textPart(text: string): TextPart {
  return { type: "text", text };
}
