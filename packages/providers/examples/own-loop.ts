import type Anthropic from "@anthropic-ai/sdk";
import { createAnthropicSession } from "@plimsoll/providers/anthropic";

type RunTool = (name: string, argumentsJson: string) => Promise<string>;

/** Works on a task in a loop of your own, with the vendor's SDK: the next request fits after results of any size. */
export async function work(client: Anthropic, task: string, tools: Anthropic.Tool[], run: RunTool): Promise<string> {
  const session = await createAnthropicSession({
    policy: "plimsoll",
    system: "You are a coding agent.",
    request: { model: "claude-haiku-5-5", max_tokens: 8_000, tools },
  });
  session.user(task);
  for (;;) {
    const answer = await session.send((request) => client.messages.create(request));
    if (session.calls.length === 0) return answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    for (const { callId, toolName, argumentsJson } of session.calls) session.result(callId, await run(toolName, argumentsJson));
  }
}
