import { field, fieldText, isGiven, isSet, itemsOf, type JsonNode, rootOf, textOf } from "./json-node.ts";

/** A content block. A string content counts as one text block, an empty one as none. */
export interface Block {
  readonly type: string;
  readonly node: JsonNode;
}

/** Neighbours of one role, joined into one as the vendor joins them before it checks anything. */
export interface Turn {
  readonly role: string;
  readonly node: JsonNode;
  readonly blocks: readonly Block[];
}

/** How a request sets thinking: by a budget, left to the model, switched off, or not at all. */
export type ThinkingMode = "manual" | "adaptive" | "off" | "unset";

/** A Messages request as the vendor sees it. */
export interface MessagesRequest {
  readonly body: JsonNode;
  readonly model: string;
  readonly thinking: ThinkingMode;
  readonly messages: readonly JsonNode[];
  /** The messages after neighbours of one role are joined. */
  readonly turns: readonly Turn[];
  readonly system: readonly Block[];
  readonly tools: readonly JsonNode[];
  /** Every block of the request, in the order in which the vendor reads them, with those inside tool results. */
  readonly blocks: readonly Block[];
}

/** Reads a body; parts of unknown shape are left out here and reported by the rules about shape. */
export function readMessagesRequest(body: unknown): MessagesRequest {
  const root = rootOf(body);
  const messages = itemsOf(field(root, "messages"));
  const turns = joinedTurns(messages);
  const system = blocksOf(field(root, "system"));
  const inTurns = turns.flatMap(({ blocks }) => blocks.flatMap((block) => [block, ...insideOf(block)]));
  return {
    body: root,
    model: fieldText(root, "model"),
    thinking: thinkingOf(field(root, "thinking")),
    messages,
    turns,
    system,
    tools: itemsOf(field(root, "tools")),
    blocks: [...system, ...inTurns],
  };
}

/** The blocks of a content or of a system prompt. */
export function blocksOf(content: JsonNode): readonly Block[] {
  const text = textOf(content);
  if (text === "") return [];
  if (text !== null) return [{ type: "text", node: { value: { type: "text", text }, at: content.at } }];
  return itemsOf(content).map((node) => ({ type: fieldText(node, "type"), node }));
}

/** The blocks in a tool result; none for another block. */
export function insideOf({ type, node }: Block): readonly Block[] {
  return type === "tool_result" ? blocksOf(field(node, "content")) : [];
}

/** The nodes of a request that mark a breakpoint of the prompt cache, in the vendor's order: tools, system, messages. */
export function breakpointsOf({ tools, blocks }: MessagesRequest): readonly JsonNode[] {
  return [...tools, ...blocks.map(({ node }) => node)].map((node) => field(node, "cache_control")).filter(isGiven);
}

/** The assistant's turns of the loop of tool calls that a request ends in, oldest first; none if it ends in a person's words. */
export function openLoop({ turns }: MessagesRequest): readonly Turn[] {
  const talk = turns.filter(({ role }) => role !== "system");
  const loop: Turn[] = [];
  for (let end = talk.length - 1; end > 0; end -= 2) {
    const [answer, call] = [talk[end], talk[end - 1]];
    if (answer === undefined || call === undefined || !answer.blocks.some(({ type }) => type === "tool_result")) break;
    loop.push(call);
  }
  return loop.reverse();
}

function joinedTurns(messages: readonly JsonNode[]): readonly Turn[] {
  const turns: { role: string; node: JsonNode; blocks: Block[] }[] = [];
  for (const node of messages) {
    const role = fieldText(node, "role");
    const blocks = blocksOf(field(node, "content"));
    const last = turns.at(-1);
    if (last !== undefined && last.role === role) for (const block of blocks) last.blocks.push(block);
    else turns.push({ role, node, blocks: [...blocks] });
  }
  return turns;
}

function thinkingOf(node: JsonNode): ThinkingMode {
  if (!isSet(node)) return "unset";
  const type = fieldText(node, "type");
  if (type === "enabled") return "manual";
  return type === "disabled" ? "off" : "adaptive";
}
