import type { Content, GenerateContentResponse } from "@google/genai";
import { refuseUnsupported, type SdkUse } from "../client/supported.ts";
import { recordAt } from "../fields.ts";
import { type ArrayCompactor, createArrayCompactor } from "./array-compactor.ts";
import { leftPieces } from "./array-items.ts";
import { changedContent, contentDrafts, contentOf, geminiUsage, hasAnswers, withoutSignatures } from "./gemini-contents.ts";
import { pieceParts } from "./media-parts.ts";
import type { CompactorOptions } from "./request.ts";
import { declaredByRole, isAgentsRole, WHOLE_ITEMS, type WireArray } from "./wire-array.ts";

/**
 * Compacts Gemini's `contents` that you resend whole at each call. The system instruction and the tools, which are not in them, count as overhead. A shortened part keeps
 * its thought signature and its id.
 *
 * @throws PlimsollError `bad-input` if the SDK is installed in an unsupported version, unless it is `unused`.
 */
export function createContentsCompactor(
  options: CompactorOptions,
  sdk: SdkUse = "used",
): ArrayCompactor<Content, GenerateContentResponse> {
  refuseUnsupported("@google/genai", sdk);
  return createArrayCompactor(CONTENTS, options);
}

/** How a list of contents is read and written: ai.google.dev/api/caching#Content, read in November 2026. */
const CONTENTS: WireArray<Content, GenerateContentResponse> = {
  ...WHOLE_ITEMS,
  declares: (item) => declaredByRole(item, ({ parts = [] }) => parts.flatMap(pieceParts)),
  drafts: (items, before) => items.flatMap((item) => contentDrafts(item, before)),
  encode: (messages) => messages.map(contentOf),
  changed: (items, viewed) => items.flatMap((item) => changedContent(item, viewed) ?? viewed.map(contentOf)),
  left: ([item], isThere) =>
    item === undefined || item.role === "model"
      ? null
      : [
          {
            ...item,
            parts: [...leftPieces(item.parts ?? [], isThere, ({ functionResponse }) => functionResponse !== undefined)],
          },
        ],
  turns: {
    roleOf: ({ role }) => (role === "model" ? "assistant" : isAgentsRole(role) ? "system" : "user"),
    said: (role, text) => ({ role: role === "assistant" ? "model" : role, parts: [{ text }] }),
    join: joinedContents,
    userAfterTool: "accept",
  },
  joined,
  withoutLink: withoutSignatures,
  observed: ({ responseId, modelVersion, usageMetadata }) => ({
    requestId: responseId ?? "",
    modelId: modelVersion ?? "",
    usage: geminiUsage(recordAt({ usageMetadata }, "usageMetadata")),
  }),
};

function joined(items: readonly Content[]): readonly Content[] {
  const list: Content[] = [];
  for (const item of items) {
    const last = list.at(-1);
    if (last !== undefined && hasAnswers(last) && hasAnswers(item)) list.splice(-1, 1, joinedContents(last, item));
    else list.push(item);
  }
  return list.length === items.length ? items : list;
}

function joinedContents(first: Content, second: Content): Content {
  return { ...first, ...second, parts: [...(first.parts ?? []), ...(second.parts ?? [])] };
}
