import { type AssistantMessage, type Message, type ToolResultMessage, type UserMessage, usageOf } from "@plimsoll/core";
import { canonicalJson, type MessageDraft } from "@plimsoll/core/extend";
import { argumentsObject, callPart, type Fields, jsonValueOf, numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import { byPiece, partsNow, type ReplyPart } from "./array-items.ts";
import { mediaParts } from "./media-parts.ts";
import { joinedItems, type OpenCodeMessage, writtenContent, writtenItems, writtenText } from "./opencode-written.ts";
import type { ObservedAnswer, WireArray } from "./wire-array.ts";
import { changedPieces, keptError, replyDraft, resultDraft, textParts, userDraft, WHOLE_ITEMS } from "./wire-array.ts";

/**
 * Reads and writes OpenCode's messages: OpenCode 1.18, `MessageV2`. A reply holds its calls with their results; one that continues after results is as many messages as
 * it has steps.
 */
export const OPENCODE_MESSAGES: WireArray<OpenCodeMessage, OpenCodeMessage> = {
  ...WHOLE_ITEMS,
  // System text is not among the messages.
  declares: () => null,
  drafts: (items) => items.flatMap(draftsOf),
  encode: writtenItems,
  changed: (items, viewed) => items.map((item) => changedItem(item, viewed)),
  turns: {
    roleOf: ({ info }) => (info.role === "assistant" ? info.role : "user"),
    endOf: ({ info, parts }) =>
      info.role !== "assistant"
        ? "user"
        : parts.findLast(({ type }) => type === "text" || type === "tool")?.type === "tool"
          ? "tool"
          : info.role,
    said: writtenText,
    join: joinedItems,
    userAfterTool: "reject",
  },
  left: ([item], isThere) => {
    const drafts = item?.info.role === "user" ? userDrafts(item) : [];
    if (item === undefined || drafts.length < 2) return null;
    return [{ ...item, parts: item.parts.filter((part) => isThere[isPut(part) ? 1 : 0] === true) }];
  },
  refusal: ({ info }) => {
    const error = recordAt(recordAt(info, "error"), "data");
    const words = stringAt(error, "message");
    return words === null ? null : keptError(words, numberAt(error, "statusCode"));
  },
  observed: measuredIn,
  measured: measuredIn,
};

function draftsOf(item: OpenCodeMessage): readonly MessageDraft[] {
  if (item.info.role !== "assistant") return [...userDrafts(item)];
  return isLeftOut(item) ? [] : stepsOf(item.parts).flatMap(stepDrafts);
}

/** Reads a person's message, then the parts that OpenCode added: files that it read, reminders. */
function userDrafts({ parts }: OpenCodeMessage): readonly MessageDraft[] {
  const said = parts.filter((part) => !isPut(part)).flatMap(saidParts);
  const put = parts.filter(isPut).flatMap(saidParts);
  return [...(said.length > 0 ? [userDraft(said)] : []), ...(put.length > 0 ? [userDraft(put, "injected")] : [])];
}

/** The parts that OpenCode sends of a user's message: text files and folders are in texts of their own. */
function saidParts(part: Fields): UserMessage["parts"] {
  if (part.ignored === true) return [];
  if (part.type === "text") return textParts(stringAt(part, "text") ?? "");
  if (part.type === "file" && !["text/plain", "application/x-directory"].includes(stringAt(part, "mime") ?? ""))
    return mediaParts(part);
  if (part.type === "subtask") return textParts(stringAt(part, "prompt") ?? "");
  return part.type === "compaction" ? [{ type: "text", text: COMPACTION_TEXT }] : [];
}

/** The question that OpenCode sends in the place of a compaction of its own. */
const COMPACTION_TEXT = "What did we do so far?";

/** Replies that failed are not sent, but for those that the person stopped after they had said something. */
function isLeftOut({ info, parts }: OpenCodeMessage): boolean {
  const error = recordAt(info, "error");
  if (error === null) return false;
  return error.name !== "MessageAbortedError" || !parts.some(({ type }) => type !== "step-start" && type !== "reasoning");
}

function stepsOf(parts: readonly Fields[]): readonly (readonly Fields[])[] {
  const steps: Fields[][] = [];
  for (const part of parts) {
    const step = steps.at(-1);
    if (step === undefined || part.type === "step-start") steps.push([part]);
    else step.push(part);
  }
  return steps;
}

function stepDrafts(step: readonly Fields[]): readonly MessageDraft[] {
  const parts = step.flatMap(replyParts);
  return parts.length === 0 ? [] : [replyDraft(parts), ...step.filter(isTool).map(resultOf)];
}

function isTool(part: Fields): boolean {
  return part.type === "tool";
}

function replyParts(part: Fields): AssistantMessage["parts"] {
  if (part.type === "text") return textParts(stringAt(part, "text") ?? "");
  if (part.type === "reasoning") {
    const opaque = part.metadata === undefined ? null : jsonValueOf(part.metadata);
    return [{ type: "reasoning", text: stringAt(part, "text") ?? "", opaque }];
  }
  if (!isTool(part)) return [];
  const names = { callId: stringAt(part, "callID") ?? "", toolName: stringAt(part, "tool") ?? "" };
  const argumentsJson = JSON.stringify(recordAt(part, "state")?.input ?? {});
  return [callPart(names, argumentsJson)];
}

function resultOf(part: Fields) {
  const state = recordAt(part, "state");
  const names = { callId: stringAt(part, "callID") ?? "", toolName: stringAt(part, "tool") ?? "" };
  return resultDraft({ ...names, isError: state?.status === "error" }, resultParts(state));
}

/** A result as OpenCode sends it: one that it has cleared by itself says so. */
function resultParts(state: Fields | null): ToolResultMessage["parts"] {
  if (state?.status === "error") return textParts(stringAt(state, "error") ?? "");
  if (state?.status !== "completed") return textParts("[Tool execution was interrupted]");
  if (recordAt(state, "time")?.compacted !== undefined) return textParts("[Old tool result content cleared]");
  return [...textParts(stringAt(state, "output") ?? ""), ...recordsAt(state, "attachments").flatMap(mediaParts)];
}

/** The item with less in it: ids, models and untouched parts stay. */
function changedItem(item: OpenCodeMessage, viewed: readonly Message[]): OpenCodeMessage {
  if (item.info.role !== "assistant") return changedUser(item, viewed);
  const steps = stepsOf(item.parts);
  const now = byPiece(steps.map(stepDrafts), viewed);
  const parts = steps.flatMap((step, index) => {
    const [reply, ...results] = now[index] ?? [];
    return reply?.role === "assistant" ? changedStep(step, reply, results) : step;
  });
  return { ...item, parts };
}

/** Keeps each part of a user's message that was not changed as it came, also of those that OpenCode put to it. */
function changedUser(item: OpenCodeMessage, viewed: readonly Message[]): OpenCodeMessage {
  const own = [item.parts.filter((part) => !isPut(part)), item.parts.filter(isPut)].filter((parts) =>
    parts.some((part) => saidParts(part).length > 0),
  );
  const now = new Map(
    own.flatMap((parts, at) => {
      const message = viewed[at];
      const pieces = message?.role === "user" ? changedPieces(parts, message.parts, SAID) : parts;
      return parts.map((part, index) => [part, pieces[index] ?? part] as const);
    }),
  );
  return { ...item, parts: item.parts.map((part) => now.get(part) ?? part) };
}

const isPut = ({ synthetic }: Fields) => synthetic === true;

const SAID = {
  partsOf: saidParts,
  made: (text: string, { id, sessionID, messageID, ...part }: Fields): Fields => ({
    ...{ id, sessionID, messageID, type: "text", text },
    ...(isPut(part) ? { synthetic: true } : {}),
  }),
};

function changedStep(step: readonly Fields[], reply: AssistantMessage, results: readonly Message[]): readonly Fields[] {
  const own = step.map(replyParts);
  const isSame = canonicalJson(own.flat()) === canonicalJson(reply.parts);
  const tools = step.filter(isTool).map((part, index) => withResult(part, { reply, result: results[index] }));
  const changed = tools.values();
  if (isSame) return step.map((part) => (isTool(part) ? (changed.next().value ?? part) : part));
  const now = partsNow(own.flat(), reply.parts);
  if (now?.includes(null) === true)
    return withoutLeft(step, now).map((part) => (isTool(part) ? (changed.next().value ?? part) : part));
  return [...step.filter(({ type }) => type === "step-start"), ...writtenContent(reply), ...tools];
}

function withoutLeft(step: readonly Fields[], now: readonly (ReplyPart | null)[]): readonly Fields[] {
  const pieces = byPiece(step.map(replyParts), now);
  return step.flatMap((part, index): readonly Fields[] => {
    const [viewed] = pieces[index] ?? [];
    if (viewed === null) return [];
    return [viewed?.type === "text" && part.type === "text" ? { ...part, text: viewed.text } : part];
  });
}

function withResult(part: Fields, viewed: { readonly reply: AssistantMessage; readonly result: Message | undefined }): Fields {
  const state = recordAt(part, "state");
  const { reply, result } = viewed;
  const call = reply.parts.find((each) => each.type === "tool-call" && each.callId === part.callID);
  if (state === null || result === undefined || call?.type !== "tool-call") return part;
  const isSameCall = call.argumentsJson === JSON.stringify(state.input ?? {});
  const input = isSameCall ? state.input : argumentsObject(call.argumentsJson);
  if (canonicalJson(resultParts(state)) === canonicalJson(result.parts))
    return isSameCall ? part : { ...part, state: { ...state, input } };
  const text = result.parts.map((each) => (each.type === "text" ? each.text : "")).join("");
  if (state.status === "error") return { ...part, state: { ...state, input, error: text } };
  const { compacted: _, ...time } = recordAt(state, "time") ?? {};
  // The parts behind the text are the attachments; each removed one has a text there.
  const media = result.parts.slice(textParts(stringAt(state, "output") ?? "").length);
  const attachments = recordsAt(state, "attachments").filter((_, index) => media[index]?.type === "image");
  return { ...part, state: { ...state, status: "completed", input, output: text, time, attachments } };
}

/** Reads the reported size of a reply's request; `null` for a reply that failed (which reports zeros), and for a summary, whose request was another one. */
function measuredIn({ info }: OpenCodeMessage): ObservedAnswer | null {
  const tokens = recordAt(info, "tokens");
  const cache = recordAt(tokens, "cache");
  const known = [numberAt(tokens, "input"), numberAt(cache, "read"), numberAt(cache, "write")] as const;
  const total = known.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  if (info.role !== "assistant" || info.summary === true || total === 0) return null;
  const [uncachedTokens, cacheReadTokens, cacheWriteTokens] = known;
  return {
    requestId: stringAt(info, "id") ?? "",
    modelId: stringAt(info, "modelID") ?? "",
    usage: usageOf({
      uncachedTokens,
      cacheReadTokens,
      cacheWriteTokens,
      outputTokens: numberAt(tokens, "output"),
      reasoningTokens: numberAt(tokens, "reasoning"),
      raw: jsonValueOf(tokens),
    }),
  };
}
