import type { ToolCallPart, ToolResultMessage } from "../message/message.ts";
import { textOf } from "../message/message.ts";
import { characterBoundaryAtOrBefore } from "../text.ts";

/** How one call ended: with the end of its error text, or well (`null`). */
export interface CallOutcome {
  readonly toolName: string;
  readonly argumentsJson: string;
  readonly error: string | null;
}

/** Characters of an error's end that are kept: its last lines say what failed; chosen. */
const ERROR_CHARS = 400;

/** The outcome of a call with its result. */
export function callOutcome(call: ToolCallPart, result: ToolResultMessage): CallOutcome {
  const { toolName, argumentsJson } = call;
  return { toolName, argumentsJson, error: result.isError ? lastChars(textOf(result).trimEnd()) : null };
}

/** The last error of each call that failed and has not succeeded since, oldest first. */
export function lastErrors(outcomes: Iterable<CallOutcome>): readonly (CallOutcome & { readonly error: string })[] {
  // By tool, then by arguments: a key made of both would be a new string, hashed anew, for every call at every compaction.
  const byTool = new Map<string, Map<string, { readonly order: number; readonly outcome: CallOutcome }>>();
  let order = 0;
  for (const outcome of outcomes) {
    const ofTool = byTool.get(outcome.toolName) ?? new Map<string, { readonly order: number; readonly outcome: CallOutcome }>();
    byTool.set(outcome.toolName, ofTool.set(outcome.argumentsJson, { order, outcome }));
    order += 1;
  }
  return [...byTool.values()]
    .flatMap((ofTool) => [...ofTool.values()])
    .sort((a, b) => a.order - b.order)
    .flatMap(({ outcome: { toolName, argumentsJson, error } }) => (error === null ? [] : [{ toolName, argumentsJson, error }]));
}

function lastChars(text: string): string {
  const start = text.length - ERROR_CHARS;
  return start <= 0 ? text : text.slice(characterBoundaryAtOrBefore(text, start));
}
