import { contextTools, PLIMSOLL_POLICY } from "@plimsoll/core";
import { toolsFor } from "@plimsoll/providers";
import { createContentsCompactor } from "@plimsoll/providers/drop-in/google-genai";

const schema = { type: "object", properties: { path: { type: "string" } } };
const read_file = { functionDeclarations: [{ name: "read_file", parametersJsonSchema: schema }] };

/**
 * An agent that keeps its contents whole and sends them compacted.
 * @param {import("@google/genai").GoogleGenAI} client
 * @param {string} task
 * @param {(input: unknown) => string} readFile
 */
export async function runAgent(client, task, readFile) {
  const limits = { contextWindowTokens: 32_000, maxOutputTokens: 2_000 };
  const compactor = createContentsCompactor({ policy: PLIMSOLL_POLICY, limits });
  const context = contextTools(compactor);
  const tools = [read_file, ...toolsFor("gemini", context)];
  /** @type {import("@google/genai").Content[]} */
  const contents = [{ role: "user", parts: [{ text: task }] }];
  for (;;) {
    const reply = await compactor.send(contents, (fitted) =>
      client.models.generateContent({ model: "gemini-2.5-pro", contents: fitted, config: { maxOutputTokens: 2_000, tools } }),
    );
    const said = reply.candidates?.[0]?.content;
    if (said !== undefined) contents.push(said);
    const calls = reply.functionCalls ?? [];
    if (calls.length === 0) return contents;
    /** @type {import("@google/genai").Part[]} */
    const parts = [];
    for (const { id, name = "", args } of calls) {
      const response = { output: (await context.execute(name, args)) ?? readFile(args) };
      parts.push({ functionResponse: { name, response, ...(id === undefined ? {} : { id }) } });
    }
    contents.push({ role: "user", parts });
  }
}
