import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { createPrepareStep } from "@plimsoll/providers/drop-in/ai-sdk";
import type { LanguageModel, ModelMessage } from "ai";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";

/** An agent on the AI SDK whose steps are sent compacted. */
export async function runAgent(
  model: LanguageModel,
  task: string,
  readFile: (input: unknown) => string,
): Promise<readonly ModelMessage[]> {
  const result = await generateText({
    model,
    system: "You are a careful engineer.",
    prompt: task,
    maxOutputTokens: 2_000,
    stopWhen: stepCountIs(100),
    tools: {
      read_file: tool({
        description: "Reads a file.",
        inputSchema: jsonSchema({ type: "object", properties: { path: { type: "string" } } }),
        execute: async (input) => readFile(input),
      }),
    },
    prepareStep: createPrepareStep({
      policy: PLIMSOLL_POLICY,
      limits: { contextWindowTokens: 32_000, maxOutputTokens: 2_000 },
    }),
  });
  return result.response.messages;
}
