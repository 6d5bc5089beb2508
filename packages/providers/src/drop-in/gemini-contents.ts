import type { Content, FunctionResponse, Part } from "@google/genai";
import type { AssistantMessage, ImagePart, Message, TextPart, ToolResultMessage, Usage } from "@plimsoll/core";
import { usageOf } from "@plimsoll/core";
import { canonicalJson, type MessageDraft } from "@plimsoll/core/extend";
import { argumentsObject, callPart, type Fields, jsonValueOf, numberAt, stringAt } from "../fields.ts";
import { imagePlaceholder, textIn } from "../wire/images.ts";
import { byPiece, changedTurn, partsNow } from "./array-items.ts";
import { pieceParts } from "./media-parts.ts";
import { type BeforeItems, replyDraft, resultDraft, textParts, userDraft } from "./wire-array.ts";

/** The beginning of ids that are made here: on this wire calls and answers need none, and are joined by their order. */
const MADE_ID = "plimsoll_call_";

/** True for a content that holds answers to calls. */
export function hasAnswers({ parts = [] }: Content): boolean {
  return parts.some(({ functionResponse }) => functionResponse !== undefined);
}

/** Of a user's content the answers first, then the person's words with them; of a model's content one reply. */
export function contentDrafts({ role, parts = [] }: Content, before: BeforeItems): readonly MessageDraft[] {
  if (role === "model") return [replyDraft(repliesOf(parts, before).flat())];
  const answers = parts.flatMap(({ functionResponse }) => (functionResponse === undefined ? [] : [functionResponse]));
  const results = answers.map((answer, index) => {
    const callId = answer.id ?? madeCallId(answers, index, before);
    return resultDraft(
      { callId, toolName: answer.name ?? before.toolNameOf(callId), isError: answer.response?.error !== undefined },
      answerParts(answer),
    );
  });
  const said = parts.filter(({ functionResponse }) => functionResponse === undefined).flatMap(pieceParts);
  return said.length === 0 && results.length > 0 ? results : [...results, userDraft(said)];
}

/** The call that an answer without an id is of: the first of the same name that no answer before it has taken, else the one in its place. */
function madeCallId(answers: readonly FunctionResponse[], index: number, { calls, messageId }: BeforeItems): string {
  const name = answers[index]?.name;
  const sameName = answers.slice(0, index).filter((answer) => answer.name === name).length;
  const call = calls.filter(({ toolName }) => toolName === name)[sameName] ?? calls[index];
  return call?.callId ?? `${MADE_ID}${messageId ?? ""}_answer_${index}`;
}

/** The parts of a reply, each by itself. Text of thoughts is reasoning; an unknown part is kept with the reply, and counted by its JSON. */
function repliesOf(
  parts: readonly Part[],
  { messageId }: Pick<BeforeItems, "messageId">,
): readonly AssistantMessage["parts"][] {
  return parts.map((part, index) => {
    const { functionCall, text, thought, thoughtSignature } = part;
    if (functionCall !== undefined) {
      const names = { callId: functionCall.id ?? `${MADE_ID}${messageId ?? ""}_${index}`, toolName: functionCall.name ?? "" };
      return [callPart(names, JSON.stringify(functionCall.args ?? {}))];
    }
    if (text === undefined || thought === true)
      return [
        {
          type: "reasoning",
          text: text ?? "",
          opaque: text === undefined ? jsonValueOf(part) : (thoughtSignature ?? null),
        } as const,
      ];
    return textParts(text);
  });
}

/** The one key under which a function says its one text; `null` for an answer of any other form. */
function answerKey({ response = {} }: FunctionResponse): string | null {
  const [key, ...others] = Object.keys(response);
  return key !== undefined && others.length === 0 && stringAt(response, key) !== null ? key : null;
}

function answerParts(answer: FunctionResponse): ToolResultMessage["parts"] {
  const key = answerKey(answer);
  const text = key === null ? JSON.stringify(answer.response ?? {}) : (stringAt(answer.response, key) ?? "");
  return [...textParts(text), ...(answer.parts ?? []).flatMap(pieceParts)];
}

/** A message that compaction made or changed, as a content. Thoughts are not sent again. */
export function contentOf(message: Message): Content {
  if (message.role === "user") return { role: "user", parts: message.parts.map(writtenPart) };
  if (message.role === "assistant") return { role: "model", parts: message.parts.flatMap(writtenReply) };
  const { callId, toolName: name, isError: hasFailed } = message;
  const response = { [hasFailed ? "error" : "output"]: textIn(message.parts) };
  return { role: "user", parts: [{ functionResponse: { ...idOf(callId), name, response } }] };
}

function idOf(callId: string): { id?: string } {
  return callId.startsWith(MADE_ID) ? {} : { id: callId };
}

function writtenPart(part: TextPart | ImagePart): Part {
  if (part.type === "text") return { text: part.text };
  const { source, mediaType: mimeType } = part;
  if (source.kind === "base64") return { inlineData: { mimeType, data: source.data } };
  return source.kind === "url" ? { fileData: { mimeType, fileUri: source.url } } : { text: imagePlaceholder(part) };
}

function writtenReply(part: AssistantMessage["parts"][number]): Part[] {
  if (part.type === "text") return [{ text: part.text }];
  if (part.type === "reasoning") return [];
  return [{ functionCall: { ...idOf(part.callId), name: part.toolName, args: { ...argumentsObject(part.argumentsJson) } } }];
}

/** The content of changed messages: each part unchanged if its text is the same, else with less in it; `null` if parts are gone. */
export function changedContent({ parts = [], ...content }: Content, viewed: readonly Message[]): Content | null {
  const [first] = viewed;
  if (first?.role === "assistant") {
    const kept = changedReply(parts, first);
    return kept === null ? null : { ...content, parts: kept };
  }
  const changed = changedTurn<Part>(parts, viewed, {
    partsOf: pieceParts,
    made: (text) => ({ text }),
    isResult: ({ functionResponse }) => functionResponse !== undefined,
    changedResult: changedAnswer,
  });
  return { ...content, parts: changed };
}

function changedAnswer(part: Part, viewed: ToolResultMessage): Part {
  const { functionResponse: answer = {} } = part;
  if (canonicalJson(viewed.parts) === canonicalJson(answerParts(answer))) return part;
  const { parts: media = [], ...rest } = answer;
  // The parts behind the text are the media; each removed one has a text there.
  const now = viewed.parts.slice(answerParts(rest).length);
  const kept = media.filter((_, index) => now[index]?.type === "image");
  const text = textIn(kept.length > 0 ? viewed.parts.filter(({ type }) => type === "text") : viewed.parts);
  const response = { [answerKey(answer) ?? "output"]: text };
  return { ...part, functionResponse: { ...rest, response, ...(kept.length > 0 ? { parts: kept } : {}) } };
}

/**
 * A reply with less in it. Calls stay with their thought signatures, since Gemini 3 refuses a call of the current turn whose signature is not there:
 * ai.google.dev/gemini-api/docs/thought-signatures, read in November 2026. `null` if calls are gone.
 */
function changedReply(parts: readonly Part[], viewed: AssistantMessage): Part[] | null {
  const own = repliesOf(parts, { messageId: null });
  const now = partsNow(own.flat(), viewed.parts);
  const pieces = now === null ? null : byPiece(own, now);
  if (pieces === null) return null;
  return parts.flatMap((part, index): Part[] => {
    const [piece] = pieces[index] ?? [];
    const { functionCall } = part;
    if (piece === null) return [];
    if (piece?.type === "text") return piece.text === part.text ? [part] : [{ ...part, text: piece.text }];
    if (piece?.type !== "tool-call" || functionCall === undefined) return [part];
    const isSame = piece.argumentsJson === JSON.stringify(functionCall.args ?? {});
    return [isSame ? part : { ...part, functionCall: { ...functionCall, args: { ...argumentsObject(piece.argumentsJson) } } }];
  });
}

/** Replaces the signature of a call whose own was refused: a call without any is refused, too. ai.google.dev/gemini-api/docs/thought-signatures, read in November 2026. */
const NO_SIGNATURE = "skip_thought_signature_validator";

/** A reply without the signatures of its texts and calls; the very content if it has none. */
export function withoutSignatures(content: Content): Content {
  const { role, parts = [] } = content;
  if (role !== "model" || parts.every(({ thoughtSignature }) => thoughtSignature === undefined)) return content;
  const bare = parts.map(({ thoughtSignature, ...part }): Part => {
    if (thoughtSignature === undefined || part.functionCall === undefined) return part;
    return { ...part, thoughtSignature: NO_SIGNATURE };
  });
  return { ...content, parts: bare };
}

/** The `usageMetadata` of an answer: the prompt's count holds the cached part, thoughts are counted apart from the reply's text. */
export function geminiUsage(usage: Fields | null): Usage {
  const promptTokens = numberAt(usage, "promptTokenCount");
  const thoughtTokens = numberAt(usage, "thoughtsTokenCount");
  const saidTokens = numberAt(usage, "candidatesTokenCount");
  const outputTokens = saidTokens === null && thoughtTokens === null ? null : (saidTokens ?? 0) + (thoughtTokens ?? 0);
  return usageOf({
    totalInputTokens: promptTokens,
    // Left out if nothing was read from the cache.
    cacheReadTokens: promptTokens === null ? null : (numberAt(usage, "cachedContentTokenCount") ?? 0),
    outputTokens,
    reasoningTokens: thoughtTokens,
    // Tokens that tools of the server brought in are paid for, and are no part of the prompt that is sent again.
    billed: {
      inputTokens: promptTokens === null ? null : promptTokens + (numberAt(usage, "toolUsePromptTokenCount") ?? 0),
      outputTokens,
    },
    raw: jsonValueOf(usage),
  });
}
