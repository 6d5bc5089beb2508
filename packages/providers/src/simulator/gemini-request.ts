import type { Fields } from "../fields.ts";
import { listAt, numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import type { Segment, SimulatedPrompt, WireLimits } from "./wire.ts";
import { invalid } from "./wire.ts";

/**
 * Reads a request on Gemini's wire; throws what the vendor refuses. The address names the model and says whether the answer is streamed: the server
 * puts both into the body, as `model` and `stream`.
 */
export function readGemini(body: unknown, limits: WireLimits): SimulatedPrompt {
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
    isStreamed: recordAt({ body }, "body")?.stream === true,
    wantsUsage: true,
    maxOutputTokens: numberAt(config, "maxOutputTokens"),
    segments: [
      ...tools.map((tool) => segmentOf(JSON.stringify(tool), "overhead")),
      ...(system === null ? [] : [segmentOf(textOf(system), "overhead")]),
      ...contents.map(contentSegment),
    ],
    messageCount: contents.length,
    toolNames: tools.map((tool) => stringAt(tool, "name") ?? ""),
    newestText: newest === undefined ? "" : textOf(newest),
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

/** Calls stand in the model's contents alone, and the next content answers all of them. */
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

function textOf(content: Fields): string {
  return recordsAt(content, "parts")
    .map((part) => stringAt(part, "text") ?? "")
    .join("\n");
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
  return {
    ...segmentOf([String(content.role ?? "user"), ...pieces].join("\n"), "message"),
    extraTokens: [...parts, ...shown].filter(isImage).length * IMAGE_TOKENS,
  };
}

function segmentOf(text: string, part: "overhead" | "message"): Segment {
  return { text, extraTokens: 0, breakpoint: null, isOverhead: part === "overhead" };
}
