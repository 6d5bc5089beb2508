import { startAgent } from "@plimsoll/agent";
import { createDigest, PLIMSOLL_POLICY, usageOf } from "@plimsoll/core";
import { type AgentTool, coverageOf, createWorkCounter } from "@plimsoll/core/extend";
import { createFileArtifactStore, createFileSessionStore } from "@plimsoll/stores";

/**
 * A process of its own: a run of so many steps, each with a tool's output of so many characters, every so manieth of more, on logs in a folder.
 * Prints the result, the most memory that the process held, and the counts of work at each request. Arguments: folder, steps, characters, every how
 * manieth output is large, its characters.
 */
const [folder = "", stepsText = "0", outputChars = "0", largeEvery = "0", largeChars = "0"] = process.argv.slice(2);
const steps = Number(stepsText);
const line = "a line of a large output, as a test run writes them\n";
const textOf = (chars: string) => line.repeat(Math.ceil(Number(chars) / line.length));
const usual = textOf(outputChars);
const large = textOf(largeChars);
const work = createWorkCounter();
// Counts at each request, one list a counter.
const counts = {
  charactersScanned: [] as number[],
  messagesVisited: [] as number[],
  tokenizerCalls: [] as number[],
  entriesFolded: [] as number[],
  compactions: [] as number[],
};
// The work of each compaction.
const works: ReturnType<typeof work.total>[] = [];
let requests = 0;
// Asked at each request: the system's own peak counts the process before it became this program.
let peakBytes = 0;

const big: AgentTool = {
  spec: { name: "big", description: "gives a large output", parametersJson: '{"type":"object"}' },
  category: "head-tail",
  isRerunnable: true,
  hint: null,
  pathsOf: () => [],
  effectOf: () => ({ kind: "read" }),
  run: async (_, { callId }) => ({ text: `${callId}\n${requests % Number(largeEvery) === 0 ? large : usual}`, isError: false }),
};

function countWork(): void {
  const { charactersScanned, messagesVisited, tokenizerCalls } = work.total();
  counts.charactersScanned.push(charactersScanned);
  counts.messagesVisited.push(messagesVisited);
  counts.tokenizerCalls.push(tokenizerCalls);
  counts.entriesFolded.push(work.foldedEntries());
  counts.compactions.push(works.length);
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
}

const agent = await startAgent({
  session: { kind: "new", sessionId: "long", system: "" },
  sessions: createFileSessionStore({ folder, sync: "on-close" }),
  artifacts: createFileArtifactStore(`${folder}/artifacts`),
  policy: PLIMSOLL_POLICY,
  summarizer: createDigest(),
  tools: [big],
  nowMs: Date.now,
  maxSteps: steps + 1,
  context: { work },
  onEvent: (event) => {
    if (event.type === "compaction-end") works.push(event.entry.record.work);
  },
  model: {
    modelId: "test",
    limits: { contextWindowTokens: 200_000, maxOutputTokens: 8_000 },
    client: {
      complete: () => Promise.reject(new Error("streamed only")),
      stream: async function* ({ context, modelId }) {
        requests += 1;
        countWork();
        const isLast = requests > steps;
        const requestId = `request-${requests}`;
        const stopReason = isLast ? "end" : "tool-calls";
        const call = {
          type: "tool-call",
          // Of one length, so that late calls are no larger than early ones.
          callId: `call-${String(requests).padStart(6, "0")}`,
          toolName: "big",
          argumentsJson: "{}",
          paths: [],
        } as const;
        const parts = isLast ? [{ type: "text", text: "done" } as const] : [call];
        const draft = { role: "assistant", origin: "model", parts, modelId, requestId, stopReason, atMs: null } as const;
        const usage = usageOf({ totalInputTokens: Math.ceil(coverageOf(context.messages).chars / 4), outputTokens: 10 });
        yield { type: "reply", reply: { requestId, draft, stopReason, usage } };
      },
    },
  },
});
const { reason, steps: done } = await agent.submit("go");
await agent.close();
console.log(JSON.stringify({ reason, steps: done, compactions: works.length, peakBytes, counts, works }));
