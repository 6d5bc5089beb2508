import { contextTools, PLIMSOLL_POLICY } from "@plimsoll/core";
import { toolsFor } from "@plimsoll/providers";
import { createMessagesCompactor } from "@plimsoll/providers/drop-in/anthropic";

/** @type {import("@anthropic-ai/sdk").default.Tool.InputSchema} */
const input_schema = { type: "object", properties: { path: { type: "string" } } };
const read_file = { name: "read_file", description: "Reads a file.", input_schema };
/** Without a mark this vendor caches nothing. @type {Omit<import("@anthropic-ai/sdk").default.MessageCreateParamsNonStreaming, "messages">} */
const request = {
  model: "claude-haiku-5-5",
  max_tokens: 2_000,
  cache_control: { type: "ephemeral" },
};

/**
 * An agent that keeps its messages whole and sends them compacted.
 * @param {import("@anthropic-ai/sdk").default} client
 * @param {string} task
 * @param {(input: unknown) => string} readFile
 */
export async function runAgent(client, task, readFile) {
  const limits = { contextWindowTokens: 32_000, maxOutputTokens: 2_000 };
  const compactor = createMessagesCompactor({ policy: PLIMSOLL_POLICY, limits });
  const context = contextTools(compactor);
  const tools = [read_file, ...toolsFor("anthropic", context)];
  /** @type {import("@anthropic-ai/sdk").default.MessageParam[]} */
  const messages = [{ role: "user", content: task }];
  for (;;) {
    const reply = await compactor.send(messages, (fitted) => client.messages.create({ ...request, tools, messages: fitted }));
    messages.push({ role: "assistant", content: reply.content });
    const calls = reply.content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) return messages;
    /** @type {import("@anthropic-ai/sdk").default.ToolResultBlockParam[]} */
    const content = [];
    for (const { id, name, input } of calls)
      content.push({ type: "tool_result", tool_use_id: id, content: (await context.execute(name, input)) ?? readFile(input) });
    messages.push({ role: "user", content });
  }
}
