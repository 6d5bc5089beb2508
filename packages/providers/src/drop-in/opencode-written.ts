import { type AssistantMessage, type Message, textOf } from "@plimsoll/core";
import { argumentsObject, type Fields } from "../fields.ts";

/** A message as OpenCode hands it to plugins: its facts, and its parts. */
export interface OpenCodeMessage {
  readonly info: Fields;
  readonly parts: readonly Fields[];
}

/** Whose messages they are that were made here: OpenCode asks for a session, a model and an agent of each. */
const OWN = "plimsoll";

const NO_TOKENS = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } } as const;

/** Messages that compaction made or changed as OpenCode's: results go into the reply that has their calls. */
export function writtenItems(messages: readonly Message[]): readonly OpenCodeMessage[] {
  const items: OpenCodeMessage[] = [];
  for (const message of messages) {
    const last = items.at(-1);
    if (message.role === "tool-result" && last !== undefined)
      items.splice(-1, 1, { ...last, parts: last.parts.map((part) => answered(part, message)) });
    else items.push({ info: infoOf(message), parts: writtenContent(message) });
  }
  return items;
}

/** A fixed text in the name of one of the two. */
export function writtenText(role: "user" | "assistant", text: string): OpenCodeMessage {
  const parts = [{ type: "text", text }] as const;
  const made = { id: text, parts, atMs: null } as const;
  const [item] = writtenItems([
    role === "user"
      ? { ...made, role, origin: "notice" }
      : { ...made, role, origin: "notice", modelId: null, requestId: null, stopReason: null },
  ]);
  return item ?? { info: { role }, parts };
}

/** Two messages of a user as one, under OpenCode's own facts of it. */
export function joinedItems(first: OpenCodeMessage, second: OpenCodeMessage): OpenCodeMessage {
  const own = first.info.sessionID === OWN ? second : first;
  return { ...own, parts: [...first.parts, ...second.parts] };
}

function infoOf({ id, role, atMs }: Message): Fields {
  const made = { id, sessionID: OWN, time: { created: atMs ?? 0, completed: atMs ?? 0 } };
  if (role === "user") return { ...made, role, agent: OWN, model: { providerID: OWN, modelID: OWN } };
  const model = { providerID: OWN, modelID: OWN, mode: OWN, agent: OWN, path: { cwd: "", root: "" } };
  return { ...made, ...model, role: "assistant", parentID: OWN, cost: 0, tokens: NO_TOKENS, finish: "stop" };
}

/** Writes a message as parts; a call is there without its result. */
export function writtenContent(message: Message): readonly Fields[] {
  if (message.role === "assistant") return message.parts.flatMap((part, index) => writtenReply(part, `${message.id}_${index}`));
  const synthetic = message.role === "user" && message.origin !== "human" ? { synthetic: true } : {};
  const made = { sessionID: OWN, messageID: message.id };
  const images = message.parts.flatMap((part, index) => {
    if (part.type !== "image" || (part.source.kind !== "base64" && part.source.kind !== "url")) return [];
    const url = part.source.kind === "url" ? part.source.url : `data:${part.mediaType};base64,${part.source.data}`;
    return [{ ...made, id: `${message.id}_${index}`, type: "file", mime: part.mediaType, url, ...synthetic }];
  });
  const text = textOf(message);
  return [...(text === "" ? [] : [{ ...made, id: message.id, type: "text", text, ...synthetic }]), ...images];
}

function writtenReply(part: AssistantMessage["parts"][number], id: string): readonly Fields[] {
  const made = { id, sessionID: OWN, messageID: id };
  if (part.type === "text") return [{ ...made, type: "text", text: part.text }];
  if (part.type === "reasoning") return [];
  const state = { status: "pending", input: argumentsObject(part.argumentsJson), raw: part.argumentsJson };
  return [{ ...made, type: "tool", callID: part.callId, tool: part.toolName, state }];
}

function answered(part: Fields, result: Extract<Message, { role: "tool-result" }>): Fields {
  if (part.callID !== result.callId || part.type !== "tool") return part;
  const { state } = part;
  const before = typeof state === "object" && state !== null ? state : {};
  const time = { start: result.atMs ?? 0, end: result.atMs ?? 0 };
  const text = textOf(result);
  const told = result.isError
    ? { status: "error", error: text }
    : { status: "completed", output: text, title: "", metadata: {} };
  return { ...part, state: { ...before, ...told, time } };
}
