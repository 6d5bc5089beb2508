import type { WireName } from "@plimsoll/simulator/extend";
import { type Fields, recordsAt } from "../src/fields.ts";
import type { Answered } from "./refused-session.ts";

/** One entry of a history that a program keeps. */
export type KeptTurn =
  | { readonly kind: "said"; readonly text: string; readonly documentUrl: string | null }
  | { readonly kind: "answered"; readonly id: string; readonly answered: Answered }
  | { readonly kind: "results"; readonly results: readonly { readonly callId: string; readonly text: string }[] };

/** A wire as a program speaks it to a proxy, and as the server behind answers. */
export interface RefusedWire {
  readonly name: WireName;
  readonly itemsOf: (turn: KeptTurn) => readonly Fields[];
  /** Returns the part of a body that the server counts. */
  readonly countedIn: (body: Fields) => unknown;
  /** Texts of the newest item: the question. */
  readonly newestIn: (body: Fields) => string;
  readonly wholeOf: (answered: Answered, id: string) => Fields;
  readonly eventsOf: (answered: Answered, id: string) => readonly Fields[];
}

/** The id of a call of an answer. */
export const callIdOf = (id: string, at: number): string => `${id}-${at}`;

const input = (at: number) => ({ at });

const CHAT: RefusedWire = {
  name: "openai-chat",
  itemsOf: chatMessages,
  countedIn: ({ messages }) => messages,
  newestIn: (body) => JSON.stringify(recordsAt(body, "messages").at(-1)),
  wholeOf: (answered, id) => ({
    ...{ id, model: "m", object: "chat.completion", created: 0 },
    choices: [{ index: 0, finish_reason: answered.finish, message: chatReply(answered, id) }],
    ...chatUsage(answered),
  }),
  eventsOf: (answered, id) => {
    const chunk = { id, model: "m", object: "chat.completion.chunk", created: 0 };
    const delta = chatReply(answered, id);
    const calls = recordsAt(delta, "tool_calls").map((call, index) => ({ index, ...call }));
    return [
      { ...chunk, choices: [{ index: 0, finish_reason: null, delta: { role: "assistant", content: delta.content } }] },
      ...(calls.length === 0 ? [] : [{ ...chunk, choices: [{ index: 0, finish_reason: null, delta: { tool_calls: calls } }] }]),
      { ...chunk, choices: [{ index: 0, finish_reason: answered.finish, delta: {} }] },
      { ...chunk, choices: [], ...chatUsage(answered) },
    ];
  },
};

function chatMessages(turn: KeptTurn): readonly Fields[] {
  switch (turn.kind) {
    case "said": {
      const { text, documentUrl } = turn;
      if (documentUrl === null) return [{ role: "user", content: text }];
      const file = { type: "file", file: { file_id: documentUrl } };
      return [{ role: "user", content: [{ type: "text", text }, file] }];
    }
    case "answered":
      return [chatReply(turn.answered, turn.id)];
    case "results":
      return turn.results.map(({ callId, text }) => ({ role: "tool", tool_call_id: callId, content: text }));
    default:
      return turn satisfies never;
  }
}

function chatReply({ text, results }: Answered, id: string): Fields {
  const calls = results.map((_, at) => ({
    ...{ id: callIdOf(id, at), type: "function" },
    function: { name: "look", arguments: JSON.stringify(input(at)) },
  }));
  return { role: "assistant", content: text, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

function chatUsage({ promptTokens, outputTokens }: Answered): Fields {
  if (promptTokens === null) return {};
  const total = promptTokens + outputTokens;
  return { usage: { prompt_tokens: promptTokens, completion_tokens: outputTokens, total_tokens: total } };
}

const MESSAGES: RefusedWire = {
  name: "anthropic",
  itemsOf: (turn) => [messageOf(turn)],
  countedIn: ({ system, messages }) => [system, messages],
  newestIn: (body) => JSON.stringify(recordsAt(body, "messages").at(-1)),
  wholeOf: (answered, id) => ({
    ...messageStart(id),
    content: blocksOf(answered, id),
    stop_reason: stopOf(answered),
    ...(answered.promptTokens === null
      ? {}
      : { usage: { input_tokens: answered.promptTokens, output_tokens: answered.outputTokens } }),
  }),
  eventsOf: (answered, id) => [
    {
      type: "message_start",
      message: {
        ...messageStart(id),
        ...(answered.promptTokens === null ? {} : { usage: { input_tokens: answered.promptTokens, output_tokens: 1 } }),
      },
    },
    ...blocksOf(answered, id).flatMap((block, index) => [
      {
        type: "content_block_start",
        index,
        content_block: block.type === "text" ? { ...block, text: "" } : { ...block, input: {} },
      },
      {
        type: "content_block_delta",
        index,
        delta:
          block.type === "text"
            ? { type: "text_delta", text: block.text }
            : { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
      },
      { type: "content_block_stop", index },
    ]),
    {
      ...{ type: "message_delta", delta: { stop_reason: stopOf(answered), stop_sequence: null } },
      ...(answered.promptTokens === null ? {} : { usage: { output_tokens: answered.outputTokens } }),
    },
    { type: "message_stop" },
  ],
};

const messageStart = (id: string): Fields => ({ id, type: "message", role: "assistant", model: "m", content: [] });

function stopOf({ finish }: Answered): string {
  return finish === "length" ? "max_tokens" : finish === "tool_calls" ? "tool_use" : "end_turn";
}

function blocksOf({ text, results }: Answered, id: string): readonly Fields[] {
  const calls = results.map((_, at) => ({ type: "tool_use", id: callIdOf(id, at), name: "look", input: input(at) }));
  return [...(text === "" ? [] : [{ type: "text", text }]), ...calls];
}

function messageOf(turn: KeptTurn): Fields {
  switch (turn.kind) {
    case "said": {
      const { text, documentUrl } = turn;
      if (documentUrl === null) return { role: "user", content: text };
      const document = { type: "document", source: { type: "url", url: documentUrl } };
      return { role: "user", content: [{ type: "text", text }, document] };
    }
    case "answered":
      return { role: "assistant", content: blocksOf(turn.answered, turn.id) };
    case "results": {
      const content = turn.results.map(({ callId, text }) => ({ type: "tool_result", tool_use_id: callId, content: text }));
      return { role: "user", content };
    }
    default:
      return turn satisfies never;
  }
}

const RESPONSES: RefusedWire = {
  name: "openai-responses",
  itemsOf: inputItems,
  countedIn: ({ instructions, input: items }) => [instructions, items],
  newestIn: (body) => JSON.stringify(recordsAt(body, "input").at(-1)),
  wholeOf: responseOf,
  eventsOf: (answered, id) => {
    const { finish } = answered;
    const type = finish === "length" ? "response.incomplete" : "response.completed";
    return [
      { type: "response.created", response: { id, object: "response", model: "m", status: "in_progress", output: [] } },
      ...outputOf(answered, id).map((item, index) => ({ type: "response.output_item.done", output_index: index, item })),
      { type, response: responseOf(answered, id) },
    ];
  },
};

function responseOf(answered: Answered, id: string): Fields {
  const { finish, promptTokens, outputTokens } = answered;
  const isCut = finish === "length";
  return {
    ...{ id, object: "response", model: "m", status: isCut ? "incomplete" : "completed", output: outputOf(answered, id) },
    incomplete_details: isCut ? { reason: "max_output_tokens" } : null,
    ...(promptTokens === null
      ? {}
      : { usage: { input_tokens: promptTokens, output_tokens: outputTokens, total_tokens: promptTokens + outputTokens } }),
  };
}

function outputOf({ text, results }: Answered, id: string): readonly Fields[] {
  const content = [{ type: "output_text", text, annotations: [] }];
  const said = { id: `msg_${id}`, type: "message", role: "assistant", status: "completed", content };
  const calls = results.map((_, at) => ({
    ...{ id: `fc_${callIdOf(id, at)}`, type: "function_call", status: "completed", call_id: callIdOf(id, at) },
    ...{ name: "look", arguments: JSON.stringify(input(at)) },
  }));
  return [...(text === "" ? [] : [said]), ...calls];
}

function inputItems(turn: KeptTurn): readonly Fields[] {
  switch (turn.kind) {
    case "said": {
      const { text, documentUrl } = turn;
      const file = documentUrl === null ? [] : [{ type: "input_file", file_url: documentUrl }];
      return [{ type: "message", role: "user", content: [{ type: "input_text", text }, ...file] }];
    }
    case "answered":
      return outputOf(turn.answered, turn.id);
    case "results":
      return turn.results.map(({ callId, text }) => ({ type: "function_call_output", call_id: callId, output: text }));
    default:
      return turn satisfies never;
  }
}

/** The wires that generated sessions are played on through a proxy. */
export const REFUSED_WIRES: readonly [RefusedWire, ...RefusedWire[]] = [CHAT, MESSAGES, RESPONSES];
