import { startAgent } from "@plimsoll/agent";
import {
  createMemoryArtifactStore,
  type ImagePart,
  type ModelClient,
  type ModelLimits,
  PLIMSOLL_POLICY,
  type Policy,
  type SessionEntry,
  type Summarizer,
  type UserMessage,
} from "@plimsoll/core";
import { type AgentTool, isRecord } from "@plimsoll/core/extend";
import { createMemorySessionStore } from "@plimsoll/stores";
import type OpenAI from "openai";
import { failureOf } from "../src/client/failure.ts";
import { createModelClient } from "../src/client/model-client.ts";
import { createChatCompactor } from "../src/drop-in/openai-chat.ts";
import { type Fields, parseRecord, recordsAt } from "../src/fields.ts";
import { decodeOpenAiChat } from "../src/openai-chat/decode.ts";
import { type ChatBody, encodeOpenAiChat, MAXIMUM_TOOL_NAME_CHARS, OPENAI_CHAT_WIRE_RULES } from "../src/openai-chat/encode.ts";
import { OPENAI_HOST } from "../src/openai-chat/hosts.ts";
import { createChatSession } from "../src/openai-chat/session.ts";
import type { PreparedRequest } from "../src/proxy/prepared-request.ts";
import type { AnyCompactor } from "../src/proxy/wires.ts";
import { readingTool } from "./faulty-run.ts";
import type { KeptName } from "./item-forms.ts";
import { COMPACTORS, fieldsOf, KEPT_NAMES, WIRE_NAMES, wire } from "./kept-items.ts";
import { proxyInMemory } from "./proxy-in-memory.ts";
import { bodyOf, pathOf } from "./wire-bodies.ts";

export type Answer = OpenAI.ChatCompletion;

/** A server: answers the sent request, or throws as an SDK does. */
export type Call = (body: {
  readonly messages: readonly unknown[];
  readonly max_tokens?: number | null | undefined;
}) => Promise<Answer>;

/** A refusal as SDKs throw it: the words behind the status, and the body as it came. */
export const refusal = (status: number, body: unknown): Error =>
  Object.assign(new Error(`${status} ${typeof body === "string" ? body : JSON.stringify(body)}`), { status, error: body });

/** A conversation through one of our doors. */
export interface Door {
  /** A person says something, with images as data or documents as addresses; it goes out with the next request. */
  readonly say: (text: string, attached?: readonly string[]) => void;
  /** Sends until it is answered or the refusal is the caller's; after that it can be sent again. Results of calls follow an answer. */
  readonly send: (call: Call) => Promise<Answer>;
  readonly entries: () => Promise<readonly SessionEntry[]>;
}

type Limits = ModelLimits & { readonly maxOutputTokens: number };
type Opening = Pick<DoorExtras, "summarizer" | "onEvent"> & { readonly policy: Policy; readonly limits: Limits };

/** System text, a summarizer, a listener, and the results of an answer's calls, by their order. */
export interface DoorExtras {
  readonly system?: string;
  readonly summarizer?: Summarizer;
  readonly onEvent?: (event: { readonly type: string }) => void;
  readonly resultOf?: (at: number) => string;
}

/** Opens a door under a policy and limits. */
export type OpenDoor = (policy: Policy, limits: Limits, extras?: DoorExtras) => Promise<Door>;

/** An answer of the chat wire; without usage if its prompt's tokens are `null`. */
export function chatAnswer(
  id: string,
  promptTokens: number | null,
  said: Partial<{ text: string; finish: string; outputTokens: number; calls: number }> = {},
): Answer {
  const { text = "yes", finish = "stop", outputTokens = 1, calls = 0 } = said;
  const tool_calls = Array.from({ length: calls }, (_, at) => ({
    ...{ id: `${id}-${at}`, type: "function" },
    function: { name: "look", arguments: `{"at":${at}}` },
  }));
  const message = { role: "assistant", content: text, ...(calls === 0 ? {} : { tool_calls }) };
  const completion: unknown = {
    ...{ id, model: "m", object: "chat.completion", created: 0 },
    choices: [{ index: 0, finish_reason: finish, message }],
    ...(promptTokens === null
      ? {}
      : { usage: { prompt_tokens: promptTokens, completion_tokens: outputTokens, total_tokens: promptTokens + outputTokens } }),
  };
  return isAnswer(completion) ? completion : chatAnswer(id, promptTokens);
}

const isAnswer = (value: unknown): value is Answer => isRecord(value);

const isAddress = (attached: string): boolean => attached.startsWith("https:");

function saidParts(text: string, attached: readonly string[]): UserMessage["parts"] {
  const parts = attached.map((data): ImagePart => {
    const [mediaType, source] = isAddress(data)
      ? (["application/pdf", { kind: "url", url: data }] as const)
      : (["image/png", { kind: "base64", data }] as const);
    return { type: "image", mediaType, widthPx: null, heightPx: null, sizeBytes: null, source };
  });
  return [{ type: "text", text }, ...parts];
}

function saidContent(text: string, attached: readonly string[]): OpenAI.ChatCompletionUserMessageParam["content"] {
  if (attached.length === 0) return text;
  const parts = attached.map((data) =>
    isAddress(data)
      ? ({ type: "file", file: { file_id: data } } as const)
      : ({ type: "image_url", image_url: { url: `data:image/png;base64,${data}` } } as const),
  );
  return [{ type: "text", text }, ...parts];
}

const noResult = (): string => "none";

const session: OpenDoor = async (policy, limits, { resultOf = noResult, ...given } = {}) => {
  const request = { model: "m", max_tokens: limits.maxOutputTokens };
  const opened = await createChatSession({ policy, limits, request, ...given });
  return {
    say: (text, attached = []) => opened.user(saidParts(text, attached)),
    send: async (call) => {
      const got = await opened.send(call);
      for (const [at, { callId }] of opened.calls.entries()) opened.result(callId, resultOf(at));
      return got;
    },
    entries: async () => opened.conversation.entries(),
  };
};

type Sending = Pick<Door, "entries"> & {
  readonly sending: (history: readonly OpenAI.ChatCompletionMessageParam[], call: Call) => Promise<Answer>;
};

/** A door of a program that keeps the whole history and resends it. */
function keeping(open: (given: Opening) => Sending): OpenDoor {
  return async (policy, limits, { system, resultOf = noResult, ...given } = {}) => {
    const { sending, entries } = open({ policy, limits, ...given });
    const history: OpenAI.ChatCompletionMessageParam[] = system === undefined ? [] : [{ role: "system", content: system }];
    return {
      entries,
      say: (text, attached = []) => history.push({ role: "user", content: saidContent(text, attached) }),
      send: async (call) => {
        const got = await sending(history, call);
        const { content = "", tool_calls = [] } = got.choices[0]?.message ?? {};
        history.push({ role: "assistant", content, ...(tool_calls.length === 0 ? {} : { tool_calls }) });
        for (const [at, { id }] of tool_calls.entries())
          history.push({ role: "tool", tool_call_id: id, content: resultOf(at) });
        return got;
      },
    };
  };
}

const dropIn = keeping((options) => {
  const compactor = createChatCompactor(options, "unused");
  const { maxOutputTokens: max_tokens } = options.limits;
  return {
    entries: async () => compactor.conversations()[0]?.entries ?? [],
    sending: (history, call) => compactor.send(history, (messages) => call({ messages, max_tokens })),
  };
});

/** A program that asks what to send, before a request and after a failure. */
const asking = (open: (given: Opening) => ItemsDoor): OpenDoor =>
  keeping((options) => {
    const { fit, entries } = open(options);
    return {
      entries,
      sending: async (history, call) => {
        let sent = await fit(history.map(fieldsOf));
        for (let recovery = 0; ; recovery += 1) {
          try {
            const got = await call({ messages: sent.items, max_tokens: sent.replyTokens });
            await sent.observe({ ...got });
            return got;
          } catch (error) {
            const next = await sent.recover(error, recovery);
            if (next === null) throw error;
            sent = next;
          }
        }
      },
    };
  });

const byHand = asking((options) =>
  dropInDoor(createChatCompactor(options, "unused"), options.limits.maxOutputTokens, () => ({})),
);

const proxy = asking((options) => proxyDoor("openai-chat", { ...options, sessions: null }));

/** The client of an agent, over a server. */
type ClientOf = (call: Call) => ModelClient;

/** A client of the chat wire, which repeats a request twice after a fault of the moment. */
const wireClient: ClientOf = (call) => {
  let newest = chatAnswer("none", 0);
  const send = async ({ messages, max_completion_tokens, max_tokens }: ChatBody) => {
    newest = await call({ messages, max_tokens: max_completion_tokens ?? max_tokens });
    return newest;
  };
  return createModelClient<ChatBody>(
    {
      source: { provider: "test", key: "none" },
      rules: OPENAI_CHAT_WIRE_RULES,
      maximumToolNameChars: MAXIMUM_TOOL_NAME_CHARS,
      encode: (request) => encodeOpenAiChat(request, OPENAI_HOST.quirks),
      send,
      stream: async (body) => eventsOf(await send(body)),
      decode: decodeOpenAiChat,
      decodeStream: async function* () {
        yield { type: "reply", reply: decodeOpenAiChat({ ...newest }) };
      },
    },
    { retry: { maximumAttempts: 3, firstWaitMs: 0, maximumWaitMs: 0 }, wait: async () => undefined },
  );
};

async function* eventsOf(answer: Answer): AsyncGenerator<Answer> {
  yield answer;
}

/** A client that sends messages as the core has them, once. */
const plainClient: ClientOf = (call) => ({
  complete: () => Promise.reject(new Error("not asked")),
  stream: async function* ({ context: { system, messages } }) {
    const sent = [system, messages.map(({ role, parts }) => ({ role, parts }))];
    const got = await call({ messages: sent }).catch((error: unknown) => {
      throw failureOf(error, { provider: "test", key: "none" }).error;
    });
    const { requestId, modelId, parts, stopReason, usage } = decodeOpenAiChat({ ...got });
    const draft = { role: "assistant", origin: "model", parts, modelId, requestId, stopReason, atMs: null } as const;
    yield { type: "reply", reply: { requestId, draft, stopReason, usage } };
  },
});

const agentOver =
  (clientOf: ClientOf): OpenDoor =>
  async (policy, limits, { system = "", resultOf, ...given } = {}) => {
    let [calling, newest]: [Call | null, Answer] = [null, chatAnswer("none", 0)];
    const client = clientOf(async (body) => {
      newest = (await calling?.(body)) ?? newest;
      return newest;
    });
    const opened = await startAgent({
      session: { kind: "new", sessionId: "s", system },
      sessions: createMemorySessionStore(),
      artifacts: createMemoryArtifactStore(),
      model: { client, modelId: "m", limits },
      tools: resultOf === undefined ? [] : [lookTool(resultOf)],
      ...{ policy, nowMs: () => 0, ...given },
    });
    const waiting: UserMessage["parts"][] = [];
    return {
      entries: () => opened.entries(),
      say: (text, attached = []) => void waiting.push(saidParts(text, attached)),
      send: async (call) => {
        calling = call;
        const { error } = await opened.submit(waiting.pop() ?? "Go on.");
        if (error !== null) throw error;
        return newest;
      },
    };
  };

const lookTool = (resultOf: (at: number) => string): AgentTool =>
  readingTool("look", async (args) => ({ text: resultOf(isRecord(args) ? Number(args.at) : 0), isError: false }));

/** Doors by the way in which a program uses them; the agent is asked without repetitions. */
export const CHAT_DOORS: { readonly [way in "session" | "send" | "recover" | "agent"]: OpenDoor } = {
  ...{ session, send: dropIn, recover: byHand, agent: agentOver(plainClient) },
};

/** Doors whose refusals come as the server says them, with their names. */
export const REFUSING_DOORS: readonly (readonly [string, OpenDoor])[] = [
  ["a session", session],
  ["a drop-in", dropIn],
  ["a program that asks what to send after a failure", byHand],
  ["a proxy", proxy],
];

/** All doors: an agent's client repeats a request twice after a fault of the moment. */
export const ALL_DOORS: readonly (readonly [string, OpenDoor])[] = [...REFUSING_DOORS, ["an agent", agentOver(wireClient)]];

/** The items of a request, and the one to send after a failure; `null` if there is none. */
interface SentItems {
  readonly items: readonly Fields[];
  /** The longest reply that is asked for with them. */
  readonly replyTokens: number;
  readonly observe: (answer: Fields) => Promise<void>;
  readonly recover: (thrown: unknown, recovery: number) => Promise<SentItems | null>;
}

/** A program that keeps its history and sends all of it, through one of our doors. */
interface ItemsDoor {
  /** Makes the request for a history. */
  readonly fit: (items: readonly Fields[]) => Promise<SentItems>;
  readonly entries: Door["entries"];
  readonly close: () => Promise<void>;
}

/** Every request asks for the longest reply of the limits. */
interface ItemsOptions extends Opening {
  readonly sessions: ReturnType<typeof createMemorySessionStore> | null;
  readonly mending?: "on" | "off";
}

/** The items of a drop-in, whose caller may hear of shorter replies. */
function dropInDoor(
  compactor: AnyCompactor,
  replyTokens: number,
  requestOf: (onReply: (tokens: number | null) => void) => Parameters<AnyCompactor["fit"]>[1],
): ItemsDoor {
  let most = replyTokens;
  const request = requestOf((tokens) => {
    most = Math.min(replyTokens, tokens ?? replyTokens);
  });
  const asked = (sent: readonly object[]): SentItems => ({
    ...{ items: sent.map(fieldsOf), replyTokens: most },
    observe: (answer) => compactor.observe(sent, answer),
    recover: async (thrown, recovery) => {
      const next = await compactor.recover(sent, thrown, recovery);
      return next === null ? null : asked(next);
    },
  });
  return {
    fit: async (items) => asked(await compactor.fit(items, request)),
    entries: async () => compactor.conversations()[0]?.entries ?? [],
    close: compactor.close,
  };
}

/** Each kind of items at its drop-in, and those of a wire at the proxy. */
export const PART_DOORS: readonly (readonly [KeptName, "drop-in" | "proxy"])[] = [
  ...KEPT_NAMES.map((name) => [name, "drop-in"] as const),
  ...WIRE_NAMES.map((name) => [name, "proxy"] as const),
];

/** Turns an SDK's error into a failure as it came over the wire. */
function failureOnWire(error: unknown) {
  const { status, error: body } = fieldsOf(error);
  const bodyText = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify({ error: body });
  return { status: typeof status === "number" ? status : 400, bodyText };
}

/** Items of a body that goes through the proxy. */
function proxyDoor(name: KeptName, options: ItemsOptions): ItemsDoor {
  const { name: wireName, itemsKey } = wire(name);
  const compaction = proxyInMemory({ ...options, onProblem: () => undefined });
  const sent = (prepared: PreparedRequest | null, own: string): SentItems => ({
    items: recordsAt(parseRecord(prepared?.bodyText ?? own), itemsKey),
    replyTokens: Number(/"max\w*tokens":(\d+)/i.exec(prepared?.bodyText ?? own)?.[1]),
    observe: async (answer) => await prepared?.observe(answer),
    recover: async (thrown, recovery) => {
      const next = (await prepared?.recover(failureOnWire(thrown), recovery)) ?? null;
      return next === null ? null : sent(next, own);
    },
  });
  return {
    fit: async (items) => {
      const body = bodyOf(wireName, items, { replyTokens: options.limits.maxOutputTokens });
      const bodyText = JSON.stringify({ temperature: 1, ...body });
      const signal = new AbortController().signal;
      const headers = { session_id: "one" };
      return sent(await compaction.prepare({ path: pathOf(wireName), headers, bodyText, signal }), bodyText);
    },
    entries: async () => compaction.conversations()[0]?.entries ?? [],
    close: compaction.close,
  };
}

/** Opens a door for items of a kind: the drop-in's, or the proxy's. */
export function openPartDoor(
  name: KeptName,
  {
    through = "drop-in",
    sessions = createMemorySessionStore(),
    mending = "on",
    replyTokens: maxOutputTokens = 1_000,
  }: Partial<Pick<ItemsOptions, "mending">> & {
    readonly sessions?: ReturnType<typeof createMemorySessionStore>;
    readonly replyTokens?: number;
    readonly through?: "drop-in" | "drop-in that is told replies" | "proxy";
  } = {},
): ItemsDoor {
  const options = { policy: PLIMSOLL_POLICY, limits: { contextWindowTokens: 200_000, maxOutputTokens }, sessions };
  if (through === "proxy") return proxyDoor(name, { ...options, mending });
  const compactor = COMPACTORS[name](options);
  const isTold = through !== "drop-in";
  return dropInDoor(compactor, maxOutputTokens, (onReply) => ({
    ...{ conversation: "one", oversized: "sent", ...(isTold ? { onReply } : {}) },
  }));
}

/** How a server refuses. */
export interface Refused {
  readonly status: number;
  readonly body: unknown;
}

/** The items that were sent until a server took them; its last refusal where nothing more is sent. */
export async function untilTaken(
  door: ItemsDoor,
  items: readonly Fields[],
  refused: (items: readonly Fields[], replyTokens: number) => Refused | null,
): Promise<{ readonly requests: number; readonly items: readonly Fields[]; readonly failure: Refused | null }> {
  let sent = await door.fit(items);
  for (let recovery = 0; ; recovery += 1) {
    const failure = refused(sent.items, sent.replyTokens);
    const thrown = Object.assign(new Error(`${failure?.status} refused`), { status: failure?.status, error: failure?.body });
    const next = failure === null ? null : await sent.recover(thrown, recovery);
    if (next === null) return { requests: recovery + 1, items: sent.items, failure };
    sent = next;
  }
}
