import { createDigest, createSession, type Message, type Session, type SessionEntry } from "@plimsoll/core";
import { defineMeasure, EMPTY_VIEW, foldEntry, withKinds } from "@plimsoll/core/extend";
import { z } from "zod";
import { keyOf } from "./plain-tail.ts";
import type { PlayedRefusals } from "./play-refused.ts";
import { type RefusedSession, SYSTEM } from "./refused-session.ts";

/** One step whose request was refused, and the loss by the session's reaction. */
export interface RefusedStep {
  readonly step: number;
  /** Refused requests before one was taken. */
  readonly refusals: number;
  /** True tokens of the window without the reply, as far as the server counts it. */
  readonly roomTokens: number;
  /** True tokens of messages that the twin keeps whole and the session does not. */
  readonly lostTokens: number;
  /** The same at the requests that were answered after it, as long as the window stays. */
  readonly laterTokens: readonly number[];
}

const NEVER = new AbortController().signal;

/** In less room than this one message is a large share of it. Chosen. */
const LEAST_ROOM_TOKENS = 1000;

/**
 * The steps of a session whose first request was refused. Each of them has a twin: the same policy over the same log, without a report, which counts as the server
 * counts and knows its window. It cuts the request that was refused, and keeps the rest. Steps that were cut before they were sent, or refused at any size, are left
 * out: there the session and its twin do not have the same before them. So are those whose twin would be refused, too.
 */
export async function refusedSteps(session: RefusedSession, played: PlayedRefusals): Promise<readonly RefusedStep[]> {
  const entries = await played.entries();
  const cutsAt = entries.flatMap((entry, at) => (entry.type === "compaction" && !isUndone(entries, at, entry.id) ? [at] : []));
  const steps = new Map<number, readonly number[]>();
  for (const at of cutsAt) steps.set(stepAt(entries, at), [...(steps.get(stepAt(entries, at)) ?? []), at]);
  const all: RefusedStep[] = [];
  for (const [step, [first = 0, ...others]] of steps) {
    const { [step]: script } = session.steps;
    const cut = entries[first];
    const sentTokens = requestsOf(played, step);
    const reserveTokens = session.countsReply ? session.reserveTokens : 0;
    const roomTokens = (script?.windowTokens ?? 0) - reserveTokens;
    const refusals = sentTokens.filter((tokens) => tokens > roomTokens).length;
    const isOther = script === undefined || script.refusedOnce !== null || (sentTokens[0] ?? 0) <= roomTokens;
    if (isOther || cut?.type !== "compaction" || cut.record.reason !== "overflow") continue;
    const before = entries.slice(0, first).filter(({ type }) => type !== "usage" && type !== "attempt");
    const kept = new Set(messagesOf(entries.slice(0, (others.at(-1) ?? first) + 1)).map(keyOf));
    const twin = await twinView(before, { session, windowTokens: script.windowTokens, sentTokens: sentTokens[0] ?? 0 });
    if (twin.tokens > roomTokens || roomTokens < LEAST_ROOM_TOKENS) continue;
    const lostTokens = lostOf(twin.messages, kept, session);
    const laterTokens: number[] = [];
    let read = first;
    for (const at of answeredAfter(entries, first).slice(1, 1 + LATER_STEPS)) {
      const later = session.steps[stepAt(entries, at)];
      if (later === undefined || later.windowTokens !== script.windowTokens) break;
      for (const entry of entries.slice(read, at)) if (entry.type === "message") twin.manager.append(entry);
      read = at;
      await twin.fit();
      const held = new Set(messagesOf(entries.slice(0, at)).map(keyOf));
      laterTokens.push(lostOf(twin.manager.view().messages.slice(), held, session));
    }
    all.push({ step, refusals, roomTokens, lostTokens, laterTokens });
  }
  return all;
}

/** True for a cut that was undone before its step was answered: less did not help. */
function isUndone(entries: readonly SessionEntry[], from: number, compactionId: string): boolean {
  const [answered = entries.length] = answeredAfter(entries, from);
  return entries.slice(from, answered).some((entry) => entry.type === "revert" && entry.compactionId === compactionId);
}

/** Steps after a refused one that are compared, too. */
const LATER_STEPS = 2;

function lostOf(twin: readonly Message[], kept: ReadonlySet<string>, session: RefusedSession): number {
  const lost = twin.filter((message) => !isWritten(message) && !kept.has(keyOf(message)));
  return lost.reduce((sum, each) => sum + trueTokens(each, session), 0);
}

/** The places of the replies in a log after one of its entries. */
function answeredAfter(entries: readonly SessionEntry[], from: number): readonly number[] {
  return entries.flatMap((entry, at) =>
    at > from && entry.type === "message" && entry.message.role === "assistant" ? [at] : [],
  );
}

/** Reads a log as the twin does, and returns its view. */
async function twinView(
  before: readonly SessionEntry[],
  given: { readonly session: RefusedSession; readonly windowTokens: number; readonly sentTokens: number },
): Promise<{
  readonly messages: readonly Message[];
  readonly tokens: number;
  readonly manager: Session;
  readonly fit: () => Promise<unknown>;
}> {
  const { session, windowTokens: contextWindowTokens, sentTokens } = given;
  const { charsPerToken, policy, reserveTokens } = session;
  const overhead = Math.ceil(SYSTEM.length / charsPerToken);
  const known = messagesOf(before).reduce((sum, each) => sum + trueTokens(each, session), overhead);
  const manager = createSession({
    policy: { ...policy, estimator: TRUE, cutEstimator: null },
    kinds: withKinds({ estimators: [trueMeasure(session)] }),
    entries: before,
    summarizer: createDigest(),
    // Framing of the wire, documents and the server's additions.
    hiddenOverheadTokens: Math.max(0, sentTokens - known),
    repairs: "none",
  });
  const maxOutputTokens = Math.min(reserveTokens, Math.floor(contextWindowTokens / 2));
  const fit = () =>
    manager.fit({ gate: "before-step", pending: [], nowMs: null, model: { contextWindowTokens, maxOutputTokens } }, NEVER);
  await fit();
  return { manager, fit, messages: manager.view().messages.slice(), tokens: manager.predict().expectedTokens };
}

const TRUE = { kind: "true" } as const;

function trueMeasure(session: RefusedSession) {
  return defineMeasure<typeof TRUE>({
    kind: "true",
    schema: z.strictObject({ kind: z.literal("true") }),
    measure: () => ({
      name: "true",
      messageTokens: (message) => trueTokens(message, session),
      textTokens: (text) => Math.ceil(text.length / session.charsPerToken),
      toolsTokens: () => 0,
    }),
  });
}

function trueTokens({ role, parts }: Message, { charsPerToken }: RefusedSession): number {
  return Math.ceil(JSON.stringify({ role, parts }).length / charsPerToken);
}

/** Summaries and notices are written anew at each cut, in the role that the policy gives them. */
function isWritten(message: Message): boolean {
  if (message.role === "user") return message.origin !== "human";
  return message.role === "assistant" && message.origin !== "model";
}

function messagesOf(entries: readonly SessionEntry[]): readonly Message[] {
  return entries.reduce(foldEntry, EMPTY_VIEW).messages.slice();
}

/** Replies before an entry: each step has one. */
function stepAt(entries: readonly SessionEntry[], at: number): number {
  return entries.slice(0, at).filter((entry) => entry.type === "message" && entry.message.role === "assistant").length;
}

/** True tokens of the requests of a step, in order. */
function requestsOf({ log }: PlayedRefusals, step: number): readonly number[] {
  return log.flatMap((line) => {
    const [, at, tokens] = /^(\d+): (\d+) of/.exec(line) ?? [];
    return Number(at) === step && tokens !== undefined ? [Number(tokens)] : [];
  });
}
