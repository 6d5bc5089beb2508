import { MemorySaver } from "@langchain/langgraph";
import { contextTools, PLIMSOLL_POLICY } from "@plimsoll/core";
import { toolsFor } from "@plimsoll/providers";
import { createLangChainMiddleware } from "@plimsoll/providers/drop-in/langchain";
import { createAgent, tool } from "langchain";

/** @type {{ type: "object", properties: { path: { type: "string" } } }} */
const schema = { type: "object", properties: { path: { type: "string" } } };

/**
 * An agent of LangChain that sends its model compacted messages; its checkpointer keeps the whole history.
 * @param {import("@langchain/core/language_models/chat_models").BaseChatModel} model
 * @param {string} task
 * @param {(input: unknown) => string} readFile
 */
export async function runAgent(model, task, readFile) {
  const limits = { contextWindowTokens: 32_000, maxOutputTokens: 2_000 };
  const compaction = createLangChainMiddleware({ policy: PLIMSOLL_POLICY, limits });
  const read = tool((input) => readFile(input), { name: "read_file", description: "Reads a file.", schema });
  const agent = createAgent({
    model,
    tools: [read, ...toolsFor("langchain", contextTools(compaction), tool)],
    middleware: [compaction],
    checkpointer: new MemorySaver(),
  });
  const thread = { configurable: { thread_id: "one" }, recursionLimit: 1_000 };
  await agent.invoke({ messages: [{ role: "user", content: task }] }, thread);
  const { messages } = (await agent.graph.getState(thread)).values;
  return messages;
}
