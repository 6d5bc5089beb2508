import { createHash } from "node:crypto";
import { PEERS, type Transcript } from "@plimsoll/bench";
import { cellOf, drive, type PreparedSession, type ReplayedCall } from "@plimsoll/bench/extend";
import { createDigest, type Message, PLIMSOLL_POLICY, type SessionEntry, textOf, toolCallsOf } from "@plimsoll/core";
import { EMPTY_VIEW, type EnginePolicy, factsText, foldEntry, foldFacts, NO_FACTS, NO_KEPT_STATE } from "@plimsoll/core/extend";
import type { TokenModel } from "./model.ts";

/** An action and the contexts that it is judged in. */
export interface ActionCase {
  readonly session: string;
  readonly prompts: ReadonlyMap<string, readonly number[]>;
  readonly scored: readonly number[];
}

/** Working room of the replays, and what a context may have at most, in tokens: what a small model reads on a shared machine (protocol.md). */
const ROOM_TOKENS = 8_000;
const MOST_TOKENS = 7_000;
/** Tokens of an action that are scored: name and main argument of most calls. */
const SCORED_TOKENS = 16;
/** Of recorded summaries and of what follows them. */
const SUMMARY_TOKENS = 1_000;
const FOLLOWING_TOKENS = 400;
/** Messages whose order the floor leaves: the open step. */
const FLOOR_NEWEST = 4;
/** No token has fewer characters on average in a text that is read here; chosen with room. */
const MOST_TOKEN_CHARS = 8;

/** A number from 0 up to 2^48 that depends on a text alone. */
export function lotOf(text: string): number {
  return createHash("sha256").update(text).digest().readUIntBE(0, 6);
}

/** The words before what each side says. */
interface RoleWords {
  readonly user: string;
  readonly assistant: string;
  readonly result: string;
}
const USUAL_WORDS: RoleWords = { user: "User:", assistant: "Assistant:", result: "Result:" };
const OTHER_WORDS: RoleWords = { user: "[person]", assistant: "[agent]", result: "[output]" };

/** A message as the judge reads it: who said it, then its text and calls. Reasoning is left out. */
export function shownMessage(message: Message, words: RoleWords = USUAL_WORDS): string {
  const who = message.role === "tool-result" ? words.result : words[message.role];
  return [who, textOf(message), ...toolCallsOf(message).map(actionText)].filter((part) => part !== "").join("\n");
}

function actionText({ toolName, argumentsJson }: { readonly toolName: string; readonly argumentsJson: string }): string {
  return `call ${toolName} ${argumentsJson}`;
}

function shown(messages: readonly Message[], words: RoleWords = USUAL_WORDS): string {
  return messages.map((message) => shownMessage(message, words)).join("\n\n");
}

/** The newest so many tokens of a text. */
function newestTokens(model: TokenModel, text: string, most: number): readonly number[] {
  const tokens = model.tokensOf(text.slice(-most * MOST_TOKEN_CHARS));
  return tokens.slice(Math.max(0, tokens.length - most));
}

function scoredTokens(model: TokenModel, reply: Message): readonly number[] {
  const [first] = toolCallsOf(reply);
  return first === undefined ? [] : model.tokensOf(actionText(first)).slice(0, SCORED_TOKENS);
}

/** The prompts of contexts given as tokens: each ends with the words after which the agent acts. */
function endedPrompts(
  model: TokenModel,
  contexts: Readonly<Record<string, readonly number[]>>,
  words: Readonly<Record<string, RoleWords>> = {},
): ReadonlyMap<string, readonly number[]> {
  return new Map(
    Object.entries(contexts).map(([name, tokens]) => {
      const { assistant } = words[name] ?? USUAL_WORDS;
      return [name, [...tokens, ...model.tokensOf(`${tokens.length === 0 ? "" : "\n\n"}${assistant}\n`)]];
    }),
  );
}

/** The protocol's second sample: one first call after a cut of `plimsoll`; `null` if the session has none. */
export async function cutCase(session: PreparedSession, model: TokenModel): Promise<ActionCase | null> {
  const { name } = session.transcript;
  const drawn: { first: Sent | null } = { first: null };
  await replayed(session, PLIMSOLL_POLICY, ({ call, ...sent }) => {
    if (sent.compactions.length === 0 || !canBeAsked(sent)) return;
    const lot = lotOf(`${name}\n${call}`);
    if (lot < (drawn.first?.lot ?? Infinity)) drawn.first = { lot, call, reply: sent.reply, messages: sent.context.slice() };
  });
  return drawn.first === null ? null : await contextsOf(session, model, drawn.first);
}

interface Sent {
  readonly lot: number;
  readonly call: number;
  readonly reply: ReplayedCall["reply"];
  readonly messages: readonly Message[];
}

async function contextsOf(
  session: PreparedSession,
  model: TokenModel,
  { call, reply, messages }: Sent,
): Promise<ActionCase | null> {
  const ordinal = reply === null ? null : session.references.ordinalOf(reply);
  const codex = PEERS.find((peer) => peer.policy.name === "codex")?.policy;
  if (reply === null || ordinal === null || codex === undefined) return null;
  let ofCodex: readonly Message[] = [];
  await replayed(session, codex, (sent) => {
    if (sent.call === call) ofCodex = sent.context.slice();
  });
  const history = shown(session.history().messages.slice(0, ordinal));
  const own = newestTokens(model, shown(messages), MOST_TOKENS);
  const older = messages.slice(0, -FLOOR_NEWEST).toSorted((a, b) => lotOf(a.id) - lotOf(b.id));
  const floor = shown([...older, ...messages.slice(-FLOOR_NEWEST)], OTHER_WORDS);
  const contexts = {
    none: [],
    longest: newestTokens(model, history, MOST_TOKENS),
    plimsoll: own,
    newest: newestTokens(model, history, own.length),
    floor: newestTokens(model, floor, MOST_TOKENS),
    codex: newestTokens(model, shown(ofCodex), MOST_TOKENS),
  };
  return {
    session: session.transcript.lineage ?? session.transcript.name,
    prompts: endedPrompts(model, contexts, { floor: OTHER_WORDS }),
    scored: scoredTokens(model, reply),
  };
}

async function replayed(session: PreparedSession, policy: EnginePolicy, onCall: (sent: ReplayedCall) => void): Promise<void> {
  const window = { kind: "working-room", tokens: ROOM_TOKENS } as const;
  // A working room needs no catalogue.
  const cell = cellOf(session, { policy, window, catalog: { contextWindowOf: () => null } });
  if (cell.why === null) await drive(session, cell, onCall);
}

function canBeAsked({ reply, lost, violations, context }: Omit<ReplayedCall, "call">): boolean {
  const acts = reply !== null && toolCallsOf(reply).length > 0;
  return acts && !lost && violations.length === 0 && context.at(-1)?.role !== "assistant";
}

/** The protocol's third sample: one recorded compaction with a readable summary and an action after it; `null` if the session has none. */
export async function summaryCase(transcript: Transcript, model: TokenModel): Promise<ActionCase | null> {
  const { entries, name } = transcript;
  const drawn = entries
    .flatMap((entry, place) => (entry.type === "compaction" ? [{ place, lot: lotOf(`${name}\n${place}`) }] : []))
    .toSorted((a, b) => a.lot - b.lot);
  for (const { place } of drawn) {
    const found = await summaryAt(transcript, place, model);
    if (found !== null) return found;
  }
  return null;
}

async function summaryAt({ entries, name, lineage }: Transcript, place: number, model: TokenModel): Promise<ActionCase | null> {
  const before = entries.slice(0, place).reduce(foldEntry, EMPTY_VIEW).messages.slice();
  const after = entries
    .slice(0, place + 1)
    .reduce(foldEntry, EMPTY_VIEW)
    .messages.slice();
  const staying = new Set(after.map(({ id }) => id));
  const covered = before.filter(({ id }) => !staying.has(id));
  const summary = after.filter(isSummary).map(textOf).join("\n\n");
  const next = messagesIn(entries.slice(place + 1, nextBoundary(entries, place)));
  const acts = next.findIndex((message) => toolCallsOf(message).length > 0);
  const reply = next[acts];
  if (summary.trim() === "" || covered.length === 0 || reply === undefined) return null;
  const recorded = model.tokensOf(summary).slice(0, SUMMARY_TOKENS);
  const following = [...after.filter((message) => !isSummary(message)), ...next.slice(0, acts)];
  const rest = newestTokens(model, shown(following), FOLLOWING_TOKENS);
  const past = shown(covered);
  const ours = model.tokensOf(await digestAndFacts(covered, entries.slice(0, place))).slice(0, recorded.length);
  const gap = model.tokensOf("\n\n");
  const behind = (tokens: readonly number[]) => [...tokens, ...gap, ...rest];
  const contexts = {
    none: rest,
    recorded: behind(recorded),
    ours: behind([...ours, ...newestTokens(model, past, recorded.length - ours.length)]),
    newest: behind(newestTokens(model, past, recorded.length)),
  };
  return { session: lineage ?? name, prompts: endedPrompts(model, contexts), scored: scoredTokens(model, reply) };
}

function isSummary(message: Message): boolean {
  return message.role !== "tool-result" && message.origin === "summary";
}

function nextBoundary(entries: readonly SessionEntry[], place: number): number {
  const next = entries.findIndex(({ type }, at) => at > place && type === "compaction");
  return next < 0 ? entries.length : next;
}

function messagesIn(entries: readonly SessionEntry[]): readonly Message[] {
  return entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
}

/** Characters of the facts: what the default policy gives them, at three characters a token. */
const FACTS_CHARS = 3 * PLIMSOLL_POLICY.facts.maxTokens;

async function digestAndFacts(covered: readonly Message[], entries: readonly SessionEntry[]): Promise<string> {
  const { sections, maxTokens, turnPrefixMaxTokens, resultCapChars, labels } = PLIMSOLL_POLICY.summary;
  const parts = [{ promptId: "structured", messages: covered }];
  const request = { parts, sections, maxTokens, turnPrefixMaxTokens, focus: null, resultCapChars, labels };
  const { text } = await createDigest()(request, new AbortController().signal);
  return `${text}\n\n${factsText(entries.reduce(foldFacts, NO_FACTS), NO_KEPT_STATE, { maximumChars: FACTS_CHARS }) ?? ""}\n\n`;
}
