import { blocksOf, checkBinding, isSigned, type SentMessage } from "./anthropic-binding.ts";
import { checkCompaction, checkSummaries } from "./anthropic-compaction.ts";
import { type Fields, listAt, numberAt, recordAt, recordsAt, stringAt } from "./fields.ts";
import { invalid, isStreamed, Refusal, type Segment, type SimulatedPrompt, signatureOf, type WireLimits } from "./wire.ts";

/** Most breakpoints in a request: platform.claude.com/docs/en/build-with-claude/prompt-caching. */
const MAXIMUM_BREAKPOINTS = 4;

/** Reads a request on the Messages wire as platform.claude.com/docs/en/api/messages describes it; throws the vendor's refusals. */
export function readAnthropic(body: unknown, limits: WireLimits): SimulatedPrompt {
  const modelId = stringAt(body, "model");
  if (modelId === null) throw invalid("model: Field required");
  if (limits.models !== null && !limits.models.includes(modelId))
    throw new Refusal({ status: 404, type: "not_found_error", message: `model: ${modelId}`, code: null, param: null });
  const maxOutputTokens = outputTokens(body, modelId, limits);
  const tools = recordsAt(body, "tools");
  checkTools(tools);
  const messages = recordsAt(body, "messages");
  const asSent = messages.map((message) => ({ role: message.role, blocks: blocksOf(message, "content") }));
  const asked = { modelId, headers: limits.headers, rules: limits.rules };
  const opening = checkSummaries(body, asSent, asked) ? "summary" : "user";
  const isCompaction = checkCompaction(body, asSent, asked);
  const prefill = isCompaction ? "accept" : limits.prefill;
  const joined = checkMessages(messages, listAt(body, "messages").length, { ...limits, prefill, modelId, opening });
  checkSystem(blocksOf(body, "system"));
  checkParameters(body, joined, maxOutputTokens);
  const { drops, dropped, isTold, sign, compact } = checkBinding(body, asSent, asked);
  const segments = markedAtEnd(recordAt(body, "cache_control"), [
    ...tools.map((tool) => segmentOf(tool, "overhead")),
    ...blocksOf(body, "system").map((block) => segmentOf(block, "overhead")),
    ...asSent.flatMap(({ blocks }) =>
      blocks.filter((block) => !dropped.has(block)).map((block) => segmentOf(block, "message")),
    ),
  ]);
  checkBreakpoints(segments);
  const newest = messages.findLast((message) => message.role === "user");
  return {
    modelId,
    isStreamed: isStreamed(body),
    wantsUsage: true,
    maxOutputTokens,
    segments,
    messageCount: messages.length,
    toolNames: tools.map((tool) => stringAt(tool, "name") ?? ""),
    newestText: newest === undefined ? "" : blocksOf(newest, "content").map(blockText).join("\n"),
    drops,
    binding: { sign, isTold },
    ...(isCompaction ? { compact } : {}),
    callNames: joined.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === "tool_use" ? [stringAt(block, "name") ?? ""] : [])),
    ),
  };
}

function outputTokens(body: unknown, modelId: string, limits: WireLimits): number {
  const maximumOutputTokens = limits.maximumOutputTokensOf(modelId);
  const tokens = numberAt(body, "max_tokens");
  if (tokens === null) throw invalid("max_tokens: Field required");
  if (tokens < 1) throw invalid("max_tokens: must be greater than or equal to 1");
  if (tokens > maximumOutputTokens)
    throw invalid(
      `max_tokens: ${tokens} > ${maximumOutputTokens}, which is the maximum allowed number of output tokens for ${modelId}`,
    );
  return tokens;
}

function checkTools(tools: readonly Fields[]): void {
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const name = stringAt(tool, "name") ?? "";
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name))
      throw invalid(`tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    const schema = recordAt(tool, "input_schema");
    // For the vendor's own tools (`web_search_20250305`) a request has no schema.
    const isCustom = (stringAt(tool, "type") ?? "custom") === "custom";
    if (isCustom && schema === null) throw invalid(`tools.${index}.custom.input_schema: Field required`);
    if (schema !== null && schema.type !== "object")
      throw invalid(`tools.${index}.custom.input_schema.type: Input should be 'object'`);
    if (names.has(name)) throw invalid("tools: Tool names must be unique.");
    names.add(name);
  }
}

function checkSystem(blocks: readonly Fields[]): void {
  for (const [index, block] of blocks.entries()) {
    if (stringAt(block, "text") !== "") continue;
    throw invalid(
      recordAt(block, "cache_control") === null
        ? "system: text content blocks must be non-empty"
        : `system.${index}: cache_control cannot be set for empty text blocks`,
    );
  }
}

/** Checks the messages one by one, then as the vendor joins them; gives the joined ones. */
function checkMessages(
  messages: readonly Fields[],
  listed: number,
  { prefill, rules, modelId, opening }: WireLimits & { readonly modelId: string; readonly opening: "summary" | "user" },
): readonly SentMessage[] {
  if (messages.length === 0 || messages.length !== listed) throw invalid("messages: at least one message is required");
  if (messages.length > 100_000) throw invalid("messages: at most 100000 messages are allowed");
  for (const [index, message] of messages.entries()) {
    if (message.role === "system") checkSystemMessage(messages, index, { modelId, rules });
    else if (message.role !== "user" && message.role !== "assistant")
      throw invalid(`messages.${index}.role: Input should be 'user' or 'assistant'`);
  }
  if (messages[0]?.role !== "user" && opening === "user") throw invalid('messages: first message must use the "user" role');
  const last = messages.at(-1);
  if (last?.role === "assistant") checkPrefill(blocksOf(last, "content"), prefill);
  const blocks = messages.map((message) => blocksOf(message, "content"));
  for (const [index, message] of messages.entries())
    if (!isEffortOnly(message)) checkBlocks(message.role, blocks[index] ?? [], index);
  const joined = joinedMessages(messages.map(({ role }, index) => ({ role, blocks: blocks[index] ?? [] })));
  checkReasoning(joined);
  checkPairs(joined, rules.callIds === undefined ? "once" : "again");
  return joined;
}

/** Models before Claude Opus 4.8, which take no system message in the middle: `SWITCHABLE_RULES`, and anthropics/claude-code#61412 for the words. */
const NO_SYSTEM_MESSAGES = /claude-(?:[23]|instant|(?:opus|sonnet|haiku)-4(?![-.](?:[89]|\d\d(?!\d))))/;

function checkSystemMessage(
  messages: readonly Fields[],
  index: number,
  { modelId, rules: { systemMessages } }: Pick<WireLimits, "rules"> & { readonly modelId: string },
): void {
  const isTaken = systemMessages === undefined ? !NO_SYSTEM_MESSAGES.test(modelId) : systemMessages === "every-model";
  if (!isTaken) throw invalid("role 'system' is not supported on this model");
  const beside = [messages[index - 1], messages[index + 1]].filter((message) => message?.role === "system");
  if (isEffortOnly(messages[index]) && beside.every(isEffortOnly)) return;
  const [before, after] = [messages[index - 1]?.role, messages[index + 1]?.role ?? "assistant"];
  if (index > 0 && (before !== "user" || after !== "assistant"))
    throw invalid(`messages.${index}: a system message follows a user message, and is last or before an assistant message`);
}

/**
 * True for a system message that has no content and sets the effort of later turns. It may have any place except beside a system message with
 * content: platform.claude.com/docs/en/build-with-claude/effort-per-message, read on 2026-11-26. Its beta header is not required.
 */
function isEffortOnly(message: Fields | undefined): boolean {
  if (message?.role !== "system" || stringAt(recordAt(message, "output_config"), "effort") === null) return false;
  return Array.isArray(message.content) && message.content.length === 0;
}

/** Models from Claude 4.6 on take no prefill; older ones take one that does not end with white space. */
function checkPrefill(blocks: readonly Fields[], prefill: WireLimits["prefill"]): void {
  if (prefill === "reject")
    throw invalid("This model does not support assistant message prefill. The conversation must end with a user message.");
  const text = stringAt(blocks.at(-1), "text") ?? "";
  if (text !== text.trimEnd()) throw invalid("messages: final assistant content cannot end with trailing whitespace");
}

function checkBreakpoints(segments: readonly Segment[]): void {
  const marks = segments.flatMap(({ breakpoint }) => breakpoint ?? []);
  if (marks.length > MAXIMUM_BREAKPOINTS)
    throw invalid(`A maximum of ${MAXIMUM_BREAKPOINTS} blocks with cache_control may be provided. Found ${marks.length}.`);
  const firstShort = marks.indexOf("5m");
  if (firstShort >= 0 && marks.lastIndexOf("1h") > firstShort)
    throw invalid("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block");
}

/** A mark of the request itself belongs to its last block: platform.claude.com/docs/en/build-with-claude/prompt-caching#automatic-caching. */
function markedAtEnd(mark: Fields | null, segments: readonly Segment[]): readonly Segment[] {
  return segments.map((segment, index) =>
    mark === null || index < segments.length - 1 || segment.breakpoint !== null
      ? segment
      : { ...segment, breakpoint: breakpointOf(mark) },
  );
}

function blockText(block: Fields): string {
  return (
    stringAt(block, "text") ??
    blocksOf(block, "content")
      .map((inner) => stringAt(inner, "text") ?? "")
      .join("\n")
  );
}

/** Tokens of an image of unknown size: (1568 × 1568) / 750 at most, platform.claude.com/docs/en/build-with-claude/vision. */
const IMAGE_TOKENS = 1_600;

function segmentOf(block: Fields, part: "overhead" | "message"): Segment {
  const { cache_control: mark, ...rest } = block;
  const images = [block, ...blocksOf(block, "content")].filter(({ type }) => type === "image" || type === "document").length;
  return {
    text: images === 0 ? textOf(rest) : JSON.stringify(rest, (key, value) => (key === "data" ? undefined : value)),
    extraTokens: images * IMAGE_TOKENS,
    breakpoint: breakpointOf(mark),
    isOverhead: part === "overhead",
  };
}

/** Text is counted as text, everything else as its JSON; a signature only by its text, at any length of its data. */
function textOf(block: Fields): string {
  if (block.type === "text") return stringAt(block, "text") ?? "";
  if (block.type === "compaction") return stringAt(block, "content") ?? "";
  if (block.type !== "thinking") return JSON.stringify(block);
  return JSON.stringify({ ...block, signature: signatureOf(stringAt(block, "thinking") ?? "") });
}

function breakpointOf(mark: unknown): Segment["breakpoint"] {
  if (stringAt(mark, "type") !== "ephemeral") return null;
  return stringAt(mark, "ttl") === "1h" ? "1h" : "5m";
}

/** Smallest budget of thinking: platform.claude.com/docs/en/build-with-claude/extended-thinking. */
const MINIMUM_BUDGET_TOKENS = 1_024;

/** Checks a request's parameters beside its messages; throws the vendor's refusals. */
function checkParameters(body: unknown, messages: readonly SentMessage[], maxOutputTokens: number): void {
  const temperature = numberAt(body, "temperature");
  if (temperature !== null && temperature > 1) throw invalid("temperature: Input should be less than or equal to 1");
  if (temperature !== null && temperature < 0) throw invalid("temperature: Input should be greater than or equal to 0");
  const thinking = stringAt(recordAt(body, "thinking"), "type");
  if (thinking !== "enabled" && thinking !== "adaptive") return;
  if (temperature !== null && temperature !== 1)
    throw invalid(
      "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode. Please consult our documentation at https://platform.claude.com/docs/en/build-with-claude/extended-thinking",
    );
  const choice = stringAt(recordAt(body, "tool_choice"), "type");
  if (choice === "any" || choice === "tool") throw invalid("Thinking may not be enabled when tool_choice forces tool use.");
  if (thinking === "enabled") checkBudget(body, messages, maxOutputTokens);
}

/**
 * With a budget of thinking, the reply of the open tool loop begins with its reasoning, and so does each that has any; adaptive thinking does not ask
 * for that.
 */
function checkBudget(body: unknown, messages: readonly SentMessage[], maxOutputTokens: number): void {
  const budgetTokens = numberAt(recordAt(body, "thinking"), "budget_tokens") ?? 0;
  if (budgetTokens < MINIMUM_BUDGET_TOKENS)
    throw invalid(`thinking.enabled.budget_tokens: Input should be greater than or equal to ${MINIMUM_BUDGET_TOKENS}`);
  if (budgetTokens >= maxOutputTokens) throw invalid("`max_tokens` must be greater than `thinking.budget_tokens`.");
  const index = messages.findLastIndex((message) => message.role === "assistant");
  const blocks = messages[index]?.blocks ?? [];
  const type = stringAt(blocks[0], "type") ?? "text";
  if (blocks.some((block) => block.type === "tool_use") && !isReasoning(blocks[0]))
    throw invalid(
      `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). To avoid this requirement, disable \`thinking\`.`,
    );
  for (const [place, message] of messages.entries())
    if (message.blocks.some(isReasoning) && !isReasoning(message.blocks[0]))
      throw invalid(
        `messages.${place}.content.0: If an assistant message contains any thinking blocks, the first block must be \`thinking\` or \`redacted_thinking\`. Found \`${stringAt(message.blocks[0], "type") ?? "text"}\`.`,
      );
}

function isReasoning(block: Fields | undefined): boolean {
  return block?.type === "thinking" || block?.type === "redacted_thinking";
}

/** Checks the blocks of one message; throws the vendor's refusals. */
function checkBlocks(role: unknown, blocks: readonly Fields[], index: number): void {
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
      case "compaction":
        break;
      default:
        throw invalid(`${where}: Input tag '${String(block.type)}' found using 'type' does not match any of the expected tags`);
    }
  }
}

/** Checks the place of reasoning in a message, once neighbours of one role are joined. */
function checkReasoning(messages: readonly SentMessage[]): void {
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

/**
 * Every call is answered by the next message, first thing in it, once; every result has its call in the message before. An id names one call, but on servers that
 * number their calls anew.
 */
function checkPairs(messages: readonly SentMessage[], ids: "once" | "again"): void {
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
function joinedMessages(messages: readonly SentMessage[]): readonly SentMessage[] {
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
