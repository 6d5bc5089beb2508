import type { Transcript } from "@plimsoll/bench";
import { formatNumberOf, formatPercent, formatTokens } from "@plimsoll/bench/extend";
import { type Message, textOf, toolCallsOf } from "@plimsoll/core";
import { fencedText, isHandleMeant, MAXIMUM_RECALL_CHARS, partHandle } from "@plimsoll/core/extend";
import { editWords } from "../inspect/compaction-loss.ts";
import { sessionStory } from "../inspect/session-story.ts";

/** The tag that a session's own text stands in: whatever it says, it is data. */
const TAG = "session-data";

/** Rows of a list that are shown; chosen, so that an answer stays small. */
const MAXIMUM_ROWS = 40;

/** Characters of a message's beginning that are shown; chosen. */
const BEGINNING_CHARS = 120;

/** How full the context is by the newest report, and what fills it by estimate. */
export function contextInfo({ format, entries }: Transcript): string {
  const story = sessionStory(entries);
  const promptTokens = story.calls.findLast((call) => call.promptTokens !== null)?.promptTokens ?? null;
  const { contextWindowTokens } = story;
  const total = [...story.composition.values()].reduce((sum, tokens) => sum + tokens, 0);
  const rows = [...story.composition].sort(([, a], [, b]) => b - a).filter(([, tokens]) => tokens > 0);
  const full =
    promptTokens === null || contextWindowTokens === null
      ? ""
      : `, ${formatPercent((100 * promptTokens) / contextWindowTokens)} % of it`;
  return [
    `format: ${format}`,
    `newest prompt: ${promptTokens === null ? "not reported" : `${formatTokens(promptTokens)} tokens`}${full}`,
    `context window: ${contextWindowTokens === null ? "not in the log" : `${formatTokens(contextWindowTokens)} tokens`}`,
    `model calls: ${story.calls.length}, compactions: ${story.compactions.length}`,
    "what the log holds of the context (estimated tokens):",
    fencedText(
      TAG,
      rows
        .slice(0, MAXIMUM_ROWS)
        .map(([what, tokens]) => `${formatTokens(tokens)} (${formatPercent((100 * tokens) / total)} %) ${what}`)
        .join("\n"),
    ),
  ].join("\n");
}

/**
 * Explains a compaction: the parts that it took out and the messages that took their place; `back` counts from the newest, which is 1. `null` if there
 * is none.
 */
export function explainCompaction({ entries }: Transcript, back: number): string | null {
  const { compactions } = sessionStory(entries);
  const story = compactions.at(-back);
  if (story === undefined) return null;
  const { entry, loss } = story;
  const results = story.gone.filter((message) => message.role !== "user");
  return [
    `compaction ${compactions.length - back + 1} of ${compactions.length}${story.isReverted ? ", undone later" : ""}, after ${formatNumberOf(story.callsBefore, "model call")}`,
    `messages: ${story.messagesBefore} before, ${story.messagesAfter} after`,
    `tokens (estimated): ${formatTokens(story.tokensBefore)} before, ${formatTokens(story.tokensAfter)} after`,
    `edits: ${editWords(entry.edits).join("; ")}`,
    "what went, by kind (estimated tokens):",
    fencedText(
      TAG,
      loss.kinds
        .slice(0, MAXIMUM_ROWS)
        .map(({ what, parts, tokens }) => `${formatTokens(tokens)} ${what} (${parts})`)
        .join("\n"),
    ),
    "the person's messages that are no longer sent:",
    listed(loss.humanMessages),
    "files that calls which are no longer sent had read or changed:",
    fencedText(TAG, loss.paths.slice(-MAXIMUM_ROWS).join("\n")),
    "newest of the other messages that are no longer sent; recall brings a handle's text back:",
    listed(results.slice(-MAXIMUM_ROWS)),
  ].join("\n");
}

function listed(messages: readonly Message[]): string {
  return fencedText(
    TAG,
    messages
      .slice(-MAXIMUM_ROWS)
      .map((message) => `${partHandle(message.id, 0)}: ${beginningOf(message)}`)
      .join("\n"),
  );
}

function beginningOf(message: Message): string {
  const called = toolCallsOf(message).map(({ toolName, argumentsJson }) => `${toolName} ${argumentsJson}`);
  const text = [textOf(message), ...called].filter((each) => each !== "").join(" ");
  const name = message.role === "tool-result" ? `${message.toolName} gave ` : "";
  return `${name}${text.split("\n").join(" ")}`.slice(0, BEGINNING_CHARS).toWellFormed();
}

/** A piece of the part that a handle names, from this log alone; `null` for a handle that it does not have. */
export function recalledText({ entries }: Transcript, handle: string, startChar: number): string | null {
  for (const entry of entries) {
    if (entry.type !== "message") continue;
    for (const [index, part] of entry.message.parts.entries()) {
      if (!isHandleMeant(partHandle(entry.message.id, index), handle)) continue;
      const text =
        part.type === "tool-call"
          ? `${part.toolName} ${part.argumentsJson}`
          : "text" in part
            ? part.text
            : `[image ${part.mediaType}]`;
      const piece = text.slice(startChar, startChar + MAXIMUM_RECALL_CHARS).toWellFormed();
      const end = startChar + piece.length;
      const more = end < text.length ? `; call again with startChar ${end} for more` : "";
      return `characters ${Math.min(startChar, text.length)} to ${end} of ${text.length}${more}\n${fencedText(TAG, piece)}`;
    }
  }
  return null;
}
