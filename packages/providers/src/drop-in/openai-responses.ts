import type { Message } from "@plimsoll/core";
import type { MessageDraft } from "@plimsoll/core/extend";
import type OpenAI from "openai";
import { refuseUnsupported, type SdkUse } from "../client/supported.ts";
import { recordAt, stringAt, withoutKeys } from "../fields.ts";
import { openAiUsage } from "../openai-chat/decode.ts";
import { decodeCompacted } from "../openai-responses/decode.ts";
import { responseItems } from "../openai-responses/encode.ts";
import type { TurnRules } from "../wire/turns.ts";
import { type ArrayCompactor, createArrayCompactor } from "./array-compactor.ts";
import { changedReply } from "./array-items.ts";
import { jsonParts } from "./media-parts.ts";
import type { CompactorOptions } from "./request.ts";
import type { ResponseItem } from "./response-items.ts";
import {
  changedOutput,
  changedSaid,
  isModels,
  itemCallId,
  itemKind,
  joinedMessages,
  modelParts,
  outputParts,
  saidParts,
  withoutOwnId,
} from "./response-items.ts";
import { declaredBy, replyDraft, resultDraft, userDraft, type WireArray } from "./wire-array.ts";

/**
 * Compacts an array of Responses items that you resend whole at each call (`store: false`, without `previous_response_id`). Neighbouring items of the model are one
 * reply; the agent's declarations (system and developer messages, tools, any item of those roles) stay unchanged, at any place. Calls and outputs of every type are
 * pairs; an item of an unknown type is counted by its JSON. It can't read a server's `compaction` item, so it refuses an array that it would have to cut there.
 *
 * @throws PlimsollError `bad-input` if the SDK is installed in an unsupported version, unless it is `unused`.
 */
export function createItemsCompactor(
  options: CompactorOptions,
  sdk: SdkUse = "used",
): ArrayCompactor<ResponseItem, OpenAI.Responses.Response> {
  refuseUnsupported("openai", sdk);
  return createArrayCompactor(RESPONSES_ARRAY, options);
}

/** Items of this wire in turn. Answers of a client are as results are. */
const RESPONSES_TURNS: TurnRules<ResponseItem> = {
  roleOf: (item) => {
    const kind = itemKind(item);
    if (kind === "declared") return "system";
    if (isModels(item)) return "assistant";
    return kind === "said" ? "user" : "tool";
  },
  said: (role, text) => ({ type: "message", role, content: text }),
  join: joinedMessages,
  userAfterTool: "reject",
  isSummary: (item) => stringAt(item, "type") === "compaction",
};

const RESPONSES_ARRAY: WireArray<ResponseItem, OpenAI.Responses.Response> = {
  tellsFailures: false,
  assumedModelId: "gpt-5",
  declares: (item) => (itemKind(item) === "declared" ? declaredBy(item, saidParts) : null),
  isPiece: isModels,
  drafts: (items, { toolNameOf }) =>
    items.some(isModels) ? [replyDraft(items.flatMap(modelParts))] : items.map((item) => draftOf(item, toolNameOf)),
  encode: (messages) => responseItems({ system: "", tools: [], messages, dynamicContext: null }),
  changed,
  turns: RESPONSES_TURNS,
  summary: decodeCompacted,
  joined: withoutDoubledIds,
  withoutLink: withoutOwnId,
  // The oldest SDK of the peer range has no type for it.
  isVendorState: (item) => stringAt(item, "type") === "compaction",
  observed: ({ id, model, usage }) => ({ requestId: id, modelId: model, usage: openAiUsage(recordAt({ usage }, "usage")) }),
};

/** The items, each id once: the vendor's compacted window has a person's messages too, and the newest is sent behind it. */
function withoutDoubledIds(items: readonly ResponseItem[]): readonly ResponseItem[] {
  const seen = new Set<string>();
  return items.map((item) => {
    const id = stringAt(item, "id");
    const isDoubled = id !== null && seen.has(id);
    if (id !== null) seen.add(id);
    return isDoubled ? withoutOwnId(item) : item;
  });
}

function draftOf(item: ResponseItem, toolNameOf: (callId: string) => string): MessageDraft {
  const kind = itemKind(item);
  if (kind === "said") return userDraft(saidParts(item));
  if (kind !== "output")
    return userDraft(jsonParts(withoutKeys(item, ["type", "id"])), kind === "client" ? "injected" : "human");
  const callId = itemCallId(item) ?? "";
  return resultDraft({ callId, toolName: toolNameOf(callId) }, outputParts(item));
}

function changed(items: readonly ResponseItem[], [viewed]: readonly Message[]): readonly ResponseItem[] | null {
  if (viewed?.role === "assistant") return changedReply(items, viewed, REPLIES);
  if (viewed?.role === "user") return items.map((item) => changedSaid(item, viewed));
  return viewed === undefined ? null : items.map((item) => changedOutput(item, viewed));
}

const REPLIES: Parameters<typeof changedReply<ResponseItem>>[2] = {
  partsOf: modelParts,
  // A text that was changed is a message of its own.
  said: (content, item) => (itemKind(item) === "said" ? { type: "message", role: "assistant", content } : null),
  withoutLink: withoutOwnId,
};
