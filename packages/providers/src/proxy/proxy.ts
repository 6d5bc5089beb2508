import type { BoundReasoning, ContextEvent, ModelLimits, Policy, SessionEntry, Summarizer, ToolSpec } from "@plimsoll/core";
import { isPlimsollError, PlimsollError } from "@plimsoll/core";
import type { SessionStore } from "@plimsoll/core/agent";
import type { Kinds } from "@plimsoll/core/build";
import type { ConversationName, LearnedLimits } from "@plimsoll/core/conversation";
import { type EndedReply, outcomeOfReply } from "@plimsoll/core/conversation";
import { closedError, type JsonObject, replyBeside, wellFormed, withReplyWithin } from "@plimsoll/core/internal";
import { BINDING_BETA, DROPPING } from "../anthropic/thinking.ts";
import { isBoundReasoning } from "../catalog/bound-reasoning.ts";
import { sdkRejection } from "../client/failure.ts";
import type { ConversationLog } from "../drop-in/array-conversations.ts";
import type { CompactorOptions, ConversationContext } from "../drop-in/compactor-options.ts";
import { isUndone, keptState } from "../drop-in/person-wishes.ts";
import type { TypedWord } from "../drop-in/typed-words.ts";
import type { Fields } from "../fields.ts";
import { parseRecord, recordAt, recordsAt } from "../fields.ts";
import { endedReplyIn } from "../wire/ended-reply.ts";
import type { AnyCompactor, FittedItems } from "./any-compactor.ts";
import { arrayPlacesAt, withElements, withValue } from "./array-places.ts";
import { withCacheMarks, withoutCacheMarks } from "./cache-marks.ts";
import { compactItems, recallItems } from "./compact-items.ts";
import type { ConversationKeys } from "./conversation-keys.ts";
import type { Fault } from "./mend-items.ts";
import { mendItems } from "./mend-items.ts";
import type { ProxyRequest, ReadRequest } from "./read-request.ts";
import { readRequest, withoutTyped } from "./read-request.ts";
import type { RequestKind } from "./request-kind.ts";
import type { SpokenReply } from "./spoken-reply.ts";
import { spokenReply } from "./spoken-reply.ts";
import type { ProxyWire } from "./wires.ts";

/** Options of a proxy's compaction. */
export interface ProxyOptions {
  readonly policy: Policy;
  readonly kinds?: Kinds;
  /** The limits of a model; `maxOutputTokens` holds for requests that name no largest reply. */
  readonly limits: (modelId: string | null) => ModelLimits;
  /** Where conversations are kept; `null` for memory alone. */
  readonly sessions: SessionStore | null;
  readonly keys: ConversationKeys;
  readonly learned: LearnedLimits;
  readonly summarizer?: Summarizer;
  /** Where bound reasoning goes, as {@link CompactorOptions.boundReasoning} has it; requests to Anthropic whose history was cut ask for it then. */
  readonly boundReasoning?: BoundReasoning;
  /** The clock; the system's if it is left out. */
  readonly nowMs?: () => number;
  readonly onEvent?: (event: ContextEvent, of: EventOrigin) => void;
  /** Whether a history that the vendor refuses for its form is mended and sent again; it is, if this is left out. */
  readonly mending?: "on" | "off";
  /** Answers what a person typed for Plimsoll, in words for that person; the conversation's log is told as it is. */
  readonly onTyped?: (word: TypedWord, log: ConversationLog) => Promise<string>;
  /** Told in one line if a conversation cannot be kept: its request is fitted all the same. */
  readonly onProblem?: (line: string, of?: EventOrigin) => void;
}

/** Whom an event is about. */
export interface EventOrigin {
  /** The id of the conversation's log. */
  readonly sessionId: string;
  /** The model that its newest request asks; `null` if it names none. */
  readonly modelId: string | null;
}

/** A conversation that the proxy holds. */
export interface ProxyConversation extends EventOrigin, Pick<ConversationLog, "entries" | "expectedTokens"> {
  /** The limits that its newest request was fitted to: the window is what a refusal taught, if that is less. */
  readonly limits: ModelLimits;
  /** When it was asked last. */
  readonly askedMs: number;
  /** `paused`: no cut is made; `undone`: none before a request would not fit. */
  readonly state: "running" | "paused" | "undone";
}

/** A request that was looked at. */
export interface PreparedRequest {
  readonly wire: ProxyWire;
  readonly kind: RequestKind;
  readonly modelId: string | null;
  /** The id of the log that the request goes on; `null` for none. */
  readonly sessionId: string | null;
  /** The answer in the vendor's place to what a person typed for Plimsoll; `null` for a request to send. */
  readonly spoken: SpokenReply | null;
  /** The body to send; `null` for the very bytes that came in. */
  readonly bodyText: string | null;
  /** Values that `anthropic-beta` must have; empty for none. */
  readonly betas: readonly string[];
  /** Takes what the answer measured. */
  observe(answer: Fields): Promise<void>;
  /** A whole answer that the window ended, as the failure that less can be sent after; `null` for any other. */
  cutOff(answer: Fields): UpstreamFailure | null;
  /** The same of a streamed answer, by the text of all its events. */
  cutOffStream(text: string): Promise<UpstreamFailure | null>;
  /** Makes the request to send after a failure (status and body as they came), further compacted; `null` if the failure is the program's to see. */
  recover(failure: UpstreamFailure, recovery: number): Promise<PreparedRequest | null>;
}

/** A refusal of the upstream. */
export interface UpstreamFailure {
  readonly status: number;
  readonly bodyText: string;
}

/** Compacts what passes by. */
export interface ProxyCompaction {
  /**
   * Fits a request. `null` for one that has no history of a known form: it passes as it is.
   *
   * @throws whatever the store or the engine throws; the request can always be sent as it came.
   */
  prepare(request: ProxyRequest): Promise<PreparedRequest | null>;
  /** Compacts items that a program sends for that alone, and gives them back: `POST /compact`. Throws `bad-input` for what cannot be read. */
  compact(body: Fields, signal: AbortSignal): Promise<JsonObject>;
  /** Gives a piece of what a handle of `compact` names in a named conversation: `POST /compact/recall`. */
  recall(body: Fields): Promise<JsonObject>;
  /** The conversations in memory, the one that was asked last first. */
  conversations(): readonly ProxyConversation[];
  /** Puts back what the newest cut of a conversation took; the next one comes when a request would not fit. Rejects with `bad-input` if there is nothing to undo. */
  undo(sessionId: string): Promise<void>;
  /** Makes no cut in a conversation, or in all for `null`, until it is told to go on: what was cut stays cut. */
  pause(sessionId: string | null, state: "paused" | "running"): void;
  /** True while all conversations are paused. */
  isPaused(): boolean;
  /** Releases all logs, after the work that is under way. */
  close(): Promise<void>;
}

/** A proxy's compaction; nothing is read before the first request. */
export function createProxyCompaction(options: ProxyOptions): ProxyCompaction {
  const kept = new Map<ProxyWire, AnyCompactor>();
  const passing = new Map<ProxyWire, AnyCompactor>();
  const setups = new Map<string, Setup>();
  const nowMs = options.nowMs ?? Date.now;
  /** The newest request of each conversation, by key. */
  const asked = new Map<string, Pick<ProxyConversation, "modelId" | "askedMs">>();
  const paused = new Set<string | null>();
  /** Conversations whose history was refused for its form: it is mended before it is sent. */
  const broken = new Set<string>();
  let spokenCount = 0;
  let isClosed = false;
  const logs = () => [...kept.values()].flatMap((compactor) => compactor.conversations());
  const onEvent = (event: ContextEvent, { key, sessionId }: ConversationName) =>
    options.onEvent?.(event, { sessionId, modelId: asked.get(key ?? "")?.modelId ?? null });
  const entriesOf = (sessionId: string) => logs().find((log) => log.sessionId === sessionId)?.entries ?? [];
  const stateOf = (sessionId: string, entries: readonly SessionEntry[]): ProxyConversation["state"] =>
    paused.has(null) || paused.has(sessionId) ? "paused" : isUndone(entries) ? "undone" : "running";
  /** The wishes of a conversation's person about its cuts. */
  const context = (_: string, sessionId: string): ConversationContext => ({
    stateProviders: [() => keptState(entriesOf(sessionId))],
    beforeCompaction: async ({ reason }) => {
      const state = stateOf(sessionId, entriesOf(sessionId));
      const waits = state === "paused" || (state === "undone" && reason === "threshold");
      return waits ? { kind: "cancel", why: state } : { kind: "go" };
    },
  });
  const compactorOf = (wire: ProxyWire, among: Map<ProxyWire, AnyCompactor>, sessions: SessionStore | null) => {
    if (isClosed) throw closedError("proxy");
    const { policy, kinds, limits, learned, summarizer, boundReasoning } = options;
    const known =
      among.get(wire) ??
      wire.compactor({
        policy,
        limits,
        learned,
        ...(kinds === undefined ? {} : { kinds }),
        nowMs,
        onEvent,
        ...(summarizer === undefined ? {} : { summarizer }),
        ...(boundReasoning === undefined ? {} : { boundReasoning }),
        ...(among === kept ? { context } : {}),
        ...(sessions === null ? {} : { sessions }),
      });
    among.set(wire, known);
    return known;
  };
  const undo = async (sessionId: string) => {
    const of = [...kept.values()].find((each) => each.conversations().some((log) => log.sessionId === sessionId));
    if (of === undefined)
      throw new PlimsollError("bad-input", `no conversation ${sessionId} is in memory: it is once its agent has asked`);
    await of.undo(sessionId);
  };
  /** Answers what a person typed in the vendor's place: it goes into no log, and to no model. */
  const spoken = async (read: ReadRequest, conversation: string | null): Promise<PreparedRequest> => {
    const { wire, facts, own, signal } = read;
    const given = own.map((item) => wellFormed(withoutCacheMarks(item)));
    const compactor = conversation === null || given.length === 0 ? null : compactorOf(wire, kept, options.sessions);
    const log = await compactor?.logOf(given, {
      system: facts.system,
      tools: facts.tools,
      signal,
      ...(conversation === null ? {} : { conversation }),
    });
    const text =
      read.asked === null || log === undefined
        ? "Nothing was said in this conversation before, so there is nothing to tell or to undo."
        : ((await options.onTyped?.(read.asked, log)) ?? "");
    spokenCount += 1;
    const form = facts.isStreamed ? "streamed" : "whole";
    return {
      ...untouched(read),
      spoken: spokenReply(wire.name, text, { modelId: facts.modelId, form, serial: spokenCount, nowMs: nowMs() }),
    };
  };
  return {
    prepare: async (request) => {
      const read = readRequest(request, options.keys);
      if (read === null || read.kind === "vendors") return read === null ? null : untouched(read);
      if (read.kind === "side") {
        if (isSmall(read, options)) return untouched(read);
        return await prepared(read, {
          compactor: compactorOf(read.wire, passing, null),
          conversation: null,
          setup: read.facts,
          options,
        });
      }
      const conversation = await options.keys.keyFor(read.signs);
      if (read.asked !== null && read.kind === "main") return await spoken(read, conversation);
      if (conversation === null) return untouched(read);
      const setup = read.kind === "on-top" ? (setups.get(conversation) ?? read.facts) : read.facts;
      if (read.kind === "main") {
        remember(setups, conversation, { system: read.facts.system, tools: read.facts.tools });
        remember(asked, conversation, { modelId: read.facts.modelId, askedMs: nowMs() });
      }
      try {
        return await prepared(withoutWishes(read, setup), {
          compactor: compactorOf(read.wire, kept, options.sessions),
          conversation,
          setup,
          options,
          broken,
        });
      } catch (error) {
        // Another process has the log, or nobody can write it.
        if (!isPlimsollError(error) || !OF_THE_STORE.has(error.code)) throw error;
        options.onProblem?.(`fitted without what is kept of the conversation: ${error.message}`);
        return await prepared(read, { compactor: compactorOf(read.wire, passing, null), conversation: null, setup, options });
      }
    },
    compact: (body, signal) =>
      compactItems(body, {
        ...options,
        signal,
        compactorOf: (wire, name) => compactorOf(wire, name === null ? passing : kept, name === null ? null : options.sessions),
      }),
    recall: (body) => recallItems(body, (wire) => compactorOf(wire, kept, options.sessions)),
    conversations: () =>
      logs()
        .flatMap(({ key, ...log }) => {
          const newest = asked.get(key ?? "");
          const { limits } = log;
          if (newest === undefined || limits === null) return [];
          return [{ ...log, ...newest, limits, state: stateOf(log.sessionId, log.entries) }];
        })
        .sort((a, b) => b.askedMs - a.askedMs),
    undo,
    pause: (sessionId, state) => {
      if (state === "paused") paused.add(sessionId);
      else paused.delete(sessionId);
      if (sessionId === null && state === "running") paused.clear();
    },
    isPaused: () => paused.has(null),
    close: async () => {
      isClosed = true;
      await Promise.all([...kept.values(), ...passing.values()].map((each) => each.close()));
    },
  };
}

/** Codes of errors that come from a store. */
const OF_THE_STORE: ReadonlySet<string> = new Set(["session-conflict", "session-limit", "bad-session"]);

/** The texts and tools that are sent before the messages. */
interface Setup {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
}

/** Conversations whose system text and tools are remembered, for requests that ask about them with others; chosen. */
const MAXIMUM_SETUPS = 200;

function remember<Value>(values: Map<string, Value>, conversation: string, value: Value): void {
  values.delete(conversation);
  values.set(conversation, value);
  for (const oldest of values.keys()) if (values.size > MAXIMUM_SETUPS) values.delete(oldest);
}

/** A request about a history whose agent declares tools: what was typed for Plimsoll is none of it. */
function withoutWishes(read: ReadRequest, { tools }: Setup): ReadRequest {
  return tools.length === 0 || read.own !== read.all ? read : { ...read, own: withoutTyped(read.all, read.wire).items };
}

/** Characters a token that no text goes below by much; a side request is only looked at if it could be too long. Chosen. */
const FEWEST_CHARS_PER_TOKEN = 2;

function isSmall({ bodyText, facts }: ReadRequest, { limits }: ProxyOptions): boolean {
  const { contextWindowTokens } = limits(facts.modelId);
  return contextWindowTokens === null || bodyText.length / FEWEST_CHARS_PER_TOKEN < contextWindowTokens;
}

function untouched({ wire, kind, facts }: ReadRequest): PreparedRequest {
  return {
    wire,
    kind,
    modelId: facts.modelId,
    sessionId: null,
    spoken: null,
    bodyText: null,
    betas: [],
    cutOff: () => null,
    cutOffStream: async () => null,
    observe: async () => undefined,
    recover: async () => null,
  };
}

/** With what a request is fitted. */
interface Fitting {
  readonly compactor: AnyCompactor;
  readonly conversation: string | null;
  readonly setup: Setup;
  readonly options: ProxyOptions;
  /** Conversations that are mended before they are sent. */
  readonly broken?: Set<string>;
}

async function prepared(read: ReadRequest, fitting: Fitting): Promise<PreparedRequest> {
  const made = await fittedRequest(read, fitting);
  const { conversation, broken, options } = fitting;
  if (conversation === null || broken === undefined || options.mending === "off") return made;
  return broken.has(conversation)
    ? (mended(read, made, null) ?? made)
    : withMending(read, made, { conversation, broken, options });
}

/** Statuses of a request that is wrong in itself. */
const MALFORMED: readonly number[] = [400, 422];

/** The request, which is mended and sent again if it is refused for no reason that less of it would help against. */
function withMending(
  read: ReadRequest,
  made: PreparedRequest,
  fitting: { readonly conversation: string; readonly broken: Set<string>; readonly options: ProxyOptions },
): PreparedRequest {
  return {
    ...made,
    recover: async (failure, recovery) => {
      const next = await made.recover(failure, recovery);
      if (next !== null) return withMending(read, next, fitting);
      const whole = MALFORMED.includes(failure.status) ? mended(read, made, fitting.options.onProblem ?? null) : null;
      if (whole !== null) fitting.broken.add(fitting.conversation);
      return whole;
    },
  };
}

/** The request without what makes its history unusable; `null` if nothing is wrong with it. */
function mended(
  { wire, bodyText: own }: ReadRequest,
  made: PreparedRequest,
  say: ProxyOptions["onProblem"] | null,
): PreparedRequest | null {
  const text = made.bodyText ?? own;
  const items = recordsAt(parseRecord(text), wire.itemsKey);
  const places = arrayPlacesAt(text, wire.itemsKey);
  const faults: Fault[] = [];
  const rules = {
    thinking: "keep",
    unsigned: wire.name === "anthropic" ? "refused" : "accepted",
    empty: "refused",
    images: wire.name === "gemini" ? "any" : "limited",
  } as const;
  const mend = mendItems(
    items.map((root, index) => ({ line: index + 1, root, order: index })),
    faults,
    rules,
  );
  const texts = items.map((item, index) => {
    const whole = mend(index);
    const place = places?.elements[index];
    return whole === item && place !== undefined ? text.slice(place.start, place.end) : JSON.stringify(whole);
  });
  if (faults.length === 0 || places === null) return null;
  say?.(
    `the vendor refused the history, which is sent again without: ${[...new Set(faults.map(({ words }) => words))].join("; ")}`,
    made.sessionId === null ? undefined : { sessionId: made.sessionId, modelId: made.modelId },
  );
  return { ...made, bodyText: withElements(text, places, texts), recover: async () => null };
}

async function fittedRequest(
  read: ReadRequest,
  { compactor, conversation, setup, options }: Fitting,
): Promise<PreparedRequest> {
  const { wire, kind, facts, own, signal } = read;
  // What a request asks about a conversation is not a part of it.
  const end = kind === "on-top" ? own.findLastIndex(wire.isHistory) + 1 : own.length;
  const given = own.slice(0, end).map((item) => wellFormed(withoutCacheMarks(item)));
  const restTokens = Math.ceil(JSON.stringify(own.slice(end)).length / FEWEST_CHARS_PER_TOKEN);
  const fitted = await compactor.fit(given, {
    system: setup.system,
    tools: setup.tools,
    signal,
    limits: limitsFor(options.limits(facts.modelId), facts.maxOutputTokens, end < own.length ? restTokens : 0),
    isReplyGuessed: facts.maxOutputTokens === null && end === own.length,
    ...(facts.modelId === null ? {} : { modelId: facts.modelId }),
    ...(conversation === null ? {} : { conversation }),
  });
  return preparedWith(read, given, { fitted, options });
}

/** The limits of one request: its own largest reply, and what it sends besides the conversation, are taken off the window. */
function limitsFor(known: ModelLimits, askedTokens: number | null, restTokens: number): ModelLimits {
  const { contextWindowTokens: windowTokens } = known;
  if (windowTokens === null) return known;
  return { ...known, maxOutputTokens: (askedTokens ?? known.maxOutputTokens ?? 0) + restTokens };
}

function preparedWith(
  read: ReadRequest,
  given: readonly Fields[],
  {
    fitted,
    options,
    mostReplyTokens = Number.POSITIVE_INFINITY,
  }: { readonly fitted: FittedItems; readonly options: ProxyOptions; readonly mostReplyTokens?: number },
): PreparedRequest {
  const { wire, kind, facts } = read;
  const limits = options.limits(facts.modelId);
  const asked = { ...limits, maxOutputTokens: facts.maxOutputTokens };
  const allowed = options.policy.enabled ? withReplyWithin(asked) : asked;
  const beside = options.policy.enabled ? replyBeside(allowed, fitted.expectedTokens) : asked.maxOutputTokens;
  const replyTokens = Math.min(beside ?? 0, mostReplyTokens);
  const bodyText = withReply(read, bodyOf(read, given, fitted.items), replyTokens);
  const dropping = bodyText === null ? null : droppingBody(read, bodyText, options);
  const cutOffBy = (ended: EndedReply | null): UpstreamFailure | null => {
    if (ended === null) return null;
    const { contextWindowTokens: windowTokens, maxOutputTokens } = options.limits(facts.modelId);
    const askedTokens = facts.maxOutputTokens === null ? maxOutputTokens : replyTokens;
    const outcome = outcomeOfReply(ended, { askedTokens, windowTokens });
    if (outcome.kind === "answered") return null;
    return { status: 400, bodyText: outcome.kind === "window-ended" ? CUT_OFF_TEXT : SILENT_TEXT };
  };
  return {
    wire,
    kind,
    modelId: facts.modelId,
    sessionId: fitted.sessionId,
    spoken: null,
    bodyText: dropping ?? bodyText,
    betas: dropping === null ? [] : [BINDING_BETA],
    cutOff: (answer) => cutOffBy(endedReplyIn(answer, null)),
    cutOffStream: async (text) => cutOffBy(await wire.streamedEnd(eventsOf(text)).catch(() => null)),
    observe: async (answer) => {
      if (kind === "main") await fitted.observe(answer);
    },
    recover: async ({ status, bodyText }, recovery) => {
      const body = parseRecord(bodyText);
      const thrown = { status, error: body ?? bodyText, message: bodyText, requestBodyValues: parseRecord(read.bodyText) };
      const outcome = sdkRejection(thrown)?.outcome;
      if (outcome?.kind === "reply-too-large") {
        const most = outcome.limit ?? Math.floor(replyTokens / 2);
        return most < 1 || most >= replyTokens ? null : preparedWith(read, given, { fitted, options, mostReplyTokens: most });
      }
      const next = await fitted.recover(thrown, recovery);
      return next === null ? null : preparedWith(read, given, { fitted: next, options, mostReplyTokens });
    },
  };
}

function eventsOf(text: string): readonly Fields[] {
  const lines = text.split(/\r\n|\n|\r/).filter((line) => line.startsWith("data:"));
  return lines.map((line) => parseRecord(line.slice("data:".length))).filter((event) => event !== null);
}

/** Answers of a wire: an error for a reply that the window ended, and one for an empty reply. */
const CUT_OFF_TEXT = JSON.stringify({ error: { message: "model_context_window_exceeded" } });
const SILENT_TEXT = JSON.stringify({ error: { message: "the reply was empty" } });

/** The body that asks the vendor to drop thinking over a changed beginning; `null` where nobody is asked, or the program says itself what it wants. */
function droppingBody({ wire, facts, bodyText: own }: ReadRequest, bodyText: string, options: ProxyOptions): string | null {
  if (options.boundReasoning !== "vendor-drops" || wire.name !== "anthropic") return null;
  const thinking = recordAt(parseRecord(own), "thinking") ?? { type: "adaptive" };
  if (!isBoundReasoning(null, facts.modelId) || thinking.type === "disabled" || "block_binding" in thinking) return null;
  return withValue(bodyText, "thinking", JSON.stringify({ ...thinking, ...DROPPING }));
}

/** Names of the longest reply in a body, on any wire. */
const REPLY_FIELD = /("(?:max_tokens|max_completion_tokens|max_output_tokens|maxOutputTokens)"\s*:\s*)(\d+)/g;

/** The body with a shorter reply asked for, if what it asks for is longer: nothing else outside of the items changes. */
function withReply({ wire, bodyText, facts }: ReadRequest, made: string | null, replyTokens: number): string | null {
  const text = made ?? bodyText;
  const isLonger = facts.maxOutputTokens !== null && facts.maxOutputTokens > replyTokens;
  const places = isLonger ? arrayPlacesAt(text, wire.itemsKey) : null;
  if (places === null) return made;
  const lowered = (piece: string) =>
    piece.replace(REPLY_FIELD, (whole, name: string, tokens) =>
      Number(tokens) > replyTokens ? `${name}${replyTokens}` : whole,
    );
  return `${lowered(text.slice(0, places.start))}${text.slice(places.start, places.end)}${lowered(text.slice(places.end))}`;
}

/** The body with the items to send: those that nothing was done to are the bytes that came in. `null` if that is all of them. */
function bodyOf(
  { wire, all: whole, own, bodyText }: ReadRequest,
  given: readonly Fields[],
  fitted: readonly Fields[],
): string | null {
  const placeOf = new Map(given.map((item, index) => [item, index] as const));
  const back = fitted.map((item): Fields => own[placeOf.get(item) ?? -1] ?? item);
  const all = [...back, ...own.slice(given.length)];
  if (all.length === whole.length && all.every((item, index) => item === whole[index])) return null;
  const sent = wire.name === "anthropic" ? withCacheMarks(whole, all) : all;
  const places = arrayPlacesAt(bodyText, wire.itemsKey);
  if (places === null) return null;
  const indexOf = new Map(whole.map((item, index) => [item, index] as const));
  const texts = sent.map((item) => {
    const place = places.elements[indexOf.get(item) ?? -1];
    return place === undefined ? JSON.stringify(item) : bodyText.slice(place.start, place.end);
  });
  return withElements(bodyText, places, texts);
}
