import type { Budget } from "../budget.ts";
import type { FitInput } from "../engine/fit-input.ts";
import { budgetFor } from "../engine/why-act.ts";
import type { ContextCallEntry, ModelLimits } from "../entry.ts";
import { nameInBrackets } from "../message/framing.ts";
import { partHandle } from "../message/handle.ts";
import type { Message, Part } from "../message/message.ts";
import { fencedText } from "../message/transcript-text.ts";
import { characterBoundaryAtOrBefore, shortHash } from "../text.ts";
import type { ContextArguments, ContextCall } from "./context-tools.ts";
import { type LoggedMessages, MAXIMUM_RECALL_CHARS, readable } from "./recall.ts";
import type { FittedSession } from "./session.ts";
import type { SessionState } from "./session-state.ts";

/** An open session, as far as a call needs it. */
interface CalledSession extends FittedSession {
  readonly messages: LoggedMessages;
  readonly messageIds: readonly string[];
  /** The model of the newest fit, and a limit that its provider named; `null` before the first. */
  readonly fitted: Pick<FitInput, "model" | "observedLimitTokens"> | null;
}

const UNKNOWN: ModelLimits = { contextWindowTokens: null, maxOutputTokens: null };

function limitsOf({ fitted, state }: CalledSession): NonNullable<CalledSession["fitted"]> {
  return fitted ?? { model: state.view.limits ?? UNKNOWN };
}

function budgetIn(log: CalledSession): Budget | null {
  return budgetFor(log.setup.policy, { gate: "before-step", pending: [], nowMs: null, ...limitsOf(log) });
}

/** The answer that the model reads, and whether the call did its work. */
interface Answer {
  readonly text: string;
  readonly outcome: ContextCallEntry["outcome"];
}

const answered = (text: string): Answer => ({ text, outcome: "answered" });
const refused = (text: string): Answer => ({ text, outcome: "refused" });

/** Most UTF-16 code units of a text that a call may bring, and of all pinned passages of a session; chosen. */
const MOST_TEXT_CHARS = 4_000;

/**
 * Answers a call, and logs it by `append`. Nothing else is changed: pins and requests for a cut are read off the entries. Nothing waits between the check of a pin and
 * its entry, so that calls made at once have one amount together.
 */
export async function contextCall(
  log: CalledSession,
  call: ContextCall,
  { atMs, append }: { readonly atMs: number | null; readonly append: (entry: ContextCallEntry) => void },
): Promise<string> {
  const { name, args } = call;
  const said = (args?.text ?? args?.focus ?? args?.handle ?? args?.words ?? "").toWellFormed();
  const isReadable =
    args !== null && (name === "pin" || [said, args.words ?? ""].every(({ length }) => length <= MOST_TEXT_CHARS));
  const found = name === "recall" && isReadable ? await recalled(log, { ...call, args }) : null;
  const answer = found ?? (isReadable ? answerTo(log, name, call) : refused(NOT_ITS_OWN));
  const text = said.slice(0, characterBoundaryAtOrBefore(said, MOST_TEXT_CHARS));
  const id = shortHash(`context-call\n${name}\n${text}\n${log.state.view.lastEntryId ?? ""}`);
  append({ type: "context-call", id, tool: name, text, outcome: answer.outcome, atMs });
  return answer.text;
}

const NOT_ITS_OWN = `The call was refused: these are not the arguments of the tool (a text may have ${MOST_TEXT_CHARS} characters).`;

function answerTo(log: CalledSession, name: ContextCall["name"], { args, from }: ContextCall): Answer {
  if (name === "remaining") return answered(remainingText(log));
  return name === "pin" ? pinned(log, args?.text ?? "") : compacted(log, from);
}

/** Kinds of content that are listed at most; chosen: an answer stays small. */
const MOST_ROWS = 12;

function remainingText(log: CalledSession): string {
  const { state, setup } = log;
  const { expectedTokens, overheadTokens } = log.predict(null);
  const { model } = limitsOf(log);
  const { contextWindowTokens: windowTokens, maxOutputTokens } = model;
  const replyTokens = maxOutputTokens ?? 0;
  const leftTokens = Math.max(0, (windowTokens ?? 0) - replyTokens - expectedTokens);
  const left =
    windowTokens === null
      ? "The size of the window is not known."
      : `About ${leftTokens} tokens are left: the window has ${windowTokens}, and the reply may take ${replyTokens} of them.`;
  const tokensByKind = new Map<string, number>([["system text and tools", overheadTokens]]);
  for (const message of state.view.messages) {
    const kind = kindOf(message);
    tokensByKind.set(kind, (tokensByKind.get(kind) ?? 0) + setup.estimator.messageTokens(message, state.ledger));
  }
  const rows = [...tokensByKind].sort(([, a], [, b]) => b - a).map(([kind, tokens]) => `${Math.round(tokens)} ${kind}`);
  const pins = `Pinned: ${pinnedChars(state)} of ${mostPinnedChars(log)} characters.`;
  const filled = fencedText(TAG, rows.slice(0, MOST_ROWS).join("\n"));
  return [`Your context has about ${expectedTokens} tokens. ${left} ${pins}`, "Tokens by kind:", filled].join("\n");
}

function kindOf(message: Message): string {
  if (message.role === "tool-result") return `results of ${nameInBrackets(message.toolName)}`;
  if (message.origin === "model") return "your replies and calls";
  return message.origin === "human" ? "the person's messages" : `${message.origin} messages`;
}

/** The tag around texts of the log: all of it is data. */
const TAG = "session-data";

async function recalled(
  log: CalledSession,
  { args, recall }: ContextCall & { readonly args: ContextArguments },
): Promise<Answer> {
  const { handle, words, start = 0 } = args;
  if (handle === undefined) return words === undefined ? refused("Give a handle, or words.") : await wordsFound(log, words);
  const piece = await recall?.(handle, { startChar: Math.max(0, start), maximumChars: MAXIMUM_RECALL_CHARS });
  if (piece === null || piece === undefined) return refused("This session has no such handle.");
  const end = piece.startChar + piece.text.length;
  const more = end < piece.totalChars ? `; call again with start ${end} for more` : "";
  return answered(`characters ${piece.startChar} to ${end} of ${piece.totalChars}${more}\n${fencedText(TAG, piece.text)}`);
}

/** Characters of a passage, passages of an answer, and words that are looked for, at most; chosen. */
const PASSAGE_CHARS = 1_200;
const MOST_PASSAGES = 5;
const MOST_WORDS = 16;

interface Passage {
  readonly handle: string;
  readonly startChar: number;
  readonly text: string;
  readonly score: number;
}

/** The passages of the log with most of the words, the newest first among equals. The tools' own calls and answers are passed over. */
async function wordsFound({ messages, messageIds }: CalledSession, words: string): Promise<Answer> {
  const wanted = [...new Set(words.toLowerCase().split(/\s+/).filter(Boolean))].slice(0, MOST_WORDS);
  const best: Passage[] = [];
  for (let place = messageIds.length - 1; place >= 0; place -= 1) {
    const message = await messages.at(place);
    if (message === undefined || (message.role === "tool-result" && isContextTool(message.toolName))) continue;
    for (const [index, part] of message.parts.entries()) {
      const worst = best.length < MOST_PASSAGES ? 0 : (best.at(-1)?.score ?? 0);
      const found = passagesIn(part, partHandle(message.id, index), wanted).filter(({ score }) => score > worst);
      if (found.length === 0) continue;
      best.push(...found);
      best.sort((a, b) => b.score - a.score).splice(MOST_PASSAGES);
    }
  }
  if (best.length === 0) return refused("Nothing in this session's log has these words.");
  const shown = best.map(({ handle, startChar, text }) => `${handle}, from character ${startChar}:\n${fencedText(TAG, text)}`);
  return answered([`recall with a handle and start gives more of a text.`, ...shown].join("\n"));
}

function isContextTool(name: string): boolean {
  return name === "remaining" || name === "recall" || name === "pin" || name === "compact";
}

function passagesIn(part: Part, handle: string, wanted: readonly string[]): readonly Passage[] {
  if (part.type === "tool-call" && isContextTool(part.toolName)) return [];
  const whole = readable(part);
  const passages: Passage[] = [];
  for (let startChar = 0; startChar < whole.length; ) {
    const most = characterBoundaryAtOrBefore(whole, startChar + PASSAGE_CHARS);
    const lineEnd = most < whole.length ? whole.lastIndexOf("\n", most) + 1 : most;
    const end = lineEnd > startChar ? lineEnd : most;
    const text = whole.slice(startChar, end);
    const folded = text.toLowerCase();
    const score = wanted.filter((word) => folded.includes(word)).length;
    if (score > 0) passages.push({ handle, startChar, text, score });
    startChar = end;
  }
  return passages;
}

/** Share of the room for messages that pinned passages may take; chosen, so that they fit beside each later summary. */
const PINNED_RATIO = 0.02;

/** Characters that a token is taken for where a room is filled: the densest that code commonly is. */
const CHARS_PER_TOKEN = 3;

function mostPinnedChars(log: CalledSession): number {
  const roomTokens = (budgetIn(log)?.inputBudgetTokens ?? 0) - log.predict(null).overheadTokens;
  return Math.min(MOST_TEXT_CHARS, Math.max(0, Math.floor(roomTokens * PINNED_RATIO * CHARS_PER_TOKEN)));
}

function pinnedChars({ wishes: { pins } }: SessionState): number {
  return pins.reduce((sum, { text }) => sum + text.length, 0);
}

function pinned(log: CalledSession, passage: string): Answer {
  const { state } = log;
  if (passage.trim() === "") return refused("Nothing was pinned: the text is empty.");
  if (state.wishes.pins.some(({ text }) => text === passage)) return refused("This is pinned already.");
  const [usedChars, mostChars] = [pinnedChars(state), mostPinnedChars(log)];
  if (usedChars + passage.length > mostChars) {
    const room = `pinned passages may have ${mostChars} characters together, and ${Math.max(0, mostChars - usedChars)} are left`;
    return refused(`Nothing was pinned: ${room}. This one has ${passage.length}.`);
  }
  return answered(
    `Pinned: it stays word for word beside each later summary. ${usedChars + passage.length} of ${mostChars} characters are used.`,
  );
}

function compacted(log: CalledSession, from: number): Answer {
  const { state, setup } = log;
  const { policy } = setup;
  const budget = policy.enabled ? budgetIn(log) : null;
  if (budget === null) return refused("Nothing to do: compaction is off.");
  const { expectedTokens } = log.predict(null);
  const usedRatio = expectedTokens / Math.max(1, budget.inputBudgetTokens);
  if (usedRatio < from) return refused(`Nothing to do: ${Math.round(usedRatio * 100)}% of the context is used.`);
  const { estimatedTokens, estimatedAtLastCutTokens, factor } = state.ledger;
  const before = state.breaker.estimatedAtLastAttemptTokens ?? estimatedAtLastCutTokens;
  const newTokens = before === null ? Number.POSITIVE_INFINITY : (estimatedTokens - before) * factor;
  if (newTokens < policy.progress.minimumNewTokens) return refused("Nothing to do: little is new since the last compaction.");
  return answered("Older history is compacted before your next step.");
}
