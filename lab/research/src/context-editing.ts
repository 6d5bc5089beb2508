import process from "node:process";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { PRESETS } from "@plimsoll/core";
import { createLangChainMiddleware } from "@plimsoll/providers/drop-in/langchain";
import { type AgentMiddleware, ClearToolUsesEdit, contextEditingMiddleware, createAgent, tool } from "langchain";
import { z } from "zod";
import { numberAbove0, optionsOf } from "./options.ts";

const USAGE = `pnpm context-editing: plays 100 steps of the same work through LangChain's agent
under its contextEditing and under ours, in a window of 32k, and prints what the
prompts cost (in tokens: 0.1 for what the prompt cache has, 1.25 for the rest) and
which share of all result lines so far is in them. Four characters are a token.

  --lines N     lines of a result at most (80)
  --seed N      another work; again for several (7 and 8)`;

const values = optionsOf(USAGE, {
  lines: { type: "string", default: "80" },
  seed: { type: "string", multiple: true, default: ["7", "8"] },
});
const fewestLines = Math.ceil(numberAbove0("lines", values.lines) / 4);

const STEPS = 100;
/** Prices of cache reads and cache writes, in parts of an input token's (Anthropic, November 2026). */
const READ_PRICE = 0.1;
const WRITE_PRICE = 1.25;
const CHARS_PER_TOKEN = 4;
const LIMITS = { contextWindowTokens: 32_000, maxOutputTokens: 4_000 };
/** The rival's settings: thousands of tokens at which it clears, and results that stay. Its own default is 100 and 3. */
const EDITS = [
  ...[16, 24, 27].map((thousands) => ({ thousands, messages: 3 })),
  ...[24, 27].map((thousands) => ({ thousands, messages: 10 })),
];

/** The lines of each step's result, made by a linear congruential generator. */
function workOf(seed: number): readonly (readonly string[])[] {
  let state = seed;
  const upTo = (count: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * count);
  };
  const lineOf = (step: number, line: number) =>
    `const total${upTo(900)} = parse${upTo(900)}(order${upTo(900)}, ${step}); // ${step}-${line}`;
  return Array.from({ length: STEPS }, (_, step) =>
    Array.from({ length: fewestLines + upTo(3 * fewestLines) }, (__, line) => lineOf(step, line)),
  );
}

const textOf = (message: BaseMessage) => JSON.stringify([message.type, message.content, Reflect.get(message, "tool_calls")]);
const tokensOf = (texts: readonly string[]) => Math.ceil(texts.join("").length / CHARS_PER_TOKEN);

/** A model that asks for each step's result in turn, and measures the prompts that it is given. */
class MeasuringModel extends BaseChatModel {
  pricedTokens = 0;
  shares: readonly number[] = [];
  calls = 0;
  readonly #work: readonly (readonly string[])[];
  #before: readonly string[] = [];

  constructor(work: readonly (readonly string[])[]) {
    super({});
    this.#work = work;
  }

  _llmType(): string {
    return "measuring";
  }

  override bindTools(): this {
    return this;
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const sent = messages.map(textOf);
    const changed = sent.findIndex((text, at) => text !== this.#before[at]);
    const kept = changed < 0 ? sent.length : changed;
    this.pricedTokens += READ_PRICE * tokensOf(sent.slice(0, kept)) + WRITE_PRICE * tokensOf(sent.slice(kept));
    this.#before = sent;
    const [lines, whole] = [this.#work.slice(0, this.calls).flat(), sent.join("\n")];
    if (lines.length > 0) this.shares = [...this.shares, lines.filter((line) => whole.includes(line)).length / lines.length];
    this.calls += 1;
    const call = {
      type: "tool_call" as const,
      ...{ id: `call_${this.calls}`, name: "read_file", args: { path: `${this.calls}.ts` } },
    };
    const message = new AIMessage({ content: `Step ${this.calls}.`, tool_calls: this.calls > STEPS ? [] : [call] });
    const input_tokens = tokensOf(sent);
    Reflect.set(message, "usage_metadata", { input_tokens, output_tokens: 40, total_tokens: input_tokens + 40 });
    return { generations: [{ text: "", message }] };
  }
}

/** Plays the work under a middleware, and prints the cost of its prompts and the mean share of result lines in them. */
async function play(name: string, work: readonly (readonly string[])[], middleware: AgentMiddleware[]): Promise<void> {
  const model = new MeasuringModel(work);
  const read = tool(async () => work[model.calls - 1]?.join("\n") ?? "", {
    name: "read_file",
    description: "Reads a file.",
    schema: z.object({ path: z.string() }),
  });
  const messages = [new HumanMessage("Fix the totals of orders in all modules, and say what you changed.")];
  await createAgent({ model, tools: [read], middleware }).invoke({ messages }, { recursionLimit: STEPS * 10 });
  const share = model.shares.reduce((sum, each) => sum + each, 0) / model.shares.length;
  const [price, kept] = [(model.pricedTokens / 1000).toFixed(0), (100 * share).toFixed(1)];
  process.stdout.write(`${name.padEnd(30)}${price.padStart(8)}k${kept.padStart(8)}%\n`);
}

for (const seed of values.seed) {
  const work = workOf(numberAbove0("seed", seed));
  process.stdout.write(`\nseed ${seed.padEnd(28)}price     lines\n`);
  await play("nothing", work, []);
  for (const { thousands, messages } of EDITS) {
    const edits = [new ClearToolUsesEdit({ trigger: { tokens: thousands * 1000 }, keep: { messages } })];
    const rival = contextEditingMiddleware({ edits, tokenCountMethod: "approx" });
    await play(`contextEditing ${thousands}k, keep ${messages}`, work, [rival]);
  }
  for (const policy of PRESETS.filter(({ name }) => /^plimsoll(?:-economy)?$/.test(name)))
    await play(policy.name, work, [createLangChainMiddleware({ policy, limits: LIMITS })]);
}
