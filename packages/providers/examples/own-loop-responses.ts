import { createResponsesSession } from "@plimsoll/providers/openai-responses";
import type OpenAI from "openai";

type RunTool = (name: string, argumentsJson: string) => Promise<string>;

/** The loop on the Responses wire, step by step: `send` also compacts and sends again if the prompt does not fit. */
export async function work(client: OpenAI, task: string, tools: OpenAI.Responses.Tool[], run: RunTool): Promise<string> {
  const session = await createResponsesSession({
    system: "You are a coding agent.",
    request: { model: "gpt-5-mini", max_output_tokens: 8_000, tools },
  });
  session.user(task);
  for (;;) {
    const answer = await client.responses.create(await session.request());
    const calls = session.reply(answer);
    if (calls.length === 0) return answer.output_text;
    for (const { callId, toolName, argumentsJson } of calls) session.result(callId, await run(toolName, argumentsJson));
  }
}
