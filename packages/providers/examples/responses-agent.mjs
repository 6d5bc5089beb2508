import { contextTools, PLIMSOLL_POLICY } from "@plimsoll/core";
import { toolsFor } from "@plimsoll/providers";
import { createItemsCompactor } from "@plimsoll/providers/drop-in/openai-responses";

const parameters = { type: "object", properties: { path: { type: "string" } } };
/** @type {import("openai").default.Responses.ResponseCreateParamsNonStreaming} */
const settings = {
  model: "gpt-5-mini",
  max_output_tokens: 2_000,
  store: false,
  include: ["reasoning.encrypted_content"],
};
const read_file = { type: /** @type {const} */ ("function"), name: "read_file", strict: false, parameters };

/**
 * An agent that keeps its items whole and sends them compacted; nothing is stored at the vendor.
 * @param {import("openai").default} client
 * @param {string} task
 * @param {(input: unknown) => string} readFile
 */
export async function runAgent(client, task, readFile) {
  const limits = { contextWindowTokens: 32_000, maxOutputTokens: 2_000 };
  const compactor = createItemsCompactor({ policy: PLIMSOLL_POLICY, limits });
  const context = contextTools(compactor);
  const tools = [read_file, ...toolsFor("openai-responses", context)];
  /** @type {import("openai").default.Responses.ResponseInputItem[]} */
  const items = [{ role: "user", content: task }];
  for (;;) {
    const reply = await compactor.send(items, (input) => client.responses.create({ ...settings, tools, input }));
    for (const item of reply.output)
      if (item.type === "message" || item.type === "reasoning" || item.type === "function_call") items.push(item);
    const calls = reply.output.filter((item) => item.type === "function_call");
    if (calls.length === 0) return items;
    for (const call of calls) {
      const output = (await context.execute(call.name, call.arguments)) ?? readFile(call);
      items.push({ type: "function_call_output", call_id: call.call_id, output });
    }
  }
}
