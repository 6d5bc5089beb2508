/** An agent of a few lines on the vendor's SDK, without anything of ours: it keeps its messages whole, thinking included, and sends them as they are. */
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import process from "node:process";
import { pathToFileURL } from "node:url";

const [project = "", model = "", prompt = ""] = process.argv.slice(2);
const entry = createRequire(pathToFileURL(`${project}/`)).resolve("@anthropic-ai/sdk");
const { Anthropic } = await import(pathToFileURL(entry).href);
const client = new Anthropic({ maxRetries: 0 });
const tools = [{ name: "bash", description: "Runs a command.", input_schema: { type: "object" } }];
const request = { model, max_tokens: 2_000, system: "You are an agent.", cache_control: { type: "ephemeral" }, tools };

const messages = [{ role: "user", content: prompt }];
for (;;) {
  const reply = await client.messages.stream({ ...request, messages }).finalMessage();
  messages.push({ role: "assistant", content: reply.content });
  const calls = reply.content.filter(({ type }) => type === "tool_use");
  if (calls.length === 0) break;
  const run = ({ command }) => execFileSync("sh", ["-c", command], { encoding: "utf8" });
  messages.push({
    role: "user",
    content: calls.map(({ id, input }) => ({ type: "tool_result", tool_use_id: id, content: run(input) })),
  });
}
process.stdout.write(
  messages
    .at(-1)
    .content.map(({ text = "" }) => text)
    .join(""),
);
