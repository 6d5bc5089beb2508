import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { AgentInputItem } from "@openai/agents-core";
import { type ModelLimits, PLIMSOLL_POLICY, type SessionEntry } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { createMemorySessionStore } from "@plimsoll/stores";
import { PROMPTS, type PromptMessage } from "../src/drop-in/ai-sdk-middleware.ts";
import { createArrayCompactor } from "../src/drop-in/array-compactor.ts";
import { LANGCHAIN_MESSAGES } from "../src/drop-in/langchain-messages.ts";
import { createAgentItemsCompactor } from "../src/drop-in/openai-agents.ts";
import type { CompactorOptions } from "../src/drop-in/request.ts";
import { type Fields, parseRecord, recordsAt } from "../src/fields.ts";
import { createLearnedLimits } from "../src/learned-limits.ts";
import { type AnyCompactor, anyCompactor } from "../src/proxy/any-compactor.ts";
import { createConversationKeys } from "../src/proxy/conversation-keys.ts";
import type { PreparedRequest } from "../src/proxy/prepared-request.ts";
import { createProxyCompaction } from "../src/proxy/proxy.ts";
import { type ProxyWire, wireNamed } from "../src/proxy/wires.ts";

const limitsFor = (maxOutputTokens: number): ModelLimits => ({ contextWindowTokens: 200_000, maxOutputTokens });
/** The person's first words. */
const GO = "Look at the harbour.";
const ARGUMENTS: unknown = { path: "a.ts" };

/** A reply of a model as a program keeps it: sealed reasoning, a call and its result. `seal` is `null` for none. */
export interface KeptStep {
  readonly id: string;
  readonly seal: string | null;
  /** The arguments, as the program keeps them: text or a value, as its items do. */
  readonly given?: unknown;
}

/** A kind of items: a program's form of messages, and of a step. */
interface KeptItems {
  readonly said: (text: string) => unknown;
  readonly step: (step: Required<KeptStep>) => readonly unknown[];
  /** Whether arguments are a text, or a value. */
  readonly holds: "text" | "value";
  readonly compactor: (options: CompactorOptions) => AnyCompactor;
}

const wire = (name: string): ProxyWire => wireNamed(name) ?? missing(name);
const missing = (name: string): never => {
  throw new Error(`${name} is no wire`);
};
const fieldsOf = (item: unknown): Fields => (isRecord(item) ? item : {});

/** The kinds of items that programs keep. */
export const KEPT_ITEMS: { readonly [name: string]: KeptItems } = {
  "openai-chat": {
    holds: "text",
    said: (content) => ({ role: "user", content }),
    step: ({ id, seal, given }) => [
      {
        ...{ role: "assistant", content: null },
        ...(seal === null ? {} : { reasoning: "hm", reasoning_details: [{ type: "reasoning.encrypted", data: seal }] }),
        tool_calls: [{ id, type: "function", function: { name: "look", arguments: given } }],
      },
      { role: "tool", tool_call_id: id, content: `seen ${id}` },
    ],
    compactor: (options) => wire("openai-chat").compactor(options),
  },
  "openai-responses": {
    holds: "text",
    said: (content) => ({ type: "message", role: "user", content }),
    step: ({ id, seal, given }) => [
      ...(seal === null ? [] : [{ type: "reasoning", id: `rs_${id}`, summary: [], encrypted_content: seal }]),
      { type: "function_call", id: `fc_${id}`, call_id: id, name: "look", arguments: given },
      { type: "function_call_output", call_id: id, output: `seen ${id}` },
    ],
    compactor: (options) => wire("openai-responses").compactor(options),
  },
  anthropic: {
    holds: "value",
    said: (content) => ({ role: "user", content }),
    step: ({ id, seal, given }) => [
      {
        role: "assistant",
        content: [
          ...(seal === null ? [] : [{ type: "thinking", thinking: "hm", signature: seal }]),
          { type: "tool_use", id, name: "look", input: given },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: `seen ${id}` }] },
    ],
    compactor: (options) => wire("anthropic").compactor(options),
  },
  gemini: {
    holds: "value",
    said: (text) => ({ role: "user", parts: [{ text }] }),
    step: ({ id, seal, given }) => [
      {
        role: "model",
        parts: [
          ...(seal === null ? [] : [{ text: "hm", thought: true, thoughtSignature: seal }]),
          { functionCall: { id, name: "look", args: given } },
        ],
      },
      { role: "user", parts: [{ functionResponse: { id, name: "look", response: { output: `seen ${id}` } } }] },
    ],
    compactor: (options) => wire("gemini").compactor(options),
  },
  "ai-sdk": {
    holds: "value",
    said: (text) => ({ role: "user", content: [{ type: "text", text }] }),
    step: ({ id: toolCallId, seal, given: input }) => [
      {
        role: "assistant",
        content: [
          ...(seal === null ? [] : [{ type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: seal } } }]),
          { type: "tool-call", toolCallId, toolName: "look", input },
        ],
      },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId, toolName: "look", output: { type: "text", value: `seen ${toolCallId}` } }],
      },
    ],
    compactor: (options) =>
      anyCompactor(createArrayCompactor(PROMPTS, options), (item): item is Fields & PromptMessage => isRecord(item)),
  },
  langchain: {
    holds: "value",
    said: (text) => new HumanMessage(text),
    step: ({ id, seal, given }) => {
      const reply = new AIMessage({
        content: [
          ...(seal === null ? [] : [{ type: "thinking", thinking: "hm", signature: seal }]),
          { type: "text", text: "so" },
        ],
        tool_calls: [{ id, name: "look", args: {}, type: "tool_call" }],
      });
      const [call] = recordsAt(reply, "tool_calls");
      return [
        Object.assign(reply, { tool_calls: [{ ...call, args: given }] }),
        new ToolMessage({ content: `seen ${id}`, tool_call_id: id, name: "look" }),
      ];
    },
    compactor: (options) =>
      anyCompactor(createArrayCompactor(LANGCHAIN_MESSAGES, options), (item): item is Fields & BaseMessage => isRecord(item)),
  },
  agents: {
    holds: "text",
    said: (content) => ({ role: "user", content }),
    step: ({ id: callId, seal, given }) => [
      ...(seal === null
        ? []
        : [{ type: "reasoning", id: `rs_${callId}`, content: [], providerData: { encrypted_content: seal } }]),
      { type: "function_call", id: `fc_${callId}`, callId, name: "look", arguments: given, status: "completed" },
      { type: "function_call_result", callId, name: "look", status: "completed", output: `seen ${callId}` },
    ],
    compactor: (options) =>
      anyCompactor(createAgentItemsCompactor(options), (item): item is Fields & AgentInputItem => isRecord(item)),
  },
};

/** The items of a request, and the one to send after a failure; `null` if there is none. */
interface SentItems {
  readonly items: readonly Fields[];
  /** The longest reply that is asked for with them. */
  readonly replyTokens: number;
  readonly recover: (failure: Refused, recovery: number) => Promise<SentItems | null>;
}

/** How a server refuses. */
export interface Refused {
  readonly status: number;
  readonly body: unknown;
}

/** A program that keeps its history and sends all of it, through one of our doors. */
export interface PartDoor {
  /** Makes the request for a history. */
  readonly fit: (items: readonly Fields[]) => Promise<SentItems>;
  readonly entries: () => Promise<readonly SessionEntry[]>;
  readonly close: () => Promise<void>;
}

interface DoorOptions {
  readonly sessions: ReturnType<typeof createMemorySessionStore>;
  readonly mending: "on" | "off";
  /** The reply that every request asks for. */
  readonly replyTokens: number;
}

/** The items of a drop-in, whose caller may hear of shorter replies. */
function dropInDoor(compactor: AnyCompactor, replyTokens: number, isToldReply: boolean): PartDoor {
  type Fitted = Awaited<ReturnType<AnyCompactor["fit"]>>;
  let most = replyTokens;
  const onReply = (tokens: number | null) => {
    most = Math.min(replyTokens, tokens ?? replyTokens);
  };
  const request = { conversation: "one", ...(isToldReply ? { onReply } : {}) };
  const sent = (fitted: Fitted): SentItems => ({
    items: fitted.items,
    replyTokens: most,
    recover: async ({ status, body }, recovery) => {
      const next = await fitted.recover(Object.assign(new Error(`${status} refused`), { status, error: body }), recovery);
      return next === null ? null : sent(next);
    },
  });
  return {
    fit: async (items) => sent(await compactor.fit(items, request)),
    entries: async () => compactor.conversations()[0]?.entries ?? [],
    close: compactor.close,
  };
}

const PATHS: { readonly [name: string]: string } = {
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  anthropic: "/v1/messages",
  gemini: "/v1beta/models/m:generateContent",
};

/** Each kind of items at its drop-in, and those of a wire at the proxy. */
export const PART_DOORS: readonly (readonly [string, "drop-in" | "proxy"])[] = [
  ...Object.keys(KEPT_ITEMS).map((name) => [name, "drop-in"] as const),
  ...Object.keys(PATHS).map((name) => [name, "proxy"] as const),
];

/** How a body says how long a reply may be, where it is not `max_tokens`. */
const REPLY_FIELDS: { readonly [name: string]: (tokens: number) => Fields } = {
  "openai-responses": (max_output_tokens) => ({ max_output_tokens }),
  gemini: (maxOutputTokens) => ({ generationConfig: { maxOutputTokens } }),
};

/** Items of a body that goes through the proxy. */
function proxyDoor(name: string, { sessions, mending, replyTokens }: DoorOptions): PartDoor {
  const { itemsKey } = wire(name);
  const compaction = createProxyCompaction({
    ...{ policy: PLIMSOLL_POLICY, limitsOf: () => limitsFor(replyTokens), sessions, learned: createLearnedLimits(), mending },
    keys: createConversationKeys([], async () => undefined),
    onProblem: () => undefined,
  });
  const sent = (prepared: PreparedRequest | null, own: string): SentItems => ({
    items: recordsAt(parseRecord(prepared?.bodyText ?? own), itemsKey),
    replyTokens: Number(/"max\w*tokens":(\d+)/i.exec(prepared?.bodyText ?? own)?.[1]),
    recover: async ({ status, body }, recovery) => {
      const next = (await prepared?.recover({ status, bodyText: JSON.stringify({ error: body }) }, recovery)) ?? null;
      return next === null ? null : sent(next, own);
    },
  });
  return {
    fit: async (items) => {
      const tools = [{ name: "look", description: "Looks.", input_schema: { type: "object" } }];
      const reply = REPLY_FIELDS[name]?.(replyTokens) ?? { max_tokens: replyTokens };
      const bodyText = JSON.stringify({ model: "m", ...reply, tools, [itemsKey]: items });
      const signal = new AbortController().signal;
      const headers = { session_id: "one" };
      return sent(await compaction.prepare({ path: PATHS[name] ?? "", headers, bodyText, signal }), bodyText);
    },
    entries: async () => compaction.conversations()[0]?.entries ?? [],
    close: compaction.close,
  };
}

/** Opens a door for items of a kind: the drop-in's, or the proxy's. */
export function openPartDoor(
  name: string,
  {
    through = "drop-in",
    sessions = createMemorySessionStore(),
    mending = "on",
    replyTokens = 1_000,
  }: Partial<DoorOptions> & { readonly through?: "drop-in" | "drop-in that is told replies" | "proxy" } = {},
): PartDoor {
  const kept = KEPT_ITEMS[name] ?? missing(name);
  if (through === "proxy") return proxyDoor(name, { sessions, mending, replyTokens });
  const compactor = kept.compactor({ policy: PLIMSOLL_POLICY, limits: limitsFor(replyTokens), sessions });
  return dropInDoor(compactor, replyTokens, through !== "drop-in");
}

/** A history: a person's words, steps, and more words. */
export function keptHistory(name: string, steps: readonly KeptStep[], last = "Go on."): readonly Fields[] {
  const { said, step, holds } = KEPT_ITEMS[name] ?? missing(name);
  const given = holds === "text" ? JSON.stringify(ARGUMENTS) : ARGUMENTS;
  return [said(GO), ...steps.flatMap((each) => step({ given, ...each })), said(last)].map(fieldsOf);
}

/** The items that were sent until a server took them; its last refusal where nothing more is sent. */
export async function untilTaken(
  door: PartDoor,
  items: readonly Fields[],
  refused: (items: readonly Fields[], replyTokens: number) => Refused | null,
): Promise<{ readonly requests: number; readonly items: readonly Fields[]; readonly failure: Refused | null }> {
  let sent = await door.fit(items);
  for (let recovery = 0; ; recovery += 1) {
    const failure = refused(sent.items, sent.replyTokens);
    const next = failure === null ? null : await sent.recover(failure, recovery);
    if (next === null) return { requests: recovery + 1, items: sent.items, failure };
    sent = next;
  }
}
