import {
  admitToolResult,
  type Context,
  createDigest,
  createMemoryArtifactStore,
  createSession,
  isPlimsollError,
  type ModelClient,
  type ModelReply,
  type ModelRequest,
  type Policy,
  type Session,
  type SessionEntry,
  type ToolCallPart,
  toolCallsOf,
} from "@plimsoll/core";
import { overheadHash } from "@plimsoll/core/extend";
import { human, result, sessionStart, usageEntry } from "@plimsoll/core/testing";
import type { SimulatedReply, SimulatedRequest } from "@plimsoll/simulator";

/** The plan of a long session. */
export interface LongSession {
  readonly policy: Policy;
  readonly client: ModelClient;
  readonly steps: number;
  readonly windowTokens: number;
  readonly maxOutputTokens: number;
}

/** The record of a session that was played. */
export interface PlayedSession {
  readonly steps: number;
  readonly overflows: number;
  readonly recoveries: number;
  readonly compactions: number;
  /** The contexts of the requests that were answered, in order, and their replies. */
  readonly sent: readonly Context[];
  readonly replies: readonly ModelReply[];
  /** The code of the error that ended it; `null` for one that ran to its end. */
  readonly endedBy: string | null;
  readonly entries: readonly SessionEntry[];
}

const TOOLS = [
  {
    name: "read_file",
    description: "Reads a file of the project and answers with its lines.",
    parametersJson: '{"type":"object","properties":{"path":{"type":"string"}}}',
  },
];

/** System text of some 1,200 tokens, so that even the overhead by itself is long enough for a prompt cache. */
const SYSTEM = Array.from({ length: 160 }, (_, index) => `Rule ${index}: keep what part ${index} of the plan says.`).join("\n");

/** Every tenth reply ends a turn; the others call one to three tools, with reasoning before them. */
export function scriptedReply({ replyIndex }: SimulatedRequest): SimulatedReply {
  if (replyIndex % 10 === 9) return { parts: [{ type: "text", text: `Part ${replyIndex} is done and its tests pass.` }] };
  const calls = Array.from({ length: 1 + (replyIndex % 3) }, (_, index) => ({
    type: "tool-call" as const,
    toolName: "read_file",
    argumentsJson: JSON.stringify({ path: `src/part-${replyIndex}-${index}.ts` }),
  }));
  return {
    parts: [
      { type: "reasoning", text: `Part ${replyIndex} needs a look at ${calls.length} files.` },
      { type: "text", text: `Looking at part ${replyIndex}.` },
      ...calls,
    ],
  };
}

/** A file's text: the same for the same call, between some 200 and 6,000 characters. */
function fileText(call: ToolCallPart, step: number): string {
  const lines = 4 + ((step * 37) % 110);
  return Array.from(
    { length: lines },
    (_, line) => `${line}: const value${line * step} = read("${call.callId}", ${line});`,
  ).join("\n");
}

/** The reply at the end of a stream. */
async function streamed(client: ModelClient, request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
  for await (const event of client.stream(request, signal)) if (event.type === "reply") return event.reply;
  throw new Error("a stream that did not fail ends with a reply");
}

/** Plays a session as an agent would, whole and streamed replies in turn: gates before submit, before each step and after tools, recovery if a request overflows. */
export async function playLongSession(options: LongSession): Promise<PlayedSession> {
  const { policy, client, windowTokens, maxOutputTokens } = options;
  const signal = new AbortController().signal;
  const manager = createSession({ policy, summarizer: createDigest() });
  const artifacts = createMemoryArtifactStore();
  const model = { contextWindowTokens: windowTokens, maxOutputTokens };
  const tally = { overflows: 0, recoveries: 0 };
  const sent: Context[] = [];
  const replies: ModelReply[] = [];
  let endedBy: string | null = null;
  manager.append({ ...sessionStart(SYSTEM), tools: TOOLS });
  const fit = (gate: "before-submit" | "before-step" | "after-tool-batch", pending: Context["messages"] = []) =>
    manager.fit({ gate, pending, model, nowMs: null }, signal);

  const send = async (): Promise<ModelReply> => {
    for (let recovery = 0; ; recovery++) {
      const context = manager.context();
      try {
        const request = { context, modelId: "simulated-model", maxOutputTokens };
        const answer = await (replies.length % 2 === 0 ? client.complete(request, signal) : streamed(client, request, signal));
        sent.push(context);
        return answer;
      } catch (error) {
        if (!isPlimsollError(error, "context-overflow")) throw error;
        tally.overflows += 1;
        if (!policy.enabled || recovery >= policy.overflow.maxRecoveries) throw error;
        const limit = error.details.limitTokens;
        const observedLimitTokens = typeof limit === "number" ? limit : null;
        const outcome = await manager.fit(
          { gate: "on-overflow", pending: [], model, nowMs: null, observedLimitTokens, recovery },
          signal,
        );
        if (outcome.entry === undefined) throw error;
        tally.recoveries += 1;
      }
    }
  };

  let step = 0;
  try {
    for (; step < options.steps; step++) {
      const last = manager.view().messages.at(manager.view().messages.size - 1);
      if (last === undefined || last.role !== "tool-result") await submit(manager, step, fit);
      await fit("before-step");
      const answer = await send();
      replies.push(answer);
      await record(manager, answer, { policy, artifacts, step });
      await fit("after-tool-batch");
    }
  } catch (error) {
    if (!isPlimsollError(error)) throw error;
    endedBy = error.code;
  }
  const entries = manager.entries();
  const compactions = entries.filter(({ type }) => type === "compaction").length;
  return { steps: step, ...tally, compactions, sent, replies, endedBy, entries };
}

async function submit(
  manager: Session,
  step: number,
  fit: (gate: "before-submit", pending: Context["messages"]) => Promise<unknown>,
): Promise<void> {
  const message = human(`human-${step}`, `Please go on with what follows part ${step}.`);
  await fit("before-submit", [message]);
  manager.append({ type: "message", message });
}

interface Recording {
  readonly policy: Policy;
  readonly artifacts: ReturnType<typeof createMemoryArtifactStore>;
  readonly step: number;
}

async function record(manager: Session, answer: ModelReply, { policy, artifacts, step }: Recording): Promise<void> {
  const view = manager.view();
  const through = view.messages.at(view.messages.size - 1);
  manager.append({
    ...usageEntry(answer.requestId, through?.id ?? null, 0),
    modelId: "simulated-model",
    overheadHash: overheadHash(view.system, view.tools),
    viewHash: view.viewHash,
    usage: answer.usage,
  });
  const reply = { ...answer.draft, id: `${answer.requestId}-reply` };
  manager.append({ type: "message", message: reply });
  for (const call of toolCallsOf(reply)) {
    const read = { ...result(`${call.callId}-result`, call.callId, fileText(call, step)), toolName: call.toolName };
    const { message } = await admitToolResult({ ...read, category: "file-content" }, { policy, artifacts });
    manager.append({ type: "message", message });
  }
}
