import type { Message } from "@plimsoll/core";
import { checkMessages } from "@plimsoll/core/internal";
import { createHeldContext } from "../grounding/held-needs.ts";
import { NEED_KINDS } from "../grounding/wanted.ts";
import { isRecordedPolicy } from "../replay/cell.ts";
import { confirmed, isSampled } from "../sampled-calls.ts";
import type { MeasuredCall, MeasuredReplay } from "./metric.ts";
import { createReadableContext } from "./readable.ts";

/**
 * Measures sampled calls in full: what a wire would refuse, the size, what can be read and what of the needs is held, each from the whole context alone. What a
 * request shares with the one before it is held against its full form where it is served. Throws as {@link confirmed} does.
 */
export function createFullCheck(replay: MeasuredReplay): (call: MeasuredCall) => void {
  return (call) => {
    if (!isSampled(call.call)) return;
    const messages = call.context.slice();
    confirmed("what a wire would refuse", call.call, { fast: call.violations, full: () => checkMessages(messages) });
    if (call.lost) return;
    confirmed("the size", call.call, { fast: call.promptTokens, full: () => sizeOf(replay, call) });
    if (call.shown === null || call.reply === null) return;
    confirmed("what can be read", call.call, { fast: readIn(call), full: () => readAnew(replay, call, messages) });
    confirmed("what is missing", call.call, {
      fast: replay.held.missing(NEED_KINDS).map(({ needle }) => needle),
      full: () => missingIn(replay, call, messages),
    });
  };
}

function sizeOf({ session, cell }: MeasuredReplay, { call, context }: MeasuredCall): number {
  return session.sizeModel.promptTokens(call, context, isRecordedPolicy(cell.policy) ? "recorded" : "own");
}

/** Of each use, what the context held of it. */
type ReadUse = readonly boolean[];

function readIn({ uses }: MeasuredCall): readonly ReadUse[] {
  return uses.map(({ recalled, evidenced, sourceEvidenced, behindHandle }) => [
    recalled,
    evidenced,
    sourceEvidenced,
    behindHandle,
  ]);
}

function readAnew({ session }: MeasuredReplay, call: MeasuredCall, messages: readonly Message[]): readonly ReadUse[] {
  const readable = createReadableContext(session.references);
  readable.follow({ removed: [], added: distinct(messages) }, call.call);
  return call.uses.map(({ use: { reference, sourceStatement } }) => {
    const recalled = readable.hasReference(reference);
    return [
      recalled,
      readable.hasStatementOf(reference, call.ordinal),
      readable.hasStatement(sourceStatement),
      !recalled && readable.hasHandleOf(reference),
    ];
  });
}

function missingIn({ session }: MeasuredReplay, { ordinal }: MeasuredCall, messages: readonly Message[]): readonly number[] {
  const needs = session.needs();
  const context = createHeldContext(needs.index, needs.needleCount);
  context.follow({ removed: [], added: distinct(messages) });
  return needs.at(ordinal).flatMap(({ needle }) => (context.holds(needle) ? [] : [needle]));
}

function distinct(messages: readonly Message[]): readonly Message[] {
  return [...new Set(messages)];
}
