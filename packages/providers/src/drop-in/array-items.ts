import { type AssistantMessage, type Message, type ToolResultMessage, textOf, toolCallsOf } from "@plimsoll/core";
import { canonicalContent, canonicalJson, type MessageDraft, wellFormed, withIds } from "@plimsoll/core/extend";
import { withMendedCalls } from "../wire/item-nodes.ts";
import type { CompactorOptions } from "./request.ts";
import { type BeforeItems, changedPieces, declaredDraft, type PieceForm, type WireArray } from "./wire-array.ts";

/** Items of a caller's array that belong together, and the messages that they are. */
export interface ItemGroup<Item> {
  readonly items: readonly Item[];
  readonly messages: readonly Message[];
  /** The newest of the items that holds a vendor's compaction; `null` for none. */
  readonly vendorState: Item | null;
}

/** The groups that were read, by their first item. */
export type ReadGroups<Item> = WeakMap<WeakKey, { readonly previousId: string | null; readonly group: ItemGroup<Item> }>;

/**
 * The groups of before, and the items behind them as groups whose messages have ids by chain hash. A group whose items are the very objects of before, after
 * the same history, is not read again; an item that changes has to be a new object.
 */
export function readGroups<Item>(
  items: readonly Item[],
  wire: Pick<WireArray<Item, never>, "declares" | "isPiece" | "drafts" | "isVendorState">,
  { read, before, lastId }: { read: ReadGroups<Item>; before: readonly ItemGroup<Item>[]; lastId: string | null },
): readonly ItemGroup<Item>[] {
  const groups = [...before];
  // The groups before are read once, at the first result without an open call.
  const names = new Map<string, string>();
  let named = 0;
  const toolNameIn = (callId: string): string => {
    const calls = groups.slice(named).flatMap(({ messages }) => messages.flatMap(toolCallsOf));
    for (const call of calls) names.set(call.callId, call.toolName);
    named = groups.length;
    return names.get(callId) ?? "";
  };
  let previousId = lastId;
  for (const own of together(items, wire)) {
    const [key] = own;
    const seen = isObject(key) ? read.get(key) : undefined;
    const known = seen?.previousId === previousId && isSameItems(own, seen.group.items) ? seen.group : null;
    const declared = key === undefined || own.length > 1 || known !== null ? null : wire.declares(key);
    const group: ItemGroup<Item> = known ?? {
      items: own,
      messages: withIds(
        declared === null ? wire.drafts(own, beforeOf(groups, toolNameIn, previousId)) : [declaredDraft(declared)],
        previousId,
      ),
      vendorState: own.findLast((item) => wire.isVendorState?.(item) === true) ?? null,
    };
    if (isObject(key) && known === null) read.set(key, { previousId, group });
    groups.push(group);
    previousId = group.messages.at(-1)?.id ?? previousId;
  }
  return groups;
}

/** True for an item that its neighbours in a reply are read with. */
export function isPieceOf<Item>(wire: Pick<WireArray<Item, never>, "declares" | "isPiece">, item: Item | undefined): boolean {
  return item !== undefined && wire.isPiece(item) && wire.declares(item) === null;
}

/** The wire, whose messages in the user's role are those of the program that it says it put in. */
export function withSpeakers<Item, Answer>(
  wire: WireArray<Item, Answer>,
  { isInjected }: Pick<CompactorOptions, "isInjected">,
): WireArray<Item, Answer> {
  if (isInjected === undefined) return wire;
  const told = (draft: MessageDraft): MessageDraft => {
    const isSaid = draft.role === "user" && draft.origin === "human";
    return isSaid && isInjected(textOf({ ...draft, id: "" })) ? { ...draft, origin: "injected" } : draft;
  };
  const drafts: typeof wire.drafts = (items, before) => wire.drafts(items, before).map(told);
  return { ...wire, drafts };
}

function beforeOf<Item>(
  groups: readonly ItemGroup<Item>[],
  toolNameIn: (callId: string) => string,
  messageId: string | null,
): BeforeItems {
  const calls = openCalls(groups);
  // By place first: servers use ids again, and twice at once.
  let waiting = calls;
  const toolNameOf = (callId: string): string => {
    const call = waiting.find((each) => each.callId === callId);
    waiting = withoutFirst(waiting, callId);
    return call?.toolName ?? toolNameIn(callId);
  };
  return { toolNameOf, calls, messageId };
}

/** The newest group's calls, or those of the group before its results that no result has answered yet. */
function openCalls<Item>(groups: readonly ItemGroup<Item>[]): BeforeItems["calls"] {
  const answered: string[] = [];
  for (let at = groups.length - 1; at >= 0; at -= 1) {
    const messages = groups[at]?.messages ?? [];
    const results = messages.flatMap((message) => (message.role === "tool-result" ? [message.callId] : []));
    if (results.length === 0) return answered.reduce(withoutFirst, messages.flatMap(toolCallsOf));
    answered.push(...results);
  }
  return [];
}

function withoutFirst(calls: BeforeItems["calls"], callId: string): BeforeItems["calls"] {
  const at = calls.findIndex((call) => call.callId === callId);
  return at < 0 ? calls : calls.toSpliced(at, 1);
}

function* together<Item>(items: readonly Item[], wire: Parameters<typeof isPieceOf<Item>>[0]): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; ) {
    let end = start;
    while (isPieceOf(wire, items[end])) end += 1;
    end = Math.max(end, start + 1);
    yield items.slice(start, end);
    start = end;
  }
}

/** True for a value that a weak map takes as a key. */
export function isObject(value: unknown): value is WeakKey {
  return typeof value === "object" && value !== null;
}

/** Compares two lists by reference. */
export function isSameItems<Item>(a: readonly Item[], b: readonly Item[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false;
  return true;
}

/** Whether a message of a view has the content of the array's message of that id, each compared once. */
export type IsUntouched = (viewed: Message, own: Message) => boolean;

/** Compares by identity first, then by content: a view that came back from a store has objects of its own. */
export function createIsUntouched(): IsUntouched {
  const known = new WeakMap<Message, boolean>();
  return (viewed, own) => {
    if (viewed.parts === own.parts) return true;
    const before = known.get(viewed);
    if (before !== undefined) return before;
    // The log knows that it failed; its wire may not say so.
    const isResult = viewed.role === "tool-result" && own.role === "tool-result";
    const read = isResult ? { ...viewed, isError: own.isError } : viewed;
    const isSame = canonicalContent(read) === canonicalContent(own);
    known.set(viewed, isSame);
    return isSame;
  };
}

/** A part of a reply. */
export type ReplyPart = AssistantMessage["parts"][number];

/**
 * Finds each part of a reply, as it was read, in a view: another one in its place if it was changed, and `null` for reasoning that left. `null` for a
 * reply that lost anything else.
 */
export function partsNow(own: readonly ReplyPart[], viewed: readonly ReplyPart[]): readonly (ReplyPart | null)[] | null {
  if (own.length === viewed.length) return viewed;
  let next = 0;
  const now = own.map((part) => {
    const there = viewed[next];
    const hasLeft = there === undefined || (part.type === "reasoning" && canonicalJson(part) !== canonicalJson(there));
    if (!hasLeft) next += 1;
    return hasLeft ? null : there;
  });
  return next === viewed.length && own.every((part, index) => part.type === "reasoning" || now[index] !== null) ? now : null;
}

/** Parts as they are now, piece by piece, where each piece was read as so many. */
export function byPiece<Part>(own: readonly (readonly unknown[])[], now: readonly Part[]): readonly (readonly Part[])[] {
  let next = 0;
  return own.map(({ length }) => {
    next += length;
    return now.slice(next - length, next);
  });
}

/** How a wire reads and writes the items of one reply. */
interface ReplyForm<Item> {
  readonly partsOf: (item: Item) => readonly ReplyPart[];
  /** Writes a text in the place of an item; `null` for an item that is none. */
  readonly said: (text: string, item: Item) => Item | null;
  readonly withoutLink: (item: Item) => Item;
}

/**
 * A reply of several items, some with changed texts: each item unchanged if its own parts are, so that reasoning stays with its call and calls keep their types.
 * Where reasoning left, nothing has an id by which the vendor would look for it. `null` if other parts are gone.
 */
export function changedReply<Item>(
  items: readonly Item[],
  viewed: AssistantMessage,
  { partsOf, said, withoutLink }: ReplyForm<Item>,
): readonly Item[] | null {
  const own = items.map(partsOf);
  const parts = partsNow(own.flat(), viewed.parts);
  if (parts === null) return null;
  const pieces = byPiece(own, parts);
  return items.flatMap((item, index): readonly Item[] => {
    const now = pieces[index] ?? [];
    if (now.includes(null)) return [];
    const text = now.map((part) => (part?.type === "text" ? part.text : "")).join("\n");
    const anew = canonicalJson(own[index]) === canonicalJson(now) ? null : said(text, item);
    if (anew === null) return [parts.includes(null) ? withoutLink(item) : item];
    return text.trim() === "" ? [] : [anew];
  });
}

/** Which pieces of a reply stay that lost reasoning and nothing else; `null` for any other change. */
export function piecesLeft(own: readonly (readonly ReplyPart[])[], viewed: readonly ReplyPart[]): readonly boolean[] | null {
  const now = partsNow(own.flat(), viewed);
  const isSame = (part: ReplyPart, at: number) => now?.[at] === null || canonicalJson(part) === canonicalJson(now?.[at]);
  return now === null || !own.flat().every(isSame) ? null : byPiece(own, now).map((parts) => !parts.includes(null));
}

/** True for parts with media among them: their item is changed piece by piece, so that the others stay unchanged. */
export function hasMedia(parts: Message["parts"]): boolean {
  return parts.some(({ type }) => type === "image");
}

/** Mends items whose text is not well formed, and calls whose arguments are no object, each item once. */
export function createMended<Item>(
  { turns, withCalls = withMendedCalls }: Pick<WireArray<Item, never>, "turns" | "withCalls">,
  calls: "mended" | "kept",
): (items: readonly Item[]) => readonly Item[] {
  const known = new WeakMap<WeakKey, Item>();
  return (items) =>
    items.map((item) => {
      const before = isObject(item) ? known.get(item) : undefined;
      if (before !== undefined) return before;
      const isCaller = calls === "mended" && turns.roleOf(item) === "assistant";
      const mended = wellFormed(isCaller ? withCalls(item) : item);
      if (isObject(item)) known.set(item, mended);
      return mended;
    });
}

/** The functions that write a view as items. */
export interface ItemSource<Item> extends Pick<WireArray<Item, never>, "encode" | "changed" | "left"> {
  readonly groups: readonly ItemGroup<Item>[];
  readonly isUntouched: IsUntouched;
}

/** Items whose neighbours are the caller's own: neighbours in the caller's array, or one thing that was made. */
export interface Stretch<Item> {
  readonly items: readonly Item[];
  /** True for a stretch that begins as the caller's array does. */
  readonly isBeginning: boolean;
  /** True if it ends as the caller's array does: the array's next items go on with it. */
  readonly isOpen: boolean;
}

/** A stretch under way. `made` are its messages that are not encoded yet, `place` the place of its newest message in the caller's array. */
interface OpenStretch<Item> {
  readonly items: Item[];
  readonly made: Message[];
  readonly isBeginning: boolean;
  place: number | null;
}

/** A group that has messages, with the items without messages behind it: answers to its call's questions. They stay and leave with it. */
interface GroupInView<Item> extends ItemGroup<Item> {
  readonly unread: readonly Item[];
}

/**
 * The view as items: whole untouched groups as the caller's own, everything else encoded. One that `goes-on` follows the written part of the view and the groups
 * before: then its first stretch is the rest of the last one.
 */
export function stretchesOf<Item>(
  view: readonly Message[],
  source: ItemSource<Item>,
  from: "beginning" | "goes-on" = "beginning",
): readonly Stretch<Item>[] {
  const { groups, encode } = source;
  const known: GroupInView<Item>[] = [];
  for (const group of groups) {
    const last = group.messages.length === 0 ? known.pop() : undefined;
    if (last !== undefined) known.push({ ...last, unread: [...last.unread, ...group.items] });
    else if (group.messages.length > 0) known.push({ ...group, unread: [] });
  }
  const placeOf = new Map<string, number>();
  for (const [place, { messages }] of known.entries()) for (const { id } of messages) placeOf.set(id, place);
  const stretches: OpenStretch<Item>[] = from === "beginning" ? [] : [{ items: [], made: [], isBeginning: false, place: -1 }];
  const encodeMade = ({ items, made }: OpenStretch<Item>) => items.push(...encode(made.splice(0)));
  for (let index = 0; index < view.length; ) {
    const message = view[index];
    if (message === undefined) break;
    const place = placeOf.get(message.id) ?? null;
    const group = place === null ? undefined : known[place];
    let end = index + 1;
    while (place !== null && placeOf.get(view[end]?.id ?? "") === place) end += 1;
    const viewed = view.slice(index, end);
    const own = group === undefined ? null : ownItems(group, viewed, source);
    const last = stretches.at(-1);
    const goesOn = last !== undefined && place !== null && (last.place === place || last.place === place - 1);
    const stretch = goesOn ? last : { items: [], made: [], isBeginning: place === 0, place };
    if (!goesOn) stretches.push(stretch);
    stretch.place = place;
    if (own === null) stretch.made.push(...viewed);
    else {
      if (stretch.made.length > 0) encodeMade(stretch);
      stretch.items.push(...own);
    }
    index = end;
  }
  return stretches.map((stretch) => {
    const isOpen = stretch.made.length === 0 && stretch.place === known.length - 1;
    if (!isOpen) encodeMade(stretch);
    return { ...stretch, isOpen };
  });
}

/** The items of a group that is in the view, or of the rest of it: the caller's own, or the wire's form of the changed ones; `null` if they are encoded. */
function ownItems<Item>(
  { messages, items, unread }: GroupInView<Item>,
  viewed: readonly Message[],
  { isUntouched, changed, left }: ItemSource<Item>,
): readonly Item[] | null {
  const isThere: boolean[] = [];
  let count = 0;
  let isWhole = true;
  for (const own of messages) {
    const next = viewed[count];
    isThere.push(next?.id === own.id);
    if (next?.id !== own.id) continue;
    isWhole &&= isUntouched(next, own);
    count += 1;
  }
  if (count < viewed.length) return null;
  const kept = count === messages.length ? items : (left?.(items, isThere) ?? null);
  if (kept === null) return null;
  const now = isWhole ? kept : (changed?.(kept, viewed) ?? null);
  return now === null || unread.length === 0 ? now : [...now, ...unread];
}

interface TurnForm<Piece> extends PieceForm<Piece> {
  readonly isResult: (piece: Piece) => boolean;
  readonly changedResult: (piece: Piece, result: ToolResultMessage) => Piece;
}

/** The pieces of a user's content, some of them changed: each result by its message, and all else by the person's. */
export function changedTurn<Piece>(pieces: readonly Piece[], viewed: readonly Message[], form: TurnForm<Piece>): Piece[] {
  const results = viewed.filter((message) => message.role === "tool-result").values();
  const words = pieces.filter((piece) => !form.isResult(piece));
  const said = changedPieces(words, viewed.find((message) => message.role === "user")?.parts ?? [], form).values();
  return pieces.map((piece) => {
    if (!form.isResult(piece)) return said.next().value ?? piece;
    const { value: result } = results.next();
    return result === undefined ? piece : form.changedResult(piece, result);
  });
}

/** The pieces of a user's content that lost some messages: each answer that is a message by itself, and all else as one behind them. */
export function leftPieces<Piece>(
  pieces: readonly Piece[],
  isThere: readonly boolean[],
  isAnswer: (piece: Piece) => boolean,
): readonly Piece[] {
  const answers = isThere.values();
  const hasWords = isThere[pieces.filter(isAnswer).length] === true;
  return pieces.filter((piece) => (isAnswer(piece) ? answers.next().value === true : hasWords));
}
