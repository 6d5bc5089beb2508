import { field, fieldText, itemsOf, type JsonNode, rootOf } from "./json-node.ts";

/** An item of the input, its type filled in: a message may leave it out. */
export interface InputItem {
  readonly type: string;
  readonly id: string;
  readonly node: JsonNode;
}

/** A Responses request as the vendor reads it. */
export interface ResponsesRequest {
  readonly items: readonly InputItem[];
}

/** Reads a body. */
export function readResponsesRequest(body: unknown): ResponsesRequest {
  return { items: itemsOf(field(rootOf(body), "input")).map(readItem) };
}

function readItem(node: JsonNode): InputItem {
  const type = fieldText(node, "type");
  const isMessage = type === "" && fieldText(node, "role") !== "";
  return { type: isMessage ? "message" : type, id: fieldText(node, "id"), node };
}
