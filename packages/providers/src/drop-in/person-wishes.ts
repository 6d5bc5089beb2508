import { isHuman, isPlimsollError, PLIMSOLL_POLICY, type SessionEntry, type StateProvider, textOf } from "@plimsoll/core";
import { createEstimator, createWorkCounter } from "@plimsoll/core/extend";
import type { ConversationLog } from "./array-conversations.ts";
import { type Cut, compactionLoss, newestCut, takenRatio } from "./compaction-loss.ts";
import { keptTexts, TYPED_PREFIX, type TypedWord } from "./typed-words.ts";

/** True if the newest cut was undone by a person: less that was tried after a refusal is undone by itself, too. */
export function isUndone(entries: readonly SessionEntry[]): boolean {
  const newest = entries.findLast(({ type }) => type === "compaction" || type === "revert");
  if (newest?.type !== "revert") return false;
  const of = entries.findLast((entry) => entry.type === "compaction" && entry.id === newest.compactionId);
  return of?.type === "compaction" && of.record.reason !== "overflow";
}

/** The texts that a person wants kept, for the summary of each cut; `null` for none. */
export function keptState(entries: readonly SessionEntry[]): ReturnType<StateProvider> {
  const said = entries.flatMap((entry) => {
    if (entry.type !== "message" || entry.message.role === "tool-result") return [];
    const by = entry.message.role === "assistant" ? ("model" as const) : ("person" as const);
    return by === "model" || isHuman(entry.message) ? [{ by, text: textOf(entry.message) }] : [];
  });
  const texts = keptTexts(said);
  return texts.length === 0 ? null : { title: "The person asked to keep this word for word", text: texts.join("\n\n") };
}

/** The conversation that a wish is about. */
interface WishedOf {
  readonly entries: readonly SessionEntry[];
  /** Undoes its newest cut, and resolves with the consequence; rejects with `bad-input` if there is none. */
  readonly undo: () => Promise<string>;
  /** How full it is, in one sentence. */
  readonly status: string;
}

/** Carries out a command that a person typed for Plimsoll, and resolves to the answer. If there is nothing to undo the answer says so; other errors reject. */
export async function wishAnswer(word: TypedWord, { entries, undo, status }: WishedOf): Promise<string> {
  if (word.kind === "status") return status;
  if (word.kind === "dropped") {
    const cut = newestCut(entries);
    return cut === null ? "Nothing was dropped: this conversation has not been cut." : takenWords(cut);
  }
  if (word.kind !== "undo") return TYPED_HELP;
  try {
    return `The last cut is undone: ${await undo()}.`;
  } catch (error) {
    if (isPlimsollError(error, "bad-input")) return `Nothing was undone: ${error.message}.`;
    throw error;
  }
}

/** Describes the consequence of an undo, as a part of a sentence: the messages are sent again, or compacted again if they do not fit. */
export function afterUndoWords(log: Pick<ConversationLog, "expectedTokens" | "limits"> | undefined): string {
  const { contextWindowTokens: windowTokens = null, maxOutputTokens = null } = log?.limits ?? {};
  const roomTokens = windowTokens === null ? Number.POSITIVE_INFINITY : windowTokens - (maxOutputTokens ?? 0);
  if (log === undefined || log.expectedTokens <= roomTokens)
    return "its text is sent again, and the next cut comes when a request would not fit";
  return `about ${shortCount(log.expectedTokens)} tokens would be sent, but ${shortCount(roomTokens)} fit, so the next request is cut again`;
}

/** The answer to other typed words. */
export const TYPED_HELP: string = `Begin a message with \`${TYPED_PREFIX}\` and say: undo (the last cut), what did you drop?, status, or keep this: TEXT.`;

/** Rows of each list of removed parts, and characters of each: a screen holds them. Chosen. */
const LISTED = 12;
const LISTED_CHARS = 80;

/** Lists the parts that a cut took, for the person who asked. */
export function takenWords(cut: Cut): string {
  const { before, after, tokensBefore, tokensAfter } = cut;
  const { measure } = createEstimator(PLIMSOLL_POLICY.estimator, createWorkCounter());
  const { kinds, paths, humanMessages } = compactionLoss(before, after, measure.messageTokens);
  const sumOf = (messages: Cut["before"]) => messages.reduce((sum, message) => sum + measure.messageTokens(message), 0);
  const ratio = takenRatio(cut, sumOf(before) - sumOf(after));
  const yours = humanMessages.slice(-LISTED).map((message) => beginning(textOf(message)));
  return [
    `The newest cut took about ${shortCount(tokensBefore ?? 0)} tokens to ${shortCount(tokensAfter ?? 0)}. These are no longer sent:`,
    ...kinds
      .slice(0, LISTED)
      .map(({ what, parts, tokens }) => `- ${what}: ${parts}, about ${shortCount(tokens * ratio)} tokens`),
    ...(yours.length === 0 ? [] : ["Your messages that are now quoted or shortened:", ...yours.map((text) => `- ${text}`)]),
    ...(paths.length === 0 ? [] : [`Files of the calls that went: ${paths.slice(-LISTED).join(", ")}`]),
    `Type \`${TYPED_PREFIX} undo\` to put it back, or \`${TYPED_PREFIX} keep this: TEXT\` to keep something word for word from now on.`,
  ].join("\n");
}

function beginning(text: string): string {
  const [line = ""] = text.trim().split("\n", 1);
  return line.length <= LISTED_CHARS ? line.toWellFormed() : `${line.slice(0, LISTED_CHARS - 1).toWellFormed()}…`;
}

/** A count in at most five characters, as `940` and `13.2k`. */
export function shortCount(count: number): string {
  return count < 1_000 ? String(Math.round(count)) : `${(count / 1_000).toFixed(1)}k`;
}
