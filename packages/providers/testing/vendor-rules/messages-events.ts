import { field, fieldsOf, fieldText, itemsOf, type JsonFields, type JsonNode, rootOf, textOf } from "./json-node.ts";
import { at, type Finding, type VendorRule } from "./vendor-rule.ts";

/** Events of a stream, and the message that an SDK puts together from them. */
export interface MessagesStream {
  readonly events: readonly JsonNode[];
  readonly message: unknown;
}

/** Which delta goes into which block, and into which of its fields. */
const DELTAS: Readonly<Record<string, { readonly block: string; readonly text: string }>> = {
  text_delta: { block: "text", text: "text" },
  thinking_delta: { block: "thinking", text: "thinking" },
  signature_delta: { block: "thinking", text: "signature" },
  input_json_delta: { block: "tool_use", text: "partial_json" },
};

/** Order and shape of the events of the Messages API's streams. */
export const MESSAGES_EVENT_RULES: readonly VendorRule<MessagesStream>[] = [
  {
    id: "event-order",
    source:
      "https://platform.claude.com/docs/en/build-with-claude/streaming (message_start, blocks, message_delta, message_stop)",
    *check({ events }) {
      const types = events.map((event) => fieldText(event, "type")).filter((type) => type !== "ping");
      const shape = types.join(" ").replace(/content_block_start(?: content_block_delta)* content_block_stop ?/g, "");
      if (shape !== "message_start message_delta message_stop")
        yield { at: "$", message: `message_start, blocks, message_delta, message_stop, but there are: ${shape}` };
    },
  },
  {
    id: "event-index",
    source: "https://platform.claude.com/docs/en/build-with-claude/streaming (index: the block's place in the final content)",
    *check({ events }) {
      let next = 0;
      for (const event of events) {
        const type = fieldText(event, "type");
        const index = field(event, "index");
        if (!type.startsWith("content_block_")) continue;
        if (type === "content_block_start") next += 1;
        if (index.value !== next - 1) yield at(index, `index: ${next - 1}`);
      }
    },
  },
  {
    id: "event-start",
    source: "@ai-sdk/anthropic 3.0.138, anthropicMessagesChunkSchema: content_block_start",
    *check({ events }) {
      for (const event of events) {
        const block = field(event, "content_block");
        if (fieldText(event, "type") === "content_block_start") yield* startFaults(block);
      }
    },
  },
  {
    id: "event-delta",
    source: "@ai-sdk/anthropic 3.0.138, anthropicMessagesChunkSchema: content_block_delta",
    *check({ events }) {
      let open = "";
      for (const event of events) {
        if (fieldText(event, "type") === "content_block_start") open = fieldText(field(event, "content_block"), "type");
        if (fieldText(event, "type") !== "content_block_delta") continue;
        const delta = field(event, "delta");
        const known = DELTAS[fieldText(delta, "type")];
        if (known === undefined || known.block !== open)
          yield at(delta, `${fieldText(delta, "type")} in a block of type ${open}`);
        else if (textOf(field(delta, known.text)) === null) yield at(field(delta, known.text), `${known.text}: a string`);
      }
    },
  },
  {
    id: "event-usage",
    source: "@anthropic-ai/sdk 1.12.0, MessageDeltaUsage: output_tokens is needed",
    *check({ events }) {
      for (const event of events) {
        const count = field(field(event, "usage"), "output_tokens");
        if (fieldText(event, "type") === "message_delta" && typeof count.value !== "number")
          yield at(count, "output_tokens: a count");
      }
    },
  },
];

/** Reads events as an SDK does: what `message_start` begins is filled by the others. */
export function readMessagesStream(events: readonly unknown[]): MessagesStream {
  const nodes = itemsOf(rootOf(events));
  const start = nodes.find((event) => fieldText(event, "type") === "message_start");
  const end = nodes.find((event) => fieldText(event, "type") === "message_delta");
  const begun = start === undefined ? {} : fieldsOf(field(start, "message"));
  const ended = end === undefined ? {} : fieldsOf(field(end, "delta"));
  const counted = end === undefined ? {} : fieldsOf(field(end, "usage"));
  const usage = { ...fieldsOf({ value: begun.usage, at: "" }), ...counted };
  return { events: nodes, message: { ...begun, ...ended, usage, content: blocksOf(nodes) } };
}

function blocksOf(events: readonly JsonNode[]): readonly JsonFields[] {
  const blocks: { fields: Record<string, unknown>; json: string }[] = [];
  for (const event of events) {
    if (fieldText(event, "type") === "content_block_start")
      blocks.push({ fields: { ...fieldsOf(field(event, "content_block")) }, json: "" });
    const last = blocks.at(-1);
    const delta = field(event, "delta");
    const name = DELTAS[fieldText(delta, "type")]?.text;
    if (last === undefined || name === undefined) continue;
    if (name === "partial_json") last.json += fieldText(delta, name);
    else last.fields[name] = `${textOf({ value: last.fields[name], at: "" }) ?? ""}${fieldText(delta, name)}`;
  }
  return blocks.map(({ fields, json }) => (json === "" ? fields : { ...fields, input: parsed(json) }));
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // A text that is no JSON is left as text, which the rule about inputs tells.
    return json;
  }
}

function* startFaults(block: JsonNode): Iterable<Finding> {
  const type = fieldText(block, "type");
  if (type === "text" && textOf(field(block, "text")) === null) yield at(field(block, "text"), "text: a string");
  if (type === "thinking" && textOf(field(block, "thinking")) === null)
    yield at(field(block, "thinking"), "thinking: a string");
  if (type === "tool_use" && Object.keys(fieldsOf(field(block, "input"))).length > 0)
    yield at(field(block, "input"), "input: begins empty");
  if (type === "text" && "citations" in fieldsOf(block) && !Array.isArray(field(block, "citations").value))
    yield at(field(block, "citations"), "citations: expected array");
}
