import type { BoundReasoning, ContextEvent, ModelLimits, Policy, SessionStore } from "@plimsoll/core";
import { isRecord, option, outcomeOfReply } from "@plimsoll/core/extend";
import { z } from "zod";
import { BINDING_BETA, DROPPING } from "../anthropic/thinking.ts";
import { isBoundReasoning } from "../catalog/bound-reasoning.ts";
import { catalogLimits } from "../catalog/resolve-model.ts";
import type { ConversationLog } from "../drop-in/array-conversations.ts";
import { isSameItems } from "../drop-in/array-items.ts";
import type { CompactorOptions } from "../drop-in/request.ts";
import type { TypedWord } from "../drop-in/typed-words.ts";
import { type Fields, parseRecord, recordAt, recordsAt } from "../fields.ts";
import type { LearnedLimits } from "../learned-limits.ts";
import { isMalformed } from "../named-part.ts";
import { type EndedReply, endedReplyIn } from "../wire/ended-reply.ts";
import { arrayPlacesAt, withElements, withValue } from "./array-places.ts";
import { withCacheMarks } from "./cache-marks.ts";
import type { ConversationKeys } from "./conversation-keys.ts";
import { type Fault, mendItems } from "./mend-items.ts";
import type { ReadRequest, RequestKind } from "./read-request.ts";
import type { SpokenReply } from "./spoken-reply.ts";
import type { AnyCompactor, BodyFacts, ProxyWire } from "./wires.ts";

/** Options of a proxy's compaction. */
export interface ProxyOptions extends Pick<CompactorOptions, "policy" | "kinds" | "summarizer"> {
  /**
   * Finds the limits of a model, whose `maxOutputTokens` holds for requests that name no largest reply; `null` for an unknown one, which gets the policy's `unknownWindow`.
   * The catalogue's if it is left out. A request that names no model is asked with "".
   */
  readonly limitsOf?: (modelId: string) => ModelLimits | null;
  /** The store of conversations; `null` for only memory. */
  readonly sessions: SessionStore | null;
  readonly keys: ConversationKeys;
  readonly learned: LearnedLimits;
  /** Sends a request for the vendor's own summary under the headers of the one that is being prepared, and gives the answer; a digest is written by default. */
  readonly compact?: (
    asked: { readonly path: string; readonly body: Fields; readonly betas: readonly string[] },
    signal: AbortSignal,
  ) => Promise<unknown>;
  /** Hides texts of a request's whole body, of the log and of summaries' requests. A request that cannot be redacted is refused. */
  readonly redact?: CompactorOptions["redact"];
  /** Where bound reasoning goes, as {@link CompactorOptions.boundReasoning} has it; requests to Anthropic whose history was cut ask for it then. */
  readonly boundReasoning?: BoundReasoning;
  /** The clock; the system's by default. */
  readonly nowMs?: () => number;
  readonly onEvent?: (event: ContextEvent, of: EventOrigin) => void;
  /** Whether a history that the vendor refuses for its form is repaired and resent; it is by default. */
  readonly mending?: "on" | "off";
  /** Answers words that a person typed for Plimsoll; the conversation's log is passed as it is. */
  readonly onTyped?: (word: TypedWord, log: ConversationLog) => Promise<string>;
  /** Receives, at the first request of a session, the sign that its vendor keeps or compacts the history, so that nothing is compacted here. */
  readonly onVendors?: (named: string) => void;
  /** Receives one line if a conversation cannot be kept: its request is fitted all the same. */
  readonly onProblem?: (line: string, of?: EventOrigin) => void;
}

/** Options of a proxy whose policy is at hand. */
type PolicyOptions = Omit<ProxyOptions, "policy"> & { readonly policy: Policy };

/** Schema of {@link ProxyOptions}. */
export const PROXY_OPTIONS: z.ZodType<ProxyOptions> = option.schema<ProxyOptions>({
  policy: option.policy,
  sessions: option.having("create", "open", "read").nullable(),
  keys: option.having("keyFor"),
  learned: option.having("of", "learn"),
  kinds: option.kinds.optional(),
  boundReasoning: z.enum(["leaves", "vendor-drops"]).optional(),
  mending: z.enum(["on", "off"]).optional(),
  ...option.optional(option.fn, "limitsOf", "summarizer", "compact", "redact", "nowMs"),
  ...option.optional(option.fn, "onEvent", "onTyped", "onVendors", "onProblem"),
});

/** The conversation of an event. */
export interface EventOrigin {
  /** The id of the conversation's log. */
  readonly sessionId: string;
  /** The model that its newest request asks; `null` if it names none. */
  readonly modelId: string | null;
}

/** A request that the proxy has read and fitted, and the steps that follow its answer. */
export interface PreparedRequest {
  readonly wire: ProxyWire;
  readonly kind: RequestKind;
  readonly modelId: string | null;
  /** The id of the log that the request goes on; `null` for none. */
  readonly sessionId: string | null;
  /** The answer in the vendor's place to words typed for Plimsoll; `null` for a request to send. */
  readonly spoken: SpokenReply | null;
  /** The body to send; `null` for the very bytes that came in. */
  readonly bodyText: string | null;
  /** Values that `anthropic-beta` must have; empty for none. */
  readonly betas: readonly string[];
  /** Records the facts of an answer, such as its usage; does nothing for requests other than `main`. */
  observe(answer: Fields): Promise<void>;
  /** The failure to pass to `recover` if the window ended this whole answer, or the answer is empty; `null` for any other. */
  cutOff(answer: Fields): UpstreamFailure | null;
  /** The same for a streamed answer, by the text of all its events; `null` also for a stream that broke off. */
  cutOffStream(text: string): Promise<UpstreamFailure | null>;
  /** Makes the request to send after a failure: further compacted, with a shorter reply, or mended. `null` if the program has to see the failure. */
  recover(failure: UpstreamFailure, recovery: number): Promise<PreparedRequest | null>;
}

/** A provider's failed answer: its HTTP status and its body, as a refusal has them. */
interface UpstreamFailure {
  /** How an answer with another status failed, as the end of a sentence; left out for a refusal. */
  readonly why?: string;
  readonly status: number;
  readonly bodyText: string;
}

/** The texts and tools that are sent before the messages. */
export type Setup = Pick<BodyFacts, "system" | "tools">;

/** Characters a token that no text goes below by much; a side request is only looked at if it could be too long. Chosen. */
const FEWEST_CHARS_PER_TOKEN = 2;

/** True for a request that fits into its model's window however many tokens its text has, and if the window is not known. */
export function isSmall({ bodyText, facts }: ReadRequest, options: PolicyOptions): boolean {
  const { contextWindowTokens } = modelLimits(options, facts.modelId);
  return contextWindowTokens === null || bodyText.length / FEWEST_CHARS_PER_TOKEN < contextWindowTokens;
}

/** A request that is passed on as it came. */
export function untouched({ wire, kind, facts }: Pick<ReadRequest, "wire" | "kind" | "facts">): PreparedRequest {
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

/** The means of fitting a request. */
export interface Fitting {
  readonly compactor: AnyCompactor;
  readonly conversation: string | null;
  readonly setup: Setup;
  readonly options: PolicyOptions;
  /** Conversations that are mended before they are sent. */
  readonly broken?: Set<string>;
}

/** Fits a request. A conversation that was broken before is mended at once, any other if its vendor refuses it. */
export async function prepared(read: ReadRequest, fitting: Fitting): Promise<PreparedRequest> {
  const made = await fittedRequest(read, fitting);
  const { conversation, broken, options } = fitting;
  if (conversation === null || broken === undefined || options.mending === "off") return made;
  return broken.has(conversation)
    ? (mended(read, made, null) ?? made)
    : withMending(read, made, { conversation, broken, options });
}

type MendingOf = Pick<Fitting, "options"> & { readonly conversation: string; readonly broken: Set<string> };

/** The request, which is mended and sent again if it is refused for no reason that less of it would help against. */
function withMending(read: ReadRequest, made: PreparedRequest, fitting: MendingOf): PreparedRequest {
  return {
    ...made,
    recover: async (failure, recovery) => {
      const next = await made.recover(failure, recovery);
      if (next !== null) return withMending(read, next, fitting);
      const whole = isMalformed(failure.status) ? mended(read, made, fitting.options.onProblem ?? null) : null;
      if (whole !== null) fitting.broken.add(fitting.conversation);
      return whole;
    },
  };
}

function mended(read: ReadRequest, made: PreparedRequest, say: PolicyOptions["onProblem"] | null): PreparedRequest | null {
  const { wire } = read;
  const text = made.bodyText ?? read.bodyText;
  const isOwn = made.bodyText === null;
  // What came in was read already.
  const items = isOwn ? read.all : recordsAt(parseRecord(text), wire.itemsKey);
  const places = isOwn ? read.places : arrayPlacesAt(text, wire.itemsKey);
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
  // A question of a request about a conversation is not a part of it.
  const end = kind === "on-top" ? own.findLastIndex(wire.isHistory) + 1 : own.length;
  const given = own.slice(0, end).map(read.plain);
  const restTokens = Math.ceil(JSON.stringify(own.slice(end)).length / FEWEST_CHARS_PER_TOKEN);
  const restReplyTokens = end < own.length ? restTokens : 0;
  const reply = { mostTokens: Number.POSITIVE_INFINITY };
  const { compact: ask } = options;
  const { vendors } = wire;
  const compact = async (items: readonly object[]) => {
    const body = parseRecord(withItems(read, read.frameText, itemsText(read, given, items.filter(isRecord)))) ?? {};
    return await ask?.(
      { ...(vendors?.ask(read.path, body) ?? { path: read.path, body }), betas: vendors?.betas ?? [] },
      signal,
    );
  };
  const sent = await compactor.fit(given, {
    oversized: "sent",
    system: setup.system,
    tools: setup.tools,
    signal,
    limits: limitsFor(modelLimits(options, facts.modelId), facts.maxOutputTokens, restReplyTokens),
    onReply: (mostTokens) => {
      reply.mostTokens = mostTokens === null ? Number.POSITIVE_INFINITY : mostTokens - restReplyTokens;
    },
    isReplyGuessed: facts.maxOutputTokens === null && end === own.length,
    isRepeated: true,
    ...(ask === undefined || vendors === undefined || kind !== "main" ? {} : { compact }),
    ...(facts.modelId === null ? {} : { modelId: facts.modelId }),
    ...(conversation === null ? {} : { conversation }),
  });
  return preparedWith(read, given, { sent, compactor, options, reply });
}

/** The limits of a model by the options, else by the policy, which may say nothing of an unknown window. */
export function modelLimits({ limitsOf = catalogLimits, policy }: PolicyOptions, modelId: string | null): ModelLimits {
  const { unknownWindow } = policy;
  const unknown = { contextWindowTokens: unknownWindow === "off" ? null : unknownWindow.tokens, maxOutputTokens: null };
  const known = limitsOf(modelId ?? "") ?? unknown;
  option.check("a model", option.limits, known);
  return known;
}

/** The limits of one request: its own largest reply, and its tokens besides the conversation, are taken off the window. */
function limitsFor(known: ModelLimits, askedTokens: number | null, restTokens: number): ModelLimits {
  const { contextWindowTokens: windowTokens } = known;
  if (windowTokens === null) return { ...known, maxOutputTokens: askedTokens ?? known.maxOutputTokens };
  return { ...known, maxOutputTokens: (askedTokens ?? known.maxOutputTokens ?? 0) + restTokens };
}

/** The items to send, and the means by which they were fitted. */
interface Sending extends Pick<Fitting, "compactor" | "options"> {
  readonly sent: readonly object[];
  /** The longest reply that fits beside the items, by the last report. */
  readonly reply: { readonly mostTokens: number };
}

function preparedWith(read: ReadRequest, given: readonly Fields[], how: Sending): PreparedRequest {
  const { wire, kind, facts } = read;
  const { sent, compactor, options, reply } = how;
  const most = Math.max(reply.mostTokens, facts.leastOutputTokens ?? 0);
  const replyTokens = Math.min(facts.maxOutputTokens ?? 0, most);
  const items = sent.filter(isRecord);
  const madeText = itemsText(read, given, items);
  const replyText = withReply(read, replyTokens);
  const isOwn = madeText === null && replyText === read.frameText;
  const frameText = isOwn ? replyText : dropping(read, replyText, options);
  const bodyText = isOwn ? null : withItems(read, frameText, madeText);
  const cutOffBy = (ended: EndedReply | null): UpstreamFailure | null => {
    if (ended === null) return null;
    const { contextWindowTokens: windowTokens, maxOutputTokens } = modelLimits(options, facts.modelId);
    const askedTokens = facts.maxOutputTokens === null ? maxOutputTokens : replyTokens;
    const outcome = outcomeOfReply(ended, { askedTokens, windowTokens });
    if (outcome.kind === "answered") return null;
    const [message, why] =
      outcome.kind === "window-ended"
        ? ["model_context_window_exceeded", "the window ended the reply"]
        : ["the reply was empty", "the reply was empty"];
    return { why, status: 400, bodyText: JSON.stringify({ error: { message } }) };
  };
  return {
    ...untouched(read),
    sessionId: compactor.sessionIdOf(sent),
    bodyText,
    betas: [
      ...(frameText === replyText ? [] : [BINDING_BETA]),
      ...(wire.vendors !== undefined && items.some(wire.vendors.isSummary) ? wire.vendors.betas : []),
    ],
    cutOff: (answer) => cutOffBy(endedReplyIn(answer, null)),
    cutOffStream: async (text) => cutOffBy(await wire.streamedEnd(eventsOf(text)).catch(() => null)),
    observe: async (answer) => {
      if (kind === "main") await compactor.observe(sent, answer);
    },
    recover: async ({ status, bodyText: words }, recovery) => {
      const requestBodyValues = parseRecord(bodyText ?? read.bodyText);
      const thrown = { status, error: parseRecord(words) ?? words, message: words, requestBodyValues };
      const next = await compactor.recover(sent, thrown, recovery);
      return next === null ? null : preparedWith(read, given, { ...how, sent: next });
    },
  };
}

function eventsOf(text: string): readonly Fields[] {
  const lines = text.split(/\r\n|\n|\r/).filter((line) => line.startsWith("data:"));
  return lines.map((line) => parseRecord(line.slice("data:".length))).filter((event) => event !== null);
}

/** Asks the vendor to drop thinking over a changed beginning; the same text if no vendor is asked, or the program chooses itself. */
function dropping({ wire, facts, fields }: ReadRequest, frameText: string, options: PolicyOptions): string {
  if (options.boundReasoning !== "vendor-drops" || wire.name !== "anthropic") return frameText;
  const thinking = recordAt(fields, "thinking") ?? { type: "adaptive" };
  if (!isBoundReasoning(null, facts.modelId) || thinking.type === "disabled" || "block_binding" in thinking) return frameText;
  return withValue(frameText, "thinking", JSON.stringify({ ...thinking, ...DROPPING }));
}

const REPLY_FIELD = /("(?:max_tokens|max_completion_tokens|max_output_tokens|maxOutputTokens)"\s*:\s*)(\d+)/g;

/** The text around the items with a shorter reply, if it asks for a longer one. */
function withReply({ frameText, facts }: ReadRequest, replyTokens: number): string {
  if (facts.maxOutputTokens === null || facts.maxOutputTokens <= replyTokens) return frameText;
  return frameText.replace(REPLY_FIELD, (whole, name: string, tokens) =>
    Number(tokens) > replyTokens ? `${name}${replyTokens}` : whole,
  );
}

/** The text of the items to send: those that nothing was done to are the bytes that came in. `null` if that is all of them. */
function itemsText(
  { wire, all: whole, own, bodyText, places }: ReadRequest,
  given: readonly Fields[],
  fitted: readonly Fields[],
): string | null {
  if (own.length === whole.length && isSameItems(fitted, given)) return null;
  const placeOf = new Map(given.map((item, index) => [item, index] as const));
  const back = fitted.map((item): Fields => own[placeOf.get(item) ?? -1] ?? item);
  const all = [...back, ...own.slice(given.length)];
  const sent = wire.name === "anthropic" ? withCacheMarks(whole, all) : all;
  const indexOf = new Map(whole.map((item, index) => [item, index] as const));
  const texts = sent.map((item) => {
    const place = places.elements[indexOf.get(item) ?? -1];
    return place === undefined ? JSON.stringify(item) : bodyText.slice(place.start, place.end);
  });
  return `[${texts.join(",")}]`;
}

/** The body with this text around its items. */
function withItems({ wire, bodyText, places }: ReadRequest, frameText: string, itemsText: string | null): string {
  const { start, end } = arrayPlacesAt(frameText, wire.itemsKey) ?? { start: 0, end: 0 };
  return `${frameText.slice(0, start)}${itemsText ?? bodyText.slice(places.start, places.end)}${frameText.slice(end)}`;
}
