import { PRESETS } from "@plimsoll/core";
import { startSimulator } from "@plimsoll/simulator";
import { encryptedReasoning } from "@plimsoll/simulator/extend";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { validateResponsesRequest } from "../../testing/vendor-rules.ts";
import { createItemsCompactor } from "./openai-responses.ts";

type Item = OpenAI.Responses.ResponseInputItem;

const STEPS = 40;
const WINDOW_TOKENS = 20_000;
const LONG = "a line of a patch\n".repeat(120);

/** Makes the items of one step: reasoning without ids, and calls of tools of the agent's own, of the vendor and of a server. */
function stepOf(index: number): readonly Item[] {
  const callId = `call_${index}`;
  const sealed: Omit<OpenAI.Responses.ResponseReasoningItem, "id"> = {
    type: "reasoning",
    summary: [],
    encrypted_content: encryptedReasoning(`rs_${index}`),
  };
  const calls: readonly (readonly [Item, Item])[] = [
    [
      { type: "custom_tool_call", call_id: callId, name: "apply_patch", input: LONG },
      { type: "custom_tool_call_output", call_id: callId, output: LONG },
    ],
    [
      { type: "function_call", call_id: callId, namespace: "mcp__files", name: "read", arguments: "{}" },
      { type: "function_call_output", call_id: callId, output: LONG },
    ],
    [
      { type: "shell_call", call_id: callId, action: { commands: ["ls"] } },
      { type: "shell_call_output", call_id: callId, output: [{ stdout: LONG, stderr: "", outcome: { type: "timeout" } }] },
    ],
  ];
  const asked: readonly Item[] = index % 8 === 0 ? [{ role: "user", content: `Go on with part ${index}.` }] : [];
  const searched: Item = { type: "web_search_call", id: `ws_${index}`, status: "completed", action: { type: "search" } };
  // The SDK's type wants an id, which the vendor does not.
  return [...asked, Object.assign({ id: "" }, sealed, { id: undefined }), searched, ...(calls[index % calls.length] ?? [])];
}

const acting = PRESETS.filter(({ enabled }) => enabled);

test.each(acting.map((policy) => [policy.name, policy] as const))(
  "%s: nothing that custom items become is refused",
  async (_, policy) => {
    const violations: string[] = [];
    const simulator = await startSimulator({
      replies: () => ({ parts: [{ type: "text", text: "well" }] }),
      contextWindowTokens: WINDOW_TOKENS,
      tokenFactorRatio: 1.2,
      nowMs: () => 0,
      onRequest: (_, body) => {
        violations.push(...validateResponsesRequest(body));
      },
    });
    const sdk = new OpenAI({ apiKey: "key", baseURL: simulator.openAiUrl, maxRetries: 0 });
    const limits = { contextWindowTokens: WINDOW_TOKENS, maxOutputTokens: 1_000 };
    const compactor = createItemsCompactor({ policy, limits });
    const items: Item[] = [];
    for (let step = 0; step < STEPS; step++) {
      items.push(...stepOf(step));
      await compactor.send(items, (input) =>
        sdk.responses.create({ model: "gpt-5", store: false, max_output_tokens: 1_000, input }),
      );
    }
    await simulator.close();
    const outcomes = simulator.exchanges().map(({ outcome, error }) => `${outcome} ${error ?? ""}`);
    expect(outcomes.filter((each) => each.startsWith("rejected"))).toEqual([]);
    expect(violations).toEqual([]);
    expect(compactor.conversations()[0]?.entries.some(({ type }) => type === "compaction")).toBe(true);
  },
);
