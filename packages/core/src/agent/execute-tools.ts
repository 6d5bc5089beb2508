import { PlimsollError } from "../error.ts";
import type { ToolCallPart, ToolResultMessage } from "../message/message.ts";
import type { AgentTool, ToolCallContext, ToolOutput } from "./agent-tool.ts";
import { parseArguments } from "./parse-arguments.ts";

/** What a batch of calls is run with. */
export interface ToolBatch {
  readonly tools: ReadonlyMap<string, AgentTool>;
  /** Why a tool may not be used now, as a sentence for the model; `null` where it may. */
  readonly whyNot: (toolName: string) => string | null;
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
 * Runs the calls of one reply at once and hands each result to `settle` as it comes; resolves to what `settle` made of them, in the order
 * of the calls. Whatever goes wrong is a result: unknown tools, arguments that are no JSON, what a tool throws, the caller's abort.
 */
export async function executeTools<Settled>(
  calls: readonly ToolCallPart[],
  batch: ToolBatch,
  settle: (call: ToolCallPart, result: ToolResultDraft) => Promise<Settled>,
): Promise<readonly Settled[]> {
  const running = calls.map(async (call) => {
    batch.onStart(call);
    const tool = batch.tools.get(call.toolName);
    const output = await outputOf(call, tool, batch);
    return await settle(call, {
      draft: resultDraft(call, tool, output, batch.nowMs()),
      hint: output.hint ?? tool?.hint ?? null,
    });
  });
  return await Promise.all(running);
}

async function outputOf(call: ToolCallPart, tool: AgentTool | undefined, batch: ToolBatch): Promise<ToolOutput> {
  if (tool === undefined)
    return failed(`There is no tool "${call.toolName}". There are: ${[...batch.tools.keys()].join(", ")}.`);
  const whyNot = batch.whyNot(call.toolName);
  if (whyNot !== null) return failed(whyNot);
  const args = parseArguments(call.argumentsJson);
  if ("problem" in args)
    return failed(`The arguments are not valid JSON: ${args.problem}. Call the tool again with valid JSON.`);
  const context = batch.contextOf(call);
  try {
    return await unlessAborted(() => tool.run(args.value, context), context.signal);
  } catch (error) {
    if (context.signal.aborted) return failed("Cancelled before it was done.");
    return failed(error instanceof Error ? error.message : String(error));
  }
}

/** Ends when the work does or when the signal aborts, so that a tool that does not listen cannot hold up the session. */
function unlessAborted<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new PlimsollError("aborted", "the call was cancelled"));
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener("abort", onAbort, { once: true });
    // A tool that throws before it returns a promise rejects all the same.
    Promise.resolve()
      .then(work)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function failed(text: string): ToolOutput {
  return { text, isError: true };
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
