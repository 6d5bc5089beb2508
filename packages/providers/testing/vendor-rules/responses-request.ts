import { field, fieldText, itemsOf, type JsonNode, rootOf } from "./json-node.ts";

/** An item of the input, its type filled in: a message may leave it out. */
export interface InputItem {
  readonly type: string;
  readonly id: string;
  readonly node: JsonNode;
}

/** A Responses request as the vendor reads it. */
export interface ResponsesRequest {
  readonly body: JsonNode;
  readonly items: readonly InputItem[];
  readonly tools: readonly JsonNode[];
}

/** Reads a body. */
export function readResponsesRequest(body: unknown): ResponsesRequest {
  const root = rootOf(body);
  return { body: root, items: itemsOf(field(root, "input")).map(readItem), tools: itemsOf(field(root, "tools")) };
}

function readItem(node: JsonNode): InputItem {
  const type = fieldText(node, "type");
  const isMessage = type === "" && fieldText(node, "role") !== "";
  return { type: isMessage ? "message" : type, id: fieldText(node, "id"), node };
}
