import type { FitInput } from "../engine/fit-input.ts";
import { budgetFor } from "../engine/why-act.ts";
import type { ContextCallEntry } from "../entry.ts";
import { nameInBrackets } from "../message/framing.ts";
import { partHandle } from "../message/handle.ts";
import { type Message, type Part, textOf } from "../message/message.ts";
import { fencedText } from "../message/transcript-text.ts";
import { artifactsDoor, deadlineOf } from "../port-door.ts";
import { characterBoundaryAtOrBefore, MOST_BYTES_PER_UNIT, shortHash } from "../text.ts";
import { CAP_BYTES_PER_TOKEN, capCutIn } from "../truncation/truncate-text.ts";
import { CONTEXT_TOOL_NAMES, type ContextArguments, type ContextCall } from "./context-tools.ts";
import { type LoggedMessages, MAXIMUM_RECALL_CHARS, type Recalled, readable, recall, recallArtifact } from "./recall.ts";
import type { FittedSession } from "./session.ts";

interface CalledSession extends FittedSession {
  readonly messages: LoggedMessages;
  readonly messageIds: readonly string[];
  /** The model of the newest fit, and a limit that its provider named; `null` before the first. */
  readonly fitted: Pick<FitInput, "model" | "observedLimitTokens"> | null;
}

type Artifacts = Required<Pick<ContextCall, "artifacts">>;

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
  call: ContextCall & Artifacts,
  { atMs, append }: { readonly atMs: number | null; readonly append: (entry: ContextCallEntry) => void },
): Promise<string> {
  const { name, args } = call;
  const said = (args?.text ?? args?.focus ?? args?.handle ?? args?.words ?? "").toWellFormed();
  const isReadable =
    args !== null && (name === "pin" || [said, args.words ?? ""].every(({ length }) => length <= MOST_TEXT_CHARS));
  const artifacts = artifactsDoor(call.artifacts, deadlineOf({}));
  const found = name === "recall" && isReadable ? await recalled({ ...log, artifacts }, args) : null;
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

/** The message, with its whole text if it is a result that the cap cut and the store has it. */
async function wholeOf<Of extends Message | undefined>(message: Of, { artifacts }: Artifacts): Promise<Of> {
  const cut = message === undefined ? null : capCutIn(message);
  const text = cut === null ? null : await artifacts.get(cut.handle).catch(() => null);
  return text === null ? message : { ...message, parts: [{ type: "text", text }, ...(message?.parts.slice(1) ?? [])] };
}

/** Characters that an answer has room for, so that the policy's cap leaves it whole as a result: three bytes each, beside the lines around them (chosen). */
function roomChars({ setup }: CalledSession): number {
  const capTokens = setup.policy.truncation?.capTokens || Number.POSITIVE_INFINITY;
  const chars = Math.floor((capTokens * CAP_BYTES_PER_TOKEN - 600) / MOST_BYTES_PER_UNIT);
  return Math.max(100, Math.min(MAXIMUM_RECALL_CHARS, chars));
}

/** A piece of the text behind a handle, as long as an answer may be. */
async function pieceAt(log: CalledSession & Artifacts, handle: string, startChar: number): Promise<Recalled | null> {
  const range = { startChar, maximumChars: roomChars(log) };
  const whole = { ...log.messages, find: async (id: string) => await wholeOf(await log.messages.find(id), log) };
  return (await recall(handle, range, whole)) ?? (await recallArtifact(handle, range, log.artifacts));
}

async function recalled(log: CalledSession & Artifacts, { handle, words, start = 0 }: ContextArguments): Promise<Answer> {
  if (handle === undefined) return words === undefined ? ["refused", "Give a handle, or words."] : await wordsFound(log, words);
  const piece = await pieceAt(log, handle, Math.max(0, start));
  if (piece === null) return ["refused", "This session has no such handle."];
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

/** Characters of cut results that a search reads, newest first; chosen, so that its work is bounded. */
const MOST_CUT_CHARS = 8_000_000;

/**
 * The passages that left the context or were cut on arrival and have the words as they stand together, else those with the rarest of them; the newest first among equals.
 * The tools' own calls and answers are passed over.
 */
async function wordsFound(log: CalledSession & Artifacts, words: string): Promise<Answer> {
  const { messages, messageIds, state } = log;
  const phrase = words.toLowerCase().trim();
  const wanted = [...new Set(phrase.split(/\s+/).filter(Boolean))].slice(0, MOST_WORDS);
  const inContext = new Map(Array.from(state.view.messages, ({ id, parts }) => [id, parts] as const));
  const room = roomChars(log);
  const passageChars = Math.min(PASSAGE_CHARS, room);
  const passagesWith = new Map<string, number>();
  const found: { readonly handle: string; readonly start: number; readonly had: readonly string[] }[] = [];
  let [cutChars, unreadCount] = [0, 0];
  for (let place = messageIds.length - 1; place >= 0; place -= 1) {
    const logged = await messages.at(place);
    if (logged === undefined || isOwn(logged)) continue;
    const message = cutChars < MOST_CUT_CHARS ? await wholeOf(logged, log) : logged;
    if (message !== logged) cutChars += textOf(message).length;
    else if (capCutIn(logged) !== null) unreadCount += 1;
    const shown = (inContext.get(logged.id) ?? []).map(readable);
    for (const [index, part] of message.parts.entries()) {
      const whole = readable(part);
      if (isOwn(part) || shown.includes(whole)) continue;
      for (const [start, text] of passagesOf(whole, passageChars)) {
        const folded = text.toLowerCase();
        const some = wanted.filter((word) => folded.includes(word));
        const exact = some.filter((word) => isWhole(folded, word)).map((word) => `${word} `);
        const had = [...some, ...exact, ...(isWhole(folded, phrase) ? [PHRASE] : [])];
        if (had.length === 0 || (message !== logged && shown.some((each) => each.includes(text)))) continue;
        for (const word of had) passagesWith.set(word, (passagesWith.get(word) ?? 0) + 1);
        found.push({ handle: partHandle(logged.id, index), start, had });
      }
    }
  }
  const worth = (had: readonly string[]) =>
    had.reduce((sum, word) => sum + (word === PHRASE ? wanted.length : 1 / (passagesWith.get(word) ?? 1)), 0);
  const ranked = found.map((each) => ({ ...each, worth: worth(each.had) })).sort((a, b) => b.worth - a.worth);
  const least = (ranked[0]?.worth ?? 0) * LEAST_OF_BEST;
  const best = ranked.slice(0, Math.min(MOST_PASSAGES, Math.floor(room / passageChars))).filter((each) => each.worth >= least);
  const missing = unreadCount === 0 ? [] : [`Cut results that were not searched: ${unreadCount}. Give their handles.`];
  if (best.length === 0) return ["refused", ["Nothing that left your context has these words.", ...missing].join(" ")];
  const passages = best.map(async ({ handle, start }) => {
    const [[, passage] = [0, ""]] = passagesOf((await pieceAt(log, handle, start))?.text ?? "", passageChars);
    return `${handle}, from character ${start}:\n${fencedText(TAG, passage)}`;
  });
  const lines = ["recall with a handle and start gives more of a text.", ...missing, ...(await Promise.all(passages))];
  return ["answered", lines.join("\n")];
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

/** True for a call of a context tool, and its answer. */
function isOwn(of: Message | Part): boolean {
  return "toolName" in of && CONTEXT_TOOL_NAMES.some((each) => each === of.toolName);
}

/** A text piece by piece, each with its start, cut at the ends of lines where there are some. */
function* passagesOf(whole: string, mostChars: number): Generator<readonly [number, string], undefined> {
  for (let start = 0; start < whole.length; ) {
    const most = characterBoundaryAtOrBefore(whole, start + mostChars);
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
