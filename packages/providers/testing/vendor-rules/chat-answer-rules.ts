import { field, fieldText, isGiven, isSet, itemsOf, type JsonNode, textOf } from "./json-node.ts";
import { at, bodyIsObject, type Finding, isWholeFrom, loneSurrogates, type VendorRule } from "./vendor-rule.ts";

const FINISH_REASONS: readonly string[] = ["stop", "length", "tool_calls", "content_filter", "function_call"];

/** Rules by which the vendor's SDK and the AI SDK take a chat completion. */
export const CHAT_ANSWER_RULES: readonly VendorRule<JsonNode>[] = [
  { id: "answer-body", source: "openai 6.49.0, ChatCompletion", check: bodyIsObject },
  { id: "answer-well-formed", source: "RFC 8259, section 8.2", check: loneSurrogates },
  {
    id: "answer-completion",
    source: "openai 6.49.0, ChatCompletion: id, object, created, model, choices",
    *check(body) {
      yield* headFaults(body, "chat.completion");
      if (itemsOf(field(body, "choices")).length === 0) yield at(field(body, "choices"), "choices: at least one");
    },
  },
  {
    id: "answer-choice",
    source: "openai 6.49.0, ChatCompletion.Choice: finish_reason, index, logprobs, message",
    *check(body) {
      for (const choice of itemsOf(field(body, "choices"))) {
        if (!isWholeFrom(field(choice, "index").value, 0)) yield at(field(choice, "index"), "index: a number");
        if (!FINISH_REASONS.includes(fieldText(choice, "finish_reason")))
          yield at(field(choice, "finish_reason"), "finish_reason: unknown");
        const calls = itemsOf(field(field(choice, "message"), "tool_calls"));
        if (
          (fieldText(choice, "finish_reason") === "tool_calls") !== calls.length > 0 &&
          fieldText(choice, "finish_reason") !== "length"
        )
          yield at(field(choice, "finish_reason"), "finish_reason is tool_calls if tools are called");
      }
    },
  },
  {
    id: "answer-content",
    source: "openai 6.49.0, ChatCompletionMessage: role, content and refusal, each a string or null",
    *check(body) {
      for (const choice of itemsOf(field(body, "choices"))) {
        const message = field(choice, "message");
        if (fieldText(message, "role") !== "assistant") yield at(field(message, "role"), "role: 'assistant'");
        for (const name of ["content", "refusal"]) {
          const node = field(message, name);
          if (node.value !== null && textOf(node) === null) yield at(node, `${name}: a string or null`);
        }
      }
    },
  },
  {
    id: "answer-calls",
    source: "@ai-sdk/openai 3.0.141, openaiChatResponseSchema: tool_calls; mlflow/mlflow#14410 (absent, never an empty list)",
    *check(body) {
      for (const choice of itemsOf(field(body, "choices"))) {
        const calls = field(field(choice, "message"), "tool_calls");
        if (isSet(calls) && itemsOf(calls).length === 0) yield at(calls, "tool_calls: absent or with calls");
        for (const call of itemsOf(calls)) {
          if (fieldText(call, "id") === "" || fieldText(call, "type") !== "function")
            yield at(call, "a call has an id and a type");
          for (const name of ["name", "arguments"])
            if (textOf(field(field(call, "function"), name)) === null)
              yield at(field(field(call, "function"), name), `${name}: a string`);
        }
      }
    },
  },
  {
    id: "answer-usage",
    source: "openai 6.49.0, CompletionUsage: prompt_tokens, completion_tokens, total_tokens",
    check: (body) => usageFaults(field(body, "usage")),
  },
];

/** Shape of the chunks of a streamed chat completion; the subject is the list of them. */
export const CHAT_CHUNK_RULES: readonly VendorRule<JsonNode>[] = [
  {
    id: "chunk-head",
    source: "openai 6.49.0, ChatCompletionChunk: id, object, created, model, the same in all chunks",
    *check(list) {
      const chunks = itemsOf(list);
      for (const chunk of chunks) yield* headFaults(chunk, "chat.completion.chunk");
      const ids = new Set(chunks.map((chunk) => fieldText(chunk, "id")));
      if (ids.size !== 1) yield at(list, "all chunks have one id");
    },
  },
  {
    id: "chunk-delta",
    source: "@ai-sdk/openai 3.0.141, openaiChatChunkSchema: delta",
    *check(list) {
      for (const chunk of itemsOf(list)) for (const choice of itemsOf(field(chunk, "choices"))) yield* deltaFaults(choice);
    },
  },
  {
    id: "chunk-calls",
    source: "https://platform.openai.com/docs/guides/function-calling (a call's first piece has its id, type and name)",
    *check(list) {
      const begun = new Set<unknown>();
      const choices = itemsOf(list).flatMap((chunk) => itemsOf(field(chunk, "choices")));
      for (const call of choices.flatMap((choice) => itemsOf(field(field(choice, "delta"), "tool_calls")))) {
        const index = field(call, "index").value;
        const isFirst = !begun.has(index);
        begun.add(index);
        if (isFirst && (fieldText(call, "id") === "" || fieldText(field(call, "function"), "name") === ""))
          yield at(call, "the first piece of a call has its id and its name");
      }
    },
  },
  {
    id: "chunk-end",
    source: "openai 6.49.0, ChatCompletionChunk.usage: null but in the last chunk, whose choices are empty",
    *check(list) {
      const chunks = itemsOf(list);
      const reasons = chunks
        .flatMap((chunk) => itemsOf(field(chunk, "choices")))
        .filter((choice) => isGiven(field(choice, "finish_reason")));
      if (reasons.length !== 1) yield at(list, "one chunk has a finish_reason");
      for (const chunk of chunks) {
        const usage = field(chunk, "usage");
        if (!isGiven(usage)) continue;
        if (itemsOf(field(chunk, "choices")).length > 0 || chunk !== chunks.at(-1))
          yield at(usage, "usage: in a last chunk without choices");
        yield* usageFaults(usage);
      }
    },
  },
];

function* headFaults(body: JsonNode, object: string): Iterable<Finding> {
  for (const name of ["id", "model"]) if (fieldText(body, name) === "") yield at(field(body, name), `${name}: a string`);
  if (fieldText(body, "object") !== object) yield at(field(body, "object"), `object: '${object}'`);
  if (!isWholeFrom(field(body, "created").value, 0)) yield at(field(body, "created"), "created: seconds");
}

function* deltaFaults(choice: JsonNode): Iterable<Finding> {
  const delta = field(choice, "delta");
  if (!isWholeFrom(field(choice, "index").value, 0)) yield at(field(choice, "index"), "index: a number");
  for (const name of ["content", "refusal"])
    if (isGiven(field(delta, name)) && textOf(field(delta, name)) === null) yield at(field(delta, name), `${name}: a string`);
  if (isGiven(field(delta, "role")) && fieldText(delta, "role") !== "assistant")
    yield at(field(delta, "role"), "role: 'assistant'");
  for (const call of itemsOf(field(delta, "tool_calls")))
    if (!isWholeFrom(field(call, "index").value, 0)) yield at(field(call, "index"), "index: a number");
}

function* usageFaults(usage: JsonNode): Iterable<Finding> {
  const counts = ["prompt_tokens", "completion_tokens", "total_tokens"].map((name) => field(usage, name));
  for (const count of counts) if (!isWholeFrom(count.value, 0)) yield at(count, "a count");
  const [prompt, completion, total] = counts.map(({ value }) => Number(value));
  if (prompt !== undefined && completion !== undefined && prompt + completion !== total)
    yield at(usage, "the counts add up to total_tokens");
}
