import { fileURLToPath } from "node:url";
import { type Message, PLIMSOLL_POLICY, type SessionEntry, textOf, toolCallsOf } from "@plimsoll/core";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { createCompactionMiddleware } from "@plimsoll/providers/drop-in/ai-sdk";
import { createMessagesCompactor } from "@plimsoll/providers/drop-in/anthropic";
import { createContentsCompactor } from "@plimsoll/providers/drop-in/google-genai";
import type { ArrayCompactor, CompactorOptions } from "@plimsoll/providers/extend";
import { expect, test } from "vitest";
import { importFile } from "../formats/registry.ts";
import { prepareSession } from "../open/prepared-session.ts";
import { replay } from "../replay/replay.ts";
import { cellOf, limitsOf } from "./cell.ts";
import { drive } from "./drive.ts";
import type { ReplayedCall } from "./replayed-call.ts";

const REPLAY_MS = 60_000;

/** A recorded session as the engine replays it: its row, and the context of each call. */
const file = fileURLToPath(new URL("../../../fixtures/sessions/bug-hunt.jsonl", import.meta.url));
const [transcript] = await importFile(file, "bug-hunt");
const session = prepareSession(transcript ?? expect.fail("no session"));
// The readers get no model, and so no price.
const catalog = { ...MODEL_CATALOG, pricesOf: () => null };
const request = { policy: PLIMSOLL_POLICY, window: { kind: "working-room", tokens: 32_000 }, catalog } as const;
const cell = cellOf(session, request);
const row = await replay(session, request);
const calls: ReplayedCall[] = [];
await drive(session, cell, (call) => calls.push(call));

/** A part of the project that users install in front of an SDK, with recorded messages as that SDK's items. */
interface Reader {
  /** One message of a person or model, or the results of one batch. */
  readonly itemOf: (batch: readonly Message[]) => object;
  readonly start: (options: CompactorOptions) => Started;
}

interface Started {
  send(items: readonly object[], call: (sent: readonly object[]) => Answer): Promise<unknown>;
  conversations(): ReturnType<ArrayCompactor<object, object>["conversations"]>;
}

interface Answer {
  readonly requestId: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

const READERS: Readonly<Record<string, Reader>> = {
  "the Messages API": {
    itemOf: (batch) => ({
      role: batch[0]?.role === "assistant" ? "assistant" : "user",
      content: batch.flatMap((message) => [
        ...said(message).map((text) => ({ type: "text", text })),
        ...toolCallsOf(message).map((call) => ({
          type: "tool_use",
          id: call.callId,
          name: call.toolName,
          input: inputOf(call.argumentsJson),
        })),
        ...answered(message).map(({ callId, isError, text }) => ({
          type: "tool_result",
          tool_use_id: callId,
          is_error: isError,
          content: text,
        })),
      ]),
    }),
    start: (options) =>
      arrayReader(createMessagesCompactor(options, "unused"), ({ requestId: id, inputTokens, outputTokens }) => ({
        id,
        model: "m",
        content: [],
        usage: { input_tokens: inputTokens, output_tokens: outputTokens },
      })),
  },
  "Google's SDK": {
    itemOf: (batch) => ({
      role: batch[0]?.role === "assistant" ? "model" : "user",
      parts: batch.flatMap((message) => [
        ...said(message).map((text) => ({ text })),
        ...toolCallsOf(message).map((call) => ({
          functionCall: { id: call.callId, name: call.toolName, args: inputOf(call.argumentsJson) },
        })),
        ...answered(message).map(({ callId: id, toolName: name, isError, text }) => ({
          functionResponse: { id, name, response: { [isError ? "error" : "output"]: text } },
        })),
      ]),
    }),
    start: (options) =>
      arrayReader(createContentsCompactor(options, "unused"), ({ requestId: responseId, inputTokens, outputTokens }) => ({
        responseId,
        modelVersion: "m",
        // Left out, it says that nothing was cached.
        usageMetadata: {
          promptTokenCount: inputTokens,
          cachedContentTokenCount: inputTokens,
          candidatesTokenCount: outputTokens,
        },
      })),
  },
  "the AI SDK": {
    itemOf: (batch) => ({
      role: batch[0]?.role === "tool-result" ? "tool" : batch[0]?.role,
      content: batch.flatMap((message) => [
        ...said(message).map((text) => ({ type: "text", text })),
        ...toolCallsOf(message).map((call) => ({
          type: "tool-call",
          toolCallId: call.callId,
          toolName: call.toolName,
          input: inputOf(call.argumentsJson),
        })),
        ...answered(message).map(({ callId: toolCallId, toolName, isError, text: value }) => ({
          type: "tool-result",
          toolCallId,
          toolName,
          output: { type: isError ? "error-text" : "text", value },
        })),
      ]),
    }),
    start: (options) => {
      const { wrapGenerate, conversations } = createCompactionMiddleware(options);
      const { system, tools } = setup();
      const functions = tools.map((tool) => ({ ...tool, type: "function", inputSchema: inputOf(tool.parametersJson) }));
      return {
        send: (items, call) => {
          const doGenerate = ({ prompt }: { readonly prompt: readonly object[] }) => {
            const { requestId: id, inputTokens, outputTokens } = call(prompt.slice(1));
            return {
              content: [],
              usage: { inputTokens: { total: inputTokens }, outputTokens: { total: outputTokens } },
              response: { id },
            };
          };
          const model = { specificationVersion: "v3", provider: "openai.chat", modelId: "m", doGenerate };
          const prompt = [{ role: "system", content: system }, ...items];
          return Promise.resolve(wrapGenerate(ofSdk({ params: { prompt, tools: functions }, model })));
        },
        conversations,
      };
    },
  },
};

function arrayReader<Item, Sent>(
  compactor: Pick<ArrayCompactor<Item, Sent>, "send" | "conversations">,
  answerOf: (answer: Answer) => object,
): Started {
  const { system, tools } = setup();
  return {
    send: (items, call) =>
      compactor.send(
        items.map((item) => ofSdk<Item>(item)),
        (sent) => Promise.resolve(ofSdk(answerOf(call(ofSdk(sent))))),
        { system, tools, modelId: "m" },
      ),
    conversations: compactor.conversations,
  };
}

function setup() {
  const [start] = session.entries;
  return start?.type === "session" ? start : expect.fail("no beginning");
}

/** Takes a value for one of an SDK's, whose types are wider than those written here. */
function ofSdk<Value>(value: unknown): Value {
  if (isOfSdk<Value>(value)) return value;
  throw new TypeError("an SDK's value is an object");
}

function isOfSdk<Value>(value: unknown): value is Value {
  return typeof value === "object" && value !== null;
}

const inputOf = (json: string): object => ofSdk(JSON.parse(json));
const said = (message: Message) => (message.role === "tool-result" || textOf(message) === "" ? [] : [textOf(message)]);
const answered = (message: Message) => (message.role === "tool-result" ? [{ ...message, text: textOf(message) }] : []);

/** The calls, with the messages so far: results that follow each other are one batch. */
const steps = session.entries.flatMap((entry, place) =>
  entry.type === "usage" ? [{ usage: entry, batches: batchesIn(session.entries.slice(0, place)) }] : [],
);

function batchesIn(entries: readonly SessionEntry[]): readonly (readonly Message[])[] {
  const batches: Message[][] = [];
  for (const message of entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []))) {
    const last = batches.at(-1);
    if (message.role === "tool-result" && last?.at(-1)?.role === "tool-result") last.push(message);
    else batches.push([message]);
  }
  return batches;
}

/** The items of a user's program: the same objects at each call. */
function ownItems({ itemOf }: Reader): (batch: readonly Message[]) => object {
  const made = new Map<string, object>();
  return (batch) => {
    const id = batch[0]?.id ?? "";
    const item = made.get(id) ?? itemOf(batch);
    made.set(id, item);
    return item;
  };
}

const TOLD = new Set(["parts", "content", "text", "functionResponse", "response", "output", "error", "value"]);

/** Words that a drop-in puts between results and a person's message if that order was never sent before. */
const BETWEEN = "[Results received.]";

/** The texts that a model reads, in order, without the handles: each log has its own. */
function toldIn(value: unknown): string {
  if (value === BETWEEN) return "";
  if (typeof value === "string") return `${value.trim()}\n`.replaceAll(/(?<=handle )[b-t]{10}\b/g, "HANDLE");
  if (Array.isArray(value)) return value.map(toldIn).join("");
  return Object.entries(value ?? {})
    .map(([key, each]) => (TOLD.has(key) ? toldIn(each) : ""))
    .join("");
}

test.each(Object.entries(READERS))(
  "through %s each call of a recorded session sends what its row was measured on",
  { timeout: REPLAY_MS },
  async (_, reader) => {
    let nowMs: number | null = null;
    const { send, conversations } = reader.start({ policy: PLIMSOLL_POLICY, limits: limitsOf(cell), nowMs: () => nowMs });
    const own = ownItems(reader);
    const sent: number[] = [];
    for (const [call, { usage, batches }] of steps.entries()) {
      nowMs = usage.atMs;
      const inputTokens = row.series[call]?.promptTokens ?? 0;
      await send(batches.map(own), (items) => {
        expect(toldIn(items)).toBe(toldIn(calls[call]?.context.slice()));
        sent.push(call);
        return { requestId: usage.requestId, inputTokens, outputTokens: usage.usage.output.totalTokens ?? 0 };
      });
    }
    expect(sent).toEqual(row.series.map(({ call }) => call));
    expect(row.compactions.length).toBeGreaterThan(1);
    expect(conversations()[0]?.entries.filter(({ type }) => type === "compaction")).toHaveLength(row.compactions.length);
  },
);
