import type { AppliedEdit, SessionEntry } from "../entry.ts";
import { PlimsollError, shown } from "../error.ts";
import { isRecord, jsonIn } from "../json.ts";
import type { Context, Message, MessageDraft, Part } from "../message/message.ts";
import type { Summarizer } from "../ports.ts";

/**
 * Hides parts of a text at a border: in a request, in a request for a summary, in the log, or in a report for people. The same text gives the same answer, and
 * an answer stays as it is when it is redacted again.
 */
export type Redact = (text: string, where: "request" | "summary request" | "log" | "report") => string;

type Where = Parameters<Redact>[1];

/** A checked redactor of texts, and of all that holds them. Each throws PlimsollError `bad-input` if the redactor throws, or is not pure and idempotent. */
export interface Redaction {
  draft<Draft extends MessageDraft>(draft: Draft, where: Where): Draft;
  /** An entry as the log, or a report, may have it. */
  entry<Entry extends SessionEntry>(entry: Entry, where?: "log" | "report"): Entry;
  context(context: Context, where: Where): Context;
  /** The summariser, which is shown no text that a request would hide. */
  summarizer(summarizer: Summarizer): Summarizer;
  /** A request, an item of it, or a list of items, for the request and the log: the very value if nothing in it is redacted. */
  item<Item>(item: Item): Item;
}

const same = <Of>(of: Of): Of => of;
const NONE: Redaction = { draft: same, entry: same, context: same, summarizer: same, item: same };

/** Makes a redaction that remembers what it made of a message or an item: these keep their identity. Without a redactor it changes nothing. */
export function createRedaction(redact: Redact | undefined): Redaction {
  if (redact === undefined) return NONE;
  const text = checked(redact);
  const byWhere = new Map<Where, WeakMap<object, object>>();
  const once = <Of extends object>(of: Of, where: Where, make: () => Of): Of => {
    const known = byWhere.get(where) ?? new WeakMap<object, object>();
    byWhere.set(where, known);
    const seen = known.get(of);
    if (isSameKind<Of>(seen)) return seen;
    const made = make();
    known.set(of, made);
    return made;
  };
  const hiderAt = (where: Where) => (each: string) => text(where === "summary request" ? text(each, "request") : each, where);
  const message = <Of extends Message>(of: Of, where: Where): Of => once(of, where, () => withParts(of, hiderAt(where)));
  const edit = (of: AppliedEdit, where: Where): AppliedEdit => {
    if (of.kind === "replace-part") return { ...of, part: redactedTree(of.part, hiderAt(where)) };
    if (of.kind === "replace-history") return { ...of, messages: of.messages.map((each) => message(each, where)) };
    const { message: written, note } = of;
    const noted = note === undefined ? {} : { note: message(note, where) };
    return { ...of, message: written === null ? null : message(written, where), ...noted };
  };
  const context = ({ messages, ...setup }: Context, where: Where): Context => ({
    ...redactedTree(setup, hiderAt(where)),
    messages: messages.map((each) => message(each, where)),
  });
  function item<Item>(of: Item): Item;
  function item(of: unknown): unknown {
    if (Array.isArray(of)) return redactedList(of, item);
    const made = () => redactedTree(of, (said) => text(text(said, "request"), "log"));
    return isRecord(of) ? once(of, "request", () => Object(made())) : made();
  }
  return {
    draft: (draft, where) => withParts(draft, hiderAt(where)),
    entry: (entry, where = "log") => {
      if (entry.type === "message") return { ...entry, message: message(entry.message, where) };
      if (entry.type === "compaction") return { ...entry, edits: entry.edits.map((each) => edit(each, where)) };
      if (entry.type === "context-call") return entry.tool === "unpin" ? entry : { ...entry, text: hiderAt(where)(entry.text) };
      if (entry.type !== "session" && entry.type !== "setup-change") return entry;
      const { system, tools } = entry;
      return { ...entry, ...redactedTree({ system, tools }, hiderAt(where)) };
    },
    context,
    summarizer: (summarizer) => async (request, signal) => {
      const where = "summary request";
      const messagesOf = (messages: readonly Message[]) => messages.map((each) => message(each, where));
      const { parts, view, conversation, focus } = request;
      const redacted = {
        ...request,
        parts: parts.map((part) => ({ ...part, messages: messagesOf(part.messages) })),
        focus: focus === null ? null : hiderAt(where)(focus),
        ...(view === undefined ? {} : { view: messagesOf(view) }),
        ...(conversation === undefined ? {} : { conversation: context(conversation, where) }),
      };
      return await summarizer(redacted, signal);
    },
    item,
  };
}

function isSameKind<Of extends object>(value: object | undefined): value is Of {
  return value !== undefined;
}

function checked(redact: Redact): (text: string, where: Where) => string {
  return (text, where) => {
    const refused = (what: string, cause?: unknown) =>
      new PlimsollError("bad-input", `the redactor ${what}: nothing is sent or written`, { where }, cause);
    const asked = (of: string) => {
      try {
        return redact(of, where);
      } catch (cause) {
        throw refused("failed", cause);
      }
    };
    const redacted: unknown = asked(text);
    if (typeof redacted !== "string") throw refused(`gave no text: it answered with ${shown(redacted)}`);
    if (redacted !== text && asked(text) !== redacted) throw refused("is not pure");
    if (redacted !== text && asked(redacted) !== redacted) throw refused("is not idempotent");
    return redacted;
  };
}

/** Stands for parts that had to leave, where nothing else is left. */
const REMOVED: Part = { type: "text", text: "[removed]" };

/** The message with its texts redacted. Reasoning that a vendor signed is never changed: it leaves if it would be. */
function withParts<Of extends Pick<Message, "parts">>(message: Of, hide: (text: string) => string): Of {
  const parts = message.parts.flatMap((part: Part): readonly Part[] => {
    const redacted = redactedTree(part, hide);
    if (redacted === part) return [part];
    return part.type === "reasoning" && part.opaque !== null ? [] : [redacted];
  });
  const isSame = parts.length === message.parts.length && parts.every((part, index) => part === message.parts[index]);
  return isSame ? message : { ...message, parts: parts.length === 0 ? [REMOVED] : parts };
}

/** A key that says that its value is signed or encrypted; the value is no text then. */
const SEAL = /signature|encrypted/i;

function isSeal(key: string, value: unknown): boolean {
  return SEAL.test(key) && typeof value === "string" && !/\s/.test(value);
}

/** Whether a piece has a seal; of reasoning also one among a vendor's options. */
function isSealed(piece: Readonly<Record<string, unknown>>): boolean {
  const isReasoning = piece.thought === true || /reasoning|thinking/.test(String(piece.type));
  return Object.entries(piece).some(([key, each]) => isSeal(key, each) || (isReasoning && isRecord(each) && hasSeal(each)));
}

function hasSeal(options: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(options).some(([key, each]) => isSeal(key, each) || (isRecord(each) && hasSeal(each)));
}

/** Bytes as text: an address that holds them, and the value beside a media type. A text that only begins so, or lies under the same key, is a text. */
const DATA_ADDRESS = /^data:[^,\s]*;base64,[\w+/=-]*$/;
const BYTES = /^[\w+/=-]*$/;
const MEDIA_TYPE_KEYS = ["mediaType", "mimeType", "media_type", "mime_type"];

/** Whether a record says that its `data` are bytes: by its encoding, a media type that is no text's, or an audio's format. */
function saysBytes(value: Readonly<Record<string, unknown>>): boolean {
  const types = MEDIA_TYPE_KEYS.map((key) => value[key]).filter((type) => typeof type === "string");
  const isEncoded = value.kind === "base64" || /^base64$|redacted|encrypted/.test(String(value.type));
  return isEncoded || types.some((type) => !type.startsWith("text/")) || value.format === "wav" || value.format === "mp3";
}

/** The very list if nothing changes. A piece with a seal leaves if it would be changed; a call, whose result stays, leaves its seal. */
function redactedList(list: readonly unknown[], redacted: (item: unknown) => unknown): readonly unknown[] {
  const items = list.flatMap((item) => {
    const made = redacted(item);
    if (made === item || !isRecord(item) || !isRecord(made) || !isSealed(item)) return [made];
    const isCall = /call|tool_use/i.test(`${Object.keys(item)} ${item.type}`);
    return isCall ? [Object.fromEntries(Object.entries(made).filter(([key, each]) => !isSeal(key, each)))] : [];
  });
  return items.length === list.length && items.every((item, index) => item === list[index]) ? list : items;
}

/** Names that join pieces or say what one is, in a record with one of these keys: they are no texts. */
const NAMES = /(?:^|_)id$|I[dD]$|^(?:name|toolName|type|role|model)$/;
const PIECE_KEYS = ["type", "role", "model", "description", "args", "arguments", "response"];

const ARGUMENTS = /^arguments$|Json$/;

/** Hides texts in a call's arguments: each by itself, so that they stay JSON, then all of it. */
function inJson(hide: (text: string) => string): (text: string) => string {
  return (text) => {
    const plain = hide(text);
    const value = plain === text ? null : jsonIn(text);
    return isRecord(value) ? hide(JSON.stringify(redactedTree(value, hide))) : plain;
  };
}

/** Data with all its texts redacted, but for names, seals and the bytes of media; the very value if that changes nothing. */
function redactedTree<Value>(value: Value, hide: (text: string) => string): Value;
function redactedTree(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === "string") return DATA_ADDRESS.test(value) ? value : hide(value);
  if (Array.isArray(value)) return redactedList(value, (item) => redactedTree(item, hide));
  if (!isRecord(value)) return value;
  const isPiece = PIECE_KEYS.some((key) => key in value);
  const isNoText = (key: string, each: unknown) =>
    typeof each === "string" &&
    (isSeal(key, each) || (isPiece && NAMES.test(key)) || (key === "data" && BYTES.test(each) && saysBytes(value)));
  const entries = Object.entries(value).map(
    ([key, each]) => [key, isNoText(key, each) ? each : redactedTree(each, ARGUMENTS.test(key) ? inJson(hide) : hide)] as const,
  );
  if (entries.every(([key, each]) => each === value[key])) return value;
  // Some SDKs' messages are of a class, or known by a symbol.
  const copied = Object.create(Object.getPrototypeOf(value), Object.getOwnPropertyDescriptors(value));
  return Object.assign(copied, Object.fromEntries(entries));
}
