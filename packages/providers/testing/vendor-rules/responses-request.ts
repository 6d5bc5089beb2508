import { field, fieldText, isGiven, itemsOf, type JsonNode, rootOf } from "./json-node.ts";

/** An item of the input, its type filled in: a message may leave it out. */
export interface InputItem {
  readonly type: string;
  readonly id: string;
  readonly node: JsonNode;
}

/** A Responses request as the vendor reads it. */
export interface ResponsesRequest {
  readonly body: JsonNode;
  readonly input: JsonNode;
  readonly items: readonly InputItem[];
  readonly tools: readonly JsonNode[];
  /** Whether the vendor has items of this conversation that the body does not show. */
  readonly goesOn: boolean;
  /** By the id of an item, the id of the reasoning item that the vendor gave before it. */
  readonly reasonedBy: ReadonlyMap<string, string>;
}

/** Reads a body, with what the vendor knows of the items that it gave. */
export function readResponsesRequest(body: unknown, reasonedBy: ReadonlyMap<string, string>): ResponsesRequest {
  const root = rootOf(body);
  const input = field(root, "input");
  const goesOn = ["previous_response_id", "conversation", "prompt"].some((name) => isGiven(field(root, name)));
  return { body: root, input, items: itemsOf(input).map(readItem), tools: itemsOf(field(root, "tools")), goesOn, reasonedBy };
}

/** By the id of each item that a response gave, the id of the reasoning item directly before it. */
export function reasonedItems(response: unknown): ReadonlyMap<string, string> {
  const pairs: [string, string][] = [];
  let reasoning = "";
  for (const node of itemsOf(field(rootOf(response), "output"))) {
    const id = fieldText(node, "id");
    const isReasoning = fieldText(node, "type") === "reasoning";
    if (!isReasoning && id !== "" && reasoning !== "") pairs.push([id, reasoning]);
    reasoning = isReasoning ? id : "";
  }
  return new Map(pairs);
}

function readItem(node: JsonNode): InputItem {
  const type = fieldText(node, "type");
  const isMessage = type === "" && fieldText(node, "role") !== "";
  return { type: isMessage ? "message" : type, id: fieldText(node, "id"), node };
}
