import { Agent, MemorySession, Runner, tool } from "@openai/agents-core";
import { contextTools, PLIMSOLL_POLICY } from "@plimsoll/core";
import { toolsFor } from "@plimsoll/providers";
import { createCompactingModel } from "@plimsoll/providers/drop-in/openai-agents";

/** @type {{ type: "object", properties: { path: { type: "string" } }, required: "path"[], additionalProperties: false }} */
const parameters = {
  type: "object",
  properties: { path: { type: "string" } },
  required: ["path"],
  additionalProperties: false,
};

/**
 * An agent of the Agents SDK whose model is sent compacted input; its session stays whole.
 * @param {import("@openai/agents-core").Model} model
 * @param {string} task
 * @param {(input: unknown) => string} readFile
 */
export async function runAgent(model, task, readFile) {
  const limits = { contextWindowTokens: 32_000, maxOutputTokens: 2_000 };
  const execute = async (/** @type {unknown} */ input) => readFile(input);
  const readTool = tool({ name: "read_file", description: "Reads a file.", parameters, execute });
  const compacting = createCompactingModel(model, { policy: PLIMSOLL_POLICY, limits });
  const agent = new Agent({
    name: "Reader",
    model: compacting,
    modelSettings: { maxTokens: 2_000 },
    tools: [readTool, ...toolsFor("openai-agents", contextTools(compacting), tool)],
  });
  const session = new MemorySession();
  await new Runner({ tracingDisabled: true }).run(agent, task, { session, maxTurns: 1_000 });
  return await session.getItems();
}
