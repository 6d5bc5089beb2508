import type { CompactionEntry, ContextEvent, ImagePart, ModelLimits, UserMessage } from "@plimsoll/core";
import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { type SimulatedRules, startSimulator } from "@plimsoll/simulator";
import type { WireName } from "@plimsoll/simulator/extend";
import { createAnthropicSession } from "../src/anthropic/session.ts";
import { createMessagesCompactor } from "../src/drop-in/anthropic.ts";
import type { ArrayCompactor } from "../src/drop-in/array-compactor.ts";
import { createContentsCompactor } from "../src/drop-in/google-genai.ts";
import { createChatCompactor } from "../src/drop-in/openai-chat.ts";
import { createItemsCompactor } from "../src/drop-in/openai-responses.ts";
import type { CompactorOptions } from "../src/drop-in/request.ts";
import { type Fields, parseRecord, recordsAt } from "../src/fields.ts";
import { createChatSession } from "../src/openai-chat/session.ts";
import { createResponsesSession } from "../src/openai-responses/session.ts";
import type { SdkSession } from "../src/session/session.ts";
import type { LoopMedia } from "./made-media.ts";
import { proxyInMemory } from "./proxy-in-memory.ts";
import { validateChatRequest, validateMessagesRequest, validateResponsesRequest } from "./vendor-rules.ts";

/** A session of steps: each brings media, said by the person or as the result of a call. */
export interface MediaLoop {
  readonly wire: WireName;
  readonly modelId: string;
  readonly steps: number;
  readonly place: "said" | "result";
  readonly mediaAt: (step: number) => readonly LoopMedia[];
  readonly media: SimulatedRules["media"];
  readonly through: "drop-in" | "proxy" | "session";
  readonly windowTokens?: number;
  /** Text that each step brings in addition. */
  readonly text?: string;
}

/** The record of a loop. */
export interface MediaLoopEnd {
  readonly answered: number;
  /** Requests that the server refused, in its words. */
  readonly refused: readonly string[];
  readonly compactions: readonly CompactionEntry[];
  readonly irreducible: readonly Extract<ContextEvent, { readonly type: "context-irreducible" }>[];
  /** The bodies that were answered. */
  readonly bodies: readonly unknown[];
  /** Violations that the second judge found. */
  readonly violations: readonly string[];
}

const WINDOW_TOKENS = 900_000;
const MAX_TOKENS = 1000;
const TOOL = { type: "object", properties: {} } as const;
const dataUrl = ({ mediaType, base64, url }: LoopMedia) => url ?? `data:${mediaType};base64,${base64}`;

/** One wire's form of a loop's messages. */
interface LoopForm {
  readonly path: (modelId: string) => string;
  readonly body: (modelId: string, items: readonly Fields[]) => Fields;
  readonly said: (text: string, media: readonly LoopMedia[]) => Fields;
  readonly replyOf: (answer: Fields) => readonly Fields[];
  /** The result of the reply's one call, and the loop's words with it. */
  readonly resultOf: (reply: readonly Fields[], media: readonly LoopMedia[]) => readonly Fields[];
}

const anthropicBlock = (media: LoopMedia): Fields => ({
  type: media.mediaType.startsWith("image/") ? "image" : "document",
  source:
    media.url === undefined
      ? { type: "base64", media_type: media.mediaType, data: media.base64 }
      : { type: "url", url: media.url },
});
const chatPart = (media: LoopMedia): Fields => {
  if (media.mediaType.startsWith("audio/")) return { type: "input_audio", input_audio: { data: media.base64, format: "wav" } };
  return media.mediaType.startsWith("image/")
    ? { type: "image_url", image_url: { url: dataUrl(media) } }
    : { type: "file", file: { filename: "a.pdf", file_data: dataUrl(media) } };
};
const responsesPart = (media: LoopMedia): Fields =>
  media.mediaType.startsWith("image/")
    ? { type: "input_image", image_url: dataUrl(media), detail: "auto" }
    : { type: "input_file", filename: "a.pdf", file_data: dataUrl(media) };
const geminiPart = ({ mediaType, base64, url }: LoopMedia): Fields =>
  url === undefined
    ? { inlineData: { mimeType: mediaType, data: base64 } }
    : { fileData: { mimeType: mediaType, fileUri: url } };

const FORMS: Readonly<Record<WireName, LoopForm>> = {
  anthropic: {
    path: () => "/v1/messages",
    body: (model, messages) => ({ model, max_tokens: MAX_TOKENS, tools: [{ name: "look", input_schema: TOOL }], messages }),
    said: (text, media) => ({ role: "user", content: [{ type: "text", text }, ...media.map(anthropicBlock)] }),
    replyOf: (answer) => [{ role: "assistant", content: answer.content }],
    resultOf: ([reply], media) => {
      const id = recordsAt(reply, "content").find(({ type }) => type === "tool_use")?.id;
      const content = [{ type: "text", text: "Seen." }, ...media.map(anthropicBlock)];
      return [{ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] }];
    },
  },
  "openai-chat": {
    path: () => "/v1/chat/completions",
    body: (model, messages) => ({
      model,
      max_completion_tokens: MAX_TOKENS,
      tools: [{ type: "function", function: { name: "look", parameters: TOOL } }],
      messages,
    }),
    said: (text, media) => ({ role: "user", content: [{ type: "text", text }, ...media.map(chatPart)] }),
    replyOf: (answer) => recordsAt(answer, "choices").flatMap(({ message }) => (isRecord(message) ? [message] : [])),
    resultOf: ([reply], media) => [
      { role: "tool", tool_call_id: recordsAt(reply, "tool_calls")[0]?.id, content: "Seen." },
      { role: "user", content: [{ type: "text", text: "This is what it shows." }, ...media.map(chatPart)] },
    ],
  },
  "openai-responses": {
    path: () => "/v1/responses",
    body: (model, input) => ({
      model,
      max_output_tokens: MAX_TOKENS,
      store: false,
      tools: [{ type: "function", name: "look", parameters: TOOL, strict: false }],
      input,
    }),
    said: (text, media) => ({ role: "user", content: [{ type: "input_text", text }, ...media.map(responsesPart)] }),
    replyOf: (answer) => recordsAt(answer, "output"),
    resultOf: (reply, media) => [
      {
        type: "function_call_output",
        call_id: reply.find(({ type }) => type === "function_call")?.call_id,
        output: [{ type: "input_text", text: "Seen." }, ...media.map(responsesPart)],
      },
    ],
  },
  gemini: {
    path: (modelId) => `/v1beta/models/${modelId}:generateContent`,
    body: (_, contents) => ({
      contents,
      tools: [{ functionDeclarations: [{ name: "look", parametersJsonSchema: TOOL }] }],
      generationConfig: { maxOutputTokens: MAX_TOKENS },
    }),
    said: (text, media) => ({ role: "user", parts: [{ text }, ...media.map(geminiPart)] }),
    replyOf: (answer) => recordsAt(answer, "candidates").flatMap(({ content }) => (isRecord(content) ? [content] : [])),
    resultOf: (_, media) => [
      {
        role: "user",
        parts: [{ functionResponse: { name: "look", response: { output: "Seen." }, parts: media.map(geminiPart) } }],
      },
    ],
  },
};

const JUDGES: Readonly<Record<WireName, (body: unknown) => readonly string[]>> = {
  anthropic: (body) => validateMessagesRequest(body),
  "openai-chat": (body) => validateChatRequest(body),
  "openai-responses": (body) => validateResponsesRequest(body),
  gemini: () => [],
};

/** Plays a loop against the simulator, with a rule of its own or as the vendor documents. */
export async function playMediaLoop(loop: MediaLoop): Promise<MediaLoopEnd> {
  const bodies: unknown[] = [];
  const say = { type: "text", text: "Seen." } as const;
  const call = { type: "tool-call", toolName: "look", argumentsJson: "{}" } as const;
  let received: unknown = null;
  const simulator = await startSimulator({
    contextWindowTokens: loop.windowTokens ?? WINDOW_TOKENS,
    replies: () => ({ parts: loop.place === "result" ? [say, call] : [say] }),
    onRequest: (_, body) => {
      received = body;
    },
    onAnswer: () => bodies.push(received),
    ...(loop.media === undefined ? {} : { rules: { media: loop.media } }),
  });
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => events.push(event);
  try {
    const answered = await (loop.through === "session" ? playSession : playArray)(loop, simulator.url, onEvent);
    const refused = simulator.exchanges().flatMap(({ outcome, error }) => (outcome === "answered" ? [] : [error ?? ""]));
    const compactions = events.flatMap((event) => (event.type === "compaction-end" ? [event.entry] : []));
    const irreducible = events.filter((event) => event.type === "context-irreducible");
    return { answered, refused, compactions, irreducible, bodies, violations: bodies.flatMap(JUDGES[loop.wire]) };
  } finally {
    await simulator.close();
  }
}

const HEADERS = {
  "content-type": "application/json",
  "x-api-key": "k",
  authorization: "Bearer k",
  "anthropic-version": "2023-06-01",
  "x-goog-api-key": "k",
};

async function post(url: string, bodyText: string): Promise<Fields> {
  const response = await fetch(url, { method: "POST", headers: HEADERS, body: bodyText });
  const text = await response.text();
  const body = parseRecord(text) ?? {};
  if (!response.ok) throw Object.assign(new Error(`${response.status} ${text}`), { status: response.status, error: body });
  return body;
}

const limitsOf = ({ windowTokens = WINDOW_TOKENS }: MediaLoop): ModelLimits => ({
  contextWindowTokens: windowTokens,
  maxOutputTokens: MAX_TOKENS,
});

/** Sends the whole history each time, through a drop-in or behind the proxy's compaction. */
async function playArray(loop: MediaLoop, url: string, onEvent: (event: ContextEvent) => void): Promise<number> {
  const form = FORMS[loop.wire];
  const path = form.path(loop.modelId);
  const send = loop.through === "proxy" ? proxied(loop, url, onEvent) : dropIn(loop, onEvent);
  let answered = 0;
  const history: Fields[] = [form.said("Look at all of it.", loop.place === "said" ? loop.mediaAt(0) : [])];
  for (let step = 1; step <= loop.steps; step++) {
    const answer = await send(history, (items) => post(`${url}${path}`, JSON.stringify(form.body(loop.modelId, items)))).catch(
      () => null,
    );
    if (answer !== null) answered += 1;
    else if (loop.place === "result") return answered;
    const reply = answer === null ? [] : form.replyOf(answer);
    history.push(...reply);
    const media = loop.mediaAt(step);
    const said = `Look at ${step}. ${loop.text ?? ""}`;
    history.push(...(loop.place === "result" ? form.resultOf(reply, media) : [form.said(said, media)]));
  }
  return answered;
}

type Send = (items: readonly Fields[], call: (items: readonly Fields[]) => Promise<Fields>) => Promise<Fields>;

function dropIn(loop: MediaLoop, onEvent: (event: ContextEvent) => void): Send {
  const { wire, modelId } = loop;
  const limits = limitsOf(loop);
  const options: CompactorOptions = { policy: PLIMSOLL_POLICY, limits, onEvent };
  const sendBy = <Item, Answer>(compactor: ArrayCompactor<Item, Answer>): Send => {
    const isItems = (items: readonly unknown[]): items is Item[] => items.every(isRecord);
    const isAnswer = (answer: unknown): answer is Answer & Fields => isRecord(answer);
    return async (items, call) => {
      if (!isItems(items)) throw new Error("no items");
      return await compactor.send(
        items,
        async (sent) => {
          const all: readonly unknown[] = sent;
          const answer = await call(all.filter(isRecord));
          if (!isAnswer(answer)) throw new Error("no answer");
          return answer;
        },
        { modelId },
      );
    };
  };
  switch (wire) {
    case "anthropic":
      return sendBy(createMessagesCompactor(options));
    case "openai-chat":
      return sendBy(createChatCompactor(options));
    case "openai-responses":
      return sendBy(createItemsCompactor(options));
    case "gemini":
      return sendBy(createContentsCompactor(options));
    default:
      return wire satisfies never;
  }
}

function proxied(loop: MediaLoop, url: string, onEvent: (event: ContextEvent) => void): Send {
  const { wire, modelId } = loop;
  const form = FORMS[wire];
  const path = form.path(modelId);
  const compaction = proxyInMemory({ limits: limitsOf(loop), onEvent });
  const { signal } = new AbortController();
  return async (items) => {
    const bodyText = JSON.stringify(form.body(modelId, items));
    let prepared = await compaction.prepare({ path, headers: { "x-session-id": "one" }, bodyText, signal });
    for (let recovery = 0; ; recovery++) {
      try {
        const answer = await post(`${url}${path}`, prepared?.bodyText ?? bodyText);
        await prepared?.observe(answer);
        return answer;
      } catch (error) {
        const { status, error: body } = isRecord(error) ? error : {};
        const failure = { status: typeof status === "number" ? status : 0, bodyText: JSON.stringify(body) };
        prepared = (await prepared?.recover(failure, recovery)) ?? null;
        if (prepared === null) throw error;
      }
    }
  };
}

function imagePart({ mediaType, base64, url }: LoopMedia): ImagePart {
  const source = url === undefined ? ({ kind: "base64", data: base64 } as const) : ({ kind: "url", url } as const);
  return { type: "image", mediaType, widthPx: null, heightPx: null, sizeBytes: null, source };
}

/** A session that gets the loop's new messages; its requests and answers pass unread. */
function told<Request, Answer>(session: SdkSession<Request, Answer>) {
  const isAnswer = (answer: unknown): answer is Answer => isRecord(answer);
  return {
    user: session.user,
    result: session.result,
    calls: () => session.calls,
    send: (call: (asked: unknown) => Promise<Fields>) =>
      session.send(async (asked) => {
        const answer: unknown = await call(asked);
        if (!isAnswer(answer)) throw new Error("no answer");
        return answer;
      }),
  };
}

/** Opens a session on a wire that has one. */
async function opened(loop: MediaLoop, onEvent: (event: ContextEvent) => void) {
  const { wire, modelId: model } = loop;
  const options = { policy: PLIMSOLL_POLICY, limits: limitsOf(loop), onEvent };
  const fn = { name: "look", parameters: TOOL };
  switch (wire) {
    case "anthropic":
      return told(
        await createAnthropicSession({
          ...options,
          request: { model, max_tokens: MAX_TOKENS, tools: [{ name: "look", input_schema: { type: "object" } }] },
        }),
      );
    case "openai-chat":
      return told(
        await createChatSession({
          ...options,
          request: { model, max_completion_tokens: MAX_TOKENS, tools: [{ type: "function", function: fn }] },
        }),
      );
    case "openai-responses":
      return told(
        await createResponsesSession({
          ...options,
          request: { model, max_output_tokens: MAX_TOKENS, tools: [{ type: "function", ...fn, strict: false }] },
        }),
      );
    case "gemini":
      throw new Error("no session on this wire");
    default:
      return wire satisfies never;
  }
}

/** Gives a session only the new messages. */
async function playSession(loop: MediaLoop, url: string, onEvent: (event: ContextEvent) => void): Promise<number> {
  const session = await opened(loop, onEvent);
  const address = `${url}${FORMS[loop.wire].path(loop.modelId)}`;
  const parts = (text: string, media: readonly LoopMedia[]): UserMessage["parts"] => [
    { type: "text", text },
    ...media.map(imagePart),
  ];
  let answered = 0;
  session.user(parts("Look at all of it.", loop.place === "said" ? loop.mediaAt(0) : []));
  for (let step = 1; step <= loop.steps; step++) {
    const answer = await session.send((asked) => post(address, JSON.stringify(asked))).catch(() => null);
    if (answer !== null) answered += 1;
    else if (loop.place === "result") return answered;
    const media = loop.mediaAt(step);
    if (loop.place === "said") session.user(parts(`Look at ${step}. ${loop.text ?? ""}`, media));
    for (const { callId } of session.calls()) session.result(callId, parts("Seen.", media));
  }
  return answered;
}
