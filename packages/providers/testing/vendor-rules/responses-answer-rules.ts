import { field, fieldText, isFields, isSet, itemsOf, type JsonNode, textOf } from "./json-node.ts";
import { at, bodyIsObject, type Finding, isWholeFrom, loneSurrogates, type VendorRule } from "./vendor-rule.ts";

const STATUSES: readonly string[] = ["completed", "failed", "in_progress", "cancelled", "queued", "incomplete"];

/** Rules by which the vendor's SDK and the AI SDK take a response. */
export const RESPONSES_ANSWER_RULES: readonly VendorRule<JsonNode>[] = [
  { id: "answer-body", source: "openai 6.49.0, Response", check: bodyIsObject },
  { id: "answer-well-formed", source: "RFC 8259, section 8.2", check: loneSurrogates },
  {
    id: "answer-response",
    source: "openai 6.49.0, Response: id, object, created_at, model, output, error, incomplete_details, status",
    *check(body) {
      for (const name of ["id", "model"]) if (fieldText(body, name) === "") yield at(field(body, name), `${name}: a string`);
      if (fieldText(body, "object") !== "response") yield at(field(body, "object"), "object: 'response'");
      if (!isWholeFrom(field(body, "created_at").value, 0)) yield at(field(body, "created_at"), "created_at: seconds");
      if (!Array.isArray(field(body, "output").value)) yield at(field(body, "output"), "output: a list of items");
      if (!STATUSES.includes(fieldText(body, "status"))) yield at(field(body, "status"), "status: unknown");
      for (const name of ["error", "incomplete_details"])
        if (!isSet(field(body, name))) yield at(field(body, name), `${name}: null or an object`);
    },
  },
  {
    id: "answer-items",
    source:
      "@ai-sdk/openai 3.0.141, openaiResponsesResponseSchema: message, reasoning, function_call; openai 6.49.0, ResponseCustomToolCall",
    *check(body) {
      for (const item of itemsOf(field(body, "output"))) yield* itemFaults(item);
    },
  },
  {
    id: "answer-stop",
    source: "openai 6.49.0, Response.IncompleteDetails: an incomplete response says why",
    *check(body) {
      const details = field(body, "incomplete_details");
      if ((fieldText(body, "status") === "incomplete") !== isFields(details.value))
        yield at(details, "incomplete_details goes with its status");
    },
  },
  {
    id: "answer-usage",
    source: "openai 6.49.0, ResponseUsage",
    *check(body) {
      const usage = field(body, "usage");
      const counts = ["input_tokens", "output_tokens", "total_tokens"].map((name) => field(usage, name));
      for (const count of counts) if (!isWholeFrom(count.value, 0)) yield at(count, "a count");
      for (const [details, name] of [
        ["input_tokens_details", "cached_tokens"],
        ["output_tokens_details", "reasoning_tokens"],
      ] as const)
        if (!isWholeFrom(field(field(usage, details), name).value, 0)) yield at(field(field(usage, details), name), "a count");
      const [input, output, total] = counts.map(({ value }) => Number(value));
      if (input !== undefined && output !== undefined && input + output !== total)
        yield at(usage, "the counts add up to total_tokens");
    },
  },
];

/** The event that has to have begun the place to which a delta goes. */
const BEGUN_BY: Readonly<Record<string, string>> = {
  "response.output_text.delta": "response.content_part.added",
  "response.refusal.delta": "response.content_part.added",
  "response.reasoning_summary_text.delta": "response.reasoning_summary_part.added",
};

/** Where the text of deltas is told whole: the event that ends it, and its field. */
const TOLD_BY: Readonly<Record<string, { readonly event: string; readonly field: string }>> = {
  "response.output_text.delta": { event: "response.output_text.done", field: "text" },
  "response.refusal.delta": { event: "response.refusal.done", field: "refusal" },
  "response.reasoning_summary_text.delta": { event: "response.reasoning_summary_text.done", field: "text" },
  "response.function_call_arguments.delta": { event: "response.function_call_arguments.done", field: "arguments" },
  "response.custom_tool_call_input.delta": { event: "response.custom_tool_call_input.done", field: "input" },
};

/** The place in a response that an event is about. */
function placeOf(event: JsonNode): string {
  return ["output_index", "content_index", "summary_index"].map((name) => String(field(event, name).value)).join("/");
}

/** Order of a streamed response's events; the subject is the list of them. */
export const RESPONSES_EVENT_RULES: readonly VendorRule<JsonNode>[] = [
  {
    id: "event-order",
    source:
      "https://platform.openai.com/docs/api-reference/responses-streaming (response.created first; completed, incomplete or failed last)",
    *check(list) {
      const events = itemsOf(list);
      const [first, last] = [events[0], events.at(-1)];
      if (first === undefined || fieldText(first, "type") !== "response.created")
        yield at(list, "response.created comes first");
      if (last === undefined || !/^response\.(?:completed|incomplete|failed)$/.test(fieldText(last, "type")))
        yield at(list, "a stream ends with its response");
    },
  },
  {
    id: "event-number",
    source: "openai 6.49.0, ResponseStreamEvent.sequence_number: from 0, without gaps",
    *check(list) {
      for (const [index, event] of itemsOf(list).entries())
        if (field(event, "sequence_number").value !== index)
          yield at(field(event, "sequence_number"), `sequence_number: ${index}`);
    },
  },
  {
    id: "event-item",
    source: "openai 6.49.0, ResponseAccumulator: missing output at index",
    *check(list) {
      let count = 0;
      for (const event of itemsOf(list)) {
        const index = field(event, "output_index");
        if (fieldText(event, "type") === "response.output_item.added") count += 1;
        if (isSet(index) && !(typeof index.value === "number" && index.value < count))
          yield at(index, "missing output at index");
      }
    },
  },
  {
    id: "event-part",
    source: "openai 6.49.0, ResponseAccumulator: missing content at index",
    *check(list) {
      const begun = new Set<string>();
      for (const event of itemsOf(list)) {
        const type = fieldText(event, "type");
        begun.add(`${type} ${placeOf(event)}`);
        const needed = BEGUN_BY[type];
        if (needed !== undefined && !begun.has(`${needed} ${placeOf(event)}`)) yield at(event, `${type} before ${needed}`);
      }
    },
  },
  {
    id: "event-text",
    source:
      "https://platform.openai.com/docs/api-reference/responses-streaming (the done event of a text or of arguments has what its deltas came to)",
    *check(list) {
      const growing = new Map<string, string>();
      for (const event of itemsOf(list)) {
        const type = fieldText(event, "type");
        const ended = TOLD_BY[type]?.event;
        const key = `${ended ?? type} ${placeOf(event)}`;
        if (ended !== undefined) growing.set(key, (growing.get(key) ?? "") + fieldText(event, "delta"));
        const told = Object.values(TOLD_BY).find((each) => each.event === type);
        if (told === undefined) continue;
        if (fieldText(event, told.field) !== (growing.get(key) ?? "")) yield at(event, `${type} differs from its deltas`);
        growing.delete(key);
      }
      for (const key of growing.keys()) yield at(list, `${key} is missing`);
    },
  },
  {
    id: "event-done",
    source:
      "https://platform.openai.com/docs/api-reference/responses-streaming (each item and each part that is added is done, in that order)",
    *check(list) {
      const placesOf = (type: string): readonly string[] =>
        itemsOf(list).flatMap((event) =>
          fieldText(event, "type") === type ? [`${placeOf(event)} ${fieldText(field(event, "item"), "id")}`] : [],
        );
      for (const name of ["output_item", "content_part", "reasoning_summary_part"])
        if (placesOf(`response.${name}.added`).join(" ") !== placesOf(`response.${name}.done`).join(" "))
          yield at(list, `each ${name} is added and done`);
    },
  },
];

/** The response that a stream ends with; `undefined` if it has none. */
export function endedResponse(list: JsonNode): unknown {
  const last = itemsOf(list).at(-1);
  return last === undefined ? undefined : field(last, "response").value;
}

function* itemFaults(item: JsonNode): Iterable<Finding> {
  const type = fieldText(item, "type");
  const needed: Readonly<Record<string, readonly string[]>> = {
    message: ["id", "role", "status"],
    reasoning: ["id"],
    function_call: ["id", "call_id", "name", "arguments"],
    custom_tool_call: ["id", "call_id", "name", "input"],
  };
  if (needed[type] === undefined) yield at(item, `no agent asked for an item of type '${type}'`);
  for (const name of needed[type] ?? [])
    if (textOf(field(item, name)) === null) yield at(field(item, name), `${name}: a string`);
  if (type === "reasoning" && !Array.isArray(field(item, "summary").value)) yield at(field(item, "summary"), "summary: a list");
  for (const part of type === "message" ? itemsOf(field(item, "content")) : []) {
    const kind = fieldText(part, "type");
    if (kind !== "output_text" && kind !== "refusal") yield at(part, `a part of type '${kind}'`);
    if (kind === "output_text" && textOf(field(part, "text")) === null) yield at(field(part, "text"), "text: a string");
    if (kind === "output_text" && !Array.isArray(field(part, "annotations").value))
      yield at(field(part, "annotations"), "annotations: a list");
  }
}
