import type { AppliedEdit, SessionEntry } from "../entry.ts";
import { PlimsollError } from "../error.ts";
import { isRecord } from "../json.ts";
import {
  type Context,
  isVendorSummary,
  type Message,
  type MessageDraft,
  type Part,
  type ToolCallPart,
} from "../message/message.ts";
import type { Summarizer } from "../ports.ts";

/**
 * Hides parts of a text at a border: in a request, in a request for a summary to another model, or in the log. The same text gives the same
 * answer, and an answer stays as it is when it is redacted again.
 */
export type Redact = (text: string, where: "request" | "summary request" | "log") => string;

type Where = Parameters<Redact>[1];

/** A checked redactor of texts, and of all that holds them. Each throws PlimsollError `bad-input` if the redactor throws, or is not pure and idempotent. */
export interface Redaction {
  text(text: string, where: Where): string;
  draft<Draft extends MessageDraft>(draft: Draft, where: Where): Draft;
  entry<Entry extends SessionEntry>(entry: Entry): Entry;
  context(context: Context, where: Where): Context;
  summarizer(summarizer: Summarizer): Summarizer;
  /** An item of a wire's array, for its request and its log: the very item if nothing in it is redacted. */
  item<Item>(item: Item): Item;
}

/** Makes a redaction that remembers what it made of a message or an item: these keep their identity. */
export function createRedaction(redact: Redact): Redaction {
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
  const message = <Of extends Message>(of: Of, where: Where): Of =>
    once(of, where, () => withParts(of, (each) => text(each, where)));
  const edit = (of: AppliedEdit): AppliedEdit => {
    if (of.kind === "replace-part") return of;
    if (of.kind === "replace-history") return { ...of, messages: of.messages.map((each) => message(each, "log")) };
    const { message: written, note } = of;
    const noted = note === undefined ? {} : { note: message(note, "log") };
    return { ...of, message: written === null ? null : message(written, "log"), ...noted };
  };
  const tools = (of: Context["tools"], where: Where) =>
    of.map((tool) => ({
      ...tool,
      description: text(tool.description, where),
      parametersJson: text(tool.parametersJson, where),
    }));
  const context = ({ system, tools: given, messages, dynamicContext }: Context, where: Where): Context => ({
    system: text(system, where),
    tools: tools(given, where),
    messages: messages.map((each) => message(each, where)),
    dynamicContext: dynamicContext === null ? null : text(dynamicContext, where),
  });
  return {
    text,
    draft: (draft, where) => withParts(draft, (each) => text(each, where)),
    entry: (entry) => {
      if (entry.type === "message") return { ...entry, message: message(entry.message, "log") };
      if (entry.type === "compaction") return { ...entry, edits: entry.edits.map(edit) };
      if (entry.type !== "session" && entry.type !== "setup-change") return entry;
      return { ...entry, system: text(entry.system, "log"), tools: tools(entry.tools, "log") };
    },
    context,
    summarizer: (summarizer) => async (request, signal) => {
      const messagesOf = (messages: readonly Message[]) => messages.map((each) => message(each, "summary request"));
      const { parts, view, conversation, focus } = request;
      const redacted = {
        ...request,
        parts: parts.map((part) => ({ ...part, messages: messagesOf(part.messages) })),
        focus: focus === null ? null : text(focus, "summary request"),
        ...(view === undefined ? {} : { view: messagesOf(view) }),
        ...(conversation === undefined ? {} : { conversation: context(conversation, "summary request") }),
      };
      return await summarizer(redacted, signal);
    },
    item: (item) => {
      const hidden = (each: string) => text(text(each, "request"), "log");
      return typeof item === "object" && item !== null ? once(item, "request", () => redactedTree(item, hidden)) : item;
    },
  };
}

function isSameKind<Of extends object>(value: object | undefined): value is Of {
  return value !== undefined;
}

function checked(redact: Redact): Redaction["text"] {
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
    if (typeof redacted !== "string") throw refused("gave no text");
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
    const redacted = part.type === "tool-call" ? redactedCall(part, hide) : redactedTree(part, hide);
    if (redacted === part) return [part];
    const isSealed = part.type === "reasoning" && (part.opaque !== null || isVendorSummary(part));
    return isSealed ? [] : [redacted];
  });
  const isSame = parts.length === message.parts.length && parts.every((part, index) => part === message.parts[index]);
  return isSame ? message : { ...message, parts: parts.length === 0 ? [REMOVED] : parts };
}

/** The call with its arguments and files redacted: its result has its id and its tool's name, too. */
function redactedCall(call: ToolCallPart, hide: (text: string) => string): ToolCallPart {
  const { argumentsJson, paths } = call;
  const texts = { argumentsJson, paths };
  const redacted = redactedTree(texts, hide);
  return redacted === texts ? call : { ...call, ...redacted };
}

/** Keys under which wires keep what a vendor signed or encrypted. */
const SEALS = /^(?:signature|encrypted_content|thoughtSignature|thinkingSignature|reasoningEncryptedContent)$/;

/** Whether a piece has a seal; of reasoning also one among a vendor's options. */
function isSealed(piece: Readonly<Record<string, unknown>>): boolean {
  const isReasoning = typeof piece.type === "string" && /reasoning|thinking/.test(piece.type);
  return Object.entries(piece).some(([key, each]) => SEALS.test(key) || (isReasoning && isRecord(each) && hasSeal(each)));
}

function hasSeal(options: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(options).some(([key, each]) => SEALS.test(key) || (isRecord(each) && hasSeal(each)));
}

/** Bytes as text: an address that holds them, and the value beside a media type. A text that only begins so, or lies under the same key, is a text. */
const DATA_ADDRESS = /^data:[^,\s]*;base64,[\w+/=-]*$/;
const BYTES = /^[\w+/=-]*$/;
const MEDIA_TYPE_KEYS = ["mediaType", "mimeType", "media_type", "mime_type"];

/** Whether a record says that its `data` are bytes: by its encoding, a media type that is no text's, or an audio's format. */
function saysBytes(value: Readonly<Record<string, unknown>>): boolean {
  const types = MEDIA_TYPE_KEYS.map((key) => value[key]).filter((type) => typeof type === "string");
  const isEncoded = value.kind === "base64" || value.type === "base64" || value.type === "redacted_thinking";
  return isEncoded || types.some((type) => !type.startsWith("text/")) || value.format === "wav" || value.format === "mp3";
}

/** Data with all its texts redacted, but for the bytes of media; the very value if that changes nothing. A piece with a seal is never changed: it leaves its list if it would be. */
function redactedTree<Value>(value: Value, hide: (text: string) => string): Value;
function redactedTree(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === "string") return DATA_ADDRESS.test(value) ? value : hide(value);
  if (Array.isArray(value)) {
    const items = value.flatMap((item: unknown) => {
      const redacted = redactedTree(item, hide);
      return redacted !== item && isRecord(item) && isSealed(item) ? [] : [redacted];
    });
    return items.length === value.length && items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isRecord(value)) return value;
  const isBytes = (key: string, each: unknown) =>
    key === "data" && typeof each === "string" && BYTES.test(each) && saysBytes(value);
  const entries = Object.entries(value).map(
    ([key, each]) => [key, isBytes(key, each) ? each : redactedTree(each, hide)] as const,
  );
  if (entries.every(([key, each]) => each === value[key])) return value;
  // Some SDKs' messages are of a class, or known by a symbol.
  const copied = Object.create(Object.getPrototypeOf(value), Object.getOwnPropertyDescriptors(value));
  return Object.assign(copied, Object.fromEntries(entries));
}
