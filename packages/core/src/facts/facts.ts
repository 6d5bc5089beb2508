import type { SessionEntry } from "../entry.ts";
import type { Message, ToolCallPart, UserMessage } from "../message/message.ts";
import { isHuman, toolCallsOf } from "../message/message.ts";
import type { TrackedFile } from "../ports.ts";
import type { Sequence } from "../sequence.ts";
import { sequenceOf } from "../sequence.ts";
import type { PathAccess } from "../tool.ts";
import type { CallOutcome } from "./errors.ts";
import { callOutcome } from "./errors.ts";
import { accessesOf } from "./file-operations.ts";

/** What must survive any compaction, read off the log and never left to a summary. Folding an entry touches that entry alone. */
export interface Facts {
  /** The message that began the session. */
  readonly firstHuman: UserMessage | null;
  readonly lastHuman: UserMessage | null;
  /** Every access of a file, in order; `fileOperations` tells what it comes to. */
  readonly accesses: Sequence<PathAccess>;
  /** Files of the agent's own tracker, with the state that it last knew. */
  readonly tracked: readonly TrackedFile[];
  /** Every call that ended, in order; `lastErrors` tells what still fails. */
  readonly outcomes: Sequence<CallOutcome>;
  /** Calls of the newest assistant message, which its results are joined to. */
  readonly openCalls: readonly ToolCallPart[];
}

/** The facts of an empty log. */
export const NO_FACTS: Facts = {
  firstHuman: null,
  lastHuman: null,
  accesses: sequenceOf(),
  tracked: [],
  outcomes: sequenceOf(),
  openCalls: [],
};

/** The facts after one more entry. Compactions and reverts change nothing: facts are about what happened, not about what is shown. */
export function foldFacts(facts: Facts, entry: SessionEntry): Facts {
  return entry.type === "message" ? withMessage(facts, entry.message) : facts;
}

/** The facts with files that enter through a file tracker of the agent's. */
export function withTrackedFiles(facts: Facts, files: readonly TrackedFile[]): Facts {
  return { ...facts, accesses: appendAll(facts.accesses, files), tracked: files };
}

function withMessage(facts: Facts, message: Message): Facts {
  if (isHuman(message)) return { ...facts, firstHuman: facts.firstHuman ?? message, lastHuman: message };
  if (message.role === "assistant") {
    return { ...facts, accesses: appendAll(facts.accesses, accessesOf(message)), openCalls: toolCallsOf(message) };
  }
  if (message.role !== "tool-result") return facts;
  const call = facts.openCalls.find((each) => each.callId === message.callId);
  return call === undefined ? facts : { ...facts, outcomes: facts.outcomes.append(callOutcome(call, message)) };
}

function appendAll<T>(sequence: Sequence<T>, items: readonly T[]): Sequence<T> {
  return items.reduce((all, item) => all.append(item), sequence);
}
