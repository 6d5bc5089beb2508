import { shortHash } from "../hash.ts";
import type { AssistantMessage } from "../message/message.ts";
import type { AgentTool } from "./agent-tool.ts";
import { parseArguments } from "./parse-arguments.ts";

/** What is known about the session when a reply comes in. */
export interface CallResolution {
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly lastMessageId: string | null;
  hasCall(callId: string): boolean;
}

/**
 * A reply as it enters the log: each call with the paths that it touches, and under an id that the session has not seen. Models repeat
 * ids, and some give none.
 */
export function resolveCalls(draft: Omit<AssistantMessage, "id">, known: CallResolution): Omit<AssistantMessage, "id"> {
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
  return { ...draft, parts };
}
