import type { Fields } from "../fields.ts";
import { recordAt, recordsAt, stringAt } from "../fields.ts";
import { isSigned } from "./anthropic-seal.ts";
import { invalid } from "./wire.ts";

/** Checks the blocks of one message; throws what the vendor refuses. */
export function checkBlocks(role: unknown, blocks: readonly Fields[], index: number): void {
  if (blocks.length === 0)
    throw invalid(
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    );
  for (const [place, block] of blocks.entries()) {
    const where = `messages.${index}.content.${place}`;
    if (recordAt(block, "cache_control") !== null) checkMark(block, where);
    switch (block.type) {
      case "text":
        checkText(stringAt(block, "text"));
        break;
      case "tool_use":
        if (role !== "assistant") throw invalid(`${where}: \`tool_use\` blocks can only be in \`assistant\` messages`);
        checkCall(block, where);
        break;
      case "tool_result":
        if (role !== "user") throw invalid(`${where}: \`tool_result\` blocks can only be in \`user\` messages`);
        for (const inner of recordsAt(block, "content")) if (inner.type === "text") checkText(stringAt(inner, "text"));
        break;
      case "thinking":
        if (stringAt(block, "signature") === null) throw invalid(`${where}.thinking.signature: Field required`);
        if (role !== "assistant") throw invalid(`${where}: \`thinking\` blocks can only be in \`assistant\` messages`);
        if (!isSigned(block)) throw invalid(`${where}: Invalid \`signature\` in \`thinking\` block`);
        break;
      case "redacted_thinking":
        if (stringAt(block, "data") === null) throw invalid(`${where}.redacted_thinking.data: Field required`);
        if (role !== "assistant") throw invalid(`${where}: \`redacted_thinking\` blocks can only be in \`assistant\` messages`);
        if (!isSigned(block)) throw invalid(`${where}: Invalid \`data\` in \`redacted_thinking\` block`);
        break;
      case "image":
      case "document":
        break;
      default:
        throw invalid(`${where}: Input tag '${String(block.type)}' found using 'type' does not match any of the expected tags`);
    }
  }
}

/** Where reasoning may stand in a message, once neighbours of one role are joined. */
export function checkReasoning(messages: readonly JoinedMessage[]): void {
  for (const [index, { blocks }] of messages.entries())
    if (blocks.at(-1)?.type === "thinking")
      throw invalid(`messages.${index}: The final block in an assistant message cannot be \`thinking\`.`);
}

function checkText(text: string | null): void {
  if (text === null || text === "") throw invalid("messages: text content blocks must be non-empty");
  if (text.trim() === "") throw invalid("messages: text content blocks must contain non-whitespace text");
}

function checkMark(block: Fields, where: string): void {
  if (block.type === "thinking" || block.type === "redacted_thinking")
    throw invalid(`${where}.${block.type}.cache_control: Extra inputs are not permitted`);
  if (block.type === "text" && stringAt(block, "text") === "")
    throw invalid(`${where}.text: cache_control cannot be set for empty text blocks`);
}

function checkCall(block: Fields, where: string): void {
  if (!/^[a-zA-Z0-9_-]+$/.test(stringAt(block, "id") ?? ""))
    throw invalid(`${where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  if (!/^[a-zA-Z0-9_-]{1,128}$/.test(stringAt(block, "name") ?? ""))
    throw invalid(`${where}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
  if (recordAt(block, "input") === null) throw invalid(`${where}.tool_use.input: Input should be a valid dictionary`);
}

/** A message as the vendor sees it. */
export interface JoinedMessage {
  readonly role: unknown;
  readonly blocks: readonly Fields[];
}

/**
 * Every call is answered by the next message, first thing in it, once; every result has its call in the message before. An id names one call, but on servers that
 * number their calls anew.
 */
export function checkPairs(messages: readonly JoinedMessage[], ids: "once" | "again"): void {
  const seen = new Set<string>();
  let previous: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    const results = idsOf(message.blocks, "tool_result", "tool_use_id");
    const leading = leadingResults(message.blocks);
    const missing = previous.filter((id) => !leading.includes(id));
    if (missing.length > 0)
      throw invalid(
        `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
    for (const [place, id] of results.entries()) {
      if (!previous.includes(id))
        throw invalid(
          `messages.${index}.content.${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
        );
      if (results.indexOf(id) !== place)
        throw invalid(
          `messages.${index}.content.${place}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
        );
    }
    previous = idsOf(message.blocks, "tool_use", "id");
    for (const id of previous) {
      if (ids === "once" && seen.has(id)) throw invalid(`messages.${index}: \`tool_use\` ids must be unique`);
      seen.add(id);
    }
  }
}

/** Neighbours of one role are one message to the vendor: platform.claude.com/docs/en/api/messages. */
export function joinedMessages(messages: readonly JoinedMessage[]): readonly JoinedMessage[] {
  const list: { role: unknown; blocks: Fields[] }[] = [];
  for (const { role, blocks } of messages) {
    const last = list.at(-1);
    if (last !== undefined && last.role === role) last.blocks.push(...blocks);
    else list.push({ role, blocks: [...blocks] });
  }
  return list;
}

function leadingResults(blocks: readonly Fields[]): readonly string[] {
  const end = blocks.findIndex((block) => block.type !== "tool_result");
  return idsOf(end < 0 ? blocks : blocks.slice(0, end), "tool_result", "tool_use_id");
}

function idsOf(blocks: readonly Fields[], type: string, key: string): readonly string[] {
  return blocks.flatMap((block) => (block.type === type ? [stringAt(block, key) ?? ""] : []));
}
