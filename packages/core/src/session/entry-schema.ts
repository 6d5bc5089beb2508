import { z } from "zod";
import { COMPACTION_REASONS, LOG_VERSION, type SessionEntry } from "../entry.ts";
import { isJsonValue, type JsonValue } from "../json.ts";
import type { AssistantMessage, Message, ToolResultMessage, UserMessage } from "../message/message.ts";

/** JSON of any depth: the schema's own check recurses into it and fails on deep values. */
const json: z.ZodType<JsonValue> = z.custom<JsonValue>(isJsonValue, "not JSON");
const id = z.string().min(1);
const atMs = z.number().nullable();
const count = z.number().nullable();

const textPart = z.strictObject({ type: z.literal("text"), text: z.string() });
const imagePart = z.strictObject({
  type: z.literal("image"),
  mediaType: z.string(),
  widthPx: count,
  heightPx: count,
  sizeBytes: count,
  pageCount: z.int().nonnegative().exactOptional(),
  source: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("base64"), data: z.string() }),
    z.strictObject({ kind: z.literal("artifact"), handle: z.string() }),
    z.strictObject({ kind: z.literal("url"), url: z.string() }),
    z.strictObject({ kind: z.literal("absent") }),
  ]),
});
const reasoningPart = z.strictObject({ type: z.literal("reasoning"), text: z.string(), opaque: json });
const toolCallPart = z.strictObject({
  type: z.literal("tool-call"),
  callId: id,
  toolName: z.string(),
  argumentsJson: z.string(),
  paths: z.array(z.strictObject({ path: z.string(), access: z.enum(["read", "modify"]) })).readonly(),
});
const part = z.discriminatedUnion("type", [textPart, imagePart, reasoningPart, toolCallPart]);

const userMessage: z.ZodType<UserMessage> = z.strictObject({
  role: z.literal("user"),
  id,
  origin: z.enum(["human", "command", "injected", "declared", "summary", "notice"]),
  parts: z.array(z.discriminatedUnion("type", [textPart, imagePart])).readonly(),
  atMs,
});
const assistantMessage: z.ZodType<AssistantMessage> = z.strictObject({
  role: z.literal("assistant"),
  id,
  origin: z.enum(["model", "summary", "notice"]),
  parts: z.array(z.discriminatedUnion("type", [textPart, reasoningPart, toolCallPart])).readonly(),
  modelId: z.string().nullable(),
  requestId: z.string().nullable(),
  stopReason: z.enum(["end", "tool-calls", "length", "refusal", "aborted", "error", "other"]).nullable(),
  atMs,
});
const toolResultMessage: z.ZodType<ToolResultMessage> = z.strictObject({
  role: z.literal("tool-result"),
  id,
  callId: id,
  toolName: z.string(),
  isError: z.boolean(),
  category: id,
  parts: z.array(z.discriminatedUnion("type", [textPart, imagePart])).readonly(),
  atMs,
});
const message: z.ZodType<Message> = z.union([userMessage, assistantMessage, toolResultMessage]);

const usage = z.strictObject({
  input: z.strictObject({
    totalTokens: count,
    uncachedTokens: count,
    cacheReadTokens: count,
    cacheWriteTokens: count,
    cacheWriteOneHourTokens: count,
  }),
  output: z.strictObject({ totalTokens: count, reasoningTokens: count }),
  billed: z.strictObject({ inputTokens: count, outputTokens: count }),
  raw: json,
});
const tools = z.array(z.strictObject({ name: z.string(), description: z.string(), parametersJson: z.string() })).readonly();
const limits = z.strictObject({ contextWindowTokens: count, maxOutputTokens: count });
const covered = z.strictObject({ messages: z.number(), parts: z.number(), chars: z.number() });
const appliedEdit = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("replace-spans"),
    spans: z.array(z.strictObject({ from: id, through: id, promptId: z.string().nullable() })).readonly(),
    by: z.enum(["summary", "digest", "vendor", "notice", "nothing"]),
    message: message.nullable(),
    moved: z.array(id).readonly().optional(),
    note: message.optional(),
    covered,
    usage: usage.nullable(),
    prompts: z.array(z.string()).readonly().optional(),
    repairs: z.array(z.string()).readonly().optional(),
  }),
  z.strictObject({
    kind: z.literal("replace-part"),
    messageId: id,
    partIndex: z.int().nonnegative(),
    part,
    handle: z.string(),
    removedChars: z.number(),
  }),
  z.strictObject({
    kind: z.literal("replace-history"),
    through: id.nullable(),
    messages: z.array(message).readonly(),
    covered,
  }),
]);
const reason = z.enum(COMPACTION_REASONS);
const steps = z
  .array(
    z.strictObject({
      strategy: z.string(),
      outcome: z.enum(["applied", "not-applicable", "failed", "no-progress", "released"]),
      detail: z.string().nullable(),
      usage: usage.optional(),
    }),
  )
  .readonly();
const record = z.strictObject({
  policy: z.string(),
  reason,
  gate: z.enum(["before-submit", "before-step", "after-tool-batch", "on-overflow"]).nullable(),
  steps,
  estimator: z.string(),
  cutEstimator: z.string().nullable(),
  modelId: z.string().nullable(),
  budgetTokens: count,
  tokensBefore: count,
  tokensAfter: count,
  messagesBefore: z.number(),
  messagesAfter: z.number(),
  work: z.strictObject({ charactersScanned: z.number(), messagesVisited: z.number(), tokenizerCalls: z.number() }),
  step: z.int().nonnegative().optional(),
  observedLimitTokens: z.number().nonnegative().optional(),
});

const removedReasoning = z
  .array(z.strictObject({ messageId: id, partIndexes: z.array(z.int().nonnegative()).readonly() }))
  .readonly()
  .optional();

/** The zod schema of one log line. It is strict: an unknown key means that the line is damaged. */
export const sessionEntrySchema: z.ZodType<SessionEntry> = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("session"),
    version: z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4), z.literal(5), z.literal(LOG_VERSION)]),
    id,
    createdMs: atMs,
    system: z.string(),
    tools,
    parent: z.strictObject({ sessionId: z.string(), callId: z.string().nullable() }).nullable(),
    agent: z.strictObject({ name: z.string(), version: z.string().nullable() }).nullable(),
  }),
  z.strictObject({
    type: z.literal("setup-change"),
    id,
    system: z.string(),
    tools,
    atMs,
    boundReasoning: z.enum(["leaves", "vendor-drops"]).optional(),
    removedReasoning,
  }),
  z.strictObject({ type: z.literal("message"), message }),
  z.strictObject({
    type: z.literal("usage"),
    requestId: id,
    modelId: z.string(),
    throughMessageId: z.string().nullable(),
    overheadHash: z.string().nullable(),
    viewHash: z.string().nullable(),
    usage,
    atMs,
  }),
  z.strictObject({
    type: z.literal("model-change"),
    id,
    modelId: z.string(),
    limits: limits.nullable(),
    atMs,
    removedReasoning,
  }),
  z.strictObject({
    type: z.literal("compaction"),
    id,
    throughEntryId: z.string().nullable(),
    edits: z.array(appliedEdit).readonly(),
    record,
    atMs,
    removedReasoning,
  }),
  z.strictObject({
    type: z.literal("attempt"),
    id,
    reason,
    outcome: z.enum(["failed", "irreducible", "cancelled"]),
    steps,
    estimatedTokens: z.number(),
    atMs,
  }),
  z.strictObject({ type: z.literal("revert"), id, compactionId: id, atMs, removedReasoning }),
  z.strictObject({
    type: z.literal("context-call"),
    id,
    tool: z.enum(["remaining", "recall", "pin", "compact", "unpin"]),
    text: z.string(),
    outcome: z.enum(["answered", "refused"]),
    atMs,
  }),
]);
