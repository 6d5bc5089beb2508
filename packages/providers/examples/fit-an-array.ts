import { createChatCompactor } from "@plimsoll/providers/drop-in/openai-chat";
import type OpenAI from "openai";

const limits = { contextWindowTokens: 32_000, maxOutputTokens: 4_000 }; // or model: "gpt-5.5"
const compactor = createChatCompactor({ policy: "plimsoll", limits });
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Why does the build fail?" }];
for (let step = 1; step <= 100; step += 1) {
  const call = { id: `c${step}`, type: "function" as const, function: { name: "read_log", arguments: "{}" } };
  messages.push({ role: "assistant", tool_calls: [call] });
  messages.push({ role: "tool", tool_call_id: call.id, content: `line of part ${step}\n`.repeat(300) });
  const fitted = await compactor.fit(messages); // messages itself stays whole
  if (step % 25 === 0) console.log(`${messages.length} messages, ${fitted.length} sent`);
}
