import { textOnOneLine } from "../message/framing.ts";
import type { Message } from "../message/message.ts";
import { characterBoundaryAtOrBefore } from "../text.ts";
import { type Facts, isDone, isGivenUp, type KnownPlan } from "./facts.ts";
import type { RunningThing } from "./running.ts";

/** Ended things that are listed, so that the model does not look for them again, and nameless ones on one line. Chosen. */
const MOST = { ended: 5, together: 4 } as const;

/** UTF-16 units, chosen: of the shortest meaningful command, and of a running thing's words beside its name. */
const CHARS = { beginning: 60, what: 24 } as const;

/** Things that run beside the conversation, by name or by their starting call, then ended ones; the most important first. Those without a line of their own share one. */
export function runningLines(running: readonly RunningThing[], roomChars: number): readonly string[] {
  const words = { running: "running", unknown: "unknown whether it still runs", ended: "ended" } as const;
  const inState = (state: RunningThing["state"]) => running.filter((each) => each.state === state).reverse();
  const now = inState("running");
  const told = [...now, ...inState("unknown"), ...inState("ended").slice(0, MOST.ended)];
  const lines = (lineChars: number) =>
    told.map(({ name, what, state }) => {
      const beginning = name === null ? "- " : `- ${textOnOneLine(name)}: ${words[state]}; `;
      const end = name === null ? `: ${words[state]}` : "";
      const least = name === null ? CHARS.beginning : CHARS.what;
      return `${beginning}${bothEnds(what, Math.max(least, lineChars - beginning.length - end.length))}${end}`;
    });
  const [whole, short] = [lines(Number.POSITIVE_INFINITY), lines(Math.floor(roomChars / Math.max(1, now.length)) - 1)];
  if (charsOfLines(whole) <= roomChars) return whole;
  if (charsOfLines(short.slice(0, now.length)) <= roomChars) return short;
  const names = now.map(({ name, what }) => (name === null ? bothEnds(what, CHARS.beginning) : textOnOneLine(name)));
  const together = (at: number) => `- running: ${names.slice(at, at + MOST.together).join(", ")}`;
  return [...names.flatMap((_, at) => (at % MOST.together === 0 ? [together(at)] : [])), ...short.slice(now.length)];
}

/** Characters of lines with their ends. */
export function charsOfLines(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

/** A command names its program at its beginning, or its output's place at its end. */
function bothEnds(lines: string, mostChars: number): string {
  const text = textOnOneLine(lines);
  if (text.length <= mostChars) return text;
  const endChars = Math.floor(mostChars / 2);
  const end = text.slice(characterBoundaryAtOrBefore(text, text.length - endChars));
  return `${text.slice(0, characterBoundaryAtOrBefore(text, mostChars - endChars - 1))}…${end}`;
}

/** The plan's items with their states: open ones first, then those that are done, the newest first, then those that were dropped. */
export function planLines({ items, dropped }: KnownPlan): readonly string[] {
  const line = (status: string, text: string) => `- [${textOnOneLine(status)}] ${textOnOneLine(text)}`;
  const isOpen = ({ status }: KnownPlan["items"][number]) => !isDone(status) && !isGivenUp(status);
  return [
    ...items.filter(isOpen),
    ...items.filter((item) => !isOpen(item)).reverse(),
    ...dropped.toReversed().map((text) => ({ status: "dropped", text })),
  ].map(({ status, text }) => line(status, text));
}

/** True if the plan is to be written: no message in the context has all of it. */
export function isPlanGone({ plan }: Facts, staying: readonly Pick<Message, "id">[]): boolean {
  return plan !== null && !(plan.isWhole && staying.some(({ id }) => id === plan.messageId));
}
