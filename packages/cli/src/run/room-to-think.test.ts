import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SimulatedReply, type SimulatedRequest, startSimulator } from "@plimsoll/simulator";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { type AgentWire, startAgent } from "../../testing/proxy-agent.ts";
import { callOn, startSetting } from "../../testing/proxy-setting.ts";
import { runIn } from "../../testing/recorded-io.ts";

const SUMMARY = ["Goal", "Constraints & Preferences", "Progress", "Key Decisions", "Next Steps", "Critical Context"]
  .map((title) => `## ${title}\n${"The harbour is to be left alone. "}`)
  .join("\n\n");

/** A model whose thinking takes all the room of its first summary. */
function thinking(callTool: (request: SimulatedRequest) => SimulatedReply) {
  let summaries = 0;
  return (request: SimulatedRequest): SimulatedReply => {
    if (request.toolNames.length > 0) return callTool(request);
    summaries += 1;
    return summaries === 1
      ? { parts: [{ type: "reasoning", text: "Where to begin? ".repeat(50) }], stop: "length" }
      : { parts: [{ type: "text", text: SUMMARY }] };
  };
}

const asking = z.looseObject({
  tools: z.array(z.unknown()).optional(),
  max_tokens: z.number().optional(),
  max_completion_tokens: z.number().optional(),
  max_output_tokens: z.number().optional(),
});

/** The longest replies that requests for summaries asked for, and whether one was used. */
function asked(bodies: readonly unknown[]) {
  const read = bodies.map((body) => asking.parse(body));
  return {
    most: read
      .filter(({ tools = [] }) => tools.length === 0)
      .map((body) => body.max_tokens ?? body.max_completion_tokens ?? body.max_output_tokens ?? 0),
    isUsed: JSON.stringify(bodies.at(-1)).includes("The harbour is to be left alone."),
  };
}

const throughProxy = (wire: AgentWire, form: "streamed" | "whole") => async () => {
  const { url, seen } = await startSetting({ proxy: { policy: "plimsoll-model" }, replies: thinking(callOn) });
  await startAgent({ wire, form, url, headers: { session_id: "s" } }).say("Look at every part.", 18);
  return asked(seen.map(({ body }) => JSON.parse(body.toString())));
};

const throughRun = async () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-room-"));
  writeFileSync(join(folder, "a.txt"), "one line of the file and some words\n".repeat(150));
  writeFileSync(join(folder, "plimsoll.yaml"), "policy: plimsoll-model\n");
  const bodies: unknown[] = [];
  const argumentsJson = JSON.stringify({ path: "a.txt" });
  const simulator = await startSimulator({
    replies: thinking(({ replyIndex }) => ({
      parts:
        replyIndex > 20 ? [{ type: "text", text: "Done." }] : [{ type: "tool-call", toolName: "read_file", argumentsJson }],
    })),
    contextWindowTokens: 16_000,
    onRequest: (_, body) => bodies.push(body),
  });
  onTestFinished(simulator.close);
  vi.stubEnv("LLAMA_CPP_BASE_URL", simulator.openAiUrl);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect((await runIn(folder, ["run", "--model", "llama.cpp/own-model", "look"])).exitCode).toBe(0);
  return asked(bodies);
};

test.each<[string, () => Promise<ReturnType<typeof asked>>]>([
  ["the proxy on Messages", throughProxy("anthropic", "whole")],
  ["the streamed proxy on Messages", throughProxy("anthropic", "streamed")],
  ["the streamed proxy on Chat Completions", throughProxy("openai-chat", "streamed")],
  ["the streamed proxy on Responses", throughProxy("openai-responses", "streamed")],
  ["plimsoll run and its agent", throughRun],
])("a summary that thinking ended is asked for once more, with more room: %s", { timeout: 60_000 }, async (_, play) => {
  const { most, isUsed } = await play();
  const [first = 0, second = 0] = most;
  expect(most.length).toBeGreaterThanOrEqual(2);
  expect(second).toBeGreaterThan(first);
  expect(isUsed).toBe(true);
});
