import { startAgent } from "@plimsoll/agent";
import { createMemoryArtifactStore, type ImagePart, type ModelLimits, type Policy, type UserMessage } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { createMemorySessionStore } from "@plimsoll/stores";
import type OpenAI from "openai";
import { createModelClient } from "../src/client/model-client.ts";
import { createChatCompactor } from "../src/drop-in/openai-chat.ts";
import { numberAt, recordsAt } from "../src/fields.ts";
import { createLearnedLimits } from "../src/learned-limits.ts";
import { decodeOpenAiChat } from "../src/openai-chat/decode.ts";
import { type ChatBody, encodeOpenAiChat, MAXIMUM_TOOL_NAME_CHARS, OPENAI_CHAT_WIRE_RULES } from "../src/openai-chat/encode.ts";
import { OPENAI_HOST } from "../src/openai-chat/hosts.ts";
import { createChatSession } from "../src/openai-chat/session.ts";
import { createConversationKeys } from "../src/proxy/conversation-keys.ts";
import { createProxyCompaction } from "../src/proxy/proxy.ts";

export type Answer = OpenAI.ChatCompletion;

/** A server: answers the sent request, or throws as an SDK does. */
export type Call = (body: {
  readonly messages: readonly unknown[];
  readonly max_tokens?: number | null | undefined;
}) => Promise<Answer>;

/** A conversation through one of our doors. */
export interface RefusingDoor {
  /** A person says something, with images at hand; it goes out with the next request. */
  readonly say: (text: string, images?: readonly string[]) => void;
  /** Sends until it is answered or the refusal is the caller's; after that it can be sent again. */
  readonly send: (call: Call) => Promise<Answer>;
}

/** Opens a door under a policy and limits. */
export type OpenDoor = (policy: Policy, limits: ModelLimits & { readonly maxOutputTokens: number }) => Promise<RefusingDoor>;

/** An answer of the chat wire. */
export function chatAnswer(
  id: string,
  promptTokens: number,
  said: Partial<{ text: string; finish: string; outputTokens: number }> = {},
): Answer {
  const { text = "yes", finish = "stop", outputTokens = 1 } = said;
  const completion: unknown = {
    id,
    model: "m",
    object: "chat.completion",
    created: 0,
    choices: [{ index: 0, finish_reason: finish, message: { role: "assistant", content: text } }],
    usage: { prompt_tokens: promptTokens, completion_tokens: outputTokens, total_tokens: promptTokens + outputTokens },
  };
  return isAnswer(completion) ? completion : chatAnswer(id, promptTokens);
}

const isAnswer = (value: unknown): value is Answer => isRecord(value);

const session: OpenDoor = async (policy, limits) => {
  const opened = await createChatSession({ policy, limits, request: { model: "m", max_tokens: limits.maxOutputTokens } });
  return { say: (text, images = []) => opened.user(saidParts(text, images)), send: (call) => opened.send(call) };
};

function saidParts(text: string, images: readonly string[]): UserMessage["parts"] {
  const parts = images.map(
    (data): ImagePart => ({
      ...{ type: "image", mediaType: "image/png", widthPx: null, heightPx: null, sizeBytes: null },
      source: { kind: "base64", data },
    }),
  );
  return [{ type: "text", text }, ...parts];
}

function saidContent(text: string, images: readonly string[]): OpenAI.ChatCompletionUserMessageParam["content"] {
  if (images.length === 0) return text;
  const parts = images.map((data) => ({ type: "image_url", image_url: { url: `data:image/png;base64,${data}` } }) as const);
  return [{ type: "text", text }, ...parts];
}

/** A door of a program that keeps the whole history and resends it. */
function keeping(
  open: (
    ...given: Parameters<OpenDoor>
  ) => (history: readonly OpenAI.ChatCompletionMessageParam[], call: Call) => Promise<Answer>,
): OpenDoor {
  return async (policy, limits) => {
    const sending = open(policy, limits);
    const history: OpenAI.ChatCompletionMessageParam[] = [];
    return {
      say: (text, images = []) => history.push({ role: "user", content: saidContent(text, images) }),
      send: async (call) => {
        const got = await sending(history, call);
        history.push({ role: "assistant", content: got.choices[0]?.message.content ?? "" });
        return got;
      },
    };
  };
}

const dropIn = keeping((policy, limits) => {
  const compactor = createChatCompactor({ policy, limits }, "unused");
  const { maxOutputTokens: max_tokens } = limits;
  return (history, call) => compactor.send(history, (messages) => call({ messages, max_tokens }));
});

const byHand = keeping((policy, limits) => {
  const compactor = createChatCompactor({ policy, limits }, "unused");
  return async (history, call) => {
    let messages = await compactor.fit(history);
    for (let recovery = 0; ; recovery += 1) {
      const sent = messages;
      const got = await call({ messages, max_tokens: limits.maxOutputTokens }).catch(async (error: unknown) => {
        const next = await compactor.recover(sent, error, recovery);
        if (next === null) throw error;
        messages = next;
        return null;
      });
      if (got === null) continue;
      await compactor.observe(messages, got);
      return got;
    }
  };
});

const TOOL = { type: "function", function: { name: "look", description: "Looks.", parameters: { type: "object" } } };
const NEVER = new AbortController().signal;

const proxy = keeping((policy, limits) => {
  const compaction = createProxyCompaction({
    policy,
    limitsOf: () => limits,
    sessions: null,
    keys: createConversationKeys([], async () => undefined),
    learned: createLearnedLimits(),
  });
  return async (history, call) => {
    const bodyText = JSON.stringify({
      ...{ model: "m", temperature: 1, max_tokens: limits.maxOutputTokens, tools: [TOOL] },
      messages: history,
    });
    const headers = { session_id: "one" };
    let prepared = await compaction.prepare({ path: "/v1/chat/completions", headers, bodyText, signal: NEVER });
    for (let recovery = 0; ; recovery += 1) {
      const body: unknown = JSON.parse(prepared?.bodyText ?? bodyText);
      try {
        const got = await call({ messages: recordsAt(body, "messages"), max_tokens: numberAt(body, "max_tokens") });
        await prepared?.observe({ ...got });
        return got;
      } catch (error) {
        const next = (await prepared?.recover(failureOnWire(error), recovery)) ?? null;
        if (next === null) throw error;
        prepared = next;
      }
    }
  };
});

/** Turns an SDK's error into a failure as it came over the wire. */
function failureOnWire(error: unknown) {
  const { status, error: body } = isRecord(error) ? error : {};
  const bodyText = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify({ error: body });
  return { status: typeof status === "number" ? status : 400, bodyText };
}

async function* eventsOf(answer: Answer): AsyncGenerator<Answer> {
  yield answer;
}

const agent: OpenDoor = async (policy, limits) => {
  let [calling, newest] = [async (): Promise<Answer> => chatAnswer("none", 0), chatAnswer("none", 0)] as [Call, Answer];
  const send = async (body: ChatBody) => {
    newest = await calling({ messages: body.messages, max_tokens: body.max_completion_tokens ?? body.max_tokens });
    return newest;
  };
  const client = createModelClient<ChatBody>(
    {
      source: { provider: "test", key: "none" },
      rules: OPENAI_CHAT_WIRE_RULES,
      maximumToolNameChars: MAXIMUM_TOOL_NAME_CHARS,
      encode: (request) => encodeOpenAiChat(request, { quirks: OPENAI_HOST.quirks }),
      send,
      stream: async (body) => eventsOf(await send(body)),
      decode: decodeOpenAiChat,
      decodeStream: async function* () {
        yield { type: "reply", reply: decodeOpenAiChat({ ...newest }) };
      },
    },
    { retry: { maximumAttempts: 3, firstWaitMs: 0, maximumWaitMs: 0 }, wait: async () => undefined },
  );
  const opened = await startAgent({
    session: { kind: "new", sessionId: "s", system: "" },
    sessions: createMemorySessionStore(),
    artifacts: createMemoryArtifactStore(),
    model: { client, modelId: "m", limits },
    ...{ policy, tools: [], nowMs: () => 0 },
  });
  const waiting: UserMessage["parts"][] = [];
  return {
    say: (text, images = []) => void waiting.push(saidParts(text, images)),
    send: async (call) => {
      calling = call;
      const { error } = await opened.submit(waiting.pop() ?? "Go on.");
      if (error !== null) throw error;
      return newest;
    },
  };
};

/** Doors whose refusals come as the server says them, with their names. */
export const REFUSING_DOORS: readonly (readonly [string, OpenDoor])[] = [
  ["a session", session],
  ["a drop-in", dropIn],
  ["a program that asks what to send after a failure", byHand],
  ["a proxy", proxy],
];

/** All doors: an agent's client repeats a request twice after a fault of the moment. */
export const ALL_DOORS: readonly (readonly [string, OpenDoor])[] = [...REFUSING_DOORS, ["an agent", agent]];
