import { contextTools, PLIMSOLL_POLICY } from "@plimsoll/core";
import { toolsFor } from "@plimsoll/providers";
import { createChatCompactor } from "@plimsoll/providers/drop-in/openai-chat";

const parameters = { type: "object", properties: { path: { type: "string" } } };
/** @type {import("openai").default.ChatCompletionTool} */
const read_file = { type: "function", function: { name: "read_file", parameters } };

/**
 * An agent that keeps its messages whole and sends them compacted.
 * @param {import("openai").default} client
 * @param {string} task
 * @param {(input: unknown) => string} readFile
 */
export async function runAgent(client, task, readFile) {
  const limits = { contextWindowTokens: 32_000, maxOutputTokens: 2_000 };
  const compactor = createChatCompactor({ policy: PLIMSOLL_POLICY, limits });
  const context = contextTools(compactor);
  const tools = [read_file, ...toolsFor("openai-chat", context)];
  /** @type {import("openai").default.ChatCompletionMessageParam[]} */
  const messages = [
    { role: "system", content: "You are a careful engineer." },
    { role: "user", content: task },
  ];
  for (;;) {
    const reply = await compactor.send(messages, (fitted) =>
      client.chat.completions.create({ model: "gpt-5-mini", max_completion_tokens: 2_000, tools, messages: fitted }),
    );
    const message = reply.choices[0]?.message;
    if (message === undefined) return messages;
    messages.push(message);
    if (message.tool_calls === undefined) return messages;
    for (const call of message.tool_calls) {
      const { name, arguments: args } = "function" in call ? call.function : { name: "", arguments: "" };
      const content = (await context.execute(name, args)) ?? readFile(call);
      messages.push({ role: "tool", tool_call_id: call.id, content });
    }
  }
}
