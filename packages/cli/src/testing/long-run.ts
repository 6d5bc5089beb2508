import { createDigest, PLIMSOLL_POLICY, usageOf } from "@plimsoll/core";
import type { AgentTool } from "@plimsoll/core/agent";
import { startAgent } from "@plimsoll/core/agent";
import { createFileArtifactStore, createFileSessionStore } from "@plimsoll/core/node";

/**
 * A process of its own for the memory test: a run of so many steps, each with a tool's output of so many characters, on logs in a folder.
 * Prints what came of it and the most memory that the process held. Arguments: folder, steps, characters.
 */
const [folder = "", steps = "0", outputChars = "0"] = process.argv.slice(2);
const line = "a line of a large output, as a test run writes them\n";
const output = line.repeat(Math.ceil(Number(outputChars) / line.length));
let requests = 0;
// Asked at each request: the system's own peak counts what this process was before it became this program.
let peakBytes = 0;

const big: AgentTool = {
  spec: { name: "big", description: "gives a large output", parametersJson: '{"type":"object"}' },
  category: "head-tail",
  isRerunnable: true,
  hint: null,
  pathsOf: () => [],
  run: async (_, { callId }) => ({ text: `${callId}\n${output}`, isError: false }),
};

const agent = await startAgent({
  session: { kind: "new", sessionId: "long", system: "" },
  sessions: createFileSessionStore({ folder, sync: "on-close" }),
  artifacts: createFileArtifactStore(`${folder}/artifacts`),
  policy: PLIMSOLL_POLICY,
  summarizer: createDigest(),
  tools: [big],
  nowMs: Date.now,
  maxSteps: Number(steps) + 1,
  model: {
    modelId: "test",
    limits: { contextWindowTokens: 200_000, maxOutputTokens: 8_000 },
    client: {
      complete: () => Promise.reject(new Error("streamed only")),
      stream: async function* ({ context, modelId }) {
        requests += 1;
        peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
        const isLast = requests > Number(steps);
        const requestId = `request-${requests}`;
        const stopReason = isLast ? "end" : "tool-calls";
        const chars = JSON.stringify(context.messages).length;
        const call = {
          type: "tool-call",
          callId: `call-${requests}`,
          toolName: "big",
          argumentsJson: "{}",
          paths: [],
        } as const;
        const parts = isLast ? [{ type: "text", text: "done" } as const] : [call];
        const draft = { role: "assistant", origin: "model", parts, modelId, requestId, stopReason, atMs: null } as const;
        const usage = usageOf({ totalInputTokens: Math.ceil(chars / 4), outputTokens: 10 });
        yield { type: "reply", reply: { requestId, draft, stopReason, usage } };
      },
    },
  },
});
const { reason, steps: done } = await agent.submit("go");
const { compactions } = agent.state().totals;
await agent.close();
console.log(JSON.stringify({ reason, steps: done, compactions, peakBytes }));
