import { defineAmountRule, type KeepRuleKind } from "../keep/keep-rule.ts";
import { type Message, toolCallsOf } from "../message/message.ts";
import { type PlanItem, planAfter, planItems } from "./facts.ts";

/** Keeps the calls that write the newest plan down: its one call, or those that make or change its tasks. */
export const PLAN: KeepRuleKind = defineAmountRule("plan", (atMost) => ({
  keeps: "messages",
  atMost,
  choose: ({ messages }) => (planIn(messages)?.places ?? []).map((place) => ({ from: place, through: place })),
}));

/**
 * A plan in its present state, and the places of the messages that wrote it: first those that state an item, then those that change only its status, the newest of
 * each first.
 */
export interface StandingPlan {
  readonly items: readonly PlanItem[];
  readonly places: readonly number[];
}

/** Finds the newest plan (list of tasks) that tool calls in these messages wrote; `null` if there is none. */
export function planIn(messages: readonly Message[]): StandingPlan | null {
  const written: string[] = [];
  const [stating, changing] = [new Set<number>(), new Set<number>()];
  let isWhole = false;
  for (let place = messages.length - 1; place >= 0 && !isWhole; place--) {
    const message = messages[place];
    for (const { argumentsJson } of message === undefined ? [] : toolCallsOf(message).toReversed()) {
      const stated = isWhole ? null : planAfter([], argumentsJson);
      if (stated === null) continue;
      written.unshift(argumentsJson);
      (stated.length > 0 || argumentsJson.includes('"subject"') ? stating : changing).add(place);
      isWhole = planItems(argumentsJson) !== null;
    }
  }
  const items = written.reduce<readonly PlanItem[]>((plan, json) => planAfter(plan, json) ?? plan, []);
  return written.length === 0 ? null : { items, places: [...new Set([...stating, ...changing])] };
}
