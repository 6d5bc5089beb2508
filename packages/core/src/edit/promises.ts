import { openStepStart } from "../cut-point/open-step.ts";
import { PlimsollError } from "../error.ts";
import type { Message } from "../message/message.ts";
import { isHuman } from "../message/message.ts";

/**
 * Refuses what no plan may take, whoever made it: the last human message is still there as it was, and so are the open step's calls,
 * with their reasoning, and its results. The text of results, and of the reply that made the calls, may be replaced. One pass.
 *
 * @throws PlimsollError `bad-edit` if a promise is broken; `details` name the promise and the message.
 */
export function refuseBrokenPromises(before: readonly Message[], after: readonly Message[]): void {
  const human = before.findLast(isHuman);
  if (human !== undefined && !after.includes(human)) throw brokenPromise("last-human-message", human.id);
  const step = before.slice(openStepStart(before));
  // A summary or notice is where the first message that it covers was: a step that has stayed still ends the view.
  const start = after.length - step.length;
  for (const [index, message] of step.entries())
    if (!hasStayed(message, after[start + index])) throw brokenPromise("open-step", message.id);
}

/** True for the same message in which at most text, or an image of a result, was replaced. */
function hasStayed(message: Message, now: Message | undefined): boolean {
  if (now === message) return true;
  if (now?.id !== message.id || now.role !== message.role) return false;
  return message.role === "tool-result" || message.parts.every((part, at) => part.type === "text" || part === now.parts[at]);
}

function brokenPromise(promise: "last-human-message" | "open-step", messageId: string): PlimsollError {
  const what = promise === "open-step" ? "a call or result of the open step" : "the last human message";
  return new PlimsollError("bad-edit", `the plan takes or changes ${what}, ${messageId}`, { promise, messageId });
}
