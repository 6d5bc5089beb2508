import { createChatSession } from "@plimsoll/providers/openai-chat";
import type OpenAI from "openai";

type RunTool = (name: string, argumentsJson: string) => Promise<string>;

/** The loop on Chat Completions, streamed: `request()` and `reply()` together do the work of `send`, without its recovery. */
export async function work(client: OpenAI, task: string, tools: OpenAI.ChatCompletionTool[], run: RunTool): Promise<string> {
  const session = await createChatSession({
    system: "You are a coding agent.",
    request: { model: "gpt-5-mini", max_completion_tokens: 8_000, tools },
  });
  session.user(task);
  for (;;) {
    const answer = await session.send((request) => {
      const stream = client.chat.completions.stream({ ...request, stream_options: { include_usage: true } });
      return stream.finalChatCompletion(); // stream.on("content", …) shows it meanwhile
    });
    if (session.calls.length === 0) return answer.choices[0]?.message.content ?? "";
    for (const { callId, toolName, argumentsJson } of session.calls) session.result(callId, await run(toolName, argumentsJson));
  }
}
