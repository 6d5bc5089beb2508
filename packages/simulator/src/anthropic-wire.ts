import { readAnthropic } from "./anthropic-request.ts";
import { type Fields, parseRecord } from "./fields.ts";
import {
  type Answer,
  type Counts,
  halves,
  keyIn,
  named,
  type SimulatedWire,
  signatureOf,
  type WireError,
  type WireEvent,
  wireError,
} from "./wire.ts";

/** The Messages wire: platform.claude.com/docs/en/api/messages, /messages-streaming and /errors. */
export const ANTHROPIC_WIRE: SimulatedWire = {
  name: "anthropic",
  keyOf: (headers) => keyIn(headers, "x-api-key"),
  keyError: (key) =>
    wireError(401, "authentication_error", key === null ? "x-api-key header is required" : "invalid x-api-key"),
  headerError: (headers) =>
    headers["anthropic-version"] === undefined ? refused("anthropic-version: header is required") : null,
  bodyError: () => refused("The request body is not valid JSON: no low surrogate in string"),
  read: readAnthropic,
  countBody: (tokens) => ({ input_tokens: tokens }),
  overflow: ({ promptTokens, maxOutputTokens, windowTokens }) =>
    refused(
      promptTokens > windowTokens
        ? `prompt is too long: ${promptTokens} tokens > ${windowTokens} maximum`
        : `input length and \`max_tokens\` exceed context limit: ${promptTokens} + ${maxOutputTokens} > ${windowTokens}, decrease input length or \`max_tokens\` and try again`,
    ),
  faultError: (status) => wireError(status, ...(FAULTS[status] ?? (["api_error", "Internal server error"] as const))),
  errorBody: ({ type, message, code }) => ({
    type: "error",
    error: { type, message, ...(code === null ? {} : { details: { error_code: code } }) },
    request_id: "req_simulated",
  }),
  errorEvent: ({ type, message }) => ({ name: "error", data: { type: "error", error: { type, message } } }),
  whole: (answer) => ({
    ...startOf(answer),
    ...toldDrops(answer),
    content: blocksOf(answer).map(({ whole }) => whole),
    stop_reason: stopReasonOf(answer),
    usage: answer.counts === null ? null : wholeUsage(answer, answer.counts),
  }),
  events: eventsOf,
};

const FAULTS: Readonly<Record<number, readonly [string, string]>> = {
  413: ["request_too_large", "Request exceeds the maximum size"],
  429: ["rate_limit_error", "This request would exceed your organization's rate limit of 40,000 input tokens per minute"],
  529: ["overloaded_error", "Overloaded"],
};

function refused(message: string): WireError {
  return wireError(400, "invalid_request_error", message);
}

function startOf({ serial, modelId }: Answer): Fields {
  return {
    id: `msg_simulated_${serial}`,
    type: "message",
    role: "assistant",
    model: modelId,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

/** Lists the dropped thinking, where the request asked for that: in the answer, or in a stream's first event. */
function toldDrops({ drops, binding }: Answer): Fields {
  if (binding?.isTold !== true) return {};
  return { input_transformations: drops.map(({ path, reason }) => ({ type: "thinking_dropped", path, reason })) };
}

function inputUsage(counts: Counts): Fields {
  const { uncachedTokens, readTokens, writeTokens, writeOneHourTokens } = counts;
  return {
    input_tokens: uncachedTokens,
    cache_read_input_tokens: readTokens,
    cache_creation_input_tokens: writeTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: writeTokens - writeOneHourTokens,
      ephemeral_1h_input_tokens: writeOneHourTokens,
    },
    service_tier: "standard",
  };
}

/** A summary's call is billed as an iteration of its own: the counts at the top are zero. */
function wholeUsage({ compact }: Answer, counts: Counts): Fields {
  const usage = { ...inputUsage(counts), output_tokens: counts.outputTokens };
  if (compact === undefined) return usage;
  return { input_tokens: 0, output_tokens: 0, iterations: [{ type: "compaction", ...usage }] };
}

/** A block as a whole, and as a stream begins it and adds to it. */
interface WrittenBlock {
  readonly whole: Fields;
  readonly start: Fields;
  readonly deltas: readonly Fields[];
}

function blocksOf(answer: Answer): readonly WrittenBlock[] {
  if (answer.compact !== undefined) {
    const content = summaryIn(answer);
    const whole = { type: "compaction", content, signature: answer.compact(content) };
    return content === "" ? [] : [{ whole, start: whole, deltas: [] }];
  }
  const blocks: WrittenBlock[] = [];
  for (const index of answer.reply.parts.keys()) {
    const before = blocks.map(({ whole }) => whole);
    blocks.push(blockOf(answer, index, before));
  }
  return blocks;
}

function blockOf({ reply, serial, binding, callId }: Answer, index: number, before: readonly Fields[]): WrittenBlock {
  const part = reply.parts[index] ?? { type: "text", text: "" };
  switch (part.type) {
    case "text":
      return {
        whole: { type: "text", text: part.text },
        start: { type: "text", text: "" },
        deltas: halves(part.text).map((text) => ({ type: "text_delta", text })),
      };
    case "reasoning": {
      if (part.form === "redacted") {
        const whole = { type: "redacted_thinking", data: binding?.sign("", before) ?? signatureOf("") };
        return { whole, start: whole, deltas: [] };
      }
      const signature = binding?.sign(part.text, before) ?? signatureOf(part.text);
      return {
        whole: { type: "thinking", thinking: part.text, signature },
        start: { type: "thinking", thinking: "", signature: "" },
        deltas: [
          ...halves(part.text).map((thinking) => ({ type: "thinking_delta", thinking })),
          { type: "signature_delta", signature },
        ],
      };
    }
    case "tool-call": {
      const call = { type: "tool_use", id: callId(index, `toolu_simulated_${serial}_${index}`), name: part.toolName };
      return {
        whole: { ...call, input: parseRecord(part.argumentsJson) ?? {} },
        start: { ...call, input: {} },
        deltas: ["", ...halves(part.argumentsJson)].map((partial) => ({ type: "input_json_delta", partial_json: partial })),
      };
    }
    default:
      return part satisfies never;
  }
}

function eventsOf(answer: Answer): readonly WireEvent[] {
  const { counts } = answer;
  const usage =
    counts === null ? null : { ...wholeUsage(answer, counts), ...(answer.compact === undefined ? { output_tokens: 1 } : {}) };
  const blocks = blocksOf(answer).flatMap(({ start, deltas }, index) => [
    named({ type: "content_block_start", index, content_block: start }),
    ...deltas.map((delta) => named({ type: "content_block_delta", index, delta })),
    named({ type: "content_block_stop", index }),
  ]);
  return [
    named({ type: "message_start", message: { ...startOf(answer), ...toldDrops(answer), usage } }),
    named({ type: "ping" }),
    ...blocks,
    named({
      type: "message_delta",
      delta: { stop_reason: stopReasonOf(answer), stop_sequence: null },
      usage: counts === null ? null : { output_tokens: answer.compact === undefined ? counts.outputTokens : 0 },
    }),
    named({ type: "message_stop" }),
  ];
}

/** The text of a summary: of a call that ended by itself, without a tool call. */
function summaryIn({ reply: { parts, stop } }: Answer): string {
  if (stop !== undefined || parts.some(({ type }) => type === "tool-call")) return "";
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function stopReasonOf(answer: Answer): string {
  const { reply } = answer;
  if (answer.compact !== undefined && summaryIn(answer) !== "") return "compaction";
  switch (reply.stop) {
    case "length":
      return "max_tokens";
    case "refusal":
      return "refusal";
    case "window-full":
      return "model_context_window_exceeded";
    case undefined:
      return reply.parts.some((part) => part.type === "tool-call") ? "tool_use" : "end_turn";
    default:
      return reply.stop satisfies never;
  }
}
