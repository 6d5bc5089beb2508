import type { Usage } from "@plimsoll/core";
import { isRecord, type outcomeOfReply } from "@plimsoll/core/extend";
import { type Fields, numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import type { DecodedReply } from "./wire.ts";

/** Signs of a reply that was cut off. */
export type EndedReply = Parameters<typeof outcomeOfReply>[0];

/** A decoded reply's signs of being cut off. */
export function endedReplyOf({ saidChars, stopReason, usage, isWindowFull }: DecodedReply): EndedReply {
  return { stopReason, isWindowFull, saidChars, ...sizesOf(usage) };
}

/** Characters of an answer's texts, on any wire; `null` if it holds anything else beside reasoning: an unknown item, block, part or field is an answer. */
export function saidCharsIn(answer: Fields): number | null {
  return saidIn(answer).reduce<number | null>(
    (sum, text) => (sum === null || text === null ? null : sum + text.trim().length),
    0,
  );
}

const LENGTH_REASONS: readonly string[] = ["length", "max_tokens", "MAX_TOKENS", "max_output_tokens"];
const END_REASONS: readonly string[] = ["stop", "end_turn", "STOP", "completed"];
const REASON_FIELDS = ["stop_reason", "finishReason", "finish_reason", "native_finish_reason", "unified", "raw"] as const;
const WINDOW_REASON = "model_context_window_exceeded";

/** The same of an answer as it came, on any of the wires and in the forms of their libraries; `null` for one of an unknown form. */
export function endedReplyIn(answer: unknown, usage: Usage | null): EndedReply | null {
  if (!isRecord(answer)) return null;
  const [choice, candidate] = [recordsAt(answer, "choices")[0], recordsAt(answer, "candidates")[0]];
  // LangChain keeps the vendor's own fields at the side, AI SDK the common reason and the vendor's.
  const places = [answer, choice, candidate, recordAt(answer, "response_metadata"), recordAt(answer, "finishReason")];
  const reasons = places.flatMap((place) => {
    const incomplete = place?.status === "incomplete" ? stringAt(recordAt(place, "incomplete_details"), "reason") : null;
    return [
      ...REASON_FIELDS.flatMap((key) => stringAt(place, key) ?? []),
      ...(incomplete === null ? [] : [incomplete]),
      ...(place?.object === "response" && place.status === "completed" ? ["completed"] : []),
    ];
  });
  if (reasons.length === 0) return null;
  const isLength = reasons.some((reason) => LENGTH_REASONS.includes(reason));
  const isWindowFull = reasons.includes(WINDOW_REASON);
  // A reply that ended by a call needs no more checks.
  if (!isLength && !reasons.every((reason) => END_REASONS.includes(reason)))
    return { stopReason: "other", isWindowFull, saidChars: null, promptTokens: null, outputTokens: null };
  return {
    stopReason: isLength ? "length" : "end",
    isWindowFull,
    saidChars: saidCharsIn(answer),
    ...(usage === null ? sizesIn(answer) : sizesOf(usage)),
  };
}

/** Its texts, and `null` for any other content or call. Reasoning says nothing. */
function saidIn(answer: Fields): readonly (string | null)[] {
  const [choice, candidate] = [recordsAt(answer, "choices")[0], recordsAt(answer, "candidates")[0]];
  const message = recordAt(choice, "message");
  const blocks = [
    ...recordsAt(answer, "content"),
    ...recordsAt(message, "content"),
    ...recordsAt(recordAt(candidate, "content"), "parts"),
    ...recordsAt(answer, "output").flatMap((item) => (item.type === "message" ? recordsAt(item, "content") : [item])),
    ...recordsAt(message, "tool_calls"),
    ...recordsAt(answer, "tool_calls"),
    ...recordsAt(answer, "invalid_tool_calls"),
    ...[message, recordAt(answer, "additional_kwargs")].filter(saysMore).map(() => ({})),
  ];
  const said = ["content", "refusal"].map((key) => stringAt(message, key));
  const texts = [...said, stringAt(answer, "content"), stringAt(answer, "text")];
  return [...blocks.filter(isSaying).map((block) => stringAt(block, "text")), ...texts.map((text) => text ?? "")];
}

function isSaying({ type, thought }: Fields): boolean {
  return thought !== true && !REASONING.test(typeof type === "string" ? type : "");
}

const REASONING = /thinking|reasoning|thought|signature/i;

/** Fields of a message that are read elsewhere, or that name it. */
const READ_FIELDS: readonly string[] = ["role", "content", "refusal", "tool_calls", "name", "id", "type", "object"];

/** True for a message, or a piece of one in a stream, with something in an unknown field. Reasoning says nothing. */
export function saysMore(message: Fields | null): boolean {
  return Object.entries(message ?? {}).some(([key, value]) => !READ_FIELDS.includes(key) && isHeld(key, value));
}

function isHeld(key: string, value: unknown): boolean {
  if (REASONING.test(key) || key === "type") return false;
  if (Array.isArray(value)) return value.some((each) => isHeld("", each));
  if (isRecord(value)) return isSaying(value) && Object.entries(value).some(([name, each]) => isHeld(name, each));
  return typeof value === "string" && value.trim() !== "";
}

type Sizes = Pick<EndedReply, "promptTokens" | "outputTokens">;

function sizesIn(answer: Fields): Sizes {
  const usage = recordAt(answer, "usage") ?? recordAt(answer, "usageMetadata");
  const sum = (...names: readonly string[]) =>
    names.reduce<number | null>((total, name) => {
      const tokens = numberAt(usage, name);
      return tokens === null ? total : (total ?? 0) + tokens;
    }, null);
  return {
    promptTokens: sum(
      ...["prompt_tokens", "promptTokenCount", "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"],
    ),
    outputTokens: sum("completion_tokens", "output_tokens", "candidatesTokenCount", "thoughtsTokenCount"),
  };
}

function sizesOf(usage: Usage | null): Sizes {
  return { promptTokens: usage?.input.totalTokens ?? null, outputTokens: usage?.output.totalTokens ?? null };
}
