import Anthropic, { APIError } from "@anthropic-ai/sdk";
import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { startSimulator } from "@plimsoll/simulator";
import { describe, expect, onTestFinished, test } from "vitest";
import { openCodeInfo } from "../../testing/item-forms.ts";
import { matrixScript, READ_TOOL, SYSTEM } from "../../testing/matrix-script.ts";
import { type Fields, recordAt, recordsAt, stringAt } from "../fields.ts";
import { createMessagesCompactor } from "./anthropic.ts";
import { createOpenCodePlugin } from "./opencode.ts";
import type { OpenCodeMessage } from "./opencode-written.ts";
import { createPiExtension } from "./pi.ts";

const MODEL = "claude-fable-5-2";
const SMALL_TOKENS = 32_768;
const WIDE_TOKENS = 200_000;
const STEPS = 14;
const { name, description, parameters } = READ_TOOL;
const TOOL: Anthropic.Tool = { name, description, input_schema: { ...parameters } };
const RESULT = "line of a file\n".repeat(400);

/** A program with a hook that hears of no refusal: its kept history, the items it sends, and the form in which it keeps an answer or an error. */
interface Program<Item> {
  readonly said: (text: string) => Item;
  /** A new process with the hook of the window: its edits of an array before a request. */
  readonly started: (windowTokens: number) => Promise<(items: readonly Item[]) => Promise<readonly Item[]>>;
  readonly sent: (items: readonly Item[]) => Anthropic.MessageParam[];
  readonly answered: (content: readonly Anthropic.ContentBlock[]) => readonly Item[];
  readonly failed: (error: APIError) => Item;
}

const blocksOf = (fields: readonly Fields[]): Anthropic.ContentBlockParam[] => JSON.parse(JSON.stringify(fields));
const resultBlock = (id: string | null) => ({ type: "tool_result", tool_use_id: id, content: RESULT });

/** pi 1.3.0 keeps a failure as a reply without content, and does not send it. */
const PI: Program<Fields> = {
  said: (text) => ({ role: "user", content: text, timestamp: 0 }),
  started: async (contextWindow) => {
    const handlers = new Map<string, (event: unknown, context: unknown) => unknown>();
    createPiExtension({ nowMs: () => 0 })({ on: (event, handler) => handlers.set(event, handler) });
    const context = { model: { id: MODEL, contextWindow, maxTokens: 2_000 } };
    return async (messages) => recordsAt(await handlers.get("context")?.({ messages }, context), "messages");
  },
  sent: (items) =>
    items.flatMap((item): Anthropic.MessageParam[] => {
      if (item.role === "user") return [{ role: "user", content: piText(item) }];
      if (item.role === "toolResult")
        return [{ role: "user", content: blocksOf([{ ...resultBlock(stringAt(item, "toolCallId")), content: piText(item) }]) }];
      if (item.stopReason === "error") return [];
      const content = recordsAt(item, "content").map((part) => {
        if (part.type === "thinking") return { type: "thinking", thinking: part.thinking, signature: part.thinkingSignature };
        return part.type === "toolCall" ? { type: "tool_use", id: part.id, name: part.name, input: part.arguments } : part;
      });
      return [{ role: "assistant", content: blocksOf(content) }];
    }),
  answered: (content) => {
    const parts = content.map((block) => {
      if (block.type === "thinking") return { type: "thinking", thinking: block.thinking, thinkingSignature: block.signature };
      return block.type === "tool_use" ? { type: "toolCall", id: block.id, name: block.name, arguments: block.input } : block;
    });
    const calls = content.filter((block) => block.type === "tool_use");
    return [
      { role: "assistant", content: parts, stopReason: calls.length > 0 ? "toolUse" : "stop" },
      ...calls.map(({ id }) => ({
        role: "toolResult",
        toolCallId: id,
        toolName: name,
        content: [{ type: "text", text: RESULT }],
      })),
    ];
  },
  failed: ({ message }) => ({ role: "assistant", content: [], stopReason: "error", errorMessage: message }),
};

const piText = (item: Fields): string =>
  stringAt(item, "content") ??
  recordsAt(item, "content")
    .map((part) => stringAt(part, "text") ?? "")
    .join("\n");

/** OpenCode 1.18 keeps the error of a reply among its facts, and does not send it. */
const OPENCODE: Program<OpenCodeMessage> = {
  said: (text) => ({
    info: openCodeInfo("user", { model: { providerID: "anthropic", modelID: MODEL } }),
    parts: [{ type: "text", text }],
  }),
  started: async (context) => {
    const providers = [{ id: "anthropic", models: { [MODEL]: { limit: { context, output: 2_000 } } } }];
    const client = { config: { providers: async () => ({ data: { providers } }) } };
    const hooks = await createOpenCodePlugin({ nowMs: () => 0 })({ client });
    return async (items) => {
      const messages = [...items];
      await hooks["experimental.chat.messages.transform"]({}, { messages });
      return messages;
    };
  },
  sent: (items) =>
    items.flatMap(({ info, parts }): Anthropic.MessageParam[] => {
      if (info.role === "user")
        return [{ role: "user", content: parts.map((part) => stringAt(part, "text") ?? "").join("\n") }];
      if (info.error !== undefined) return [];
      const content = parts.flatMap((part): Fields[] => {
        if (part.type === "text") return [{ type: "text", text: part.text }];
        if (part.type === "reasoning")
          return [{ type: "thinking", thinking: part.text, signature: recordAt(part.metadata, "anthropic")?.signature }];
        return part.type === "tool"
          ? [{ type: "tool_use", id: part.callID, name: part.tool, input: recordAt(part, "state")?.input }]
          : [];
      });
      const results = parts.flatMap((part) =>
        part.type === "tool" ? [{ ...resultBlock(stringAt(part, "callID")), content: recordAt(part, "state")?.output }] : [],
      );
      const replied: Anthropic.MessageParam = { role: "assistant", content: blocksOf(content) };
      return results.length === 0 ? [replied] : [replied, { role: "user", content: blocksOf(results) }];
    }),
  answered: (content) => {
    const parts = content.flatMap((block): Fields[] => {
      if (block.type === "thinking")
        return [{ type: "reasoning", text: block.thinking, metadata: { anthropic: { signature: block.signature } } }];
      if (block.type !== "tool_use") return block.type === "text" ? [{ type: "text", text: block.text }] : [];
      const state = {
        status: "completed",
        input: block.input,
        output: RESULT,
        title: "",
        metadata: {},
        time: { start: 0, end: 0 },
      };
      return [{ type: "tool", callID: block.id, tool: block.name, state }];
    });
    return [{ info: openCodeInfo("assistant", {}), parts: [{ type: "step-start" }, ...parts] }];
  },
  failed: ({ message, status }) => ({
    info: openCodeInfo("assistant", { error: { name: "APIError", data: { message, statusCode: status, isRetryable: false } } }),
    parts: [{ type: "step-start" }],
  }),
};

/** A loop of one's own, or a filter of another library's: its array holds only the answers, and `fit` hears of nothing else. */
const OWN_LOOP: Program<Anthropic.MessageParam> = {
  said: (text) => ({ role: "user", content: text }),
  started: async (contextWindowTokens) => {
    const limits = { contextWindowTokens, maxOutputTokens: 2_000 };
    const compactor = createMessagesCompactor({ policy: PLIMSOLL_POLICY, limits, nowMs: () => 0 });
    return async (items) => await compactor.fit(items, { modelId: MODEL });
  },
  sent: (items) => [...items],
  answered: (content) => {
    const results = content.flatMap((block) => (block.type === "tool_use" ? [resultBlock(block.id)] : []));
    const replied: Anthropic.MessageParam = { role: "assistant", content: blocksOf(content.map((block) => ({ ...block }))) };
    return results.length === 0 ? [replied] : [replied, { role: "user", content: blocksOf(results) }];
  },
  failed: () => ({ role: "user", content: "the request failed" }),
};

/** One part of a session: its next input, and whether a new process goes on with it. */
interface Round {
  readonly windowTokens: number;
  readonly system?: string;
  readonly tools?: Anthropic.Tool[];
  readonly isRestarted?: boolean;
}

/** Plays rounds of one session, each of as many requests; gives how many of each were refused. */
async function refusedIn<Item>(program: Program<Item>, rounds: readonly Round[]): Promise<readonly number[]> {
  const simulator = await startSimulator({
    replies: matrixScript("bound"),
    contextWindowTokens: WIDE_TOKENS,
    nowMs: () => 0,
    rules: { prefixMismatch: "error" },
  });
  onTestFinished(() => simulator.close());
  const sdk = new Anthropic({ apiKey: "key", baseURL: simulator.url, maxRetries: 0 });
  const refusals: number[] = [];
  const items: Item[] = [program.said("go")];
  let hook = await program.started(rounds[0]?.windowTokens ?? SMALL_TOKENS);
  for (const { windowTokens, system = SYSTEM, tools = [TOOL], isRestarted = false } of rounds) {
    if (isRestarted) hook = await program.started(windowTokens);
    let refused = 0;
    for (let step = 0; step < STEPS; step++) {
      const messages = program.sent(await hook([...items]));
      const came = await sdk.messages
        .create({ model: MODEL, max_tokens: 2_000, system, tools, messages })
        .catch((error: unknown) => error);
      if (came instanceof APIError) {
        refused += 1;
        items.push(program.failed(came), program.said("go on"));
        continue;
      }
      const content: Anthropic.ContentBlock[] = JSON.parse(JSON.stringify(recordsAt(came, "content")));
      items.push(...program.answered(content));
      if (!content.some(({ type }) => type === "tool_use")) items.push(program.said("go on"));
    }
    refusals.push(refused);
  }
  return refusals;
}

const SMALL: Round = { windowTokens: SMALL_TOKENS };
const WIDE: Round = { windowTokens: WIDE_TOKENS };
const ROWS: readonly (readonly [string, readonly Round[], readonly number[]])[] = [
  ["nothing changes", [SMALL, SMALL], [0, 0]],
  ["a new process cuts", [SMALL, { ...SMALL, isRestarted: true }], [0, 0]],
  ["a new process cuts nothing", [SMALL, { ...WIDE, isRestarted: true }], [0, 1]],
  ["two new processes cut nothing", [SMALL, { ...WIDE, isRestarted: true }, { ...WIDE, isRestarted: true }], [0, 1, 1]],
  ["system text changes", [WIDE, { ...WIDE, system: "You write files." }], [0, 1]],
  ["one more tool is there", [WIDE, { ...WIDE, tools: [TOOL, { ...TOOL, name: "write_file" }] }], [0, 1]],
  ["a new process has another system text", [WIDE, { ...WIDE, system: "You write files.", isRestarted: true }], [0, 1]],
  ["system text changes twice", [WIDE, { ...WIDE, system: "You write." }, { ...WIDE, system: "You read." }], [0, 1, 1]],
];

describe("pi's extension is refused once at the most, and goes on, where", () => {
  test.each(ROWS)("%s", async (_, rounds, refused) => expect(await refusedIn(PI, rounds)).toEqual(refused));
});

describe("a loop that is told nothing is refused twice at the most, and goes on, where", () => {
  test.each(ROWS)("%s", async (_, rounds, refused) => {
    const isMet = rounds.some(({ isRestarted }) => isRestarted);
    expect(await refusedIn(OWN_LOOP, rounds)).toEqual(isMet ? refused : refused.map((count) => count * 2));
  });
});

describe("OpenCode's plugin is refused once at the most, and goes on, where", () => {
  test.each(ROWS)("%s", async (_, rounds, refused) => expect(await refusedIn(OPENCODE, rounds)).toEqual(refused));
});
