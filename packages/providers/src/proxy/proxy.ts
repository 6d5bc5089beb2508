import type { ContextEvent, ModelLimits, SessionEntry } from "@plimsoll/core";
import { isPlimsollError, PlimsollError } from "@plimsoll/core";
import { closedError, createRedaction, isRecord, option, requireFallback, shortHash } from "@plimsoll/core/extend";
import type { ConversationLog } from "../drop-in/array-conversations.ts";
import { isUndone, keptState } from "../drop-in/person-wishes.ts";
import type { ConversationContext, ConversationName } from "../drop-in/request.ts";
import { type Fields, parseRecord, recordsAt, stringAt } from "../fields.ts";
import { createBodyReader } from "./body-reader.ts";
import { compactItems, recallItems } from "./compact-items.ts";
import type { EventOrigin, PreparedRequest, ProxyOptions, Setup } from "./prepared-request.ts";
import { isSmall, modelLimits, PROXY_OPTIONS, prepared, untouched } from "./prepared-request.ts";
import { type ProxyRequest, type ReadRequest, readRequest, sessionNameOf, vendorsOf, withoutTyped } from "./read-request.ts";
import { spokenReply } from "./spoken-reply.ts";
import { type AnyCompactor, type ProxyWire, wireAt } from "./wires.ts";

/** A conversation whose log the proxy has in memory. */
interface ProxyConversation extends EventOrigin, Pick<ConversationLog, "entries" | "expectedTokens"> {
  /** The limits that its newest request was fitted to; the window is smaller if a provider's refusal showed a smaller one. */
  readonly limits: ModelLimits;
  /** The time of its newest request, in milliseconds since 1970. */
  readonly askedMs: number;
  /** `paused`: no cut is made; `undone`: none before a request would not fit. */
  readonly state: "running" | "paused" | "undone";
}

/** Compacts the requests that pass through a proxy, conversation by conversation. */
export interface ProxyCompaction {
  /**
   * Fits a request. `null` for a request without a history in a known form, which passes unchanged.
   *
   * @throws any error of the store or the engine; `bad-input` also for a request that cannot be redacted.
   */
  prepare(request: ProxyRequest): Promise<PreparedRequest | null>;
  /** The treatment of a request if `prepare` fails or its body cannot be read: it passes unchanged, or is refused if texts are redacted. In the second case prepare requests of all paths. */
  readonly unprepared: "passes" | "refused";
  /** Compacts items that a program sends only for that, and returns them: `POST /compact`. Throws `bad-input` for unreadable items. */
  compact(body: Fields, signal: AbortSignal): Promise<Fields>;
  /** Reads a piece of the content that `compact` replaced with a handle, in a named conversation: `POST /compact/recall`. */
  recall(body: Fields): Promise<Fields>;
  /** Lists the conversations in memory, the last used first. */
  conversations(): readonly ProxyConversation[];
  /**
   * Restores the parts that the newest cut of a conversation removed; the next cut waits until a request would not fit. Rejects with `bad-input` if there is nothing
   * to undo.
   */
  undo(sessionId: string): Promise<void>;
  /** Pauses or resumes compaction for a conversation, or for all with `null`; earlier compactions stay. */
  pause(sessionId: string | null, state: "paused" | "running"): void;
  /** True while all conversations are paused. */
  isPaused(): boolean;
  /** Releases all logs after the current work. */
  close(): Promise<void>;
}

/** The compaction behind a redactor of each whole body: system text, tools and side requests pass it, too. */
function withRedaction(redact: ProxyOptions["redact"], compaction: ProxyCompaction): ProxyCompaction {
  if (redact === undefined) return compaction;
  const redaction = createRedaction(redact);
  const sent = (made: PreparedRequest, bodyText: string): PreparedRequest => ({
    ...made,
    bodyText: made.bodyText ?? bodyText,
    recover: async (failure, recovery) => {
      const next = await made.recover(failure, recovery);
      return next === null ? null : sent(next, bodyText);
    },
  });
  return {
    ...compaction,
    unprepared: "refused",
    prepare: async (request) => {
      const body = parseRecord(request.bodyText);
      if (body === null) throw new PlimsollError("bad-input", "only a JSON object can be redacted");
      const redacted = redaction.item(body);
      if (redacted === body) return await compaction.prepare(request);
      const bodyText = JSON.stringify(redacted);
      const made = await compaction.prepare({ ...request, bodyText });
      const wire = wireAt(request.path);
      if (wire === null) throw new PlimsollError("bad-input", `a request to ${request.path} cannot be redacted`);
      return sent(made ?? untouched({ wire, kind: "side", facts: wire.factsOf(redacted, request.path) }), bodyText);
    },
  };
}

/** Makes the compaction of a proxy, with a log for each conversation. It reads nothing before the first request. */
export function createProxyCompaction(given: ProxyOptions): ProxyCompaction {
  option.check("a proxy", PROXY_OPTIONS, given);
  const options = { ...given, policy: requireFallback(given.policy, given.kinds) };
  const kept = new Map<ProxyWire, AnyCompactor>();
  const passing = new Map<ProxyWire, AnyCompactor>();
  const setups = new Map<string, Setup>();
  const { keys, sessions, onTyped, onVendors, onProblem, compact: _, nowMs = Date.now, ...fitting } = options;
  /** The newest request of each conversation, by key. */
  const asked = new Map<string, Pick<ProxyConversation, "modelId" | "askedMs">>();
  /** Histories that their vendors keep, already reported. */
  const vendors = new Map<string, true>();
  const paused = new Set<string | null>();
  /** Conversations whose history was refused for its form: it is mended before it is sent. */
  const broken = new Set<string>();
  const putIn = createPutIn();
  const readBody = createBodyReader();
  let spokenCount = 0;
  let isClosed = false;
  const logs = () => [...kept.values()].flatMap((compactor) => compactor.conversations());
  const onEvent = (event: ContextEvent, { key, sessionId }: ConversationName) =>
    options.onEvent?.(event, { sessionId, modelId: asked.get(key ?? "")?.modelId ?? null });
  const entriesOf = (sessionId: string) => logs().find((log) => log.sessionId === sessionId)?.entries ?? [];
  const stateOf = (sessionId: string, entries: readonly SessionEntry[]): ProxyConversation["state"] =>
    paused.has(null) || paused.has(sessionId) ? "paused" : isUndone(entries) ? "undone" : "running";
  const context = (_: string, sessionId: string): ConversationContext => ({
    stateProviders: [() => keptState(entriesOf(sessionId))],
    beforeCompaction: async ({ reason }) => {
      const state = stateOf(sessionId, entriesOf(sessionId));
      const waits = state === "paused" || (state === "undone" && reason === "threshold");
      return waits ? { kind: "cancel", why: state } : { kind: "go" };
    },
  });
  const compactorOf = (wire: ProxyWire, among: Map<ProxyWire, AnyCompactor>) => {
    if (isClosed) throw closedError("proxy");
    const { isInjected } = putIn;
    const own = among === kept ? { context, ...(sessions === null ? {} : { sessions }) } : {};
    const known = among.get(wire) ?? putIn.watched(wire.compactor({ ...fitting, isInjected, nowMs, onEvent, ...own }), wire);
    among.set(wire, known);
    return known;
  };
  const passedBy = (read: ReadRequest, setup: Setup) =>
    prepared(read, { compactor: compactorOf(read.wire, passing), conversation: null, setup, options });
  const undo = async (sessionId: string) => {
    const of = [...kept.values()].find((each) => each.conversations().some((log) => log.sessionId === sessionId));
    if (of === undefined)
      throw new PlimsollError("bad-input", `no conversation ${sessionId} is in memory yet; its agent's next request loads it`);
    await of.undo(sessionId);
  };
  /** Answers a person's typed words in the vendor's place: they go into no log, and to no model. */
  const spoken = async (read: ReadRequest, conversation: string | null): Promise<PreparedRequest> => {
    const { wire, facts, own, signal } = read;
    const given = own.map(read.plain);
    const { system, tools, modelId } = facts;
    const log =
      conversation === null || given.length === 0
        ? undefined
        : await compactorOf(wire, kept).logOf(given, { system, tools, signal, conversation });
    const text =
      read.asked === null || log === undefined
        ? "Nothing was said in this conversation before, so there is nothing to report or undo."
        : ((await onTyped?.(read.asked, log)) ?? "");
    spokenCount += 1;
    const form = facts.isStreamed ? "streamed" : "whole";
    const answer = spokenReply(wire.name, text, { modelId, form, serial: spokenCount, nowMs: nowMs() });
    return { ...untouched(read), spoken: answer };
  };
  return withRedaction(options.redact, {
    unprepared: "passes",
    prepare: async (request) => {
      const read = readRequest(request, keys, readBody);
      const named = read === null ? vendorsOf(request) : read.vendors;
      if (named !== null) {
        const first = `${sessionNameOf(request.headers, read?.fields ?? {}) ?? ""}\n${named}`;
        if (options.policy.enabled && !vendors.has(first)) onVendors?.(named);
        remember(vendors, first, true);
      }
      if (read === null || named !== null) return read === null ? null : untouched(read);
      if (read.kind === "side") {
        if (isSmall(read, options)) return untouched(read);
        return await passedBy(read, read.facts);
      }
      const conversation = await keys.keyFor(read.signs);
      if (read.asked !== null && read.kind === "main") return await spoken(read, conversation);
      if (conversation === null) return untouched(read);
      const setup = read.kind === "on-top" ? (setups.get(conversation) ?? read.facts) : read.facts;
      if (read.kind === "main") {
        remember(setups, conversation, { system: read.facts.system, tools: read.facts.tools });
        remember(asked, conversation, { modelId: read.facts.modelId, askedMs: nowMs() });
      }
      try {
        const compactor = compactorOf(read.wire, kept);
        return await prepared(withoutWishes(read, setup), { compactor, conversation, setup, options, broken });
      } catch (error) {
        // Another process has the log, or it cannot be written.
        if (!isPlimsollError(error) || !OF_THE_STORE.has(error.code)) throw error;
        onProblem?.(`fitted without what is kept of the conversation: ${error.message}`);
        return await passedBy(read, setup);
      }
    },
    compact: (body, signal) => {
      const named = (wire: ProxyWire, name: string | null) => compactorOf(wire, name === null ? passing : kept);
      return compactItems(body, { limits: (modelId) => modelLimits(options, modelId), signal, compactorOf: named });
    },
    recall: (body) => recallItems(body, (wire) => compactorOf(wire, kept)),
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
  });
}

const OF_THE_STORE: ReadonlySet<string> = new Set(["session-conflict", "session-limit", "bad-session"]);

/** Conversations whose system text and tools are remembered, for requests that ask about them with others; chosen. */
const MAXIMUM_SETUPS = 200;

function remember<Value>(values: Map<string, Value>, conversation: string, value: Value): void {
  values.delete(conversation);
  values.set(conversation, value);
  for (const oldest of values.keys()) if (values.size > MAXIMUM_SETUPS) values.delete(oldest);
}

/** A request about a history whose agent declares tools: words typed for Plimsoll are no part of it. */
function withoutWishes(read: ReadRequest, { tools }: Setup): ReadRequest {
  return tools.length === 0 || read.own !== read.all ? read : { ...read, own: withoutTyped(read.all, read.wire).items };
}

/** Finds the messages in the user's role that an agent put in, by their effect in its requests. In doubt a message is the person's. */
export interface PutIn {
  /** A compactor whose histories are looked at before it reads them. A finding about a text stays, or its conversation would not be recognised. */
  watched(compactor: AnyCompactor, wire: ProxyWire): AnyCompactor;
  /** True for a text found to be put in. */
  isInjected(text: string): boolean;
}

/** Texts that are remembered; chosen. Only those that a tag encloses are. */
const MOST_TEXTS = 10_000;

/** Nothing seen yet. */
export function createPutIn(): PutIn {
  const known = new Map<string, boolean>();
  const seen = new WeakSet<Fields>();
  const learn = (items: readonly Fields[], wire: ProxyWire) => {
    const newest = items.findIndex((item) => !seen.has(item));
    if (newest < 0) return;
    for (const item of items) seen.add(item);
    // A run is judged whole.
    const from = items.slice(0, newest).findLastIndex(wire.isModels) + 1;
    for (const { text, isPutIn } of judged(items, wire, from)) {
      const key = shortHash(text);
      if (!known.has(key) && known.size < MOST_TEXTS) known.set(key, isPutIn);
    }
  };
  return {
    watched: (compactor, wire) => ({
      ...compactor,
      fit: (items, request) => {
        learn(items.filter(isRecord), wire);
        return compactor.fit(items, request);
      },
      logOf: (items, request) => {
        learn(items.filter(isRecord), wire);
        return compactor.logOf(items, request);
      },
    }),
    isInjected: (text) => /^\s*[<#]/.test(text) && known.get(shortHash(text)) === true,
  };
}

/**
 * A text's form: `context`, of only elements, one of them of context; `headed`, of a heading and an element behind it, as an agent shows a file of
 * instructions; `words` for anything else.
 */
type Form = "context" | "headed" | "words";

/** The texts in the user's role between two replies of the model, and whether results are among them. */
interface Run {
  readonly texts: { readonly text: string; readonly form: Form; readonly opens: boolean }[];
  hasResults: boolean;
}

/** The texts from an item on that an agent may have put in. A person's own words, or results, have to be beside the agent's text. */
function judged(
  items: readonly Fields[],
  wire: ProxyWire,
  from: number,
): readonly { readonly text: string; readonly isPutIn: boolean }[] {
  return runsOf(items, wire, from).flatMap(({ texts, hasResults }) => {
    const has = (wanted: Form) => texts.some(({ form }) => form === wanted);
    return texts.flatMap(({ text, form, opens }) => {
      if (form === "words") return [];
      return [{ text, isPutIn: form === "context" ? hasResults || has("words") : opens && has("context") && has("words") }];
    });
  });
}

function runsOf(items: readonly Fields[], { isModels, isHistory }: ProxyWire, from: number): readonly Run[] {
  const runs: Run[] = [{ texts: [], hasResults: false }];
  let opens = !items.slice(0, from).some((item) => item.role === "user" && textIn(item) !== "");
  for (const item of items.slice(from)) {
    const run = runs.at(-1);
    if (isModels(item) || run === undefined) runs.push({ texts: [], hasResults: false });
    else {
      run.hasResults ||= isHistory(item);
      const text = item.role === "user" ? textIn(item) : "";
      if (text === "") continue;
      run.texts.push({ text, form: formOf(text), opens });
      opens = false;
    }
  }
  return runs;
}

function textIn(item: Fields): string {
  const parts = [...recordsAt(item, "content"), ...recordsAt(item, "parts")];
  const texts = [stringAt(item, "content"), ...parts.map((part) => stringAt(part, "text"))];
  return texts.filter((text) => text !== null && text.trim() !== "").join("\n");
}

const OPENING = /^<([A-Za-z][\w-]*(?: [\w-]+)*)>/;

/** A heading before the element that it is of. */
const HEADING = /^#{1,3} [^\n<]{1,300}\n\s*(?=<)/;

/** A name of several words that ends in a word for context. Under other names, such as `user_query`, the author of the enclosed text is unknown. */
const CONTEXT_NAME = /^[a-z]+(?:[-_ ][a-z]+)*[-_ ](?:context|details|environment|reminders?|state)$/;

/** Words with which agents hand on a person's words in the middle of a turn. */
const HANDED_ON = /\b(?:user|human|person)\b[^.\n]{0,60}\b(?:asked|said|says|sent|typed|wrote|message|prompt|request)/i;

/** The beginning of an element that is searched for them; chosen. */
const HANDED_ON_CHARS = 300;

function formOf(text: string): Form {
  let rest = text.trim();
  let form: Form = "words";
  while (rest !== "") {
    const heading = HEADING.exec(rest)?.[0] ?? "";
    const element = elementAt(rest.slice(heading.length));
    if (element === null || HANDED_ON.test(element.inside.slice(0, HANDED_ON_CHARS))) return "words";
    const isContext = heading === "" && CONTEXT_NAME.test(element.name);
    if (!isContext && heading === "") return "words";
    if (isContext || form === "words") form = isContext ? "context" : "headed";
    rest = rest.slice(heading.length + element.length).trim();
  }
  return form;
}

function elementAt(text: string): { readonly name: string; readonly inside: string; readonly length: number } | null {
  const [opening = "", name = ""] = OPENING.exec(text) ?? [];
  const closing = `</${name}>`;
  const end = opening === "" ? -1 : text.indexOf(closing, opening.length);
  return end < 0 ? null : { name, inside: text.slice(opening.length, end), length: end + closing.length };
}
