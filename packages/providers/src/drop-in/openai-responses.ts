import type { Message } from "@plimsoll/core";
import type { MessageDraft } from "@plimsoll/core/internal";
import type OpenAI from "openai";
import type { SdkUse } from "../client/supported.ts";
import { refuseUnsupported } from "../client/supported.ts";
import { recordAt, stringAt } from "../fields.ts";
import { responsesUsage } from "../openai-responses/decode.ts";
import { responseItems } from "../openai-responses/encode.ts";
import type { ArrayCompactor } from "./array-compactor.ts";
import { createArrayCompactor } from "./array-compactor.ts";
import type { CompactorOptions } from "./compactor-options.ts";
import type { ResponseItem } from "./response-items.ts";
import {
  changedOutput,
  changedReply,
  clientParts,
  itemCallId,
  itemKind,
  modelParts,
  outputParts,
  textOf,
} from "./response-items.ts";
import type { WireArray } from "./wire-array.ts";
import { leading, replyDraft, resultDraft, userDraft } from "./wire-array.ts";

export type { ArrayCompactor } from "./array-compactor.ts";
export type { CompactorOptions } from "./compactor-options.ts";

/**
 * Compacts an array of Responses items that is resent whole at each call (`store: false`, without `previous_response_id`). Neighbouring items
 * of the model are one reply; leading system and developer messages stay as they are, later ones are the agent's own. Calls and outputs of every type are
 * pairs; an item of a type that nobody knows is counted by its JSON. What a `compaction` item of the server holds is not readable: an
 * array that would have to be cut there is refused.
 *
 * @throws PlimsollError `bad-input` if the SDK is installed in a version that is not supported, unless it is `unused`.
 */
export function createItemsCompactor(
  options: CompactorOptions,
  sdk: SdkUse = "used",
): ArrayCompactor<ResponseItem, OpenAI.Responses.Response> {
  refuseUnsupported("openai", sdk);
  return createArrayCompactor(RESPONSES_ARRAY, options);
}

const RESPONSES_ARRAY: WireArray<ResponseItem, OpenAI.Responses.Response> = {
  systemOf: (items) => leading(items, isSystem, textOf),
  isPiece: isModels,
  drafts: (items, { toolNameOf }) =>
    items.some(isModels) ? [replyDraft(items.flatMap(modelParts))] : items.map((item) => draftOf(item, toolNameOf)),
  encode: (messages) => responseItems({ system: "", tools: [], messages, dynamicContext: null }, new Map()),
  changed,
  joined: (items) => items,
  // The oldest SDK of the peer range has no type for it.
  isVendorState: (item) => stringAt(item, "type") === "compaction",
  observed: ({ id, model, usage }) => ({ requestId: id, modelId: model, usage: responsesUsage(recordAt({ usage }, "usage")) }),
};

function isSystem(item: ResponseItem): boolean {
  const role = stringAt(item, "role");
  return itemKind(item) === "said" && (role === "system" || role === "developer");
}

function isModels(item: ResponseItem): boolean {
  const kind = itemKind(item);
  return kind === "said" ? stringAt(item, "role") === "assistant" : kind !== "output" && kind !== "client";
}

function draftOf(item: ResponseItem, toolNameOf: (callId: string) => string): MessageDraft {
  const kind = itemKind(item);
  if (kind !== "output") return userDraft(clientParts(item), kind === "client" || isSystem(item) ? "injected" : "human");
  const callId = itemCallId(item) ?? "";
  return resultDraft({ callId, toolName: toolNameOf(callId) }, outputParts(item));
}

/** The items of a message that was changed; a person's is written anew. */
function changed(items: readonly ResponseItem[], [viewed]: readonly Message[]): readonly ResponseItem[] {
  if (viewed?.role === "assistant") return changedReply(items, viewed);
  return viewed?.role === "tool-result" ? items.map((item) => changedOutput(item, viewed)) : items;
}
