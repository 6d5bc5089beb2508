import type { AssistantMessage, ToolCallPart, ToolResultMessage } from "../message/message.ts";
import { shortHash } from "../text.ts";
import type { AgentTool, ToolOutput } from "./agent-tool.ts";
import type { LoopState } from "./loop-state.ts";

/** The text that the model reads for a call that a cancelled run did not do, or did not do to its end. */
export const CANCELLED_TEXT = "Cancelled before it was done.";

/** Returns the text that the model reads in place of a call that cannot run whoever allows it; `null` for a call that can. */
export function refusalOf(
  { toolName, argumentsJson }: ToolCallPart,
  { setup, mode }: Pick<LoopState, "setup" | "mode">,
): string | null {
  if (!setup.toolNames.includes(toolName)) return `There is no tool "${toolName}". There are: ${setup.toolNames.join(", ")}.`;
  const allowed = setup.modes[mode];
  if (allowed !== undefined && !allowed.includes(toolName))
    return `The tool "${toolName}" may not be used in mode "${mode}". It allows: ${allowed.join(", ")}.`;
  const args = parseArguments(argumentsJson);
  return "problem" in args ? `The arguments are not valid JSON: ${args.problem}. Call the tool again with valid JSON.` : null;
}

/** The arguments of a call, or why they are none. Nothing at all counts as an empty object: some models send that. */
export function parseArguments(argumentsJson: string): { readonly value: unknown } | { readonly problem: string } {
  if (argumentsJson.trim() === "") return { value: {} };
  try {
    return { value: JSON.parse(argumentsJson) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** The facts of the session when a reply comes in. */
export interface CallResolution {
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly lastMessageId: string | null;
  hasCall(callId: string): boolean;
}

/**
 * A reply as it enters the log: each call with the paths that it touches, and under an id that the session has not seen. Models repeat
 * ids, and some give none. Blank text, which no wire takes back, is left out; `null` if nothing is left.
 */
export function resolvedReply(draft: Omit<AssistantMessage, "id">, known: CallResolution): Omit<AssistantMessage, "id"> | null {
  const taken = new Set<string>();
  const freeId = (callId: string, index: number) => {
    const isFree = callId !== "" && !taken.has(callId) && !known.hasCall(callId);
    return isFree ? callId : `call_${shortHash(`${known.lastMessageId ?? ""}\n${index}\n${callId}`).slice(0, 24)}`;
  };
  const parts = draft.parts.map((part, index) => {
    if (part.type !== "tool-call") return part;
    const callId = freeId(part.callId, index);
    taken.add(callId);
    const args = parseArguments(part.argumentsJson);
    const paths = "value" in args ? (known.tools.get(part.toolName)?.pathsOf(args.value) ?? []) : [];
    return { ...part, callId, paths };
  });
  return withoutBlanks({ ...draft, parts });
}

function withoutBlanks(draft: Omit<AssistantMessage, "id">): Omit<AssistantMessage, "id"> | null {
  const kept = draft.parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
  const lastWords = kept.findLastIndex((part) => part.type !== "reasoning");
  return lastWords < 0 ? null : { ...draft, parts: kept.slice(0, lastWords + 1) };
}

/** The text in the place of an output without a visible character. */
const NO_OUTPUT_TEXT = "(no output)";

/** The result of a call before it is cut. Its id is the call's: the message's own follows from the messages before it. */
export function resultOf(
  { callId, toolName }: ToolCallPart,
  output: ToolOutput,
  more: Pick<ToolResultMessage, "category" | "atMs">,
): ToolResultMessage {
  const images = output.images ?? [];
  const isBlank = output.text.trim() === "";
  const text = isBlank && images.length === 0 ? NO_OUTPUT_TEXT : output.text;
  return {
    id: callId,
    role: "tool-result",
    callId,
    toolName,
    isError: output.isError,
    parts: [...(text.trim() === "" ? [] : [{ type: "text", text } as const]), ...images],
    ...more,
  };
}
