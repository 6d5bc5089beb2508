import { type Fields, isRecord, listAt, numberAt, recordAt, recordsAt, stringAt } from "./fields.ts";
import { checkCallId, checkToolNames, errorObject, modelOf, OPENAI_ERRORS } from "./openai-errors.ts";
import type { Answer, Counts, Segment, SimulatedPrompt, SimulatedWire, WireEvent, WireLimits } from "./wire.ts";
import { halves, IMAGE_TOKENS, invalid, isInstruction, isStreamed, segmentOf, textAt, wireError } from "./wire.ts";

/** The Chat Completions wire: platform.openai.com/docs/api-reference/chat and /chat-streaming. */
export const OPENAI_CHAT_WIRE: SimulatedWire = {
  ...OPENAI_ERRORS,
  name: "openai-chat",
  read: readOpenAiChat,
  overflow: ({ promptTokens, maxOutputTokens, windowTokens }) =>
    wireError(
      400,
      "invalid_request_error",
      maxOutputTokens === 0
        ? `This model's maximum context length is ${windowTokens} tokens. However, your messages resulted in ${promptTokens} tokens. Please reduce the length of the messages.`
        : `This model's maximum context length is ${windowTokens} tokens. However, you requested ${promptTokens + maxOutputTokens} tokens (${promptTokens} in the messages, ${maxOutputTokens} in the completion). Please reduce the length of the messages or completion.`,
      { code: "context_length_exceeded", param: "messages" },
    ),
  whole: (answer) => ({
    ...headOf(answer, "chat.completion"),
    choices: [{ index: 0, message: messageOf(answer), logprobs: null, finish_reason: finishReasonOf(answer) }],
    ...(answer.counts === null ? {} : { usage: usageOf(answer.counts) }),
  }),
  events: eventsOf,
  errorEvent: (error) => ({ name: null, data: { error: errorObject(error) } }),
};

function headOf({ serial, modelId, createdSeconds }: Answer, object: string): Fields {
  return { id: `chatcmpl-simulated-${serial}`, object, created: createdSeconds, model: modelId };
}

function messageOf(answer: Answer): Fields {
  const text = textOf(answer, "text");
  const reasoning = textOf(answer, "reasoning");
  const calls = callsOf(answer);
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function textOf({ reply }: Answer, type: "text" | "reasoning"): string {
  return reply.parts.flatMap((part) => (part.type === type ? [part.text] : [])).join("");
}

function callsOf({ reply, serial, callId }: Answer) {
  return reply.parts.flatMap((part, index) =>
    part.type === "tool-call"
      ? [
          {
            id: callId(index, `call_simulated_${serial}_${index}`),
            type: "function",
            function: { name: part.toolName, arguments: part.argumentsJson },
          },
        ]
      : [],
  );
}

function eventsOf(answer: Answer, { wantsUsage }: { readonly wantsUsage: boolean }): readonly WireEvent[] {
  const chunk = (delta: Fields, finishReason: string | null = null): WireEvent => ({
    name: null,
    data: {
      ...headOf(answer, "chat.completion.chunk"),
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
      ...(wantsUsage ? { usage: null } : {}),
    },
  });
  const calls = callsOf(answer).flatMap(({ id, type, function: called }, index) => [
    chunk({ tool_calls: [{ index, id, type, function: { name: called.name, arguments: "" } }] }),
    ...halves(called.arguments).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ]);
  const usage =
    wantsUsage && answer.counts !== null
      ? [{ name: null, data: { ...headOf(answer, "chat.completion.chunk"), choices: [], usage: usageOf(answer.counts) } }]
      : [];
  return [
    chunk({ role: "assistant", content: "" }),
    ...halves(textOf(answer, "reasoning")).map((piece) => chunk({ reasoning_content: piece })),
    ...halves(textOf(answer, "text")).map((content) => chunk({ content })),
    ...calls,
    chunk({}, finishReasonOf(answer)),
    ...usage,
    { name: null, data: "[DONE]" },
  ];
}

function usageOf(counts: Counts): Fields {
  const { promptTokens, outputTokens, readTokens, reasoningTokens } = counts;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: outputTokens,
    total_tokens: promptTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: readTokens, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoningTokens, audio_tokens: 0 },
  };
}

function finishReasonOf({ reply }: Answer): string {
  if (reply.stop === "length" || reply.stop === "window-full") return "length";
  if (reply.stop === "refusal") return "content_filter";
  return reply.parts.some((part) => part.type === "tool-call") ? "tool_calls" : "stop";
}

const ROLES = ["system", "assistant", "user", "function", "tool", "developer"] as const;

/** Longest call id: see the wire's rules in platform.openai.com/docs/api-reference/chat/create and its error. */
const MAXIMUM_CALL_ID_CHARS = 40;

/** Reads a request on the Chat Completions wire; throws the vendor's refusals. */
function readOpenAiChat(body: unknown, limits: WireLimits): SimulatedPrompt {
  const modelId = modelOf(body, limits);
  const maxOutputTokens = numberAt(body, "max_completion_tokens") ?? numberAt(body, "max_tokens");
  const maximumOutputTokens = limits.maximumOutputTokensOf(modelId);
  if (maxOutputTokens !== null && maxOutputTokens > maximumOutputTokens)
    throw invalid(
      `max_tokens is too large: ${maxOutputTokens}. This model supports at most ${maximumOutputTokens} completion tokens, whereas you provided ${maxOutputTokens}.`,
      { param: "max_tokens", code: "invalid_value" },
    );
  const messages = recordsAt(body, "messages");
  if (messages.length === 0 || messages.length !== listAt(body, "messages").length)
    throw invalid("Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.", {
      param: "messages",
      code: "empty_array",
    });
  for (const [index, message] of messages.entries()) checkMessage(message, index);
  checkPairs(messages);
  if (limits.roles === "alternate") checkTurns(messages);
  const tools = recordsAt(body, "tools")
    .map((tool) => recordAt(tool, "function"))
    .filter((tool) => tool !== null);
  checkChatParameters(body, modelId, tools);
  const toolNames = tools.map((tool) => stringAt(tool, "name") ?? "");
  checkToolNames(toolNames, (index) => `tools[${index}].function.name`);
  const newest = messages.findLast(({ role }) => role === "user" || role === "tool");
  return {
    modelId,
    isStreamed: isStreamed(body),
    wantsUsage: recordAt(body, "stream_options")?.include_usage === true,
    maxOutputTokens,
    segments: [
      ...tools.map((tool) => segmentOf(JSON.stringify(tool), "overhead")),
      ...messages.map((message) => messageSegment(message)),
    ],
    messageCount: messages.length,
    toolNames,
    newestText: newest === undefined ? "" : textAt(newest, "content"),
    drops: [],
    binding: null,
    callNames: messages.flatMap((message) =>
      recordsAt(message, "tool_calls").map((call) => stringAt(recordAt(call, "function"), "name") ?? ""),
    ),
  };
}

/** Families that reason: they take no sampling parameters, and only the newer name of the reply's limit (platform.openai.com/docs/guides/reasoning). */
const REASONING_FAMILIES = ["gpt-5", "o1", "o3", "o4"] as const;

/** Checks a request's parameters beside its messages; throws the vendor's refusals. */
function checkChatParameters(body: unknown, modelId: string, tools: readonly Fields[]): void {
  const isReasoning = REASONING_FAMILIES.some((family) => modelId.startsWith(family));
  if (isReasoning && numberAt(body, "max_tokens") !== null)
    throw invalid(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { param: "max_tokens", code: "unsupported_parameter" },
    );
  const temperature = numberAt(body, "temperature");
  if (isReasoning && temperature !== null && temperature !== 1)
    throw invalid(
      `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`,
      { param: "temperature", code: "unsupported_value" },
    );
  if (recordAt(body, "stream_options") !== null && !isStreamed(body))
    throw invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.", { param: "stream_options" });
  if (tools.length === 0 && isRecord(body) && body.tool_choice !== undefined)
    throw invalid("Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.", {
      param: "tool_choice",
    });
}

function checkMessage(message: Fields, index: number): void {
  const role = ROLES.find((known) => known === message.role);
  if (role === undefined)
    throw invalid(
      `Invalid value: '${String(message.role)}'. Supported values are: ${ROLES.map((known) => `'${known}'`).join(", ")}.`,
      { param: `messages[${index}].role`, code: "invalid_value" },
    );
  if (role === "tool" && stringAt(message, "tool_call_id") === null)
    throw invalid("Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.", {
      param: `messages.[${index}].tool_call_id`,
    });
  const calls = message.tool_calls;
  if (Array.isArray(calls) && calls.length === 0)
    throw invalid(
      `Invalid 'messages[${index}].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
      { param: `messages[${index}].tool_calls`, code: "empty_array" },
    );
  const hasContent = typeof message.content === "string" || Array.isArray(message.content);
  const mayBeEmpty = role === "assistant" && (calls !== undefined || message.refusal !== undefined);
  if (!hasContent && !mayBeEmpty)
    throw invalid("Invalid value for 'content': expected a string, got null.", { param: `messages.[${index}].content` });
  if (role !== "user" && recordsAt(message, "content").some(({ type }) => type === "image_url"))
    throw invalid(
      `Invalid 'messages[${index}]'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`,
      { param: `messages[${index}]`, code: "invalid_value" },
    );
}

/** After a reply with calls come the results of all of them, before any other message. */
function checkPairs(messages: readonly Fields[]): void {
  let open: readonly string[] = [];
  let known: readonly string[] = [];
  let caller = 0;
  const close = () => {
    if (open.length === 0) return;
    throw invalid(
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(", ")}`,
      { param: `messages.[${caller + 1}].role` },
    );
  };
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      const callId = stringAt(message, "tool_call_id") ?? "";
      if (!known.includes(callId))
        throw invalid(
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          { param: `messages.[${index}].role` },
        );
      open = open.filter((id) => id !== callId);
      continue;
    }
    close();
    const calls = recordsAt(message, "tool_calls");
    checkToolNames(
      calls.map((call) => stringAt(recordAt(call, "function"), "name") ?? ""),
      (place) => `messages[${index}].tool_calls[${place}].function.name`,
    );
    known = calls.map((call) => stringAt(call, "id") ?? "");
    for (const [place, callId] of known.entries())
      checkCallId(callId, MAXIMUM_CALL_ID_CHARS, `messages[${index}].tool_calls[${place}].id`);
    open = known;
    caller = index;
  }
  close();
}

/** The words of the templates; Gemma's begin at "Conversation roles". Read at vllm-project/vllm#6862. */
const OUT_OF_TURN = "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...";

/**
 * Person and model in turn, and one system message at the most, at the beginning: the words of Mistral's server ("invalid_request_message_order") and of the chat templates that models are served with
 * by vLLM, llama.cpp, Ollama and LM Studio.
 */
function checkTurns(messages: readonly Fields[]): void {
  if (messages.slice(1).some(isInstruction)) throw invalid(OUT_OF_TURN);
  const turns = messages.filter((message) => !isInstruction(message));
  if (turns[0]?.role === "assistant") throw invalid("Expected the first message to be the user's, but got role assistant");
  for (const [index, { role }] of turns.entries()) {
    const before = turns[index - 1]?.role;
    if (role === "user" && before === "tool") throw invalid("Unexpected role 'user' after role 'tool'");
    if (before !== undefined && role === before && role !== "tool") throw invalid(OUT_OF_TURN);
  }
}

function messageSegment(message: Fields): Segment {
  const calls = recordsAt(message, "tool_calls").map((call) => JSON.stringify(recordAt(call, "function")));
  const images = recordsAt(message, "content").filter(({ type }) => type === "image_url").length;
  const text = [String(message.role), textAt(message, "content"), ...calls].join("\n");
  return segmentOf(text, isInstruction(message) ? "overhead" : "message", images * IMAGE_TOKENS);
}
