import type { Message } from "@plimsoll/core";
import type { ReplayedCall } from "../src/replay/replayed-call.ts";
import type { SizeJudge } from "../src/size-judge/size-judge.ts";
import { isHeldBy, type ReadMessage, type ReferenceKind, type StatedUse } from "./reference-measures.ts";
import { callsOf } from "./reference-texts.ts";

/**
 * A second reading of docs/evidence.md's plain tail, slow and obvious: it adds every message up at every call. It shares no code with
 * `bench/src/needs`, so that a test can hold one against the other.
 */
export interface TailQuestion {
  /** The calls with all recorded messages before each. */
  readonly calls: readonly (ReplayedCall & { readonly history: readonly Message[] })[];
  readonly sizeJudge: SizeJudge;
}

/** The newest messages alone at one amount. */
export interface ReferenceTail {
  readonly amountTokens: number;
  readonly meanPromptTokens: number;
  /** The messages that each call is sent. */
  readonly contexts: readonly (readonly Message[])[];
}

/** The tail whose cuts leave so many tokens of messages. A cut never gives back what an earlier one took. */
export function referenceTail({ calls, sizeJudge }: TailQuestion, amountTokens: number): ReferenceTail {
  let start = 0;
  const sent = calls.map((call) => {
    const { history } = call;
    const tokensOf = (messages: readonly Message[]) =>
      messages.reduce((sum, message) => sum + sizeJudge.messageTokens(message, call.call), 0);
    if (call.compactions.length > 0) {
      const places = history.map((_, place) => place).filter((place) => isWhole(history.slice(place)));
      const fitting = places.find((place) => tokensOf(history.slice(place)) <= amountTokens) ?? history.length;
      start = Math.max(start, Math.min(fitting, openStepOf(history)));
    }
    const human = history.findLastIndex((message) => message.role === "user" && message.origin === "human");
    const literal = human >= 0 && human < start ? history.slice(human, human + 1) : [];
    const context = [...literal, ...history.slice(start)];
    return { context, promptTokens: call.nonMessageTokens + tokensOf(context) };
  });
  return { amountTokens, meanPromptTokens: meanOf(sent), contexts: sent.map(({ context }) => context) };
}

/** Whether every result has its call. */
function isWhole(messages: readonly Message[]): boolean {
  const called = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool-result" && !called.has(message.callId)) return false;
    for (const { callId } of callsOf(message)) called.add(callId);
  }
  return true;
}

/** Where the calls stand whose results come last; the end of the history if no result does. */
function openStepOf(history: readonly Message[]): number {
  const last = history.at(-1);
  if (last?.role !== "tool-result") return history.length;
  return history.findLastIndex((message) => callsOf(message).some(({ callId }) => callId === last.callId));
}

/** A tail is of the policy's size within this share (docs/evidence.md). */
const SIZE_SHARE = 0.01;

/** Halvings after which no amount comes nearer: messages are whole. */
const STEPS = 40;

/** The tail of the policy's mean prompt, within 1 %, and if whole messages do not allow that the nearest one tried. */
export function referenceTailOfSize(question: TailQuestion): ReferenceTail {
  const wanted = meanOf(question.calls);
  let low = 0;
  let high = Math.max(
    ...question.calls.map(({ promptTokens, recorded }) => promptTokens + (recorded.usage.input.totalTokens ?? 0)),
  );
  let best = referenceTail(question, high);
  for (let step = 0; step < STEPS; step++) {
    const amount = (low + high) / 2;
    const tail = referenceTail(question, amount);
    const distance = ({ meanPromptTokens }: ReferenceTail) => Math.abs(meanPromptTokens - wanted);
    if (distance(tail) < distance(best)) best = tail;
    if (distance(best) <= wanted * SIZE_SHARE) return best;
    if (tail.meanPromptTokens > wanted) high = amount;
    else low = amount;
  }
  return best;
}

function meanOf(calls: readonly { readonly promptTokens: number }[]): number {
  return calls.reduce((sum, { promptTokens }) => sum + promptTokens, 0) / calls.length;
}

/** How many uses of a kind the contexts hold; `usesAt` tells those of each call. */
export function referenceHeld(
  contexts: readonly (readonly ReadMessage[])[],
  usesAt: (place: number) => readonly StatedUse[],
  kind: ReferenceKind,
): { readonly uses: number; readonly held: number } {
  const answers = contexts.flatMap((context, place) => {
    const wanted = usesAt(place).filter((use) => use.kind === kind);
    return wanted.map((use) => context.some((message) => isHeldBy(use, message)));
  });
  return { uses: answers.length, held: answers.filter((isHeld) => isHeld).length };
}
