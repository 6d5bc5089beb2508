import type { Message } from "@plimsoll/core";
import { checkMessages } from "@plimsoll/core/extend";
import type { MeasuredCall, MeasuredReplay } from "../src/metrics/metric.ts";
import { createHeldContext, NEED_KINDS } from "../src/needs/needles.ts";
import { isRecordedPolicy } from "../src/replay/cell.ts";

/** The measures of a call that are found by what changed since the one before it, and the same from its whole context alone. */
export interface BothForms {
  readonly followed: Forms;
  readonly whole: Forms;
}

/** Violations of a wire, the size and the needs that are missing; `null` for each that is not looked for at the call. */
interface Forms {
  readonly violations: MeasuredCall["violations"];
  readonly promptTokens: number | null;
  readonly missing: readonly number[] | null;
}

/** Measures a call in both forms. */
export function bothForms(replay: MeasuredReplay, call: MeasuredCall): BothForms {
  const messages = call.context.slice();
  const isRead = !call.lost && call.shown !== null && call.reply !== null;
  return {
    followed: {
      violations: call.violations,
      promptTokens: call.lost ? null : call.promptTokens,
      missing: isRead ? replay.held.missing(NEED_KINDS).map(({ needle }) => needle) : null,
    },
    whole: {
      violations: checkMessages(messages),
      promptTokens: call.lost ? null : sizeOf(replay, call),
      missing: isRead ? missingIn(replay, call, messages) : null,
    },
  };
}

function sizeOf({ session, cell }: MeasuredReplay, { call, context }: MeasuredCall): number {
  return session.sizeJudge.promptTokens(call, context, isRecordedPolicy(cell.policy) ? "recorded" : "own");
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
