import { untilAborted } from "../conversation/queue.ts";
import type { ToolCallPart, ToolResultMessage } from "../message/message.ts";
import type { AgentTool, Authorize, ToolCallContext, ToolOutput } from "./agent-tool.ts";
import { parseArguments } from "./parse-arguments.ts";

/** What a batch of calls is run with. */
export interface ToolBatch {
  readonly tools: ReadonlyMap<string, AgentTool>;
  /** Why a tool may not be used now, as a sentence for the model; `null` where it may. */
  readonly whyNot: (toolName: string) => string | null;
  /** Decides about each call before it runs; `null` where nobody does. */
  readonly authorize: Authorize | null;
  readonly contextOf: (call: ToolCallPart) => ToolCallContext;
  readonly onStart: (call: ToolCallPart) => void;
  readonly nowMs: () => number;
}

/** A result before it is cut and has an id, with the advice that goes with it. */
export interface ToolResultDraft {
  readonly draft: Omit<ToolResultMessage, "id">;
  readonly hint: string | null;
}

/**
 * Runs the calls of one reply: decides about them one after the other, then runs at once those that may, and hands each result to `settle` as it
 * comes. Resolves to what `settle` made of them, in the order of the calls. Whatever goes wrong is a result: unknown tools, arguments that are no
 * JSON, what a tool throws, a call that was not allowed, the caller's abort.
 */
export async function executeTools<Settled>(
  calls: readonly ToolCallPart[],
  batch: ToolBatch,
  settle: (call: ToolCallPart, result: ToolResultDraft) => Promise<Settled>,
): Promise<readonly Settled[]> {
  const decided: { readonly call: ToolCallPart; readonly work: () => Promise<ToolOutput> }[] = [];
  for (const call of calls) {
    batch.onStart(call);
    decided.push({ call, work: await decidedWork(call, batch) });
  }
  const running = decided.map(async ({ call, work }) => {
    const tool = batch.tools.get(call.toolName);
    const output = await work();
    return await settle(call, {
      draft: resultDraft(call, tool, output, batch.nowMs()),
      hint: output.hint ?? tool?.hint ?? null,
    });
  });
  return await Promise.all(running);
}

/** What a call comes to: the tool's own work where it may run, else what the model is told instead. */
async function decidedWork(call: ToolCallPart, batch: ToolBatch): Promise<() => Promise<ToolOutput>> {
  const refused = (text: string) => async () => ({ text, isError: true });
  const tool = batch.tools.get(call.toolName);
  if (tool === undefined)
    return refused(`There is no tool "${call.toolName}". There are: ${[...batch.tools.keys()].join(", ")}.`);
  const whyNot = batch.whyNot(call.toolName);
  if (whyNot !== null) return refused(whyNot);
  const args = parseArguments(call.argumentsJson);
  if ("problem" in args)
    return refused(`The arguments are not valid JSON: ${args.problem}. Call the tool again with valid JSON.`);
  const context = batch.contextOf(call);
  const work = () => ended(() => tool.run(args.value, context), context.signal);
  if (batch.authorize === null) return work;
  const { authorize } = batch;
  const { callId, toolName, argumentsJson } = call;
  const decide = async () => {
    const effect = await tool.effectOf(args.value);
    return await authorize({ sessionId: context.sessionId, callId, toolName, argumentsJson, effect }, context.signal);
  };
  try {
    const decision = await untilAborted(context.signal, decide);
    return decision.kind === "allow" ? work : refused(`Not run: ${decision.why}`);
  } catch (error) {
    return refused(problemOf(error, context.signal));
  }
}

async function ended(work: () => Promise<ToolOutput>, signal: AbortSignal): Promise<ToolOutput> {
  try {
    return await untilAborted(signal, work);
  } catch (error) {
    return { text: problemOf(error, signal), isError: true };
  }
}

function problemOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "Cancelled before it was done.";
  return error instanceof Error ? error.message : String(error);
}

/** What stands for an output without a visible character. */
const NO_OUTPUT_TEXT = "(no output)";

function resultDraft(
  call: ToolCallPart,
  tool: AgentTool | undefined,
  output: ToolOutput,
  atMs: number,
): Omit<ToolResultMessage, "id"> {
  const images = output.images ?? [];
  const isBlank = output.text.trim() === "";
  const text = isBlank && images.length === 0 ? NO_OUTPUT_TEXT : output.text;
  return {
    role: "tool-result",
    callId: call.callId,
    toolName: call.toolName,
    isError: output.isError,
    category: tool?.category ?? "generic",
    parts: [...(text.trim() === "" ? [] : [{ type: "text", text } as const]), ...images],
    atMs,
  };
}
