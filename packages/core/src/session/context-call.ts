import type { FitInput } from "../engine/fit-input.ts";
import { budgetFor } from "../engine/why-act.ts";
import type { ContextCallEntry } from "../entry.ts";
import { nameInBrackets } from "../message/framing.ts";
import { partHandle } from "../message/handle.ts";
import type { Message } from "../message/message.ts";
import { fencedText } from "../message/transcript-text.ts";
import { characterBoundaryAtOrBefore, shortHash } from "../text.ts";
import { CONTEXT_TOOL_NAMES, type ContextArguments, type ContextCall } from "./context-tools.ts";
import { type LoggedMessages, MAXIMUM_RECALL_CHARS, readable } from "./recall.ts";
import type { FittedSession } from "./session.ts";

interface CalledSession extends FittedSession {
  readonly messages: LoggedMessages;
  readonly messageIds: readonly string[];
  /** The model of the newest fit, and a limit that its provider named; `null` before the first. */
  readonly fitted: Pick<FitInput, "model" | "observedLimitTokens"> | null;
}

const UNKNOWN = { contextWindowTokens: null, maxOutputTokens: null };

function inputOf({ fitted, state }: CalledSession): FitInput {
  return { gate: "before-step", pending: [], nowMs: null, ...(fitted ?? { model: state.view.limits ?? UNKNOWN }) };
}

/** The answer that the model reads, and whether the call did its work. */
type Answer = readonly [ContextCallEntry["outcome"], string];

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
  const other = () => (name === "pin" ? pinned(log, args?.text ?? "") : compacted(log, call.from));
  const own = (): Answer => (name === "remaining" ? ["answered", remainingText(log)] : other());
  const [outcome, answer] = found ?? (isReadable ? own() : (["refused", NOT_ITS_OWN] as const));
  const text = said.slice(0, characterBoundaryAtOrBefore(said, MOST_TEXT_CHARS));
  const id = shortHash(`context-call\n${name}\n${text}\n${log.state.view.lastEntryId ?? ""}`);
  append({ type: "context-call", id, tool: name, text, outcome, atMs });
  return answer;
}

const NOT_ITS_OWN = `The call was refused: these are not the arguments of the tool (a text may have ${MOST_TEXT_CHARS} characters).`;

/** Kinds of content that are listed at most; chosen: an answer stays small. */
const MOST_ROWS = 12;

function remainingText(log: CalledSession): string {
  const { state, setup } = log;
  const { expectedTokens, overheadTokens } = log.predict(null);
  const { contextWindowTokens: windowTokens, maxOutputTokens } = inputOf(log).model;
  const replyTokens = maxOutputTokens ?? 0;
  const leftTokens = Math.max(0, (windowTokens ?? 0) - replyTokens - expectedTokens);
  const left = `About ${leftTokens} tokens are left: the window has ${windowTokens}, and the reply may take ${replyTokens} of them.`;
  const tokensByKind = new Map<string, number>();
  for (const message of state.view.messages) {
    const kind = kindOf(message);
    tokensByKind.set(kind, (tokensByKind.get(kind) ?? 0) + setup.estimator.messageTokens(message, state.ledger));
  }
  // Reports measure the whole request, estimates each message: the kinds are scaled so that they add up.
  const sumTokens = [...tokensByKind.values()].reduce((sum, tokens) => sum + tokens, 0);
  const scale = Math.max(0, expectedTokens - overheadTokens) / Math.max(1, sumTokens);
  for (const [kind, tokens] of tokensByKind) tokensByKind.set(kind, tokens * scale);
  tokensByKind.set("system text and tools", overheadTokens);
  const rows = [...tokensByKind].sort(([, a], [, b]) => b - a).map(([kind, tokens]) => `${Math.round(tokens)} ${kind}`);
  const { usedChars, mostChars } = pinRoom(log);
  return [
    `Your context has about ${expectedTokens} tokens. ${windowTokens === null ? "The size of the window is not known." : left}`,
    `Pinned: ${usedChars} of ${mostChars} characters. Tokens by kind:`,
    fencedText(TAG, rows.slice(0, MOST_ROWS).join("\n")),
  ].join("\n");
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
  if (handle === undefined) return words === undefined ? ["refused", "Give a handle, or words."] : await wordsFound(log, words);
  const piece = await recall?.(handle, { startChar: Math.max(0, start), maximumChars: MAXIMUM_RECALL_CHARS });
  if (piece === null || piece === undefined) return ["refused", "This session has no such handle."];
  const end = piece.startChar + piece.text.length;
  if (piece.text === "") return ["answered", `The text has ${piece.totalChars} characters: nothing is after them.`];
  const more = end < piece.totalChars ? `; call again with start ${end} for more` : "";
  const head = `characters ${piece.startChar} to ${end} of ${piece.totalChars}${more}`;
  return ["answered", `${head}\n${fencedText(TAG, piece.text)}`];
}

/** Characters of a passage, passages of an answer, and words that are looked for, at most; chosen. */
const PASSAGE_CHARS = 1_200;
const MOST_PASSAGES = 5;
const MOST_WORDS = 16;

/**
 * The passages that left the context and have the words as they stand together, else those with the rarest of them; the newest first among equals. The tools' own calls and
 * answers are passed over.
 */
async function wordsFound({ messages, messageIds, state }: CalledSession, words: string): Promise<Answer> {
  const phrase = words.toLowerCase().trim();
  const wanted = [...new Set(phrase.split(/\s+/).filter(Boolean))].slice(0, MOST_WORDS);
  const inContext = new Map(Array.from(state.view.messages, ({ id, parts }) => [id, parts] as const));
  const passagesWith = new Map<string, number>();
  const found: { readonly place: number; readonly index: number; readonly start: number; readonly had: readonly string[] }[] =
    [];
  for (let place = messageIds.length - 1; place >= 0; place -= 1) {
    const message = await messages.at(place);
    const { id = "", parts = [] } = message?.role === "tool-result" && isContextTool(message.toolName) ? {} : (message ?? {});
    for (const [index, part] of parts.entries()) {
      if (part.type === "tool-call" && isContextTool(part.toolName)) continue;
      const whole = readable(part);
      if (inContext.get(id)?.some((shown) => readable(shown) === whole)) continue;
      for (const [start, text] of passagesOf(whole)) {
        const folded = text.toLowerCase();
        const some = wanted.filter((word) => folded.includes(word));
        const exact = some.filter((word) => isWhole(folded, word)).map((word) => `${word} `);
        const had = [...some, ...exact, ...(isWhole(folded, phrase) ? [PHRASE] : [])];
        for (const word of had) passagesWith.set(word, (passagesWith.get(word) ?? 0) + 1);
        if (had.length > 0) found.push({ place, index, start, had });
      }
    }
  }
  const worth = (had: readonly string[]) =>
    had.reduce((sum, word) => sum + (word === PHRASE ? wanted.length : 1 / (passagesWith.get(word) ?? 1)), 0);
  const ranked = found.map((each) => ({ ...each, worth: worth(each.had) })).sort((a, b) => b.worth - a.worth);
  const least = (ranked[0]?.worth ?? 0) * LEAST_OF_BEST;
  const best = ranked.slice(0, MOST_PASSAGES).filter((each) => each.worth >= least);
  if (best.length === 0) return ["refused", "Nothing that left your context has these words."];
  const shown = best.map(async ({ place, index, start }) => {
    const { id = "", parts = [] } = (await messages.at(place)) ?? {};
    const text = parts.slice(index, index + 1).flatMap((part) => [...passagesOf(readable(part))]);
    const passage = text.find(([from]) => from === start)?.[1] ?? "";
    return `${partHandle(id, index)}, from character ${start}:\n${fencedText(TAG, passage)}`;
  });
  return ["answered", ["recall with a handle and start gives more of a text.", ...(await Promise.all(shown))].join("\n")];
}

/** True if the text has the words with no letter or digit before or behind them: `item-2` is not in `item-27`. */
function isWhole(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at >= 0 && words !== ""; at = text.indexOf(words, at + words.length)) {
    const end = at + words.length;
    const joints = [text.slice(Math.max(0, at - 1), at + 1), text.slice(end - 1, end + 1)];
    if (!joints.some((joint) => /^[\p{L}\p{N}]{2}$/u.test(joint))) return true;
  }
  return false;
}

/** In place of all the words together; no word, nor its whole form with a space behind it, is that. */
const PHRASE = " ";

/** Share of the best passage's worth that others need: one that has the rare word is not followed by those that lack it. Chosen. */
const LEAST_OF_BEST = 0.5;

function isContextTool(name: string): boolean {
  return CONTEXT_TOOL_NAMES.some((each) => each === name);
}

/** A text piece by piece, each with its start, cut at the ends of lines where there are some. */
function* passagesOf(whole: string): Generator<readonly [number, string]> {
  for (let start = 0; start < whole.length; ) {
    const most = characterBoundaryAtOrBefore(whole, start + PASSAGE_CHARS);
    const lineEnd = most < whole.length ? whole.lastIndexOf("\n", most) + 1 : most;
    const end = lineEnd > start ? lineEnd : most;
    yield [start, whole.slice(start, end)];
    start = end;
  }
}

/** Share of the tokens of a prompt that pinned passages may take, the same for a whole session; chosen, so that they fit beside each later summary. */
const PINNED_RATIO = 0.02;

/** Characters that a token is taken for where a room is filled: the densest that code commonly is. */
const CHARS_PER_TOKEN = 3;

function pinRoom(log: CalledSession): { readonly usedChars: number; readonly mostChars: number } {
  const usedChars = log.state.wishes.pins.reduce((sum, { text }) => sum + text.length, 0);
  const budgetTokens = budgetFor(log.setup.policy, inputOf(log))?.inputBudgetTokens ?? 0;
  return { usedChars, mostChars: Math.min(MOST_TEXT_CHARS, Math.floor(budgetTokens * PINNED_RATIO * CHARS_PER_TOKEN)) };
}

function pinned(log: CalledSession, passage: string): Answer {
  if (passage.trim() === "") return ["refused", "Nothing was pinned: the text is empty."];
  if (log.state.wishes.pins.some(({ text }) => text === passage)) return ["refused", "This is pinned already."];
  const { usedChars, mostChars } = pinRoom(log);
  const leftChars = mostChars - usedChars - passage.length;
  const room = `Pinned passages may have ${mostChars} characters together`;
  return leftChars < 0
    ? ["refused", `Nothing was pinned. ${room}, and this one is ${-leftChars} too long.`]
    : ["answered", `Pinned: it stays word for word beside each later summary. ${room}, and ${leftChars} are left.`];
}

function compacted(log: CalledSession, from: number): Answer {
  const { state, setup } = log;
  const { enabled, progress, fallback } = setup.policy;
  const budget = enabled ? budgetFor(setup.policy, inputOf(log)) : null;
  if (budget === null) return ["refused", "Nothing to do: compaction is off."];
  const { inputBudgetTokens } = budget;
  const usedRatio = log.predict(null).expectedTokens / inputBudgetTokens;
  if (usedRatio < from) return ["refused", `Nothing to do: ${Math.round(usedRatio * 100)}% of the context is used.`];
  // As the engine, it waits for enough new text after a cut.
  const { estimatedTokens, estimatedAtLastCutTokens, factor } = state.ledger;
  const newTokens = (estimatedTokens - (state.breaker.estimatedAtLastAttemptTokens ?? estimatedAtLastCutTokens ?? 0)) * factor;
  const leastTokens = Math.max(progress.minimumNewTokens, (fallback?.minimumNewRatio ?? 0) * inputBudgetTokens);
  return newTokens < leastTokens
    ? ["refused", "Nothing to do: little is new since the last compaction."]
    : ["answered", "Older history is compacted before your next step."];
}
