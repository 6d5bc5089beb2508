import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { createChatCompactor } from "@plimsoll/providers/drop-in/openai-chat";

const parameters = { type: "object", properties: { path: { type: "string" } } };
/** @type {import("openai").default.ChatCompletionTool[]} */
const tools = [{ type: "function", function: { name: "read_file", parameters } }];

/**
 * An agent that keeps its messages whole and sends them compacted.
 * @param {import("openai").default} client
 * @param {string} task
 * @param {(input: unknown) => string} readFile
 */
export async function runAgent(client, task, readFile) {
  const limits = { contextWindowTokens: 32_000, maxOutputTokens: 2_000 };
  const compactor = createChatCompactor({ policy: PLIMSOLL_POLICY, limits });
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
    const calls = message.tool_calls ?? [];
    if (calls.length === 0) return messages;
    for (const call of calls) messages.push({ role: "tool", tool_call_id: call.id, content: readFile(call) });
  }
}
