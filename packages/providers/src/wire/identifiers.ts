import type { AssistantMessage, Message, ModelRequest } from "@plimsoll/core";
import { isUsableCallId, shortHash, type WireRules } from "@plimsoll/core/extend";

/**
 * The call id as the wire takes it: itself if it is usable, else a hash of it (37 characters), the same for a call and its result
 * and at every request.
 */
export function wireCallId(callId: string, rules: WireRules): string {
  return callId.isWellFormed() && isUsableCallId(callId, rules) ? callId : `call_${callIdHash(callId)}`;
}

/** The hash that stands for a call id that a wire does not take; ids that differ in half a character differ in it, too. */
export function callIdHash(callId: string): string {
  return shortHash(callId.isWellFormed() ? callId : JSON.stringify(callId));
}

const USABLE_NAME = /^[a-zA-Z0-9_-]+$/;

/** Characters of the hash that tells names apart which are alike without the characters that wires refuse: chosen. */
const HASH_CHARS = 12;

/**
 * The tool's name as the wires take it: itself if it is usable, else its usable characters and a hash of it, the same at every request. Names with
 * dots come from MCP servers, others from models that call what is not there.
 */
export function wireToolName(name: string, maximumChars: number): string {
  if (USABLE_NAME.test(name) && name.length <= maximumChars) return name;
  const hash = shortHash(name.isWellFormed() ? name : JSON.stringify(name)).slice(0, HASH_CHARS);
  const stem = name.slice(0, maximumChars - HASH_CHARS - 1).replace(/[^a-zA-Z0-9_-]/g, "_");
  return `${stem}_${hash}`;
}

/** A request with names as its wire takes them, and the way back for the reply's. */
export interface RenamedRequest {
  readonly request: ModelRequest;
  /** The tool's own name by the name on the wire; a name that no tool of the request has comes back as it is. */
  ownName(wireName: string): string;
}

/** Renames tools and calls for a wire. What has usable names keeps its identity; a message that is renamed is the same one at each request. */
export function createToolNames(maximumChars: number): (request: ModelRequest) => RenamedRequest {
  const renamed = new WeakMap<AssistantMessage, AssistantMessage>();
  const nameOf = (name: string) => wireToolName(name, maximumChars);

  const renamedReply = (message: AssistantMessage): AssistantMessage => {
    const known = renamed.get(message);
    if (known !== undefined) return known;
    const parts = message.parts.map((part) =>
      part.type === "tool-call" ? { ...part, toolName: nameOf(part.toolName) } : part,
    );
    const made = { ...message, parts };
    renamed.set(message, made);
    return made;
  };
  const isOff = (message: Message): message is AssistantMessage =>
    message.role === "assistant" &&
    message.parts.some((part) => part.type === "tool-call" && nameOf(part.toolName) !== part.toolName);

  return (request) => {
    const { tools, messages } = request.context;
    const ownNames = new Map(tools.flatMap(({ name }) => (nameOf(name) === name ? [] : [[nameOf(name), name] as const])));
    const ownName = (wireName: string) => ownNames.get(wireName) ?? wireName;
    if (ownNames.size === 0 && !messages.some(isOff)) return { request, ownName };
    const context = {
      ...request.context,
      tools: tools.map((tool) => ({ ...tool, name: nameOf(tool.name) })),
      messages: messages.map((message) => (isOff(message) ? renamedReply(message) : message)),
    };
    return { request: { ...request, context }, ownName };
  };
}
