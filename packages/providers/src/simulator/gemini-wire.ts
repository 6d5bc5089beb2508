import type { JsonObject, JsonValue } from "@plimsoll/core/internal";
import { argumentsObject, jsonValueOf } from "../fields.ts";
import { readGemini } from "./gemini-request.ts";
import type { SimulatedPart } from "./reply.ts";
import type { Answer, Counts, SimulatedWire, WireError, WireEvent } from "./wire.ts";
import { halves } from "./wire.ts";

/** Gemini's wire: ai.google.dev/api/generate-content and /tokens. */
export const GEMINI_WIRE: SimulatedWire = {
  name: "gemini",
  keyOf: (headers) => {
    const key = headers["x-goog-api-key"];
    const bearer = headers.authorization;
    if (typeof key === "string") return key;
    return typeof bearer === "string" ? bearer.replace(/^Bearer /, "") : null;
  },
  keyError: (key) =>
    key === null
      ? wireError(403, "Method doesn't allow unregistered callers (callers without established identity).")
      : wireError(400, "API key not valid. Please pass a valid API key."),
  headerError: () => null,
  bodyError: () => wireError(400, "Invalid JSON payload received. Unexpected token."),
  read: readGemini,
  countBody: (totalTokens) => ({ totalTokens }),
  overflow: ({ promptTokens, windowTokens }) =>
    wireError(400, `The input token count (${promptTokens}) exceeds the maximum number of tokens allowed (${windowTokens}).`),
  faultError: (status) => wireError(status, FAULT_MESSAGES[status] ?? "An internal error has occurred."),
  errorBody,
  errorEvent: (error) => ({ name: null, data: errorBody(error) }),
  whole: (answer) => chunkOf(answer, answer.reply.parts.map(partOf), "last"),
  events: eventsOf,
};

const FAULT_MESSAGES: Readonly<Record<number, string>> = {
  413: "Request payload size exceeds the limit.",
  429: "Resource has been exhausted (e.g. check quota).",
  503: "The model is overloaded. Please try again later.",
  529: "The model is overloaded. Please try again later.",
};

/** Names of statuses: cloud.google.com/apis/design/errors. */
const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
  529: "UNAVAILABLE",
};

function wireError(status: number, message: string): WireError {
  return { status, type: STATUS_NAMES[status] ?? "INTERNAL", message, code: null, param: null };
}

function errorBody({ status, message }: WireError): JsonObject {
  return { error: { code: status, message, status: STATUS_NAMES[status] ?? "INTERNAL" } };
}

function partOf(part: SimulatedPart): JsonObject {
  switch (part.type) {
    case "text":
      return { text: part.text };
    case "reasoning":
      return { text: part.text, thought: true };
    case "tool-call":
      return { functionCall: { name: part.toolName, args: jsonValueOf(argumentsObject(part.argumentsJson)) } };
    default:
      return part satisfies never;
  }
}

function chunkOf(answer: Answer, parts: readonly JsonValue[], place: "first" | "last"): JsonObject {
  const { serial, modelId, counts } = answer;
  const candidate = { content: { role: "model", parts }, index: 0 };
  return {
    candidates: [place === "last" ? { ...candidate, finishReason: finishReasonOf(answer) } : candidate],
    ...(counts === null || place === "first" ? {} : { usageMetadata: usageOf(counts) }),
    modelVersion: modelId,
    responseId: `simulated-${serial}`,
  };
}

/** Text comes in pieces, a call whole; the last event tells why it ends and what it used. */
function eventsOf(answer: Answer): readonly WireEvent[] {
  const pieces = answer.reply.parts.flatMap((part) =>
    part.type === "tool-call" ? [partOf(part)] : halves(part.text).map((text) => partOf({ ...part, text })),
  );
  const last = pieces.at(-1);
  return [
    ...pieces.slice(0, -1).map((piece) => chunkOf(answer, [piece], "first")),
    chunkOf(answer, last === undefined ? [] : [last], "last"),
  ].map((data) => ({ name: null, data }));
}

function finishReasonOf({ reply }: Answer): string {
  if (reply.stop === "length" || reply.stop === "window-full") return "MAX_TOKENS";
  return reply.stop === "refusal" ? "SAFETY" : "STOP";
}

function usageOf({ promptTokens, readTokens, outputTokens, reasoningTokens }: Counts): JsonObject {
  return {
    promptTokenCount: promptTokens,
    cachedContentTokenCount: readTokens,
    candidatesTokenCount: outputTokens - reasoningTokens,
    thoughtsTokenCount: reasoningTokens,
    totalTokenCount: promptTokens + outputTokens,
  };
}
