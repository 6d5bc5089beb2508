import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { createItemsCompactor } from "@plimsoll/providers/drop-in/openai-responses";
import type OpenAI from "openai";

type Item = OpenAI.Responses.ResponseInputItem;
const parameters = { type: "object", properties: { path: { type: "string" } } };
const settings: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
  model: "gpt-5-mini",
  max_output_tokens: 2_000,
  store: false,
  include: ["reasoning.encrypted_content"],
  tools: [{ type: "function", name: "read_file", strict: false, parameters }],
};

/** An agent that keeps its items whole and sends them compacted; nothing is stored at the vendor. */
export async function runAgent(client: OpenAI, task: string, readFile: (input: unknown) => string): Promise<readonly Item[]> {
  const compactor = createItemsCompactor({
    policy: PLIMSOLL_POLICY,
    limits: { contextWindowTokens: 32_000, maxOutputTokens: 2_000 },
  });
  const items: Item[] = [{ role: "user", content: task }];
  for (;;) {
    const reply = await compactor.send(items, (input) => client.responses.create({ ...settings, input }));
    let calls = 0;
    for (const item of reply.output) {
      if (item.type === "message" || item.type === "reasoning" || item.type === "function_call") items.push(item);
    }
    for (const item of reply.output) {
      if (item.type !== "function_call") continue;
      calls += 1;
      items.push({ type: "function_call_output", call_id: item.call_id, output: readFile(item) });
    }
    if (calls === 0) return items;
  }
}
