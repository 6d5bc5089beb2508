import { contextTools, PLIMSOLL_POLICY } from "@plimsoll/core";
import { toolsFor } from "@plimsoll/providers";
import { createCompactionMiddleware, responseMessagesOf } from "@plimsoll/providers/drop-in/ai-sdk";
import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } from "ai";

/**
 * An agent on the AI SDK whose prompts are sent compacted; one that does not fit all the same is compacted further and sent again.
 * @param {Parameters<typeof wrapLanguageModel>[0]["model"]} model
 * @param {string} task
 * @param {(input: unknown) => string} readFile
 */
export async function runAgent(model, task, readFile) {
  const limits = { contextWindowTokens: 32_000, maxOutputTokens: 2_000 };
  const middleware = createCompactionMiddleware({ policy: PLIMSOLL_POLICY, limits });
  const result = await generateText({
    model: wrapLanguageModel({ model, middleware }),
    system: "You are a careful engineer.",
    prompt: task,
    maxOutputTokens: 2_000,
    stopWhen: stepCountIs(1_000),
    tools: {
      ...toolsFor("ai-sdk", contextTools(middleware), jsonSchema),
      read_file: tool({
        description: "Reads a file.",
        inputSchema: jsonSchema({ type: "object", properties: { path: { type: "string" } } }),
        execute: async (input) => readFile(input),
      }),
    },
  });
  return await responseMessagesOf(result);
}
