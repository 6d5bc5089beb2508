import { type Fields, listAt, numberAt, parseRecord, recordAt, recordsAt, stringAt } from "./fields.ts";
import type { SimulatedPart } from "./reply.ts";
import type { Answer, Counts, Segment, SimulatedPrompt, SimulatedWire, WireError, WireEvent, WireLimits } from "./wire.ts";
import { halves, invalid, isStreamed, keyIn, segmentOf, textAt } from "./wire.ts";

/** Gemini's wire: ai.google.dev/api/generate-content and /tokens. */
export const GEMINI_WIRE: SimulatedWire = {
  name: "gemini",
  keyOf: (headers) => keyIn(headers, "x-goog-api-key"),
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

function errorBody({ status, message }: WireError): Fields {
  return { error: { code: status, message, status: STATUS_NAMES[status] ?? "INTERNAL" } };
}

function partOf(part: SimulatedPart): Fields {
  switch (part.type) {
    case "text":
      return { text: part.text };
    case "reasoning":
      return { text: part.text, thought: true };
    case "tool-call":
      return { functionCall: { name: part.toolName, args: argumentsOf(part.argumentsJson) } };
    default:
      return part satisfies never;
  }
}

/** Characters of arguments that are no JSON object, as they are answered. Chosen. */
const MOST_UNPARSED_CHARS = 2_000;

/** A call's arguments as an object: empty text becomes an empty one, and any other text that is none goes under one key, cut. */
function argumentsOf(text: string): Fields {
  if (/^\s*(?:null|"")?\s*$/.test(text)) return {};
  return parseRecord(text) ?? { unparsed: text.slice(0, MOST_UNPARSED_CHARS).toWellFormed() };
}

function chunkOf(answer: Answer, parts: readonly Fields[], place: "first" | "last"): Fields {
  const { serial, modelId, counts } = answer;
  const candidate = { content: { role: "model", parts }, index: 0 };
  return {
    candidates: [place === "last" ? { ...candidate, finishReason: finishReasonOf(answer) } : candidate],
    ...(counts === null || place === "first" ? {} : { usageMetadata: usageOf(counts) }),
    modelVersion: modelId,
    responseId: `simulated-${serial}`,
  };
}

/** Text comes in pieces, a call whole; the last event has the stop reason and the usage. */
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

function usageOf({ promptTokens, readTokens, outputTokens, reasoningTokens }: Counts): Fields {
  return {
    promptTokenCount: promptTokens,
    cachedContentTokenCount: readTokens,
    candidatesTokenCount: outputTokens - reasoningTokens,
    thoughtsTokenCount: reasoningTokens,
    totalTokenCount: promptTokens + outputTokens,
  };
}

/**
 * Reads a request on Gemini's wire; throws the vendor's refusals. The address names the model and says whether the answer is streamed: the server
 * puts both into the body, as `model` and `stream`.
 */
function readGemini(body: unknown, limits: WireLimits): SimulatedPrompt {
  const modelId = stringAt(body, "model") ?? "";
  if (limits.models !== null && !limits.models.includes(modelId))
    throw invalid(`models/${modelId} is not found for API version v1beta, or is not supported for generateContent.`, {
      status: 404,
    });
  // A request to count may hold the whole request that it is about.
  const request = recordAt(body, "generateContentRequest") ?? body;
  const contents = recordsAt(request, "contents");
  if (contents.length === 0) throw invalid("* GenerateContentRequest.contents: contents is not specified\n");
  for (const [index, content] of contents.entries()) checkContent(content, index);
  checkTurns(contents);
  const config = recordAt(request, "generationConfig");
  const tools = recordsAt(request, "tools").flatMap((tool) => recordsAt(tool, "functionDeclarations"));
  const system = recordAt(request, "systemInstruction");
  const newest = contents.findLast((content) => content.role !== "model");
  return {
    modelId,
    isStreamed: isStreamed(body),
    wantsUsage: true,
    maxOutputTokens: numberAt(config, "maxOutputTokens"),
    segments: [
      ...tools.map((tool) => segmentOf(JSON.stringify(tool), "overhead")),
      ...(system === null ? [] : [segmentOf(textAt(system, "parts"), "overhead")]),
      ...contents.map(contentSegment),
    ],
    messageCount: contents.length,
    toolNames: tools.map((tool) => stringAt(tool, "name") ?? ""),
    newestText: newest === undefined ? "" : textAt(newest, "parts"),
    drops: [],
    binding: null,
    callNames: [],
  };
}

const ROLES = ["user", "model", "function"];

function checkContent(content: Fields, index: number): void {
  if (content.role !== undefined && !ROLES.includes(String(content.role)))
    throw invalid("Please use a valid role: user, model.");
  if (listAt(content, "parts").length === 0)
    throw invalid(`* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.\n`);
}

/** Only the model's contents hold calls, and the next content answers all of them. */
function checkTurns(contents: readonly Fields[]): void {
  let openCount = 0;
  for (const content of contents) {
    const answerCount = partsWith(content, "functionResponse");
    const isAnswered = openCount === 0 || content.role !== "model" || answerCount > 0;
    if (answerCount > 0 && openCount === 0)
      throw invalid("Please ensure that function response turn comes immediately after a function call turn.");
    if (!isAnswered || (openCount > 0 && answerCount !== openCount))
      throw invalid(
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      );
    openCount = partsWith(content, "functionCall");
    if (openCount > 0 && content.role !== "model")
      throw invalid(
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
      );
  }
}

function partsWith(content: Fields, key: string): number {
  return recordsAt(content, "parts").filter((part) => part[key] !== undefined).length;
}

/** Tokens of an image of unknown size: one tile, ai.google.dev/gemini-api/docs/tokens. */
const IMAGE_TOKENS = 258;

/** Leaves encoded data out of the text that is counted. */
function withoutData(key: string, value: unknown): unknown {
  return key === "data" ? undefined : value;
}

function contentSegment(content: Fields): Segment {
  const parts = recordsAt(content, "parts");
  const isImage = (part: Fields) => part.inlineData !== undefined || part.fileData !== undefined;
  const pieces = parts
    .filter((part) => !isImage(part))
    .map((part) => stringAt(part, "text") ?? JSON.stringify(part.functionCall ?? part.functionResponse ?? part, withoutData));
  const shown = parts.flatMap((part) => recordsAt(recordAt(part, "functionResponse"), "parts"));
  const extraTokens = [...parts, ...shown].filter(isImage).length * IMAGE_TOKENS;
  return segmentOf([String(content.role ?? "user"), ...pieces].join("\n"), "message", extraTokens);
}
