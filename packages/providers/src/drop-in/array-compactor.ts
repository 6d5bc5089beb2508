import type { FitInput, Session, SessionOptions, SessionView } from "@plimsoll/core";
import { isHuman, PlimsollError } from "@plimsoll/core";
import type { Rejection, recallArtifact } from "@plimsoll/core/extend";
import {
  answerOf,
  attempted,
  createRedaction,
  nextTry,
  option,
  outcomeOfReply,
  sendWithRecovery,
  sequenceOf,
  withCount,
} from "@plimsoll/core/extend";
import { z } from "zod";
import { sdkRejection } from "../client/failure.ts";
import type { FitReport } from "../fit-report.ts";
import { endedReplyIn } from "../wire/ended-reply.ts";
import { toolSpecsOf } from "../wire/tools.ts";
import { joinedStretches } from "../wire/turns.ts";
import type { ConversationLog, FittedLog } from "./array-conversations.ts";
import {
  artifactsOf,
  createArrayConversations,
  fitRequest,
  fittedLog,
  leaveReasoning,
  lowerReply,
  lowerReplyBeside,
  recallIn,
  recoverRequest,
  reportAnswer,
  unlinkedThrough,
} from "./array-conversations.ts";
import type { IsUntouched, ItemGroup, ReadGroups } from "./array-items.ts";
import {
  createIsUntouched,
  createMended,
  isObject,
  isPieceOf,
  isSameItems,
  readGroups,
  stretchesOf,
  withSpeakers,
} from "./array-items.ts";
import type { ArrayConversations, ConversationRequest, FoundConversation } from "./request.ts";
import {
  COMPACTOR_OPTIONS,
  type CompactorOptions,
  createVendorNotes,
  FACT_KEYS,
  knownOf,
  LONE_RESULTS,
  limitsInForce,
  limitsOf,
  type RequestFacts,
  vendorHistoryIn,
} from "./request.ts";
import type { Declaration, ObservedAnswer, WireArray } from "./wire-array.ts";

/** Everything that a request sends in addition to its array, and the name of its conversation. A malformed tool is a `bad-input` error that names its place. */
export interface ArrayRequest<Answer> extends RequestFacts {
  /** System text that is not in the array. */
  readonly system?: string;
  /** The request's tools as its vendor's SDK takes them, or as core's `ToolSpec`s: without them the first prediction is too small by their size. */
  readonly tools?: readonly object[];
  /** The caller's name for the conversation, a user's or a thread's id. Without it the messages identify it. */
  readonly conversation?: string;
  /** The answer behind the array's newest reply, for callers that do not `observe`. */
  readonly answer?: Answer;
  /** Compacts now, regardless of the policy's trigger; `keep` replaces the newest history that the policy keeps. */
  readonly now?: FitInput["now"];
  /** The subject that a summary concentrates on. */
  readonly focus?: string;
  /** Whether `fit` returns an array that no cut makes fit, to be sent anyway, or rejects; it rejects by default. */
  readonly oversized?: "sent" | "rejected";
  /** True if the caller itself repeats a request after a transient error, and each repetition comes here: then the compactor waits for these. */
  readonly isRepeated?: boolean;
}

/** Names a conversation by the caller's key or by an array: the caller's whole one, or one that `fit` returned. */
export type ConversationOf<Item> = string | readonly Item[];

/**
 * A request that may have the vendor write its summaries, under a policy whose writer is `vendor`: `compact` sends items as this very request with the vendor's own
 * parameter for a summary, and gives the answer. A digest is written if it is left out.
 */
type CompactingRequest<Item, Answer> = ArrayRequest<Answer> & {
  readonly compact?: (items: Item[]) => PromiseLike<unknown>;
};

/** Compacts arrays that their callers keep whole and resend at each call. One serves any number of conversations at once. */
export interface ArrayCompactor<Item, Answer> {
  /** The report of the newest `fit`, `send` or `recover`, which names its conversation (`key`, `sessionId`); `null` before the first. */
  readonly last: FitReport | null;
  /**
   * Returns the array to send in place of the whole one; unchanged items are the caller's objects. Rejects with `context-overflow` if no cut makes it fit the window of
   * the limits: the details list the `parts` with their sizes. Rejects with `unsendable` if it would have to cut a vendor's own compaction.
   */
  fit(items: readonly Item[], request?: CompactingRequest<Item, Answer>): Promise<Item[]>;
  /** Learns from the usage that `answer` reports: `sent` is the array that `fit` or `recover` returned and the request sent. */
  observe(sent: readonly Item[], answer: Answer): Promise<void>;
  /**
   * Fits, calls, observes; if the vendor says that the prompt does not fit, or refuses it in unknown words, compacts further and calls again as often as the policy
   * allows. Every other error reaches the caller unchanged.
   */
  send<Own extends Answer>(
    items: readonly Item[],
    call: (items: Item[]) => PromiseLike<Own>,
    request?: CompactingRequest<Item, Answer>,
  ): Promise<Own>;
  /**
   * Makes the next array to send after `sent` failed: further compacted if the vendor said that the prompt does not fit and the policy allows it, and
   * without reasoning that it refused; `null` if the caller has to handle the failure. Rejects with `context-overflow`, naming the parts, if no cut can make it fit. `recovery` counts the attempts of one request from 0.
   */
  recover(sent: readonly Item[], thrown: unknown, recovery: number): Promise<Item[] | null>;
  /** Returns the expected tokens of an array that `fit` or `recover` returned, so that you can ask for a reply that fits. `null` for another array. */
  expectedTokens(sent: readonly Item[]): number | null;
  /** Returns the id of the session log behind an array that `fit` or `recover` returned; `null` for another array. */
  sessionIdOf(sent: readonly Item[]): string | null;
  /** Returns a piece of the text behind a notice's handle in this conversation; `null` for an unknown handle. Your own tool can offer it to the model. */
  recall(
    handle: string,
    range: Parameters<typeof recallArtifact>[1],
    of: ConversationOf<Item>,
  ): ReturnType<typeof recallArtifact>;
  /**
   * Answers a call of a context tool in a conversation, and logs it. `contextTools` makes the calls; without `of` a call belongs to the one conversation in memory. If
   * several are there, the call rejects with `bad-input`.
   */
  contextCall(call: Parameters<Session["contextCall"]>[0], of?: ConversationOf<Item>): Promise<string>;
  /** Lists the conversations in memory with their logs, the last used first. */
  conversations(): readonly ConversationLog[];
  /** Returns the log of the conversation that an array continues, or an empty one. Compacts nothing. */
  logOf(items: readonly Item[], request?: ArrayRequest<Answer>): Promise<ConversationLog>;
  /** Undoes the newest compaction of a conversation in memory, by the id of its log. Rejects with `bad-input` if there is no such log, or nothing to undo. */
  undo(sessionId: string): Promise<void>;
  /** Removes everything kept of a conversation with a key, in memory and in the store. */
  delete(conversation: string): Promise<void>;
  /**
   * Writes all entries that the store lacks and releases all logs, after the current work. Later requests reject or throw `closed`; a running `send` still resolves to
   * its answer. If the store fails, it rejects and keeps all; call it again.
   */
  close(): Promise<void>;
}

type Recovery<Own> = Parameters<typeof sendWithRecovery<Own>>[0];

interface SentArray<Item, Answer> {
  readonly array: ReadArray<Item>;
  readonly request: ArrayRequest<Answer>;
  readonly fitted: FittedLog;
  /** How it is less than the request refused in unknown words; left out if it is not. */
  readonly tried?: NonNullable<Recovery<unknown>["done"]>["tried"];
  /** True if a shorter reply was asked for after a refusal: that is done once. */
  readonly isBeside?: boolean;
  readonly before?: SentArray<Item, Answer>;
  /** The request with the reasoning that left for a try. */
  readonly whole?: SentArray<Item, Answer>;
}

interface ReadArray<Item> {
  readonly items: readonly Item[];
  readonly systemItems: readonly Item[];
  readonly groups: readonly ItemGroup<Item>[];
  readonly request: ConversationRequest;
  /** How it was written last, or the array that it goes on from; `null` for neither. */
  written: WrittenView<Item> | null;
}

interface WrittenView<Item> {
  readonly items: readonly Item[];
  readonly session: Session;
  readonly messages: SessionView["messages"];
  readonly groupCount: number;
  readonly unlinked: string | null;
  /** True if the caller's next items simply come behind these. */
  readonly isOpen: boolean;
}

interface KnownArrays<Item, Answer> {
  readonly wire: WireArray<Item, Answer>;
  readonly logs: ArrayConversations;
  readonly redaction: ReturnType<typeof createRedaction>;
  readonly groups: ReadGroups<Item>;
  /** The arrays that were read last, by their last item: the next one of a conversation begins with one of them. */
  readonly read: WeakMap<WeakKey, ReadArray<Item>>;
  readonly sent: WeakMap<readonly Item[], SentArray<Item, Answer>>;
  readonly isUntouched: IsUntouched;
  /** The message through which a conversation goes without the ids that link its items, since a linked item was refused or missing; `null` for none. */
  readonly unlinked: WeakMap<Session, string | null>;
  readonly mended: (items: readonly Item[]) => readonly Item[];
  readonly noteVendors: ReturnType<typeof createVendorNotes>;
  last: FitReport | null;
}

/** Makes a compactor for one kind of array. It finds a conversation again by the content of its messages, even if their objects are new. */
export function createArrayCompactor<Item, Answer>(
  wire: WireArray<Item, Answer>,
  options: CompactorOptions,
): ArrayCompactor<Item, Answer> {
  option.check("a compactor", COMPACTOR_OPTIONS, options);
  const logs = createArrayConversations(options, wire);
  if (options.model !== undefined) limitsOf({}, options);
  const { conversations, policy } = logs;
  const arrays: KnownArrays<Item, Answer> = {
    wire: withSpeakers(wire, options),
    logs,
    redaction: createRedaction(options.redact),
    groups: new WeakMap(),
    read: new WeakMap(),
    sent: new WeakMap(),
    isUntouched: createIsUntouched(),
    unlinked: new WeakMap(),
    mended: createMended(wire, policy.enabled && options.mending !== "off" ? "mended" : "kept"),
    noteVendors: createVendorNotes(options),
    last: null,
  };
  const all = () => {
    conversations.assertOpen();
    return conversations.all();
  };
  const named = (of: ConversationOf<Item>) =>
    typeof of === "string" ? all().filter(({ name }) => name.key === of) : foundOf(arrays, of);
  return {
    get last() {
      return arrays.last;
    },
    fit: (items, request = {}) => fitArray(arrays, items, { ...request, caller: "hook" }),
    observe: async (sent, answer) => {
      conversations.assertOpen();
      await observe(arrays, sent, answer);
    },
    recover: async (sent, thrown, recovery) => {
      conversations.assertOpen();
      const of = arrays.sent.get(sent);
      // Its caller hears of refusals.
      if (of !== undefined) knownOf(logs, of.fitted.found.session).unanswered = 0;
      const rejection = sdkRejection(thrown, of === undefined ? sent : asks(arrays, of.request, sent));
      if (rejection === null) return null;
      const tried = of?.tried ?? "none";
      const isBeside = of?.isBeside === true;
      // Less of its media is no recovery, and neither is a shorter reply.
      const done = { recovery: recovery - (tried === "media" ? 1 : 0) - (isBeside ? 1 : 0), tried, isBeside };
      const counted = withCount(rejection, sizesOf(arrays, of));
      const refused = { kind: "refused", rejection: { ...counted, error: thrown } } as const;
      const end = await recovering<Item, Answer, Item[]>(arrays, sent, {
        done,
        // The caller sends the fitted array itself, so it is the answer.
        attempt: async (next) => (next === null ? refused : { kind: "answered", answer: next }),
      });
      try {
        return answerOf(end, of?.fitted.found.session ?? null);
      } catch (error) {
        // A request that cannot fit is reported; any other refusal is the caller's own.
        if (error === thrown) return null;
        throw error;
      }
    },
    expectedTokens: (sent) => arrays.sent.get(sent)?.fitted.expectedTokens ?? null,
    sessionIdOf: (sent) => arrays.sent.get(sent)?.fitted.found.name.sessionId ?? null,
    send: (items, call, request = {}) => send(arrays, { items, request }, call),
    recall: async (handle, range, of) => await recallIn(logs, named(of), { handle, range }),
    contextCall: async (call, of) => {
      const [found, ...others] = of === undefined ? all() : named(of);
      if (found === undefined || (of === undefined && others.length > 0)) {
        const why =
          of === undefined
            ? `${all().length} conversations are in memory: name one in execute or toolsFor`
            : "no conversation has that name: give its key or array in execute or toolsFor";
        throw new PlimsollError("bad-input", `${call.name} was not answered: ${why}`, { tool: call.name });
      }
      return await found.session.contextCall({ artifacts: artifactsOf(found.session, logs), ...call });
    },
    conversations: () => all().map((found) => logged(logs, found)),
    logOf: (items, request = {}) =>
      conversations.goOn(read(arrays, items, request).request, async (found) => logged(logs, found), request.signal),
    undo: async (sessionId) => {
      const found = all().find(({ name }) => name.sessionId === sessionId);
      if (found === undefined) throw new PlimsollError("bad-input", `no conversation in memory has the id ${sessionId}`);
      await found.session.inTurn(found.session.undo);
      knownOf(logs, found.session).isUndone = true;
    },
    // A log that is stored can be deleted after the compactor let go of it.
    delete: conversations.delete,
    close: conversations.close,
  };
}

function logged(logs: ArrayConversations, { name, session }: FoundConversation): ConversationLog {
  const { expectedTokens } = session.predict();
  return { ...name, entries: session.entries(), expectedTokens, limits: limitsInForce(session, logs) };
}

function read<Item, Answer>(
  arrays: KnownArrays<Item, Answer>,
  given: readonly Item[],
  { system = "", tools, conversation }: ArrayRequest<Answer>,
): ReadArray<Item> {
  if (!Array.isArray(given))
    throw new PlimsollError(
      "bad-input",
      `a compactor takes the array of a whole history, not ${given === null ? "null" : `a value of type ${typeof given}`}`,
    );
  const { wire, groups: known, mended, redaction } = arrays;
  // A copy: the caller's own array grows, and the next one is compared with this one.
  const items = [...redaction.item(given)];
  const declared: Declaration[] = [];
  for (const item of items) {
    const declaration = wire.declares(item);
    if (declaration === null) break;
    declared.push(declaration);
  }
  const opening = items.slice(0, declared.length);
  const before = arrayBefore(arrays, items);
  const fresh = items.slice(before?.items.length ?? opening.length);
  const messages = [...(before?.request.messages ?? [])];
  const lastId = messages.at(-1)?.id ?? null;
  const groups = readGroups(fresh, wire, { read: known, before: before?.groups ?? [], lastId });
  for (const group of groups.slice(before?.groups.length)) messages.push(...group.messages);
  const texts = declared.map(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"));
  const whole = [...texts, system].filter(Boolean).join("\n");
  const all = [...declared.flatMap((each) => each.tools), ...toolSpecsOf(tools)];
  const setup = { system: whole, tools: all, messages: [], dynamicContext: null };
  // The log has them redacted, and is compared with them.
  const request = { ...redaction.context(setup, "log"), key: conversation ?? null, messages };
  const written = before?.written ?? null;
  const array: ReadArray<Item> = { items, systemItems: mended(opening), groups, request, written };
  const [last, lastBefore] = [items.at(-1), before?.items.at(-1)];
  if (isObject(lastBefore)) arrays.read.delete(lastBefore);
  if (isObject(last)) arrays.read.set(last, array);
  return array;
}

/** The longest array that was read and that this one goes on from, item by item the same; `null` for none. */
function arrayBefore<Item, Answer>({ wire, read }: KnownArrays<Item, Answer>, items: readonly Item[]): ReadArray<Item> | null {
  for (let end = items.length; end > 0; end -= 1) {
    const last = items[end - 1];
    const before = isObject(last) ? read.get(last) : undefined;
    if (before === undefined || before.items.length !== end || before.groups.length === 0) continue;
    const isSplit = isPieceOf(wire, last) && isPieceOf(wire, items[end]);
    return !isSplit && isSameItems(before.items, items.slice(0, end)) ? before : null;
  }
  return null;
}

function written<Item, Answer>(arrays: KnownArrays<Item, Answer>, sent: SentArray<Item, Answer>): Item[] {
  const { array } = sent;
  array.written =
    writtenOn(arrays, sent) ?? writtenWhole(arrays, { array, session: sent.fitted.found.session, view: sent.fitted.view });
  const { items: viewed } = array.written;
  const items = [...array.systemItems, ...(arrays.wire.joined?.(viewed) ?? viewed)];
  arrays.sent.set(items, sent);
  return items;
}

/** The view as it was written last, with the new messages behind it; `null` unless that is all. */
function writtenOn<Item, Answer>(
  arrays: KnownArrays<Item, Answer>,
  { array, fitted: { found, view } }: SentArray<Item, Answer>,
): WrittenView<Item> | null {
  const { wire, isUntouched, mended } = arrays;
  const { written: before } = array;
  const { session } = found;
  if (before?.isOpen !== true || before.session !== session || before.unlinked !== unlinkedIn(arrays, session)) return null;
  const groups = array.groups.slice(before.groupCount);
  if (!view.messages.goesOnFrom(before.messages) || groups[0]?.messages.length === 0) return null;
  const source = { ...wire, groups, isUntouched };
  const [rest, ...others] = stretchesOf(view.messages.slice(before.messages.size), source, "goes-on");
  if (rest === undefined || others.length > 0) return null;
  refuseLostState(groups, rest.items);
  const items = [...before.items, ...mended(rest.items)];
  return { ...before, items, messages: view.messages, groupCount: array.groups.length, isOpen: rest.isOpen };
}

/** A view to write, and the array whose items its messages are. */
interface WrittenOf<Item> {
  readonly array: Pick<ReadArray<Item>, "groups" | "systemItems">;
  readonly session: Session;
  readonly view: Pick<SessionView, "messages">;
}

function writtenWhole<Item, Answer>(
  arrays: KnownArrays<Item, Answer>,
  { array: { groups }, session, view }: WrittenOf<Item>,
): WrittenView<Item> {
  const { wire, isUntouched, mended } = arrays;
  const { withoutLink = (item: Item) => item, turns } = wire;
  const unlinked = unlinkedIn(arrays, session);
  const aloneCount = unlinkedCount(groups, unlinked);
  const alone = groups.slice(0, aloneCount).map((group) => ({ ...group, items: group.items.map(withoutLink) }));
  const own = aloneCount === 0 ? groups : [...alone, ...groups.slice(aloneCount)];
  const stretches = stretchesOf(view.messages.slice(), { ...wire, groups: own, isUntouched });
  const made = stretches.flatMap((stretch) => stretch.items);
  refuseLostState(groups, made);
  const all = stretches.map((stretch) => mended(stretch.items));
  const isOwn = stretches[0]?.isBeginning === true;
  // One stretch from the beginning on meets nothing: it is as its caller sent it.
  const items = isOwn && all.length === 1 ? all.flat() : joinedStretches(all, turns, isOwn ? "own" : "made");
  const roles = all.at(-1)?.map(turns.roleOf) ?? [];
  const isMet = roles.some((role, at) => role !== "system" && (roles[at + 1] ?? "system") !== "system");
  const isOpen = isMet && stretches.at(-1)?.isOpen === true;
  return { items, session, messages: view.messages, groupCount: groups.length, unlinked, isOpen };
}

/** The message through which items go without the ids that link them; a conversation that is taken up again reads it from its log, once. */
function unlinkedIn<Item, Answer>({ wire, unlinked }: KnownArrays<Item, Answer>, session: Session): string | null {
  if (wire.withoutLink === undefined) return null;
  const known = unlinked.get(session);
  if (known !== undefined) return known;
  const through = unlinkedThrough(session.entries());
  unlinked.set(session, through);
  return through;
}

function unlinkedCount<Item>(groups: readonly ItemGroup<Item>[], through: string | null): number {
  return through === null ? 0 : groups.findLastIndex(({ messages }) => messages.some(({ id }) => id === through)) + 1;
}

/** Refuses to summarise state that the vendor compacted: a request without the newest of it would lose everything before, without a word. */
function refuseLostState<Item>(groups: readonly ItemGroup<Item>[], made: readonly Item[]): void {
  let newest: Item | null = null;
  for (const { vendorState } of groups) newest = vendorState ?? newest;
  if (newest === null || made.includes(newest)) return;
  throw new PlimsollError("unsendable", LOST_STATE, { reason: "vendor-compaction" });
}

const LOST_STATE =
  "the array has to be cut where it holds the vendor's own compaction, which cannot be read or summarised: leave compaction to the vendor (policy none), or switch the vendor's off";

const ARRAY_REQUEST = option.schema<ArrayRequest<unknown>>({
  ...FACT_KEYS,
  // The tools are checked one by one where they are read.
  tools: option.kind(() => true, "tools").optional(),
  answer: z.unknown().optional(),
  now: option.object.optional(),
  isRepeated: z.boolean().optional(),
  oversized: z.enum(["sent", "rejected"]).optional(),
  ...option.optional(option.text, "system", "conversation", "focus"),
});

async function fitArray<Item, Answer>(
  arrays: KnownArrays<Item, Answer>,
  items: readonly Item[],
  { caller, compact, ...given }: CompactingRequest<Item, Answer> & { readonly caller: "hook" | "sender" },
): Promise<Item[]> {
  option.check("a request", ARRAY_REQUEST, given);
  const { model } = arrays.logs.options;
  const request = model === undefined || given.modelId !== undefined ? given : { ...given, modelId: model };
  const array = read(arrays, items, request);
  const { answer, conversation } = request;
  const { messages } = array.request;
  if (!messages.some(({ role }) => role === "assistant") && messages.some(({ role }) => role === "tool-result")) {
    arrays.noteVendors(LONE_RESULTS, conversation);
    return [...array.items];
  }
  const reported = answer === undefined ? measuredIn(arrays.wire, array, "newest") : observedOf(arrays, answer, conversation);
  const firstReported = measuredIn(arrays.wire, array, "first");
  const isRefused = caller === "hook" && isReasoningRefused(arrays.wire, items);
  const { summary } = arrays.wire;
  const compactFor =
    compact &&
    summary &&
    ((session: Session): SessionOptions["compact"] =>
      async ({ context }) => {
        // The items of a beginning of the view, as a request with nothing else would have them.
        const { items } = writtenWhole(arrays, { array, session, view: { messages: sequenceOf(context.messages) } });
        return summary(await compact([...array.systemItems, ...(arrays.wire.joined?.(items) ?? items)]));
      });
  const known = { request: array.request, reported, firstReported, caller, isRefused, compactFor };
  const fitted = await fitRequest(arrays.logs, { ...request, ...known });
  const { session } = fitted.found;
  arrays.last = fitted.report;
  const isNamed = limitsOf(request, arrays.logs.options).contextWindowTokens !== null && fitted.report.learned === null;
  const error = caller === "hook" && request.oversized !== "sent" && isNamed ? session.overflow() : null;
  if (error !== null) throw error;
  return written(arrays, { array, request, fitted });
}

/** The report of an answer; `null` for one whose prompt began with a history that the vendor has. */
function observedOf<Item, Answer>(
  { wire, noteVendors }: KnownArrays<Item, Answer>,
  answer: Answer,
  key: string | undefined,
): ObservedAnswer | null {
  const named = vendorHistoryIn(answer);
  if (named !== null) noteVendors(named, key);
  return named === null ? wire.observed(answer) : null;
}

function isReasoningRefused<Item>(
  { refusal, turns }: Pick<WireArray<Item, never>, "refusal" | "turns">,
  items: readonly Item[],
): boolean {
  const newest = refusal === undefined ? undefined : items.findLast((item) => turns.roleOf(item) === "assistant");
  const thrown = newest === undefined ? null : refusal?.(newest);
  return thrown !== null && sdkRejection(thrown, items)?.outcome.kind === "reasoning-refused";
}

/** The size by the array's first or newest reply. No first one for an array that begins with a summary: its first request measured more. */
function measuredIn<Item>(
  { measured }: Pick<WireArray<Item, never>, "measured">,
  { groups }: ReadArray<Item>,
  which: "first" | "newest",
): ObservedAnswer | null {
  const [first] = groups[0]?.messages ?? [];
  if (measured === undefined || (which === "first" && (first === undefined || !isHuman(first)))) return null;
  const isReply = ({ messages: [message] }: ItemGroup<Item>) => message?.role === "assistant";
  const item = (which === "first" ? groups.find(isReply) : groups.findLast(isReply))?.items.at(-1);
  return item === undefined ? null : measured(item);
}

/** Logs a measurement. Nothing for an array that is not known, or whose conversation is no longer in memory. */
async function observe<Item, Answer>(arrays: KnownArrays<Item, Answer>, sent: readonly Item[], answer: Answer): Promise<void> {
  const { logs } = arrays;
  const of = arrays.sent.get(sent);
  const reported = observedOf(arrays, answer, of?.request.conversation);
  if (of === undefined || reported === null || !logs.conversations.has(of.fitted.found)) return;
  await reportAnswer(logs, of.fitted, { asked: of.request, reported, isMediaTry: of.tried === "media" });
}

async function withoutReasoning<Item, Answer>(
  arrays: KnownArrays<Item, Answer>,
  of: SentArray<Item, Answer>,
  refused: Parameters<typeof leaveReasoning>[2]["refused"],
): Promise<FittedLog | null> {
  const { array, request } = of;
  const { wire, unlinked } = arrays;
  const { session } = of.fitted.found;
  const isLinked = ({ items }: ItemGroup<Item>) => items.some((item) => (wire.withoutLink?.(item) ?? item) !== item);
  const isUnlinking =
    refused === "named" && array.groups.slice(unlinkedCount(array.groups, unlinkedIn(arrays, session))).some(isLinked);
  const through = isUnlinking ? (array.request.messages.at(-1)?.id ?? null) : null;
  if (through !== null) unlinked.set(session, through);
  return await leaveReasoning(arrays.logs, { ...request, request: array.request, sent: of.fitted }, { refused, through });
}

async function send<Item, Answer, Own extends Answer>(
  arrays: KnownArrays<Item, Answer>,
  { items, request }: { readonly items: readonly Item[]; readonly request: CompactingRequest<Item, Answer> },
  call: (items: Item[]) => PromiseLike<Own>,
): Promise<Own> {
  if (typeof call !== "function")
    throw new PlimsollError("bad-input", "send takes the items and a function that sends what it is given");
  let sent = await fitArray(arrays, items, { ...request, caller: "sender" });
  const sizes = () => sizesOf(arrays, arrays.sent.get(sent));
  const reading = {
    outcomeIn: (answer: Own): Rejection["outcome"] => {
      const ended = endedReplyIn(answer, arrays.wire.observed(answer)?.usage ?? null);
      const { contextWindowTokens: windowTokens } = limitsOf(request, arrays.logs.options);
      const { askedTokens } = sizes();
      return ended === null ? { kind: "answered" } : outcomeOfReply(ended, { askedTokens, windowTokens });
    },
    rejectionIn: (thrown: unknown) => sdkRejection(thrown, asks(arrays, request, sent)),
    expectedTokens: () => sizes().expectedTokens,
    askedTokens: () => sizes().askedTokens,
  };
  const end = await recovering<Item, Answer, Own>(arrays, sent, {
    attempt: (next) => {
      sent = next ?? sent;
      return attempted(() => call(sent), reading);
    },
  });
  const answer = answerOf(end, arrays.sent.get(sent)?.fitted.found.session ?? null);
  // This request was answered: a report that could not be written is written with the next one, which fails if that cannot be, either.
  await observe(arrays, sent, answer).catch(() => undefined);
  return answer;
}

function sizesOf<Item, Answer>({ logs }: KnownArrays<Item, Answer>, of: SentArray<Item, Answer> | undefined) {
  if (of === undefined) return { expectedTokens: 0, askedTokens: null };
  const { request, fitted } = of;
  const own = limitsOf(request, logs.options).maxOutputTokens;
  return { expectedTokens: fitted.expectedTokens, askedTokens: request.onReply === undefined ? own : fitted.replyTokens };
}

/** As much of a request's body as is known: the reply that it asks for, and its items. */
function asks<Item, Answer>({ logs }: KnownArrays<Item, Answer>, request: ArrayRequest<Answer>, contents: readonly Item[]) {
  return { maxOutputTokens: limitsOf(request, logs.options).maxOutputTokens, contents };
}

function recovering<Item, Answer, Own>(
  arrays: KnownArrays<Item, Answer>,
  first: readonly Item[],
  { attempt, ...done }: Pick<Recovery<Own>, "done"> & { attempt(next: Item[] | null): ReturnType<Recovery<Own>["attempt"]> },
): ReturnType<Recovery<Own>["attempt"]> {
  const { logs, sent: known } = arrays;
  const { policy } = logs;
  let next: Item[] | null = null;
  let now = known.get(first);
  const goOn = async (
    of: SentArray<Item, Answer>,
    fit: Promise<FittedLog | null>,
    how: Pick<typeof of, "tried" | "isBeside" | "before" | "whole"> = {},
  ) => {
    const fitted = await fit;
    if (fitted === null) return false;
    arrays.last = fitted.report;
    if (fitted.cutId === null) return false;
    next = written(arrays, { ...how, array: of.array, request: of.request, fitted });
    now = known.get(next);
    return true;
  };
  const again = ({ array, request, fitted: sent }: NonNullable<typeof now>) => ({ ...request, request: array.request, sent });
  return sendWithRecovery<Own>({
    policy,
    ...done,
    attempt: () => attempt(next),
    nextTry: (asked) => {
      if (now === undefined) return null;
      const { request, fitted } = now;
      return nextTry(fitted.found.session, { policy, isRepeated: request.isRepeated === true, ...asked });
    },
    undo: async (refusal) => {
      if (now?.before === undefined) return;
      const [{ found, cutId }, { fitted, request }] = [now.fitted, now.before];
      now = now.before;
      // Another request that met this one may have made the cut, or undone it.
      await found.session.inTurn(async () => {
        if (cutId === undefined || found.session.view().activeCompactions.at(-1)?.id !== cutId) return;
        await found.session.undo(refusal);
        const outcomes = [...fitted.outcomes, { kind: "unchanged", off: null, refusal } as const];
        arrays.last = fittedLog(found, request, logs, { outcomes }).report;
      });
    },
    lowerReply: async (limitTokens) =>
      now?.request.onReply !== undefined && (await goOn(now, lowerReply(logs, again(now), limitTokens), now)),
    lowerBeside: async (rejection) =>
      now?.request.onReply !== undefined &&
      (await goOn(now, lowerReplyBeside(logs, { ...again(now), rejection }), { ...now, isBeside: true })),
    leaveReasoning: async (refused) => {
      if (now === undefined) return false;
      const how = refused === "unnamed" ? { whole: now.whole ?? now } : {};
      const hasLeft = await goOn(now, withoutReasoning(arrays, now, refused), how);
      // Parts that left for a try and did not help are back in the conversation.
      if (!hasLeft) now = now.whole ?? now;
      return hasLeft;
    },
    recover: async (facts, rejection) => {
      if (now === undefined) return false;
      const { refusedTokens, refused } = facts;
      const fit = recoverRequest(logs, { ...again(now), rejection, facts });
      const tried = refusedTokens === null ? "none" : refused === undefined ? "less" : "media";
      return await goOn(now, fit, { tried, isBeside: now.isBeside === true, before: now });
    },
  });
}

/** The conversation of an array that was made to be sent, else the one in memory that holds most of a caller's array. */
function foundOf<Item, Answer>(arrays: KnownArrays<Item, Answer>, items: readonly Item[]): readonly FoundConversation[] {
  arrays.logs.conversations.assertOpen();
  const found =
    arrays.sent.get(items)?.fitted.found ?? arrays.logs.conversations.holding(read(arrays, items, {}).request.messages);
  return found === null ? [] : [found];
}
