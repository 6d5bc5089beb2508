import { z } from "zod";

/** The wires that the small agent speaks. */
export const AGENT_WIRES = ["anthropic", "openai-chat", "openai-responses", "gemini"] as const;
export type AgentWire = (typeof AGENT_WIRES)[number];

/** How an agent is played: it keeps its whole history, makes the calls of the answers, and sends all of it again. */
export interface AgentOptions {
  readonly wire: AgentWire;
  /** The base address without a version. */
  readonly url: string;
  readonly form: "streamed" | "whole";
  readonly headers?: { readonly [name: string]: string };
  /** The system text. */
  readonly system?: string;
  /** The model that the Messages wire asks. */
  readonly model?: string;
  /** Fields of every body, in the place of the agent's own; `undefined` leaves one out. */
  readonly fields?: Item;
  /** Packs a body, as its `content-encoding` among the headers says. */
  readonly pack?: (text: string) => Uint8Array<ArrayBuffer> | string;
  /** Text at the end of a request's newest item, which no other request has. */
  readonly reminder?: (request: number) => string;
  /** Puts the reminder in a message of its own, before so many items. */
  readonly reminderBefore?: number;
  /** Returns the result of a call. */
  readonly resultOf?: (step: number) => string;
}

type Item = { readonly [key: string]: unknown };

/** One answer as the agent got it. */
export interface AgentAnswer {
  readonly status: number;
  readonly text: string;
}

/** A session of the agent. */
export interface Agent {
  /** Says something, and goes on as long as the answers call tools; at most so many requests. */
  say(text: string, steps: number): Promise<readonly AgentAnswer[]>;
  /** Sends the history and something more, without keeping it. */
  ask(more: readonly Item[], extra?: Item): Promise<AgentAnswer>;
  /** The body that would be sent now. */
  body(extra?: Item): string;
  history(): readonly Item[];
  /** Takes a history over, as a program does that goes on with an old session. */
  takeOver(history: readonly Item[]): void;
}

const TOOL = { type: "object", properties: { command: { type: "string" } } };
const SYSTEM = `You work in a shell. ${"Take care of every file. ".repeat(40)}`;

/** An agent of our own, as plain as one can be. */
export function startAgent(options: AgentOptions): Agent {
  const {
    wire,
    url,
    form,
    headers = {},
    system = SYSTEM,
    model,
    fields = {},
    pack = (text) => text,
    resultOf = shortResult,
    reminder,
    reminderBefore,
  } = options;
  const own = FORMS[wire];
  let history: readonly Item[] = [];
  let calls = 0;
  let asked = 0;
  const reminded = () => {
    asked += 1;
    if (reminder === undefined) return history;
    const text = reminder(asked);
    if (reminderBefore !== undefined) return history.toSpliced(history.length - reminderBefore, 0, own.said(text));
    return [...history.slice(0, -1), ...history.slice(-1).map((item) => withText(item, text))];
  };
  const body = (extra: Item = {}, more: readonly Item[] = []) =>
    JSON.stringify(
      { ...own.body([...reminded(), ...more], form, system), ...(model === undefined ? {} : { model }), ...fields, ...extra },
      null,
      1,
    );
  const post = async (text: string): Promise<AgentAnswer> => {
    const response = await fetch(`${url}${own.path(form)}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...own.headers, ...headers },
      body: pack(text),
    });
    return { status: response.status, text: await response.text() };
  };
  return {
    body,
    history: () => history,
    takeOver: (taken) => {
      history = taken;
    },
    ask: (more, extra) => post(body(extra, more)),
    say: async (text, steps) => {
      history = [...history, own.said(text)];
      const answers: AgentAnswer[] = [];
      for (let step = 0; step < steps; step++) {
        const answer = await post(body());
        answers.push(answer);
        if (answer.status !== 200) return answers;
        const { items, callIds } = own.reply(eventsOf(answer.text));
        history = [...history, ...items];
        if (callIds.length === 0) return answers;
        calls += 1;
        history = [...history, ...own.results(callIds, resultOf(calls))];
      }
      return answers;
    },
  };
}

/** The item with a text behind what it says. */
function withText(item: Item, text: string): Item {
  const added = (value: unknown) => (Array.isArray(value) ? [...value, { type: "text", text }] : `${String(value)}${text}`);
  const key = ["content", "output"].find((each) => item[each] !== undefined);
  return key === undefined ? item : { ...item, [key]: added(item[key]) };
}

function shortResult(step: number): string {
  return Array.from(
    { length: 90 },
    (_, line) => `src/part-${step}/file-${line}.ts: line ${step * 91 + line} is as it was`,
  ).join("\n");
}

/** The objects of an answer, streamed or whole. */
function eventsOf(text: string): readonly Item[] {
  const record = z.record(z.string(), z.unknown());
  if (text.trimStart().startsWith("{")) return [record.parse(JSON.parse(text))];
  const data = text.split("\n").filter((line) => line.startsWith("data: {"));
  return data.map((line) => record.parse(JSON.parse(line.slice("data: ".length))));
}

interface AgentForm {
  readonly path: (form: AgentOptions["form"]) => string;
  readonly headers: { readonly [name: string]: string };
  readonly body: (history: readonly Item[], form: AgentOptions["form"], system: string) => Item;
  readonly said: (text: string) => Item;
  readonly reply: (events: readonly Item[]) => { readonly items: readonly Item[]; readonly callIds: readonly string[] };
  readonly results: (callIds: readonly string[], text: string) => readonly Item[];
}

const block = z.looseObject({
  type: z.string(),
  id: z.string().optional(),
  text: z.string().optional(),
  name: z.string().optional(),
});

const anthropic: AgentForm = {
  path: () => "/v1/messages",
  headers: { "x-api-key": "key", "anthropic-version": "2023-06-01" },
  body: (history, form, system) => ({
    model: "claude-test",
    max_tokens: 1_000,
    stream: form === "streamed",
    system: [{ type: "text", text: system, cache_control: { type: "ephemeral", ttl: "1h" } }],
    tools: [{ name: "shell", input_schema: TOOL }],
    messages: history.map((item, index) => (index === history.length - 1 ? markedLast(item) : item)),
  }),
  said: (text) => ({ role: "user", content: [{ type: "text", text }] }),
  reply: (events) => {
    const whole = z.looseObject({ content: z.array(block) }).safeParse(events[0]);
    const content = whole.success ? whole.data.content : streamedBlocks(events);
    return {
      items: [{ role: "assistant", content }],
      callIds: content.flatMap(({ type, id }) => (type === "tool_use" && id !== undefined ? [id] : [])),
    };
  },
  results: (callIds, text) => [
    { role: "user", content: callIds.map((id) => ({ type: "tool_result", tool_use_id: id, content: text, is_error: false })) },
  ],
};

function markedLast(item: Item): Item {
  const content = z.array(z.looseObject({})).parse(item.content);
  return {
    ...item,
    content: content.map((each, index) =>
      index === content.length - 1 ? { ...each, cache_control: { type: "ephemeral", ttl: "1h" } } : each,
    ),
  };
}

function streamedBlocks(events: readonly Item[]) {
  const started = z.looseObject({ type: z.literal("content_block_start"), content_block: block });
  const delta = z.looseObject({
    type: z.literal("content_block_delta"),
    index: z.number(),
    delta: z.looseObject({
      text: z.string().optional(),
      partial_json: z.string().optional(),
      signature: z.string().optional(),
    }),
  });
  const blocks = events.flatMap((event) => {
    const read = started.safeParse(event);
    return read.success ? [read.data.content_block] : [];
  });
  return blocks.map((each, index) => {
    const deltas = events.flatMap((event) => {
      const read = delta.safeParse(event);
      return read.success && read.data.index === index ? [read.data.delta] : [];
    });
    const json = deltas.map(({ partial_json = "" }) => partial_json).join("");
    const text = deltas.map((piece) => piece.text ?? "").join("");
    if (each.type === "tool_use") return { ...each, input: JSON.parse(json === "" ? "{}" : json) };
    const thinking = deltas.map((piece) => z.string().catch("").parse(piece.thinking)).join("");
    const signature = deltas.map((piece) => piece.signature ?? "").join("");
    return each.type === "thinking" ? { ...each, thinking, signature } : { ...each, text };
  });
}

const chat: AgentForm = {
  path: () => "/v1/chat/completions",
  headers: { authorization: "Bearer key" },
  body: (history, form, system) => ({
    model: "test-model",
    max_tokens: 1_000,
    ...(form === "streamed" ? { stream: true, stream_options: { include_usage: true } } : {}),
    tools: [{ type: "function", function: { name: "shell", parameters: TOOL } }],
    messages: [
      { role: "system", content: system },
      ...signedSince(history, "tool_calls", { extra_content: { google: { thought_signature: "skip" } } }),
    ],
  }),
  said: (text) => ({ role: "user", content: text }),
  reply: (events) => {
    const call = z.looseObject({
      id: z.string().optional(),
      function: z.looseObject({ name: z.string().optional(), arguments: z.string().optional() }),
    });
    const said = z.looseObject({ content: z.string().nullish(), tool_calls: z.array(call).optional() });
    const choice = z.looseObject({ message: said.optional(), delta: said.optional() });
    const pieces = events.flatMap((event) => {
      const [first] = z.looseObject({ choices: z.array(choice) }).parse(event).choices;
      const piece = first?.message ?? first?.delta;
      return piece === undefined ? [] : [piece];
    });
    const content = pieces.map((piece) => piece.content ?? "").join("");
    const parts = pieces.flatMap((piece) => piece.tool_calls ?? []);
    const id = parts.find((part) => part.id !== undefined)?.id;
    if (id === undefined) return { items: [{ role: "assistant", content }], callIds: [] };
    const name = parts.map((part) => part.function.name ?? "").join("");
    const args = parts.map((part) => part.function.arguments ?? "").join("");
    const tool_calls = [{ id, type: "function", function: { name, arguments: args } }];
    return { items: [{ role: "assistant", content: content === "" ? null : content, tool_calls }], callIds: [id] };
  },
  results: (callIds, content) => callIds.map((id) => ({ role: "tool", tool_call_id: id, content })),
};

const responses: AgentForm = {
  path: () => "/v1/responses",
  headers: { authorization: "Bearer key" },
  body: (history, form, system) => ({
    model: "test-model",
    max_output_tokens: 1_000,
    store: false,
    stream: form === "streamed",
    instructions: system,
    tools: [{ type: "function", name: "shell", parameters: TOOL, strict: false }],
    input: history,
  }),
  said: (text) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] }),
  reply: (events) => {
    const item = z.looseObject({ type: z.string(), call_id: z.string().optional() });
    const output = z.looseObject({ output: z.array(item) });
    const ends = events.flatMap((event) => {
      const whole = output.safeParse(event.response ?? event);
      return whole.success && whole.data.output.length > 0 ? [whole.data.output] : [];
    });
    const items = ends.at(-1) ?? [];
    return {
      items,
      callIds: items.flatMap(({ type, call_id }) => (type === "function_call" && call_id !== undefined ? [call_id] : [])),
    };
  },
  results: (callIds, text) => callIds.map((id) => ({ type: "function_call_output", call_id: id, output: text })),
};

const gemini: AgentForm = {
  path: (form) =>
    form === "streamed"
      ? "/v1beta/models/gemini-test:streamGenerateContent?alt=sse"
      : "/v1beta/models/gemini-test:generateContent",
  headers: { "x-goog-api-key": "key" },
  body: (history, _form, system) => ({
    systemInstruction: { parts: [{ text: system }] },
    tools: [{ functionDeclarations: [{ name: "shell", parametersJsonSchema: TOOL }] }],
    generationConfig: { maxOutputTokens: 1_000 },
    contents: signedSince(history, "parts", { thoughtSignature: "skip" }),
  }),
  said: (text) => ({ role: "user", parts: [{ text }] }),
  reply: (events) => {
    const content = z.looseObject({ parts: z.array(z.looseObject({})) });
    const chunk = z.looseObject({ candidates: z.array(z.looseObject({ content })) });
    const parts = events.flatMap((event) => chunk.parse(event).candidates.flatMap((candidate) => candidate.content.parts));
    const calls = parts.filter((part) => part.functionCall !== undefined);
    return { items: [{ role: "model", parts }], callIds: calls.map(() => "shell") };
  },
  results: (callIds, output) => [
    { role: "user", parts: callIds.map((name) => ({ functionResponse: { name, response: { output } } })) },
  ],
};

/** Gemini CLI signs only the calls since the person's newest message. */
function signedSince(history: readonly Item[], key: string, signature: Item): readonly Item[] {
  const isResult = ({ parts }: Item) => JSON.stringify(parts ?? "").includes("functionResponse");
  const start = history.findLastIndex((item) => item.role === "user" && !isResult(item));
  const calls = z.array(z.looseObject({}));
  const signed = (call: Item) => ((call.function ?? call.functionCall) === undefined ? call : { ...call, ...signature });
  return history.map((item, index) =>
    index < start || item[key] === undefined ? item : { ...item, [key]: calls.parse(item[key]).map(signed) },
  );
}

const FORMS: { readonly [wire in AgentWire]: AgentForm } = {
  anthropic,
  "openai-chat": chat,
  "openai-responses": responses,
  gemini,
};
