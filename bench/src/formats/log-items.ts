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
import { shortHash, type ToolTable, toolShapeOf } from "@plimsoll/core/extend";
import type { Fields } from "./fields.ts";

/** One item that an importer reads from a recording, in its order: a message, a reply, a tool result, a compaction, or one of an unknown type. */
export type LogItem = UserItem | ReplyItem | ResultItem | BoundaryItem | UnreadItem;

/** Where and when an item of a log with lines was written. */
export type Placed = Provenance & { readonly line: number; readonly atMs: number | null };

/** Something of a type that the importer does not know: it is counted and left out. */
export interface UnreadItem {
  readonly kind: "unread";
  readonly type: string;
}

/** The place at which the person took back earlier items: so many turns, or everything from an item on. */
export function rollBack(to: number | LogItem, { line, atMs }: Pick<UserItem, "line" | "atMs">): BoundaryItem {
  return boundaryItem(null, { line, atMs }, { kept: { kind: "rolled-back", to } });
}

/** An item of an unknown type; the type may be anything that the recording has in its place. */
export function unreadItem(type: unknown): UnreadItem {
  return { kind: "unread", type: typeof type === "string" ? type : "without a type" };
}

interface Provenance {
  /** Its line in the file, from 1; `null` in documents. */
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

/** One model call: all its output, and its reported usage. The parts may grow while the recording is read. */
export interface ReplyItem extends Provenance {
  readonly kind: "reply";
  readonly parts: readonly ReplyPart[];
  readonly modelId: string | null;
  readonly requestId: string | null;
  readonly stopReason: AssistantMessage["stopReason"];
  readonly atMs: number | null;
  /** `null` for a reply that was no reported call, such as an aborted one: it gives no usage entry. */
  readonly usage: Usage | null;
  /** True if the recording says that another session made the call, whose beginning this one repeats. */
  readonly isCopied?: boolean;
  readonly limits: ModelLimits | null;
}

/** A part of a reply; calls carry the category that their results will have. */
export type ReplyPart = TextPart | ReasoningPart | CallDraft | CompactionPart;

/** The vendor's own compaction inside an answer: from there on its summary is sent in the place of everything before it. */
interface CompactionPart {
  readonly type: "compaction";
  readonly summary: string;
}

/** A tool call with its paths and the category of its result resolved. */
export interface CallDraft extends ToolCallPart {
  readonly category: OutputCategory;
  /** Set if the agent's table lacks the tool and its arguments show neither a file nor a purpose. */
  readonly isUnknown?: true;
}

/** The result of a call. */
export interface ResultItem extends Provenance {
  readonly kind: "result";
  readonly callId: string;
  /** `null` if the recording does not say it: then the text decides. */
  readonly isError: boolean | null;
  readonly parts: ToolResultMessage["parts"];
  readonly atMs: number | null;
}

/** A compaction that the recorded agent made, with the content that replaced the history. */
export interface BoundaryItem extends Provenance {
  readonly kind: "boundary";
  readonly summary: UserItem | null;
  readonly kept: KeptHistory;
  readonly tokensBefore: number | null;
  readonly tokensAfter?: number | null;
  /** The usage of the summary's own request, and the model that wrote it; left out or `null` if the recording does not report them. */
  readonly usage?: Usage | null;
  readonly modelId?: string | null;
  /** True if the recording says that the agent compacted unasked. */
  readonly isAutomatic?: true;
  readonly isCopied?: boolean;
  /** Text that the agent put back behind it and that the recording does not hold, as far as it can be made anew. */
  readonly putBack?: string;
  readonly atMs: number | null;
}

/**
 * The history that stayed next to the summary: everything from an item on, named items, a history given in full, all but the text of some results and
 * some messages of the agent, all but the part that the person took back (so many of the newest turns, or everything from an item on), or all but the part between two items, with the
 * summary in its place.
 */
export type KeptHistory =
  | { readonly kind: "from"; readonly item: LogItem }
  | { readonly kind: "items"; readonly items: readonly LogItem[] }
  | { readonly kind: "history"; readonly items: readonly LogItem[] }
  | { readonly kind: "cleared"; readonly cleared: readonly LogItem[] }
  | { readonly kind: "rolled-back"; readonly to: number | LogItem }
  | { readonly kind: "around"; readonly items: readonly LogItem[] };

/** A call whose arguments have nothing of this kind names no file: a tool that is not known hides none then. */
const PATH_LIKE = /\w[/\\.]\w/;

/** Makes a tool call of a reply; `table` gives the files that it names and the category of its result. `args` are its arguments, `null` if they are no object. */
export function callDraft(
  table: ToolTable,
  call: { callId: string; toolName: string; argumentsJson: string; args: Fields | null },
): CallDraft {
  const { callId, toolName, argumentsJson, args } = call;
  const shape = toolShapeOf(table, toolName, args);
  const isRead = Object.hasOwn(table, toolName) || shape.paths.length > 0 || shape.category !== "generic";
  const isUnknown = !isRead && PATH_LIKE.test(argumentsJson);
  return { type: "tool-call", callId, toolName, argumentsJson, ...shape, ...(isUnknown ? { isUnknown } : {}) };
}

/** Makes a tool call whose arguments the recording has as an object. */
export function objectCall(table: ToolTable, callId: string | null, toolName: string | null, args: Fields | null): CallDraft {
  const argumentsJson = JSON.stringify(args ?? {});
  return callDraft(table, { callId: callId ?? "", toolName: toolName ?? "", argumentsJson, args });
}

/** Makes a table of tools from the names of each kind, with blanks between them. */
export function toolTable(kinds: readonly (readonly [kind: ToolTable[string], names: string])[]): ToolTable {
  return Object.fromEntries(kinds.flatMap(([kind, names]) => names.split(" ").map((name) => [name, kind] as const)));
}

/** Makes a text part of a message. */
export function textPart(text: string): TextPart {
  return { type: "text", text };
}

/** The place of an item: documents have no lines, and some recordings neither ids nor times. */
type Origin = Partial<Provenance & Pick<UserItem, "atMs">>;

function placeOf({ line = null, sourceId = null, atMs = null }: Origin): Required<Origin> {
  return { line, sourceId, atMs };
}

/** Makes the item of a message that is not the model's. */
export function userItem(origin: UserMessage["origin"], parts: UserMessage["parts"], from: Origin = {}): UserItem {
  return { kind: "user", origin, parts, ...placeOf(from) };
}

/** Makes the item of a compaction. Nothing stays beside its summary unless `more` says it. */
export function boundaryItem(summary: UserItem | null, from: Origin, more: Partial<BoundaryItem> = {}): BoundaryItem {
  return { kind: "boundary", summary, kept: { kind: "items", items: [] }, tokensBefore: null, ...placeOf(from), ...more };
}

/** Makes the item of a tool result. */
export function resultItem(
  callId: string,
  parts: ResultItem["parts"],
  from: Origin & { readonly isError?: boolean | null } = {},
): ResultItem {
  return { kind: "result", callId, isError: from.isError ?? null, parts, ...placeOf(from) };
}

/** Makes the item of a model's reply. `usage` is `null` for a reply without a reported call, such as an aborted one. */
export function replyItem(
  parts: readonly ReplyPart[],
  usage: Usage | null,
  from: Origin & Partial<Pick<ReplyItem, "modelId" | "requestId" | "stopReason" | "limits">> = {},
): ReplyItem {
  const { modelId = null, requestId = null, stopReason = null, limits = null } = from;
  return { kind: "reply", parts, usage, modelId, requestId, stopReason, limits, ...placeOf(from) };
}

/** Gives ids to calls that have none: a chain of hashes, so that equal texts at different places differ and re-imports agree. */
export function callIdChain(): (content: string) => string {
  let last = "";
  return (content) => {
    last = shortHash(`${last}\n${content}`);
    return `call:${last}`;
  };
}
