import { type ModelReply, type ModelRequest, PlimsollError, textOf } from "@plimsoll/core";
import { decodeAnthropic } from "../anthropic/decode.ts";
import { encodeAnthropic } from "../anthropic/encode.ts";
import { contentOf, geminiUsage } from "../drop-in/gemini-contents.ts";
import { textParts } from "../drop-in/wire-array.ts";
import { type Fields, parseRecord, recordAt, recordsAt, stringAt, withoutKeys } from "../fields.ts";
import { decodeOpenAiChat } from "../openai-chat/decode.ts";
import { encodeOpenAiChat } from "../openai-chat/encode.ts";
import { COMPATIBLE_QUIRKS } from "../openai-chat/hosts.ts";
import { decodeOpenAiResponse } from "../openai-responses/decode.ts";
import { encodeOpenAiResponses } from "../openai-responses/encode.ts";
import { saidCharsIn } from "../wire/ended-reply.ts";
import type { DecodedReply } from "../wire/wire.ts";
import { wireAt } from "./wires.ts";

/** A request for a summary, to be sent under the headers of the person's own request. */
interface SummaryQuestion {
  /** Path and query. */
  readonly target: string;
  readonly bodyText: string;
  /** Reads the model's answer; throws for one that is none. */
  readonly replyIn: (answerText: string) => ModelReply;
}

/** Makes a request for a summary from the program's own (`target`, `bodyText`): one text without tools, answered whole. `null` if the path is no known API or the body is not a JSON object. */
export function summaryQuestion(target: string, bodyText: string, request: ModelRequest): SummaryQuestion | null {
  const [path = "", query] = target.split("?");
  const wire = wireAt(path);
  const own = parseRecord(bodyText);
  if (wire === null || own === null) return null;
  const { reasoning: _, context, ...plain } = request;
  const parts = [{ type: "text", text: context.messages.map(textOf).join("\n\n") }] as const;
  const message = { role: "user", id: "question", origin: "human", parts, atMs: null } as const;
  const asked: Asked = { request: { ...plain, context: { ...context, messages: [message], tools: [] } }, own };
  const of = QUESTIONS[wire.name];
  const at = of.pathOf?.(path) ?? `${path.replace(/\/compact$/, "")}${query === undefined ? "" : `?${query}`}`;
  return {
    target: at,
    bodyText: JSON.stringify(of.bodyOf(asked)),
    replyIn: (answerText) => {
      const answer = parseRecord(answerText);
      if (answer === null) throw new PlimsollError("provider-failed", "the summary's answer is not JSON");
      const { parts, requestId, modelId, stopReason, usage } = of.decode(answer);
      const draft = { role: "assistant", origin: "model", parts, modelId, requestId, stopReason, atMs: null } as const;
      return { requestId, draft, stopReason, usage };
    },
  };
}

interface Asked {
  readonly request: ModelRequest;
  readonly own: Fields;
}

interface QuestionForm {
  readonly pathOf?: (path: string) => string;
  readonly bodyOf: (asked: Asked) => object;
  readonly decode: (answer: Fields) => DecodedReply;
}

const QUESTIONS: { readonly [name in NonNullable<ReturnType<typeof wireAt>>["name"]]: QuestionForm } = {
  anthropic: { bodyOf: ({ request }) => encodeAnthropic(request, { cacheTimeToLive: null }), decode: decodeAnthropic },
  "openai-chat": {
    bodyOf: ({ request, own }) => {
      // Servers take one of the two names; the program's own request says which.
      const outputLimit = own.max_completion_tokens === undefined ? "max_tokens" : "max_completion_tokens";
      return encodeOpenAiChat(request, { ...COMPATIBLE_QUIRKS, outputLimit });
    },
    decode: decodeOpenAiChat,
  },
  "openai-responses": {
    bodyOf: ({ request }) => withoutKeys(encodeOpenAiResponses(request), ["include"]),
    decode: decodeOpenAiResponse,
  },
  gemini: {
    pathOf: (path) => path.replace(/:streamGenerateContent$/, ":generateContent"),
    bodyOf: ({ request: { maxOutputTokens, context } }) => ({
      systemInstruction: { parts: [{ text: context.system }] },
      contents: context.messages.map(contentOf),
      generationConfig: { maxOutputTokens },
    }),
    decode: decodeGemini,
  },
};

function decodeGemini(answer: Fields): DecodedReply {
  const [candidate] = recordsAt(answer, "candidates");
  const said = recordsAt(recordAt(candidate, "content"), "parts").filter((part) => part.thought !== true);
  const reason = stringAt(candidate, "finishReason");
  return {
    requestId: stringAt(answer, "responseId") ?? "",
    modelId: stringAt(answer, "modelVersion"),
    parts: textParts(said.map((part) => stringAt(part, "text") ?? "").join("")),
    stopReason: reason === "STOP" ? "end" : reason === "MAX_TOKENS" ? "length" : "other",
    usage: geminiUsage(recordAt(answer, "usageMetadata")),
    saidChars: saidCharsIn(answer),
    isWindowFull: false,
  };
}
