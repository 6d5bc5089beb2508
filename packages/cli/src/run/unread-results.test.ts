import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAgent as openAgent } from "@plimsoll/agent";
import { createMemoryArtifactStore, PLIMSOLL_POLICY } from "@plimsoll/core";
import { createOpenAiChatClient } from "@plimsoll/providers/openai-chat";
import { type SimulatedReply, type SimulatedRequest, startSimulator } from "@plimsoll/simulator";
import { createMemorySessionStore } from "@plimsoll/stores";
import { createBuiltinTools } from "@plimsoll/tools";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { type AgentWire, startAgent } from "../../testing/proxy-agent.ts";
import { startSetting } from "../../testing/proxy-setting.ts";
import { runIn } from "../../testing/recorded-io.ts";

const CALLS = 60;
const WINDOW_TOKENS = 24_000;
const WORDS = Array.from({ length: 400 }, (_, index) => `word-${index % 70}`).join(" ");

/** Sixty calls at once, then words. */
function callsOf(toolName: string, args: object) {
  return ({ replyIndex }: SimulatedRequest): SimulatedReply => ({
    parts:
      replyIndex > 0
        ? [{ type: "text", text: "I have read them." }]
        : Array.from({ length: CALLS }, () => ({ type: "tool-call", toolName, argumentsJson: JSON.stringify(args) }) as const),
  });
}

/** The lengths of all results in a body, on any wire. */
function resultChars(body: unknown): readonly number[] {
  const found: number[] = [];
  const result = z.union([
    z.looseObject({ role: z.literal("tool"), content: z.unknown() }).transform(({ content }) => content),
    z.looseObject({ type: z.literal("tool_result"), content: z.unknown() }).transform(({ content }) => content),
    z.looseObject({ type: z.literal("function_call_output"), output: z.unknown() }).transform(({ output }) => output),
    z
      .looseObject({ functionResponse: z.looseObject({ response: z.unknown() }) })
      .transform(({ functionResponse }) => functionResponse.response),
  ]);
  JSON.parse(JSON.stringify(body), (_, value: unknown) => {
    const read = result.safeParse(value);
    if (read.success) found.push(JSON.stringify(read.data).length);
    return value;
  });
  return found;
}

async function provider(replies: (request: SimulatedRequest) => SimulatedReply) {
  const bodies: unknown[] = [];
  const simulator = await startSimulator({
    replies,
    contextWindowTokens: WINDOW_TOKENS,
    onRequest: (_, body) => bodies.push(body),
  });
  onTestFinished(simulator.close);
  return { simulator, bodies };
}

const throughProxy = (wire: AgentWire, form: "streamed" | "whole") => async () => {
  const { url, seen } = await startSetting({
    contextWindowTokens: WINDOW_TOKENS,
    replies: callsOf("shell", { command: "ls" }),
    proxy: { window: "24k" },
  });
  await startAgent({ wire, form, url, headers: { session_id: "s" }, resultOf: () => WORDS }).say("Look at every part.", 2);
  return JSON.parse(seen.at(-1)?.body.toString() ?? "{}");
};

const throughRun = async () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-unread-"));
  writeFileSync(join(folder, "a.txt"), WORDS);
  const { simulator, bodies } = await provider(callsOf("read_file", { path: "a.txt" }));
  vi.stubEnv("LLAMA_CPP_BASE_URL", simulator.openAiUrl);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect((await runIn(folder, ["run", "--model", "llama.cpp/own-model", "look"])).exitCode).toBe(0);
  return bodies.at(-1);
};

const throughAgent = async () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-unread-"));
  writeFileSync(join(folder, "a.txt"), WORDS);
  const { simulator, bodies } = await provider(callsOf("read_file", { path: "a.txt" }));
  const { tools } = await createBuiltinTools({ workspaceFolder: folder, env: {} });
  const opened = await openAgent({
    session: { kind: "new", sessionId: "s", system: "" },
    ...{ sessions: createMemorySessionStore(), artifacts: createMemoryArtifactStore(), policy: PLIMSOLL_POLICY, tools },
    model: {
      client: createOpenAiChatClient({ baseUrl: simulator.openAiUrl, environment: { OPENAI_API_KEY: "k" } }),
      modelId: "m",
      limits: { contextWindowTokens: WINDOW_TOKENS, maxOutputTokens: 2_000 },
    },
    nowMs: () => 0,
  });
  expect((await opened.submit("Look at every part.")).error).toBeNull();
  return bodies.at(-1);
};

test.each<[string, () => Promise<unknown>]>([
  ["the proxy on Messages", throughProxy("anthropic", "whole")],
  ["the streamed proxy on Messages", throughProxy("anthropic", "streamed")],
  ["the proxy on Responses", throughProxy("openai-responses", "whole")],
  ["the streamed proxy on Responses", throughProxy("openai-responses", "streamed")],
  ["the proxy on Gemini", throughProxy("gemini", "whole")],
  ["the streamed proxy on Gemini", throughProxy("gemini", "streamed")],
  ["an agent", throughAgent],
  ["plimsoll run", throughRun],
])("results that nobody has read share the room that there is: %s", { timeout: 60_000 }, async (_, send) => {
  const sizes = resultChars(await send());
  expect(sizes).toHaveLength(CALLS);
  expect(sizes.filter((chars) => chars < 300)).toEqual([]);
});
