import { PlimsollError } from "@plimsoll/core";
import { canonicalJson, isNestedDeeper, shortHash } from "@plimsoll/core/extend";
import { LONE_RESULTS } from "../drop-in/request.ts";
import { saidIn, type TypedWord, type WithoutWords, withoutWords } from "../drop-in/typed-words.ts";
import { isAgentsRole } from "../drop-in/wire-array.ts";
import { type Fields, listAt, parseRecord, recordAt, stringAt } from "../fields.ts";
import type { BodyReader, ReadBody } from "./body-reader.ts";
import type { ConversationKeys, ConversationSigns } from "./conversation-keys.ts";
import { type BodyFacts, type ProxyWire, wireAt } from "./wires.ts";

/** A request as it came in. */
export interface ProxyRequest {
  /** Without the query. */
  readonly path: string;
  readonly headers: RequestHeaders;
  readonly bodyText: string;
  readonly signal: AbortSignal;
}

/** A request whose body was read. */
export interface ReadRequest extends ProxyRequest, ReadBody {
  readonly wire: ProxyWire;
  readonly kind: RequestKind;
  /** The sign that the vendor keeps or compacts the history of a request of kind `vendors`; `null` for any other. */
  readonly vendors: string | null;
  readonly facts: BodyFacts;
  /** The history: the items without the words typed for Plimsoll. */
  readonly own: readonly Fields[];
  /** A person's wish to Plimsoll that has no answer yet; `null` for none, and for agents whose results could be taken for a person's words. */
  readonly asked: TypedWord | null;
  readonly signs: ConversationSigns;
}

/** Reads a request; `null` for one that has no history of a known form. Throws `bad-input` for JSON that is nested too deep. */
export function readRequest(request: ProxyRequest, keys: ConversationKeys, readBody: BodyReader): ReadRequest | null {
  const wire = wireAt(request.path);
  const body = wire === null ? null : readBody(request.bodyText, wire.itemsKey);
  if (wire !== null && body === null && isNestedDeeper(request.bodyText))
    throw new PlimsollError("bad-input", "the request's JSON is nested too deeply to read");
  if (wire === null || body === null) return null;
  const { all, fields } = body;
  const facts = wire.factsOf(fields, request.path);
  // Without tools of the wire a result is a user's text like any other.
  const { items: own, asked } = hasTools(facts, all) ? withoutTyped(all, wire) : { items: all, asked: null };
  const name = sessionNameOf(request.headers, fields);
  const session = name === null ? null : shortHash(`${wire.name}\n${name}`);
  const opening = openingOf(own, wire);
  const isKnown = opening !== null && keys.has(opening);
  const isPart = own.some(wire.isHistory) && !own.some(wire.isModels);
  // A cache of system text, tools and documents stands before a whole history; the next part of one whose beginning is cached answers that.
  const isAnswer = facts.isCached === true && own.slice(0, 1).some(wire.isHistory);
  const vendors = facts.vendors ?? (isAnswer ? "cachedContent" : isPart ? LONE_RESULTS : null);
  const read = { ...request, ...body, wire, facts, own, asked, vendors, signs: { session, opening } };
  return { ...read, kind: vendors === null ? requestKind(read, isKnown) : "vendors" };
}

/** The sign that the vendor keeps the history that a body without one, such as one text, goes on from; `null` for nothing. */
export function vendorsOf({ path, bodyText }: ProxyRequest): string | null {
  return wireAt(path)?.factsOf(parseRecord(bodyText) ?? {}, path).vendors ?? null;
}

/** A history of a wire without the words typed for Plimsoll. */
export function withoutTyped(items: readonly Fields[], { isModels }: ProxyWire): WithoutWords<Fields> {
  return withoutWords(items, { isModels, isUsers: ({ role }) => role === "user", said: saidIn });
}

/** The hash of the history through the model's first reply; `null` before it. */
function openingOf(items: readonly Fields[], { name, isModels }: ProxyWire): string | null {
  const first = items.findIndex(isModels);
  if (first < 0) return null;
  const after = items.findIndex((item, index) => index > first && !isModels(item));
  const said = items
    .slice(0, after < 0 ? items.length : after)
    .filter((item) => item.role !== "system" && item.role !== "developer");
  const kept = JSON.stringify(said, (field, value: unknown) => (MOVING.includes(field) ? undefined : value));
  return shortHash(`${name}\n${canonicalJson(JSON.parse(kept))}`);
}

/** Breakpoints of the prompt cache, and Gemini's signatures on its wire and on Chat: Gemini CLI 0.61 signs calls until the next prompt, and not after it. */
const MOVING = ["cache_control", "thoughtSignature", "extra_content"];

/** Headers of a request, names in lower case. */
export type RequestHeaders = { readonly [name: string]: string | readonly string[] | undefined };

/**
 * Headers by which programs name their sessions, looked at in this order: Codex (`session_id`, `session-id`, `conversation_id`), Claude Code, OpenCode and its
 * providers (`x-session-affinity`, `x-opencode-session`), and those of others.
 */
const SESSION_HEADERS = [
  "x-claude-code-session-id",
  "session_id",
  "session-id",
  "conversation_id",
  "conversation-id",
  "x-opencode-session",
  "x-session-affinity",
  "x-session-id",
  "x-conversation-id",
] as const;

const AGENT_HEADERS = ["x-claude-code-agent-id", "x-openai-subagent", "x-agent-id", "x-agent-name"] as const;

/**
 * The program's own name for the session that a request belongs to, with its agent; `null` if it gives none. A name only says where to look first: requests of
 * one name with different histories are different conversations all the same.
 */
export function sessionNameOf(headers: RequestHeaders, body: Fields): string | null {
  const session = firstOf(SESSION_HEADERS, headers) ?? sessionIn(body);
  if (session === null) return null;
  const agent = firstOf(AGENT_HEADERS, headers);
  return agent === null ? session : `${session}\n${agent}`;
}

function firstOf(names: readonly string[], headers: RequestHeaders): string | null {
  const values = names.map((name) => headers[name]).filter((value) => typeof value === "string");
  return values.find((value) => value !== "") ?? null;
}

/** `_session_` in the user's id is Claude Code's older form; the newer one is JSON. */
function sessionIn(body: Fields): string | null {
  const key = stringAt(body, "prompt_cache_key");
  if (key !== null) return key;
  const metadata = recordAt(body, "metadata");
  const user = stringAt(metadata, "user_id") ?? "";
  return (
    stringAt(metadata, "session_id") ??
    stringAt(metadata, "sessionId") ??
    stringAt(user.startsWith("{") ? parseRecord(user) : null, "session_id") ??
    /_session_(.+)$/.exec(user)?.[1] ??
    null
  );
}

/**
 * The part that a request plays for a conversation.
 * - `vendors`: its history is kept or compacted by the vendor; never touched
 * - `side`: a title, a check, a classification: it goes on with nothing
 * - `on-top`: asks something about a known conversation, mostly for a summary: fitted as the conversation is, and remembered nowhere
 * - `main`: goes on with its conversation
 */
export type RequestKind = "vendors" | "side" | "on-top" | "main";

function hasTools({ tools }: Pick<BodyFacts, "tools">, items: readonly Fields[]): boolean {
  // True for an item that brings the agent's tools, as requests do that have none beside their history.
  return tools.length > 0 || items.some((item) => isAgentsRole(item.role) && listAt(item, "tools").length > 0);
}

/** Finds the kind of a request whose history is its own; `isKnown` if a conversation begins as it does. */
function requestKind(
  { wire, facts, own: items, path }: Pick<ReadRequest, "wire" | "facts" | "own" | "path">,
  isKnown: boolean,
): RequestKind {
  const isAboutHistory = isKnown && items.some(wire.isModels);
  if (isAboutHistory && (path.endsWith("/compact") || items.at(-1)?.type === "compaction_trigger")) return "on-top";
  if (facts.form === "given") return "side";
  if (facts.isCached === true || hasTools(facts, items)) return "main";
  if (isAboutHistory) return "on-top";
  return items.some(wire.isModels) ? "main" : "side";
}
