import { AIMessage } from "@langchain/core/messages";
import { PLIMSOLL_POLICY } from "@plimsoll/core";
import type OpenAI from "openai";
import { expect, test } from "vitest";
import { ARRAY_ROWS } from "../../testing/array-subjects.ts";
import type { ContractTurn } from "../testing/index.ts";
import { PROMPTS } from "./ai-sdk-middleware.ts";
import { createArrayCompactor } from "./array-compactor.ts";
import { createChatCompactor } from "./openai-chat.ts";

type Item = OpenAI.ChatCompletionMessageParam & { reasoning_content?: string };
const THOUGHT = "First the parser, then its tests, and nothing else is touched. ".repeat(380);
const tokensOf = (text: string) => Math.ceil(text.length / 4);

interface Row {
  /** Whether the caller's reply has its thoughts, and whether the server reads them. */
  readonly sends: boolean;
  readonly reads: boolean;
  /** Whether a tool's result or a person follows a reply. */
  readonly follows: "result" | "person";
  /** Replies that end within their thoughts, and are not kept. */
  readonly isCutOff?: (step: number) => boolean;
}

/** The error of each prediction against the server's count, as a share of that, and how often a view was compacted. */
async function play({ sends, reads, follows, isCutOff = () => false }: Row) {
  const compactor = createChatCompactor({
    policy: PLIMSOLL_POLICY,
    limits: { contextWindowTokens: 64_000, maxOutputTokens: 8000 },
  });
  const counted = (sent: readonly Item[]) =>
    tokensOf(sent.map((item) => JSON.stringify(reads ? item : { ...item, reasoning_content: undefined })).join("")) + 900;
  const items: Item[] = [{ role: "user", content: "Mend the parser. ".repeat(40) }];
  const offs: number[] = [];
  for (let step = 0; step < 12; step += 1) {
    const sent = await compactor.fit(items);
    const promptTokens = counted(sent);
    offs.push((compactor.expectedTokens(sent) ?? 0) / promptTokens - 1);
    const call = { id: `c${step}`, type: "function" as const, function: { name: "read", arguments: "{}" } };
    const said = { content: `Step ${step} is done, so the next file is read.`, tool_calls: follows === "result" ? [call] : [] };
    const usage = { prompt_tokens: promptTokens, completion_tokens: tokensOf(THOUGHT), total_tokens: 0 };
    await compactor.observe(sent, { id: `r${step}`, model: "served", usage } as OpenAI.ChatCompletion);
    if (!isCutOff(step)) items.push({ role: "assistant", ...said, ...(sends ? { reasoning_content: THOUGHT } : {}) } as Item);
    const content = `What file ${step} holds, line by line. `.repeat(20);
    items.push(
      follows === "result" && !isCutOff(step) ? { role: "tool", tool_call_id: call.id, content } : { role: "user", content },
    );
  }
  return offs;
}

test.each<[string, Row, number]>([
  ["thoughts that are not sent, before results", { sends: false, reads: false, follows: "result" }, 1],
  ["thoughts that are not sent, before a person", { sends: false, reads: false, follows: "person" }, 1],
  ["thoughts that are sent and read, before results", { sends: true, reads: true, follows: "result" }, 1],
  ["thoughts that are sent and read, before a person", { sends: true, reads: true, follows: "person" }, 1],
  ["thoughts that are sent and dropped, before results", { sends: true, reads: false, follows: "result" }, 4],
  ["thoughts that are sent and dropped, before a person", { sends: true, reads: false, follows: "person" }, 4],
  ["replies that end in thoughts", { sends: false, reads: false, follows: "person", isCutOff: (step) => step % 3 === 1 }, 1],
])("%s are predicted as they are counted", async (_, row, from) => {
  const offs = await play(row);
  expect(offs.slice(from).filter((off) => Math.abs(off) > 0.25)).toEqual([]);
});

const OUTPUT = tokensOf(THOUGHT);
/** The answers of a model that thought for long, by kind of array. */
const ANSWERS: Readonly<Record<string, (id: string, prompt: number) => unknown>> = {
  "Anthropic messages": (id, prompt) => ({ id, model: "m", usage: { input_tokens: prompt, output_tokens: OUTPUT } }),
  "Responses items": (id, prompt) => ({ id, model: "m", usage: { input_tokens: prompt, output_tokens: OUTPUT } }),
  "Gemini contents": (responseId, promptTokenCount) => ({
    ...{ responseId, modelVersion: "m" },
    usageMetadata: { promptTokenCount, candidatesTokenCount: 20, thoughtsTokenCount: OUTPUT },
  }),
  "LangChain messages": (id, prompt) =>
    Object.assign(new AIMessage("x"), { id, usage_metadata: { input_tokens: prompt, output_tokens: OUTPUT, total_tokens: 0 } }),
  "OpenAI Agents items": (responseId, inputTokens) => ({ responseId, usage: { inputTokens, outputTokens: OUTPUT } }),
  "AI SDK prompts": (id, total) => ({
    usage: { inputTokens: { total }, outputTokens: { total: OUTPUT } },
    response: { id, modelId: "m" },
  }),
};
const OPTIONS = { policy: PLIMSOLL_POLICY, limits: { contextWindowTokens: 64_000, maxOutputTokens: 8000 } };

/** The errors of predictions, for replies that come back without their thoughts, and of which some ended within them and do not come back. */
async function offsOf(name: string, isCutOff: (step: number) => boolean): Promise<readonly number[]> {
  const offs: number[] = [];
  const row = ARRAY_ROWS.find((each) => each.name === name) ?? expect.fail(`no ${name}`);
  await row.run({
    rule: name,
    run: async (subject) => {
      const turns: ContractTurn[] = [{ kind: "human", text: "Mend the parser. ".repeat(40), before: null }];
      const own = name === "AI SDK prompts" ? createArrayCompactor(PROMPTS, OPTIONS) : subject.create(OPTIONS);
      for (let step = 0; step < 12; step += 1) {
        const sent: readonly unknown[] = await Reflect.apply(own.fit, undefined, [subject.items(turns)]);
        const promptTokens = tokensOf(JSON.stringify(sent)) + 900;
        offs.push((Reflect.apply(own.expectedTokens, undefined, [sent]) ?? 0) / promptTokens - 1);
        await Reflect.apply(own.observe, undefined, [sent, ANSWERS[name]?.(`r${step}`, promptTokens)]);
        const text = `What file ${step} holds, line by line. `.repeat(20);
        const call = { callId: `c${step}`, path: "a.ts", said: `Step ${step} is done.`, result: text };
        turns.push(isCutOff(step) ? { kind: "human", text, before: null } : { kind: "step", ...call });
      }
    },
  });
  return offs;
}

test.each(Object.keys(ANSWERS))("thoughts that are not sent are no context: %s", async (name) => {
  for (const isCutOff of [() => false, (step: number) => step % 3 === 1]) {
    const offs = await offsOf(name, isCutOff);
    expect(offs).toHaveLength(12);
    expect(offs.slice(1).filter((off) => Math.abs(off) > 0.25)).toEqual([]);
  }
});
