import type { CompactionEntry, ContextEvent, ImagePart, ModelLimits, UserMessage } from "@plimsoll/core";
import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { type SimulatedRules, startSimulator } from "@plimsoll/simulator";
import type { WireName } from "@plimsoll/simulator/extend";
import { type Fields, parseRecord, recordsAt } from "../src/fields.ts";
import { fetchBehindProxy } from "./fetch-behind-proxy.ts";
import { COMPACTORS, fieldsOf } from "./kept-items.ts";
import type { LoopMedia } from "./made-media.ts";
import { proxyInMemory } from "./proxy-in-memory.ts";
import { validateChatRequest, validateMessagesRequest, validateResponsesRequest } from "./vendor-rules.ts";
import { bodyOf, pathOf } from "./wire-bodies.ts";
import { WIRE_SESSIONS } from "./wire-sessions.ts";

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
    said: (text, media) => ({ role: "user", content: [{ type: "text", text }, ...media.map(anthropicBlock)] }),
    replyOf: (answer) => [{ role: "assistant", content: answer.content }],
    resultOf: ([reply], media) => {
      const id = recordsAt(reply, "content").find(({ type }) => type === "tool_use")?.id;
      const content = [{ type: "text", text: "Seen." }, ...media.map(anthropicBlock)];
      return [{ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] }];
    },
  },
  "openai-chat": {
    said: (text, media) => ({ role: "user", content: [{ type: "text", text }, ...media.map(chatPart)] }),
    replyOf: (answer) => recordsAt(answer, "choices").flatMap(({ message }) => (isRecord(message) ? [message] : [])),
    resultOf: ([reply], media) => [
      { role: "tool", tool_call_id: recordsAt(reply, "tool_calls")[0]?.id, content: "Seen." },
      { role: "user", content: [{ type: "text", text: "This is what it shows." }, ...media.map(chatPart)] },
    ],
  },
  "openai-responses": {
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

/** Headers that every wire takes. */
export const HEADERS = {
  "content-type": "application/json",
  "x-api-key": "k",
  authorization: "Bearer k",
  "anthropic-version": "2023-06-01",
  "x-goog-api-key": "k",
  "x-session-id": "one",
};

async function post(url: string, bodyText: string, ask = fetch): Promise<Fields> {
  const response = await ask(url, { method: "POST", headers: HEADERS, body: bodyText });
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
  const { wire, modelId: model } = loop;
  const address = `${url}${pathOf(wire, model)}`;
  const options = { policy: PLIMSOLL_POLICY, limits: limitsOf(loop), onEvent };
  const ask = loop.through === "proxy" ? fetchBehindProxy(proxyInMemory(options)) : fetch;
  const call = (items: readonly Fields[]) =>
    post(address, JSON.stringify(bodyOf(wire, items, { model, replyTokens: MAX_TOKENS })), ask);
  const compactor = COMPACTORS[wire](options);
  const send = (items: readonly Fields[]) =>
    loop.through === "proxy"
      ? call(items)
      : compactor.send(items, (sent) => call(sent.map(fieldsOf)) as Promise<never>, { modelId: model });
  let answered = 0;
  const history: Fields[] = [form.said("Look at all of it.", loop.place === "said" ? loop.mediaAt(0) : [])];
  for (let step = 1; step <= loop.steps; step++) {
    const answer = await send(history).catch(() => null);
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

function imagePart({ mediaType, base64, url }: LoopMedia): ImagePart {
  const source = url === undefined ? ({ kind: "base64", data: base64 } as const) : ({ kind: "url", url } as const);
  return { type: "image", mediaType, widthPx: null, heightPx: null, sizeBytes: null, source };
}

/** Gives a session only the new messages. */
async function playSession(loop: MediaLoop, url: string, onEvent: (event: ContextEvent) => void): Promise<number> {
  const { wire, modelId: model } = loop;
  if (wire === "gemini") throw new Error("no session on this wire");
  const options = { policy: PLIMSOLL_POLICY, limits: limitsOf(loop), onEvent };
  const session = await WIRE_SESSIONS[wire]({ ...options, model, tools: [{ name: "look", parameters: TOOL }] });
  const address = `${url}${pathOf(wire, model)}`;
  const parts = (text: string, media: readonly LoopMedia[]): UserMessage["parts"] => [
    { type: "text", text },
    ...media.map(imagePart),
  ];
  let answered = 0;
  session.user(parts("Look at all of it.", loop.place === "said" ? loop.mediaAt(0) : []));
  for (let step = 1; step <= loop.steps; step++) {
    const answer = await session.send((asked) => post(address, JSON.stringify(asked)) as Promise<never>).catch(() => null);
    if (answer !== null) answered += 1;
    else if (loop.place === "result") return answered;
    const media = loop.mediaAt(step);
    if (loop.place === "said") session.user(parts(`Look at ${step}. ${loop.text ?? ""}`, media));
    for (const { callId } of session.calls) session.result(callId, parts("Seen.", media));
  }
  return answered;
}
