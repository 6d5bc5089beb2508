import type {
  AssistantMessage,
  ImagePart,
  Message,
  Session,
  TextPart,
  ToolCallPart,
  ToolResultMessage,
  ToolSpec,
  UserMessage,
} from "@plimsoll/core";
import { canonicalJson, isRecord, type MessageDraft } from "@plimsoll/core/extend";
import { pdfPageCount } from "../documents/pdf-pages.ts";
import { type Fields, stringAt, type VendorSummary } from "../fields.ts";
import { countedTools } from "../wire/tools.ts";
import type { TurnRules } from "../wire/turns.ts";

/** Facts about a request that its vendor's answer reports. */
export type ObservedAnswer = Parameters<Session["report"]>[1];

/** Facts about the items before those being read. */
export interface BeforeItems {
  /** The tool's name in a call; empty for an unknown call. */
  readonly toolNameOf: (callId: string) => string;
  /** The calls right before without a result yet, in order: for wires whose calls need no ids. */
  readonly calls: readonly ToolCallPart[];
  /** The id of the message right before, a hash of everything up to it; `null` at the beginning. */
  readonly messageId: string | null;
}

/** Reads and writes one kind of array: the basis of a drop-in. A drop-in reads each item object once. */
export interface WireArray<Item, Answer> {
  /**
   * Reads an item's declaration for the agent; `null` for an item that declares nothing. Declarations at the array's beginning are overhead, as system
   * text and tools beside the array are; later ones keep their place, or follow the summary of their surroundings. Every request sends all of them unchanged.
   */
  readonly declares: (item: Item) => Declaration | null;
  /** True for an item that is one piece of a reply: the drop-in reads neighbouring pieces as one message. */
  readonly isPiece: (item: Item) => boolean;
  /** The messages of one item, or of the pieces of one reply. An item with several results is several messages. */
  readonly drafts: (items: readonly Item[], before: BeforeItems) => readonly MessageDraft[];
  /** Writes messages that compaction made or changed as items. */
  readonly encode: (messages: readonly Message[]) => readonly Item[];
  /**
   * Returns the items of a group with some changed messages, the unchanged ones as they came. Left out, or `null`, to encode changed messages as any others.
   */
  readonly changed?: (items: readonly Item[], viewed: readonly Message[]) => readonly Item[] | null;
  /** Returns the items of a group without its messages that left the view, all else as it came. Left out, or `null`, to encode the rest as any other. */
  readonly left?: (items: readonly Item[], isThere: readonly boolean[]) => readonly Item[] | null;
  /** Distinguishes, makes and joins items where a cut makes new neighbours. */
  readonly turns: TurnRules<Item>;
  /** Returns the whole list as the wire takes it, with well-formed text. Left out if that is the list itself. */
  readonly joined?: (items: readonly Item[]) => readonly Item[];
  /** Returns the reply with an object for the arguments of each call; left out for plain objects. */
  readonly withCalls?: (item: Item) => Item;
  /** Returns the item without ids and signatures by which the vendor would look for its counterparts; the same item if it has none. Left out for wires without them. */
  readonly withoutLink?: (item: Item) => Item;
  /** False for a wire whose results do not say whether they failed. Left out for all others. */
  readonly tellsFailures?: false;
  /** The assumed model while neither request nor answer names one; left out for wires of many vendors. */
  readonly assumedModelId?: string;
  /** Reads the summary in the vendor's answer to a request for one; left out for wires without such requests. */
  readonly summary?: (answer: unknown) => VendorSummary;
  /** True for an item with a vendor's compaction, which only the vendor can read; left out for wires without one. */
  readonly isVendorState?: (item: Item) => boolean;
  /** Reads a request's error from an item that has it in place of a reply; `null` for any other item. Left out for wires without such items. */
  readonly refusal?: (item: Item) => Error | null;
  readonly observed: (answer: Answer) => ObservedAnswer | null;
  /** Reads the reported size of a reply's request, for items that keep it; `null` for items that do not. With it a request needs no `answer`. */
  readonly measured?: (item: Item) => ObservedAnswer | null;
}

/** A declaration in an item: system or developer text, or tools, which are not part of the conversation. */
export interface Declaration {
  readonly parts: UserMessage["parts"];
  readonly tools: readonly ToolSpec[];
}

/** True for roles in which an agent speaks for itself. */
export function isAgentsRole(role: unknown): boolean {
  return role === "system" || role === "developer";
}

/** Reads the declaration of an item of the agent's own role, of any type; `null` for an item of another role. `partsOf` reads its content. */
export function declaredByRole<Item>(item: Item, partsOf: (item: Item) => UserMessage["parts"]): Declaration | null {
  return isAgentsRole(stringAt(item, "role")) ? declaredBy(item, partsOf) : null;
}

/** Reads the declaration of an item that is known to declare: its content, else everything in it but its tools. */
export function declaredBy<Item>(item: Item, partsOf: (item: Item) => UserMessage["parts"]): Declaration {
  const fields: Fields = isRecord(item) ? item : {};
  const { type: _, role: __, id: ___, content, tools, ...rest } = fields;
  const text = Object.keys(rest).length === 0 ? "" : JSON.stringify(rest);
  const parts = content === undefined ? textParts(text) : partsOf(item);
  return { parts, tools: countedTools(tools) };
}

/** Makes a message of a declaration in the middle of a conversation. Its tools are counted as those at the beginning are. */
export function declaredDraft({ parts, tools }: Declaration): Omit<UserMessage, "id"> {
  const texts = tools.map(
    ({ name, description, parametersJson }): TextPart => ({ type: "text", text: `${name}\n${description}\n${parametersJson}` }),
  );
  return { role: "user", origin: "declared", parts: [...parts, ...texts], atMs: null };
}

/** `isPiece` for arrays whose items are whole messages: spread it into a `WireArray`. */
export const WHOLE_ITEMS: Pick<WireArray<unknown, never>, "isPiece"> = { isPiece: () => false };

/** How a piece of a content is read, and written anew with another text. */
export interface PieceForm<Piece> {
  readonly partsOf: (piece: Piece) => UserMessage["parts"];
  readonly made: (text: string, piece: Piece) => Piece;
}

/** Each piece of a content as it came if its parts are the same in the view, else made anew of the texts in their place. */
export function changedPieces<Piece>(
  pieces: readonly Piece[],
  viewed: UserMessage["parts"],
  { partsOf, made }: PieceForm<Piece>,
): Piece[] {
  let next = 0;
  return pieces.map((piece) => {
    const own = partsOf(piece);
    const now = viewed.slice(next, next + own.length);
    next += own.length;
    const texts = now.flatMap((part) => (part.type === "text" ? [part.text] : []));
    return texts.length === 0 || canonicalJson(own) === canonicalJson(now) ? piece : made(texts.join("\n"), piece);
  });
}

/** A provider's error as an array keeps it: its words, and the status, which may be only among them. */
export function keptError(words: string, status: number | null): Error {
  return Object.assign(new Error(words), { status: status ?? Number(/\b[45]\d\d\b/.exec(words)?.[0] ?? 0) });
}

/** Makes a list of one text part; an empty list for text without a visible character. */
export function textParts(text: string): readonly TextPart[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

/** Makes a part of an image or document from its URL. A `data:` URL provides its bytes and type, and the page count of a PDF. */
export function imageAt(url: string, mediaType = "image/png"): ImagePart {
  const comma = url.indexOf(",");
  const isInline = url.startsWith("data:") && comma > 0;
  const type = isInline ? (url.slice("data:".length, comma).split(";")[0] ?? mediaType) : mediaType;
  const source = isInline ? ({ kind: "base64", data: url.slice(comma + 1) } as const) : ({ kind: "url", url } as const);
  const pageCount = source.kind === "base64" && type === "application/pdf" ? pdfPageCount(source.data) : null;
  const pages = pageCount === null ? {} : { pageCount };
  return { type: "image", mediaType: type, widthPx: null, heightPx: null, sizeBytes: null, ...pages, source };
}

/** Makes a tool result without an id. Its category stays `generic` until the compactor takes it in and chooses the truncation. */
export function resultDraft(
  call: { readonly callId: string; readonly toolName: string; readonly isError?: boolean },
  parts: ToolResultMessage["parts"],
): Omit<ToolResultMessage, "id"> {
  const { callId, toolName, isError = false } = call;
  return { role: "tool-result", callId, toolName, isError, category: "generic", parts, atMs: null };
}

/** Makes a message in the user's role without an id: a person's, or one that the agent added (`injected`). */
export function userDraft(
  parts: readonly (TextPart | ImagePart)[],
  origin: "human" | "injected" = "human",
): Omit<UserMessage, "id"> {
  return { role: "user", origin, parts, atMs: null };
}

/** Makes a model's reply without an id. Its model, request id and stop reason are `null`, since an array does not have them. */
export function replyDraft(parts: AssistantMessage["parts"]): Omit<AssistantMessage, "id"> {
  return { role: "assistant", origin: "model", parts, modelId: null, requestId: null, stopReason: null, atMs: null };
}
