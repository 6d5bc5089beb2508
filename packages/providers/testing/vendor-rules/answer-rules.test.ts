import { expect, test } from "vitest";
import { CHAT_ANSWER_RULES, CHAT_CHUNK_RULES } from "./chat-answer-rules.ts";
import type { VendorViolation } from "./index.ts";
import {
  validateChatChunks,
  validateChatResponse,
  validateMessagesEvents,
  validateMessagesResponse,
  validateResponsesEvents,
  validateResponsesResponse,
} from "./index.ts";
import { MESSAGES_ANSWER_RULES } from "./messages-answer-rules.ts";
import { MESSAGES_EVENT_RULES } from "./messages-events.ts";
import { RESPONSES_ANSWER_RULES, RESPONSES_EVENT_RULES } from "./responses-answer-rules.ts";

type Validate = (answer: unknown) => readonly VendorViolation[];
type Row = readonly [rule: string, accepted: unknown, refused: unknown];

const TEXT = { type: "text", text: "hi" };
const USE = { type: "tool_use", id: "toolu_1", name: "read", input: {} };
const USAGE = { input_tokens: 1, output_tokens: 1 };
const MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [TEXT],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: USAGE,
};
const message = (more: object) => ({ ...MESSAGE, ...more });

const MESSAGE_ROWS: readonly Row[] = [
  ["answer-body", MESSAGE, null],
  ["answer-well-formed", MESSAGE, message({ content: [{ ...TEXT, text: "\uD83D" }] })],
  ["answer-message", MESSAGE, message({ role: "model" })],
  ["answer-message", MESSAGE, message({ id: undefined, content: "hi" })],
  [
    "answer-blocks",
    message({ content: [TEXT, USE], stop_reason: "tool_use" }),
    message({ content: [{ ...USE, input: "{}" }], stop_reason: "tool_use" }),
  ],
  [
    "answer-blocks",
    message({ content: [{ type: "thinking", thinking: "", signature: "s" }, TEXT] }),
    message({ content: [{ type: "thinking", thinking: "" }, TEXT] }),
  ],
  [
    "answer-citations",
    message({ content: [{ ...TEXT, citations: [] }] }),
    message({ content: [{ ...TEXT, citations: null }] }),
  ],
  ["answer-stop", message({ stop_reason: "max_tokens" }), message({ stop_reason: "length" })],
  ["answer-stop", message({ content: [USE], stop_reason: "tool_use" }), message({ content: [USE] })],
  ["answer-stop", message({ stop_reason: "stop_sequence", stop_sequence: "END" }), message({ stop_reason: "tool_use" })],
  ["answer-usage", message({ usage: { ...USAGE, cache_read_input_tokens: null } }), message({ usage: { input_tokens: 1 } })],
  [
    "answer-usage",
    message({
      usage: {
        ...USAGE,
        cache_creation_input_tokens: 3,
        cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 0 },
      },
    }),
    message({
      usage: {
        ...USAGE,
        cache_creation_input_tokens: 3,
        cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 0 },
      },
    }),
  ],
];

const start = {
  type: "message_start",
  message: message({ content: [], stop_reason: null, usage: { input_tokens: 1, output_tokens: 1 } }),
};
const block = (index: number, content_block: unknown, delta: unknown) => [
  { type: "content_block_start", index, content_block },
  { type: "content_block_delta", index, delta },
  { type: "content_block_stop", index },
];
const begunText = { type: "text", text: "" };
const textDelta = { type: "text_delta", text: "hi" };
const end = [
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 2 } },
  { type: "message_stop" },
];
const stream = (...blocks: unknown[]) => [start, { type: "ping" }, ...blocks, ...end];
const TEXT_STREAM = stream(...block(0, begunText, textDelta));

const MESSAGE_EVENT_ROWS: readonly Row[] = [
  ["event-order", TEXT_STREAM, TEXT_STREAM.slice(0, -1)],
  ["event-order", TEXT_STREAM, [...TEXT_STREAM.slice(0, 4), ...end]],
  [
    "event-index",
    stream(...block(0, begunText, textDelta), ...block(1, begunText, textDelta)),
    stream(...block(1, begunText, textDelta)),
  ],
  ["event-start", TEXT_STREAM, stream(...block(0, { ...begunText, citations: null }, textDelta))],
  ["event-delta", TEXT_STREAM, stream(...block(0, begunText, { type: "input_json_delta", partial_json: "{}" }))],
  ["event-usage", TEXT_STREAM, [...TEXT_STREAM.slice(0, -2), { ...end[0], usage: {} }, end[1]]],
];

const CHAT_USAGE = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
const CALL = { id: "call_1", type: "function", function: { name: "read", arguments: "{}" } };
const SAID = { role: "assistant", content: "hi", refusal: null };
const choice = (said: object, finish_reason = "stop") => ({
  index: 0,
  message: { ...SAID, ...said },
  logprobs: null,
  finish_reason,
});
const completion = (choices: unknown, more: object = {}) => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices,
  usage: CHAT_USAGE,
  ...more,
});
const COMPLETION = completion([choice({})]);

const CHAT_ROWS: readonly Row[] = [
  ["answer-body", COMPLETION, []],
  ["answer-well-formed", COMPLETION, completion([choice({ content: "\uD83D" })])],
  ["answer-completion", COMPLETION, completion([])],
  ["answer-completion", COMPLETION, completion([choice({})], { object: "text_completion" })],
  [
    "answer-choice",
    completion([choice({ tool_calls: [CALL] }, "tool_calls")]),
    completion([choice({ tool_calls: [CALL] }, "stop")]),
  ],
  ["answer-choice", completion([choice({}, "length")]), completion([choice({}, "end_turn")])],
  ["answer-content", completion([choice({ content: null })]), completion([choice({ content: undefined })])],
  ["answer-calls", completion([choice({ tool_calls: [CALL] }, "tool_calls")]), completion([choice({ tool_calls: [] })])],
  [
    "answer-calls",
    COMPLETION,
    completion([choice({ tool_calls: [{ ...CALL, function: { name: "read", arguments: {} } }] }, "tool_calls")]),
  ],
  ["answer-usage", COMPLETION, completion([choice({})], { usage: { ...CHAT_USAGE, total_tokens: 4 } })],
];

const chunk = (choices: unknown, more: object = {}) => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices,
  usage: null,
  ...more,
});
const piece = (delta: object, finish_reason: string | null = null) => chunk([{ index: 0, delta, finish_reason }]);
const CHUNKS = [piece({ role: "assistant", content: "hi" }), piece({}, "stop"), chunk([], { usage: CHAT_USAGE })];
const begunCall = { index: 0, id: "call_1", type: "function", function: { name: "read", arguments: "" } };
const restOfCall = { index: 0, function: { arguments: "{}" } };

const CHUNK_ROWS: readonly Row[] = [
  ["chunk-head", CHUNKS, [...CHUNKS, chunk([], { id: "d" })]],
  ["chunk-delta", CHUNKS, [piece({ content: 7 }), ...CHUNKS]],
  [
    "chunk-calls",
    [piece({ tool_calls: [begunCall] }), piece({ tool_calls: [restOfCall] }), ...CHUNKS],
    [piece({ tool_calls: [restOfCall] }), ...CHUNKS],
  ],
  ["chunk-end", CHUNKS, CHUNKS.slice(0, 1)],
  ["chunk-end", CHUNKS, [...CHUNKS.slice(0, 1), { ...piece({}, "stop"), usage: CHAT_USAGE }]],
];

const REPLY = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "hi", annotations: [] }],
};
const REASONING = { type: "reasoning", id: "rs_1", summary: [] };
const RESPONSE_USAGE = {
  input_tokens: 1,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 2,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 3,
};
const RESPONSE = {
  id: "resp_1",
  object: "response",
  created_at: 1,
  model: "m",
  status: "completed",
  error: null,
  incomplete_details: null,
  output: [REASONING, REPLY],
  usage: RESPONSE_USAGE,
};
const response = (more: object) => ({ ...RESPONSE, ...more });

const RESPONSE_ROWS: readonly Row[] = [
  ["answer-body", RESPONSE, 7],
  ["answer-well-formed", RESPONSE, response({ model: "\uDC00" })],
  ["answer-response", RESPONSE, response({ object: "chat.completion" })],
  ["answer-response", RESPONSE, response({ error: undefined })],
  ["answer-items", RESPONSE, response({ output: [{ ...REASONING, summary: null }] })],
  ["answer-items", RESPONSE, response({ output: [{ ...REPLY, content: [{ type: "output_text", text: "hi" }] }] })],
  [
    "answer-stop",
    response({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }),
    response({ status: "incomplete" }),
  ],
  ["answer-usage", RESPONSE, response({ usage: { ...RESPONSE_USAGE, output_tokens_details: undefined } })],
];

const numbered = (events: readonly object[]) => events.map((event, sequence_number) => ({ ...event, sequence_number }));
const created = { type: "response.created", response: response({ output: [], status: "in_progress" }) };
const added = { type: "response.output_item.added", output_index: 0, item: { ...REPLY, content: [] } };
const part = {
  type: "response.content_part.added",
  item_id: "msg_1",
  output_index: 0,
  content_index: 0,
  part: { type: "output_text", text: "", annotations: [] },
};
const place = { item_id: "msg_1", output_index: 0, content_index: 0 };
const delta = { type: "response.output_text.delta", ...place, delta: "hi" };
const told = { type: "response.output_text.done", ...place, text: "hi" };
const ended = { ...part, type: "response.content_part.done", part: { type: "output_text", text: "hi", annotations: [] } };
const done = { type: "response.output_item.done", output_index: 0, item: REPLY };
const completed = { type: "response.completed", response: RESPONSE };
const RESPONSE_STREAM = numbered([created, added, part, delta, told, ended, done, completed]);

const RESPONSE_EVENT_ROWS: readonly Row[] = [
  ["event-order", RESPONSE_STREAM, numbered([added, part, delta, told, ended, done, completed])],
  ["event-order", RESPONSE_STREAM, numbered([created, added, part, delta, told, ended, done])],
  ["event-number", RESPONSE_STREAM, [created, added, part, delta, told, ended, done, completed]],
  ["event-item", RESPONSE_STREAM, numbered([created, part, delta, told, ended, completed])],
  ["event-part", RESPONSE_STREAM, numbered([created, added, delta, told, done, completed])],
  ["event-text", RESPONSE_STREAM, numbered([created, added, part, delta, ended, done, completed])],
  ["event-text", RESPONSE_STREAM, numbered([created, added, part, delta, delta, told, ended, done, completed])],
  ["event-done", RESPONSE_STREAM, numbered([created, added, part, delta, told, ended, completed])],
  ["event-done", RESPONSE_STREAM, numbered([created, added, part, delta, told, done, completed])],
];

const listed =
  (validate: (list: readonly unknown[]) => readonly VendorViolation[]): Validate =>
  (list) =>
    validate(Array.isArray(list) ? list : []);

const TABLES: readonly {
  table: string;
  validate: Validate;
  rules: readonly { id: string; source: string }[];
  rows: readonly Row[];
}[] = [
  { table: "Messages, whole", validate: validateMessagesResponse, rules: MESSAGES_ANSWER_RULES, rows: MESSAGE_ROWS },
  {
    table: "Messages, streamed",
    validate: listed(validateMessagesEvents),
    rules: MESSAGES_EVENT_RULES,
    rows: MESSAGE_EVENT_ROWS,
  },
  { table: "Chat, whole", validate: validateChatResponse, rules: CHAT_ANSWER_RULES, rows: CHAT_ROWS },
  { table: "Chat, streamed", validate: listed(validateChatChunks), rules: CHAT_CHUNK_RULES, rows: CHUNK_ROWS },
  { table: "Responses, whole", validate: validateResponsesResponse, rules: RESPONSES_ANSWER_RULES, rows: RESPONSE_ROWS },
  {
    table: "Responses, streamed",
    validate: listed(validateResponsesEvents),
    rules: RESPONSES_EVENT_RULES,
    rows: RESPONSE_EVENT_ROWS,
  },
];

test.each(
  TABLES.flatMap(({ rows, ...table }) => rows.map(([rule, accepted, refused]) => ({ ...table, rule, accepted, refused }))),
)("$table, $rule: an answer as documented is taken, one that breaks it is refused", ({ validate, rule, accepted, refused }) => {
  expect(validate(accepted)).toEqual([]);
  expect(validate(refused).map((violation) => violation.rule)).toContain(rule);
});

test.each(TABLES)("$table: every rule has a row and a source", ({ rules, rows }) => {
  expect(new Set(rows.map(([rule]) => rule))).toEqual(new Set(rules.map(({ id }) => id)));
  expect(rules.filter(({ source }) => source === "")).toEqual([]);
});

test("a streamed message is judged as the whole that it comes to", () => {
  const events = stream(
    ...block(
      0,
      { type: "tool_use", id: "toolu_1", name: "read", input: {} },
      { type: "input_json_delta", partial_json: '{"path":"a"}' },
    ),
  );
  expect(validateMessagesEvents(events).map(({ rule }) => rule)).toEqual(["answer-stop"]);
});
