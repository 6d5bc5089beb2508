import type Anthropic from "@anthropic-ai/sdk";
import { type Policy, presetNamed } from "@plimsoll/core";
import type OpenAI from "openai";
import { expect, test } from "vitest";
import { createMessagesCompactor } from "../../src/drop-in/anthropic.ts";
import { createChatCompactor } from "../../src/drop-in/openai-chat.ts";
import { createItemsCompactor } from "../../src/drop-in/openai-responses.ts";
import { type VendorViolation, validateChatRequest, validateMessagesRequest, validateResponsesRequest } from "./index.ts";

/** Steps of a conversation, in a window in which each preset compacts several times. */
const STEPS = 60;
const LIMITS = { contextWindowTokens: 24_000, maxOutputTokens: 2_000 };

const PRESET_NAMES = ["sven", "sven-ci", "sven-interactive", "opal", "klaude-code", "pi", "plimsoll", "plimsoll-model"];

/** Replies in order: "ten" ends a turn at each tenth, "one" never. */
const SCRIPTS = ["ten", "one"] as const;

interface Turn {
  readonly step: number;
  readonly calls: number;
  /** Whether the person speaks before this step. */
  readonly isAsked: boolean;
}

function turnsOf(script: (typeof SCRIPTS)[number]): readonly Turn[] {
  const callsAt = (step: number): number => (script === "ten" && step % 10 === 9 ? 0 : 1 + (step % 3));
  return Array.from({ length: STEPS }, (_, step) => ({
    step,
    calls: callsAt(step),
    isAsked: step === 0 || callsAt(step - 1) === 0,
  }));
}

const asked = (step: number): string => `Please go on with what follows part ${step}.`;
const found = (step: number): string => `const value${step} = read("part-${step}");\n`.repeat(10 + ((step * 37) % 90));

interface Plan {
  readonly policy: Policy;
  readonly turns: readonly Turn[];
}

/** Every body that a drop-in's caller would send, judged before it is answered. */
async function messagesBodies({ policy, turns }: Plan): Promise<readonly VendorViolation[]> {
  const compactor = createMessagesCompactor({ policy, limits: LIMITS });
  const items: Anthropic.MessageParam[] = [];
  const broken: VendorViolation[] = [];
  for (const { step, calls, isAsked } of turns) {
    if (isAsked) items.push({ role: "user", content: asked(step) });
    const messages = await compactor.fit(items, { system: "You read parts.", conversation: "judged" });
    const thinking = { type: "enabled", budget_tokens: 1_024 };
    const tools = [{ name: "read", input_schema: { type: "object" } }];
    broken.push(
      ...validateMessagesRequest({
        model: "claude-sonnet-4-5",
        max_tokens: 2_000,
        thinking,
        tools,
        system: "You read parts.",
        messages,
      }),
    );
    const ids = Array.from({ length: calls }, (_, index) => `toolu_${step}_${index}`);
    const thought = { type: "thinking", thinking: `Part ${step}.`, signature: `sig-${step}` } as const;
    const uses = ids.map((id) => ({ type: "tool_use", id, name: "read", input: { part: step } }) as const);
    items.push({ role: "assistant", content: [thought, { type: "text", text: `Looking at ${step}.` }, ...uses] });
    if (calls > 0)
      items.push({ role: "user", content: ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: found(step) })) });
  }
  return broken;
}

async function chatBodies({ policy, turns }: Plan): Promise<readonly VendorViolation[]> {
  const compactor = createChatCompactor({ policy, limits: LIMITS });
  const items: OpenAI.ChatCompletionMessageParam[] = [{ role: "system", content: "You read parts." }];
  const broken: VendorViolation[] = [];
  for (const { step, calls, isAsked } of turns) {
    if (isAsked) items.push({ role: "user", content: asked(step) });
    const messages = await compactor.fit(items, { conversation: "judged" });
    const tools = [{ type: "function", function: { name: "read", parameters: { type: "object" } } }];
    broken.push(...validateChatRequest({ model: "gpt-4.1", tools, messages }));
    const ids = Array.from({ length: calls }, (_, index) => `call_${step}_${index}`);
    const tool_calls = ids.map(
      (id) => ({ id, type: "function", function: { name: "read", arguments: `{"part":${step}}` } }) as const,
    );
    items.push({ role: "assistant", content: `Looking at ${step}.`, ...(calls === 0 ? {} : { tool_calls }) });
    for (const id of ids) items.push({ role: "tool", tool_call_id: id, content: found(step) });
  }
  return broken;
}

async function responsesBodies({ policy, turns }: Plan): Promise<readonly VendorViolation[]> {
  const compactor = createItemsCompactor({ policy, limits: LIMITS });
  const items: OpenAI.Responses.ResponseInputItem[] = [];
  const reasonedBy = new Map(turns.flatMap(({ step }) => [0, 1, 2].map(() => [`msg_${step}`, `rs_${step}`] as const)));
  const broken: VendorViolation[] = [];
  for (const { step, calls, isAsked } of turns) {
    if (isAsked) items.push({ role: "user", content: asked(step) });
    const input = await compactor.fit(items, { system: "You read parts.", conversation: "judged" });
    const tools = [{ type: "function", name: "read", parameters: { type: "object" }, strict: false }];
    broken.push(...validateResponsesRequest({ model: "gpt-5.2", store: false, tools, input }, { reasonedBy }));
    const text: OpenAI.Responses.ResponseOutputText = { type: "output_text", text: `Looking at ${step}.`, annotations: [] };
    items.push({ type: "reasoning", id: `rs_${step}`, summary: [], encrypted_content: `e${step}` });
    items.push({ type: "message", id: `msg_${step}`, role: "assistant", status: "completed", content: [text] });
    const ids = Array.from({ length: calls }, (_, index) => `call_${step}_${index}`);
    for (const id of ids)
      items.push({ type: "function_call", id: `fc_${id}`, call_id: id, name: "read", arguments: `{"part":${step}}` });
    for (const id of ids) items.push({ type: "function_call_output", call_id: id, output: found(step) });
  }
  return broken;
}

const DROP_INS = [
  { wire: "anthropic", bodies: messagesBodies },
  { wire: "openai-chat", bodies: chatBodies },
  { wire: "openai-responses", bodies: responsesBodies },
];

const ROWS = DROP_INS.flatMap((dropIn) =>
  PRESET_NAMES.flatMap((preset) =>
    SCRIPTS.map((script) => ({ ...dropIn, preset, script, row: `${dropIn.wire} ${preset} ${script}` })),
  ),
);

test.each(ROWS)(
  "$row: what a drop-in makes of an array is as the vendor's documents ask",
  async ({ bodies, preset, script }) => {
    const policy = presetNamed(preset);
    if (policy === undefined) throw new Error(`no preset is called ${preset}`);
    expect((await bodies({ policy, turns: turnsOf(script) })).slice(0, 2)).toEqual([]);
  },
);
