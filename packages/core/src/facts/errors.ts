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
  const errors = new Map<string, CallOutcome & { readonly error: string }>();
  for (const { toolName, argumentsJson, error } of outcomes) {
    const key = `${toolName} ${argumentsJson}`;
    errors.delete(key);
    if (error !== null) errors.set(key, { toolName, argumentsJson, error });
  }
  return [...errors.values()];
}

function lastChars(text: string): string {
  const start = text.length - ERROR_CHARS;
  return start <= 0 ? text : text.slice(characterBoundaryAtOrBefore(text, start));
}
