import Anthropic from "@anthropic-ai/sdk";
import {
  type CompactionEntry,
  type ContextEvent,
  type ContextTools,
  contextTools,
  createDigest,
  createSession,
  isPlimsollError,
  type SessionEntry,
  type SessionOptions,
  toolCallsOf,
} from "@plimsoll/core";
import { LOG_VERSION, modelChangeEntry, withId } from "@plimsoll/core/extend";
import { type SimulatedReply, type SimulatedRequest, type SimulatorOptions, startSimulator } from "@plimsoll/simulator";
import { createMemorySessionStore } from "@plimsoll/stores";
import OpenAI from "openai";
import { createAnthropicClient } from "../src/anthropic/client.ts";
import { createAnthropicSession } from "../src/anthropic/session.ts";
import { isBoundReasoning } from "../src/catalog/bound-reasoning.ts";
import { toolsFor } from "../src/context-tools.ts";
import { createMessagesCompactor } from "../src/drop-in/anthropic.ts";
import { createItemsCompactor } from "../src/drop-in/openai-responses.ts";
import { createOpenAiResponsesClient } from "../src/openai-responses/client.ts";
import { createResponsesSession } from "../src/openai-responses/session.ts";

const LIMITS = { contextWindowTokens: 32_768, maxOutputTokens: 2_000 };
const SYSTEM = "You read files.";
const TOOL = { name: "read_file", description: "Reads a file.", parametersJson: '{"type":"object","properties":{}}' };
const CLAUDE_TOOL = { name: TOOL.name, input_schema: { type: "object" as const } };
const GPT_TOOL = { type: "function" as const, name: TOOL.name, strict: false, parameters: { type: "object" } };
const BETA = { headers: { "anthropic-beta": "compact-2026-09-04" } };
const LATE = new Anthropic.APIConnectionTimeoutError();

/** The first model of a wire, and one that it is switched to. */
const MODELS = { anthropic: ["claude-opus-5-5", "claude-fable-5-2"], responses: ["gpt-6", "gpt-6.1"] } as const;
type Wire = keyof typeof MODELS;

/** The loop of a program through one of our doors. */
interface Program {
  /** Sends, with the person's words if no result is new, and makes the calls of the answer. */
  readonly step: (index: number) => Promise<void>;
  readonly undo: () => Promise<unknown>;
  readonly switchTo: (modelId: string) => Promise<unknown>;
  readonly tools: ContextTools;
  readonly entries: () => Promise<readonly SessionEntry[]>;
  /** The report of the newest fit. */
  readonly last?: () => unknown;
}

/** How a program asks the vendor for a summary: not at all, or one that never comes in time. */
type Asks = "the vendor" | "nobody" | "a late one";

interface Given {
  readonly urls: { readonly url: string; readonly openAiUrl: string };
  /** Options of every door. */
  readonly options: Pick<SessionOptions, "redact" | "onEvent"> & { readonly policy: string };
  readonly offers: "context tools" | "nothing";
  /** The function with which a caller asks the vendor. */
  readonly asking: <Of extends readonly unknown[]>(
    ask: (...of: Of) => PromiseLike<unknown>,
  ) => { readonly compact?: (...of: Of) => Promise<never> };
  readonly textOf: (index: number) => string;
}

const offered = ({ offers }: Given, host: () => object): ContextTools =>
  contextTools(() => Object(host()), offers === "nothing" ? { offer: [] } : {});

const clients = ({ urls }: Given) => ({
  messages: new Anthropic({ apiKey: "key", baseURL: urls.url, maxRetries: 0 }).messages,
  responses: new OpenAI({ apiKey: "key", baseURL: urls.openAiUrl, maxRetries: 0 }).responses,
});

async function ownSession(wire: Wire, given: Given): Promise<Program> {
  const { urls, options, textOf, asking } = given;
  const shared = { keyVariable: null, retry: { maximumAttempts: 1, firstWaitMs: 0, maximumWaitMs: 0 } };
  const client =
    wire === "anthropic"
      ? createAnthropicClient({ baseUrl: urls.url, ...shared })
      : createOpenAiResponsesClient({ baseUrl: urls.openAiUrl, ...shared });
  const compact = asking((...request: Parameters<NonNullable<SessionOptions["compact"]>>) =>
    client.compact === undefined ? Promise.reject(LATE) : client.compact(...request),
  );
  const session = createSession({ summarizer: createDigest(), isBoundReasoning, ...compact, ...options });
  const tools = offered(given, () => session);
  const setup = { system: SYSTEM, tools: [TOOL, ...tools.definitions], parent: null, agent: null };
  session.append({ type: "session", version: LOG_VERSION, id: "s", createdMs: null, ...setup });
  let model = { modelId: MODELS[wire][0] as string, limits: LIMITS };
  session.append(modelChangeEntry(session.view(), model, null));
  const input = { gate: "before-step", pending: [], model: LIMITS } as const;
  const { signal } = new AbortController();
  const ask = () =>
    client.complete({ context: session.context(), modelId: model.modelId, maxOutputTokens: LIMITS.maxOutputTokens }, signal);
  return {
    tools,
    entries: async () => session.entries(),
    undo: session.undo,
    switchTo: async (to) => {
      model = { modelId: to, limits: LIMITS };
      await session.switchModel(model, input, signal);
    },
    step: async (index) => {
      const newest = session.view().messages.at(-1);
      const text = `Read on from ${index}.`;
      if (newest === undefined || newest.role === "assistant")
        await session.say({ role: "user", origin: "human", parts: [{ type: "text", text }], atMs: null });
      await session.fit(input, signal);
      const { requestId, usage, draft } = await ask().catch(async (error: unknown) => {
        if (!isPlimsollError(error) || Object(error.details.outcome).kind !== "reasoning-refused") throw error;
        await session.leaveReasoning("named");
        return await ask();
      });
      const view = session.view();
      await session.report(view, { requestId, modelId: model.modelId, usage });
      const message = withId(session.redaction.draft(draft, "log"), view.lastEntryId);
      session.append({ type: "message", message });
      for (const { callId, toolName } of toolCallsOf(message)) {
        const parts = [{ type: "text", text: textOf(index) }] as const;
        const said = { callId, toolName, isError: false, category: "file-content", parts, atMs: null } as const;
        await session.say({ role: "tool-result", ...said });
      }
    },
  };
}

/** Another model takes the log of the first one up. */
async function sdkSession(wire: Wire, given: Given): Promise<Program> {
  const { textOf, asking } = given;
  const { messages, responses } = clients(given);
  const shared = { system: SYSTEM, limits: LIMITS, sessionId: "s", sessions: createMemorySessionStore(), ...given.options };
  const tools = offered(given, () => opened.session);
  const open = async (model: string) => {
    if (wire === "anthropic") {
      const request = { model, max_tokens: LIMITS.maxOutputTokens, tools: [CLAUDE_TOOL, ...toolsFor("anthropic", tools)] };
      const own = asking((asked: Anthropic.MessageCreateParamsNonStreaming, headers: object) =>
        messages.create(asked, headers),
      );
      const session = await createAnthropicSession({ ...shared, ...own, request });
      return { session, send: () => session.send((asked) => messages.create(asked, session.requestOptions)) };
    }
    const request = { model, tools: [GPT_TOOL, ...toolsFor("openai-responses", tools)] };
    const own = asking((asked: OpenAI.Responses.ResponseCompactParams) => responses.compact(asked));
    const session = await createResponsesSession({ ...shared, ...own, request });
    return { session, send: () => session.send((asked) => responses.create(asked)) };
  };
  let opened = await open(MODELS[wire][0]);
  return {
    tools,
    entries: async () => (await shared.sessions.read("s"))?.entries ?? [],
    last: () => opened.session.last,
    undo: () => opened.session.conversation.undo(),
    switchTo: async (model) => {
      await opened.session.close();
      opened = await open(model);
    },
    step: async (index) => {
      const { session, send } = opened;
      if (session.calls.length === 0) session.user(`Read on from ${index}.`);
      for (const { callId } of session.calls) session.result(callId, textOf(index));
      await send();
    },
  };
}

/** An array of its caller's. A request that is over is asked nothing more. */
async function array(wire: Wire, given: Given): Promise<Program> {
  const { textOf, options } = given;
  const client = clients(given);
  const shared = { limits: LIMITS, ...options };
  const forWire = {
    anthropic: () => {
      const compactor = createMessagesCompactor(shared);
      const tools = offered(given, () => compactor);
      const declared = [CLAUDE_TOOL, ...toolsFor("anthropic", tools)];
      const cached = { cache_control: { type: "ephemeral" } } as const;
      const items: Anthropic.MessageParam[] = [{ role: "user", content: "Read on." }];
      const send = async (model: string, asking: Given["asking"]) => {
        const body = { model, max_tokens: LIMITS.maxOutputTokens, system: SYSTEM, tools: declared, ...cached };
        const ask = (messages: Anthropic.MessageParam[]) => client.messages.create({ ...body, messages }, BETA);
        const compact = asking((messages: Anthropic.MessageParam[]) =>
          client.messages.create(Object.assign({ ...body, messages }, { compaction: { type: "summarize" } }), BETA),
        );
        const request = { system: SYSTEM, tools: declared, modelId: model, ...compact };
        const { content } = await compactor.send(items, ask, request);
        items.push({ role: "assistant", content });
        return content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
      };
      const results = (ids: readonly string[], content: string) =>
        items.push({
          role: "user",
          content: ids.map((tool_use_id) => ({ type: "tool_result" as const, tool_use_id, content })),
        });
      return { compactor, tools, send, results, say: (content: string) => items.push({ role: "user", content }) };
    },
    responses: () => {
      const compactor = createItemsCompactor(shared);
      const tools = offered(given, () => compactor);
      const declared = [GPT_TOOL, ...toolsFor("openai-responses", tools)];
      // Codex gives its messages ids, and the vendor's window has them again.
      const said = (content: string, id: number) => ({
        role: "user" as const,
        content,
        ...{ type: "message" as const, id: `msg_${id}` },
      });
      const items: OpenAI.Responses.ResponseInputItem[] = [said("Read on.", 0)];
      const send = async (model: string, asking: Given["asking"]) => {
        const body = { model, instructions: SYSTEM, store: false, include: ["reasoning.encrypted_content" as const] };
        const ask = (input: typeof items) => client.responses.create({ ...body, tools: declared, input });
        const compact = asking((input: typeof items) => client.responses.compact({ model, instructions: SYSTEM, input }));
        const request = { system: SYSTEM, tools: declared, modelId: model, ...compact };
        const { output } = await compactor.send(items, ask, request);
        items.push(...(output as typeof items));
        return output.flatMap((item) => (item.type === "function_call" ? [item.call_id] : []));
      };
      const results = (ids: readonly string[], output: string) =>
        items.push(...ids.map((call_id) => ({ type: "function_call_output" as const, call_id, output })));
      return { compactor, tools, send, results, say: (text: string) => items.push(said(text, items.length)) };
    },
  };
  const { compactor, tools, send, say, results } = forWire[wire]();
  let model: string = MODELS[wire][0];
  return {
    tools,
    entries: async () => compactor.conversations()[0]?.entries ?? [],
    last: () => compactor.last,
    undo: () => compactor.undo(compactor.conversations()[0]?.sessionId ?? ""),
    switchTo: async (to) => {
      model = to;
    },
    step: async (index) => {
      let isOver = false;
      const ids = await send(model, (ask) =>
        given.asking((...of) => (isOver ? Promise.reject(new Error("the request is over")) : ask(...of))),
      );
      isOver = true;
      if (ids.length === 0) say(`Read on from ${index}.`);
      else results(ids, textOf(index));
    },
  };
}

type DoorName = "session" | "SDK's session" | "array";
const OPEN = { session: ownSession, "SDK's session": sdkSession, array };
const DOOR_NAMES: readonly DoorName[] = ["session", "SDK's session", "array"];

/** Doors that have the vendor write summaries, by their wire. */
export const VENDOR_DOORS: readonly (readonly [DoorName, Wire, string])[] = DOOR_NAMES.flatMap((door) =>
  (["anthropic", "responses"] as const).map((wire) => [door, wire, MODELS[wire][1]] as const),
);

/** A summary where one is asked for; else a call, and words after every thirtieth. */
function scripted({ asks, replyIndex }: SimulatedRequest): SimulatedReply {
  if (asks === "summary") return { parts: [{ type: "text", text: "The vendor's summary. ".repeat(40) }] };
  if (replyIndex % 30 === 29) return { parts: [{ type: "text", text: `Part ${replyIndex} is read.` }] };
  return { parts: [{ type: "tool-call", toolName: TOOL.name, argumentsJson: `{"path":"src/${replyIndex}.ts"}` }] };
}

/** A caller's function gives whatever its SDK answers. */
const isAnswer = (answer: unknown): answer is never => answer !== undefined;

/** How a door is played. */
interface PlayOptions extends Partial<Omit<SimulatorOptions, "replies">> {
  /** The answer to each request for a summary; the vendor's by default. */
  readonly summary?: SimulatedReply;
  readonly asks?: Asks;
  readonly offers?: Given["offers"];
  readonly redact?: NonNullable<SessionOptions["redact"]>;
  readonly textOf?: Given["textOf"];
}

/** A door that is played. */
interface OpenedVendorDoor extends Omit<Program, "last"> {
  readonly close: () => Promise<void>;
  /** Requests as the vendor got them, and requests for a summary as the caller's function did. */
  readonly bodies: readonly unknown[];
  readonly summaries: readonly unknown[];
  /** All that a program is told: events, the log, the report. */
  readonly told: () => Promise<unknown>;
  readonly cuts: () => readonly CompactionEntry[];
  readonly outcome: () => Readonly<Record<"refused" | "dropped" | "lost" | "asked" | "toolLists" | "breaks", number>> & {
    readonly writers: readonly string[];
  };
  /** Steps until so many cuts, and gives the next index. */
  readonly until: (count: number, from?: number) => Promise<number>;
}

/** Opens a door of a wire under the vendor's policy, with a vendor that binds thinking. */
export async function openVendorDoor(door: DoorName, wire: Wire, given: PlayOptions = {}): Promise<OpenedVendorDoor> {
  const { asks = "the vendor", offers = "nothing", summary, redact, textOf = linesOf(600), ...options } = given;
  const [bodies, summaries]: [unknown[], unknown[]] = [[], []];
  const [asked, told]: [SimulatedRequest[], ContextEvent[]] = [[], []];
  const replies = (request: SimulatedRequest) => {
    asked.push(request);
    return request.asks === "summary" && summary !== undefined ? summary : scripted(request);
  };
  const { contextWindowTokens } = LIMITS;
  const onRequest = (_: unknown, body: unknown) => void bodies.push(body);
  const shared = { replies, reasoning: "every-reply", contextWindowTokens, nowMs: () => 0, onRequest } as const;
  const simulator = await startSimulator({ ...shared, ...options });
  let askedCount = 0;
  const program = await OPEN[door](wire, {
    ...{ urls: simulator, offers, textOf },
    options: { policy: "plimsoll-vendor", onEvent: (event) => void told.push(event), ...(redact && { redact }) },
    asking: <Of extends readonly unknown[]>(ask: (...of: Of) => PromiseLike<unknown>) => {
      const compact = async (...of: Of): Promise<never> => {
        askedCount += 1;
        if (asks === "a late one") throw LATE;
        summaries.push(of);
        const answer = await ask(...of);
        if (isAnswer(answer)) return answer;
        throw LATE;
      };
      return asks === "nobody" ? {} : { compact };
    },
  });
  const cuts = () => told.flatMap((event) => (event.type === "compaction-end" ? [event.entry] : []));
  const outcome = () => {
    const exchanges = simulator.exchanges();
    const reads = asked.flatMap((each) => (each.asks === "reply" ? [exchanges[each.index]?.cacheReadTokens ?? 0] : []));
    return {
      refused: exchanges.filter((each) => each.outcome === "rejected" || each.outcome === "overflow").length,
      dropped: exchanges.reduce((sum, { drops }) => sum + drops.length, 0),
      lost: cuts().reduce((sum, { removedReasoning = [] }) => sum + removedReasoning.length, 0),
      writers: cuts().flatMap(({ edits }) => edits.flatMap((edit) => (edit.kind === "replace-spans" ? [edit.by] : []))),
      asked: askedCount,
      // The Responses wire's request for a summary has none.
      toolLists: new Set(asked.flatMap((each) => (each.asks === "reply" || wire === "anthropic" ? each.toolNames.join() : [])))
        .size,
      breaks: reads.filter((read, index) => read < (reads[index - 1] ?? 0)).length,
    };
  };
  const until = async (count: number, from = 0): Promise<number> => {
    let index = from;
    for (; cuts().length < count && index < from + 200; index++) await program.step(index);
    return index;
  };
  return {
    ...program,
    close: simulator.close,
    bodies,
    summaries,
    told: async () => [told, await program.entries(), program.last?.()],
    cuts,
    outcome,
    until,
  };
}

/** Results of so many lines each. */
export function linesOf(count: number): Given["textOf"] {
  return (index) => `${index}: line of a file\n`.repeat(count);
}
