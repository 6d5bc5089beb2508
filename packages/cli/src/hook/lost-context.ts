import { isHuman, type Message, type SessionEntry, textOf, toolCallsOf } from "@plimsoll/core";
import { EMPTY_VIEW, foldEntry, planIn } from "@plimsoll/core/extend";
import { type CallStory, sessionStory } from "../inspect/session-story.ts";

/** Words and actions of a session before a compaction, as far as a summary may lose them. */
export interface SessionState {
  /** The person's messages word for word, the oldest first. */
  readonly instructions: readonly string[];
  /** The newest plan, an item a line with what the model said has become of it. */
  readonly plan: readonly string[];
  /** Files that calls had read or changed, those used last first, each once. */
  readonly files: readonly string[];
  /** The newest prompt, as it was reported; `null` if none was. */
  readonly promptTokens: number | null;
  /** Compactions of the session so far. */
  readonly compactionCount: number;
}

/** The state of a session at the end of its log: what a compaction that comes now may lose. */
export function stateOf(entries: readonly SessionEntry[]): SessionState {
  const { compactions, calls } = sessionStory(entries);
  return {
    instructions: instructionsIn(entries),
    plan: newestPlan(messagesOf(entries)),
    files: filesIn(viewOf(entries)),
    promptTokens: newestPromptTokens(calls),
    compactionCount: compactions.length,
  };
}

/**
 * Finds the losses of the newest compaction: texts that no message of the context says any more. Files are those of before this compaction; what the
 * person said and the newest plan hold through all of them, since what was put back after an earlier one is gone again. A compaction that the log does
 * not tell of yet has lost all of what was noted before it; `null` if there was none.
 */
export function lostIn(entries: readonly SessionEntry[], noted: SessionState | null): SessionState | null {
  const { compactions, calls } = sessionStory(entries);
  if (noted !== null && noted.compactionCount >= compactions.length) return noted;
  const newest = compactions.at(-1);
  if (newest === undefined) return null;
  const told = viewOf(entries).map(saidBy).join("\n");
  const isLost = (text: string) => !told.includes(text);
  const plan = newestPlan(messagesOf(entries));
  return {
    instructions: instructionsIn(entries).filter(isLost),
    // A plan of which a part is lost is put back whole.
    plan: plan.some((item) => isLost(item.slice(item.indexOf(": ") + 2))) ? plan : [],
    files: filesIn(newest.gone).filter(isLost),
    promptTokens: newestPromptTokens(calls.slice(0, newest.callsBefore)),
    compactionCount: compactions.length,
  };
}

function viewOf(entries: readonly SessionEntry[]): readonly Message[] {
  return entries.reduce(foldEntry, EMPTY_VIEW).messages.slice();
}

function messagesOf(entries: readonly SessionEntry[]): readonly Message[] {
  return entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
}

function instructionsIn(entries: readonly SessionEntry[]): readonly string[] {
  return messagesOf(entries).filter(isHuman).map(textOf);
}

function newestPlan(messages: readonly Message[]): readonly string[] {
  return (planIn(messages)?.items ?? []).map(({ text, status }) => `${status}: ${text}`);
}

/** Those used last first, each once. */
function filesIn(messages: readonly Message[]): readonly string[] {
  const paths = messages.flatMap(toolCallsOf).flatMap((call) => call.paths.map(({ path }) => path));
  return [...new Set(paths.toReversed())];
}

function newestPromptTokens(calls: readonly CallStory[]): number | null {
  return calls.findLast(({ promptTokens }) => promptTokens !== null)?.promptTokens ?? null;
}

/** All that a message tells a model, its calls included. */
function saidBy(message: Message): string {
  return [textOf(message), ...toolCallsOf(message).map(({ argumentsJson }) => argumentsJson)].join("\n");
}
