import { type ExchangeFacts, playScenario, startSimulator } from "@plimsoll/simulator";
import { z } from "zod";
import type { Lab } from "../src/experiments/setting.ts";
import type { ActsBetween } from "../src/facts.ts";
import { CODEX } from "../src/programs/codex.ts";

/** A small agent of our own, in the place of a program: it keeps all messages, and asks for a summary where it is to act. */
export interface SmallAgent {
  readonly between: ActsBetween;
  /** On the usage that the reply reported; without that, on the size of its messages. */
  readonly acts: (sizeTokens: number) => boolean;
}

const KINDS = [{ kind: "summary", if: { tools: "none" } }] as const;
const TOOLS = [{ type: "function", function: { name: "shell", parameters: { type: "object" } } }];
const PATTERNS = [{ name: "shell", arguments: { size: "{chars}" } }];

/** A lab whose program is the agent; `runs` are the names of the plays. */
export function labOf(agent: SmallAgent): Lab & { readonly runs: readonly string[] } {
  const runs: string[] = [];
  return {
    program: CODEX,
    runs,
    play: async (name, { scenario, prompts }) => {
      runs.push(name);
      const exchanges: ExchangeFacts[] = [];
      const played = { windowTokens: WINDOW_TOKENS, ...scenario, kinds: KINDS, tools: PATTERNS };
      const simulator = await startSimulator({ ...playScenario(played, (facts) => exchanges.push(facts)), nowMs: () => 0 });
      await session(simulator.openAiUrl, prompts, agent);
      await simulator.close();
      return { exchanges, exitCode: 0, told: "answer", endedBy: "itself", refusals: [], lostOutputs: [] };
    },
  };
}

const WINDOW_TOKENS = 9_000_000;

const replySchema = z.object({
  choices: z.tuple([
    z.object({
      message: z.object({
        content: z.string().nullable(),
        tool_calls: z
          .array(z.looseObject({ id: z.string(), function: z.looseObject({ arguments: z.string() }) }))
          .exactOptional(),
      }),
    }),
  ]),
  usage: z.object({ prompt_tokens: z.number() }).exactOptional(),
});

const argumentsSchema = z.object({ size: z.string() });

async function ask(url: string, messages: readonly object[], tools: readonly object[]) {
  const body = JSON.stringify({ model: "m", messages, ...(tools.length === 0 ? {} : { tools }) });
  const headers = { authorization: "Bearer key" };
  const response = await fetch(`${url}/chat/completions`, { method: "POST", headers, body });
  const { choices, usage } = replySchema.parse(await response.json());
  return { message: choices[0].message, usedTokens: usage?.prompt_tokens ?? null };
}

async function session(url: string, prompts: readonly string[], { between, acts }: SmallAgent): Promise<void> {
  let messages: readonly object[] = [];
  const settle = async (place: ActsBetween, usedTokens: number | null) => {
    if (place !== between || !acts(usedTokens ?? Math.ceil(JSON.stringify(messages).length / 4))) return;
    await ask(url, [...messages, { role: "user", content: "Sum up." }], []);
    messages = [];
  };
  for (const content of prompts) {
    messages = [...messages, { role: "user", content }];
    let reply = await ask(url, messages, TOOLS);
    for (let [call] = reply.message.tool_calls ?? []; call !== undefined; [call] = reply.message.tool_calls ?? []) {
      const { size } = argumentsSchema.parse(JSON.parse(call.function.arguments));
      const result = { role: "tool", tool_call_id: call.id, content: "x".repeat(Number(size)) };
      messages = [...messages, { role: "assistant", ...reply.message }, result];
      await settle("steps", reply.usedTokens);
      if (messages.length === 0) messages = [{ role: "user", content }];
      reply = await ask(url, messages, TOOLS);
    }
    messages = [...messages, { role: "assistant", content: reply.message.content ?? "" }];
    await settle("turns", reply.usedTokens);
  }
}
