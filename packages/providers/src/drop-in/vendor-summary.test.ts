import Anthropic from "@anthropic-ai/sdk";
import { type ContextEvent, PLIMSOLL_POLICY, presetNamed } from "@plimsoll/core";
import { type SimulatedReply, type SimulatedRequest, startSimulator } from "@plimsoll/simulator";
import OpenAI from "openai";
import { expect, onTestFinished, test } from "vitest";
import { createMessagesCompactor } from "./anthropic.ts";
import { createItemsCompactor } from "./openai-responses.ts";

const LIMITS = { contextWindowTokens: 32_768, maxOutputTokens: 2_000 };
const POLICY = presetNamed("plimsoll-vendor") ?? PLIMSOLL_POLICY;
const SETTING = { model: "claude-opus-5-5", max_tokens: 2_000, system: "You read files." };
const TOOL = { name: "read_file", input_schema: { type: "object" as const } };
const text = (index: number, lines = 230) => `${index}: line of a file\n`.repeat(lines);

function scripted({ asks, replyIndex }: SimulatedRequest): SimulatedReply {
  if (asks === "summary") return { parts: [{ type: "text", text: "The vendor's summary. ".repeat(40) }] };
  if (replyIndex % 25 === 24) return { parts: [{ type: "text", text: `Part ${replyIndex} is read.` }] };
  return { parts: [{ type: "tool-call", toolName: TOOL.name, argumentsJson: `{"path":"src/${replyIndex}.ts"}` }] };
}

/** A vendor, the options of a compactor, and what came of its session. */
async function vendor() {
  const simulator = await startSimulator({
    replies: scripted,
    reasoning: "every-reply",
    contextWindowTokens: LIMITS.contextWindowTokens,
    nowMs: () => 0,
  });
  onTestFinished(() => simulator.close());
  const ends: Extract<ContextEvent, { type: "compaction-end" }>[] = [];
  const onEvent = (event: ContextEvent) => void (event.type === "compaction-end" && ends.push(event));
  const outcome = () => ({
    refused: simulator.exchanges().filter((each) => each.outcome !== "answered").length,
    dropped: simulator.exchanges().reduce((sum, { drops }) => sum + drops.length, 0),
    writers: [
      ...new Set(ends.flatMap(({ entry }) => entry.edits.map((edit) => (edit.kind === "replace-spans" ? edit.by : edit.kind)))),
    ],
    lost: ends.reduce((sum, { entry }) => sum + (entry.removedReasoning?.length ?? 0), 0),
  });
  return { simulator, outcome, ends, options: { policy: POLICY, limits: LIMITS, onEvent } };
}

const KEPT = { refused: 0, dropped: 0, writers: ["vendor"], lost: 0 };

type Messages = Anthropic.MessageParam[];

/** A step of a loop of Messages: its model, how its request is asked, and how a summary is. */
interface Step {
  readonly lines?: number;
  readonly modelId?: string;
  readonly ask?: (fitted: Messages) => void;
  readonly compact?: "none" | (() => Promise<never>);
}

/** Plays steps of an array of Messages as long as there are any. */
async function messagesPlayed(
  { simulator, options }: Pick<Awaited<ReturnType<typeof vendor>>, "simulator" | "options">,
  stepOf: (index: number) => Step | null,
): Promise<void> {
  const headers = { headers: { "anthropic-beta": "compact-2026-09-04" } };
  const asking = new Anthropic({ apiKey: "key", baseURL: simulator.url, maxRetries: 0 }).messages;
  const compactor = createMessagesCompactor(options);
  const messages: Messages = [{ role: "user", content: "Read on." }];
  for (let index = 0, step = stepOf(0); step !== null; index++, step = stepOf(index)) {
    const { modelId = SETTING.model, ask, compact: own, lines } = step;
    const body = { ...SETTING, model: modelId, tools: [TOOL] };
    let isOver = false;
    const vendors = async (items: Messages) => {
      if (isOver) throw new Error("the request that it was given for is over");
      return await asking.create(Object.assign({ ...body, messages: items }, { compaction: { type: "summarize" } }), headers);
    };
    const { content } = await compactor.send(
      messages,
      async (fitted) => {
        ask?.(fitted);
        return await asking.create({ ...body, messages: fitted }, headers);
      },
      { system: SETTING.system, modelId, ...(own === "none" ? {} : { compact: own ?? vendors }) },
    );
    isOver = true;
    messages.push({ role: "assistant", content });
    const results = content.flatMap((block) =>
      block.type === "tool_use" ? [{ type: "tool_result" as const, tool_use_id: block.id, content: text(index, lines) }] : [],
    );
    messages.push({ role: "user", content: results.length > 0 ? results : `Read on from ${index}.` });
  }
}

const hasBlock = (fitted: Messages) => JSON.stringify(fitted[0]).includes('"compaction"');
const refusal = (message: string) =>
  Anthropic.APIError.generate(
    400,
    { type: "error", error: { type: "invalid_request_error", message } },
    undefined,
    new Headers(),
  );

test.each([230, 1_200])("an array of Messages keeps its thinking over 100 steps, with results of %i lines", async (lines) => {
  const played = await vendor();
  await messagesPlayed(played, (index) => (index < 100 ? { lines } : null));
  expect(played.ends.length).toBeGreaterThanOrEqual(3);
  expect(played.outcome()).toEqual(KEPT);
});

test("a block of another model is not sent to this one", async () => {
  const played = await vendor();
  const sent: boolean[] = [];
  const ask = (fitted: Messages) => void sent.push(hasBlock(fitted));
  let left = 3;
  const other = () => (left-- > 0 ? { modelId: "claude-fable-5-2", ask } : null);
  await messagesPlayed(played, () => (played.ends.length === 0 ? {} : other()));
  expect(sent).toEqual([false, false, false]);
  expect(played.outcome()).toMatchObject({ refused: 0, writers: ["vendor"] });
});

test("a block that has expired leaves once, and the digest is sent", async () => {
  const played = await vendor();
  const sent: boolean[] = [];
  const ask = (fitted: Messages) => {
    sent.push(hasBlock(fitted));
    if (sent.at(-1) === true) throw refusal("messages.0.content.0: the compaction block has expired");
  };
  let left = 3;
  await messagesPlayed(played, () => (played.ends.length === 0 ? {} : left-- > 0 ? { ask } : null));
  expect(sent).toEqual([true, false, false, false]);
});

test.each<[string, NonNullable<Step["compact"]>]>([
  ["without a function to ask the vendor with", "none"],
  ["if the vendor is late", () => Promise.reject(new Anthropic.APIConnectionTimeoutError())],
  ["if the vendor refuses", () => Promise.reject(refusal("compaction: not supported on this model"))],
])("%s, a digest is written, and nothing is refused", async (_, compact) => {
  const played = await vendor();
  await messagesPlayed(played, () => (played.ends.length < 2 ? { compact } : null));
  expect(played.outcome()).toMatchObject({ refused: 0, writers: ["digest"] });
});

test("an array of Responses items keeps its reasoning over 100 steps", async () => {
  const { simulator, outcome, ends, options } = await vendor();
  const { responses } = new OpenAI({ apiKey: "key", baseURL: simulator.openAiUrl, maxRetries: 0 });
  const compactor = createItemsCompactor(options);
  const setting = { model: "gpt-6", instructions: SETTING.system, store: false };
  const tools = [{ type: "function" as const, name: TOOL.name, parameters: {}, strict: false }];
  // Codex gives its messages ids, and the vendor's window has them again.
  const said = (content: string, id: string) => ({ role: "user" as const, content, ...{ type: "message" as const, id } });
  const items: OpenAI.Responses.ResponseInputItem[] = [said("Read on.", "msg_0")];
  for (let step = 0; step < 100; step++) {
    const { output } = await compactor.send(
      items,
      (input) => responses.create({ ...setting, tools, input, include: ["reasoning.encrypted_content"] }),
      {
        system: setting.instructions,
        compact: (input: OpenAI.Responses.ResponseInputItem[]) =>
          responses.compact({ model: setting.model, instructions: setting.instructions, input }),
      },
    );
    items.push(
      ...output.filter((item) => item.type === "message" || item.type === "reasoning" || item.type === "function_call"),
    );
    const calls = output.filter((item) => item.type === "function_call");
    for (const { call_id } of calls) items.push({ type: "function_call_output", call_id, output: text(step) });
    if (calls.length === 0) items.push(said(`Read on from ${step}.`, `msg_${step + 1}`));
  }
  expect(ends.length).toBeGreaterThanOrEqual(3);
  expect(outcome()).toEqual(KEPT);
});
