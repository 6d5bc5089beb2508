import type { Message } from "@plimsoll/core";
import { isHuman, textOf, toolCallsOf } from "@plimsoll/core";
import { type PlanItem, planAfter } from "@plimsoll/core/internal";
import { comparableText, comparedTexts } from "./comparable-text.ts";
import { decisionsIn, nextStepIn } from "./said.ts";
import type { Needles, Wanted } from "./wanted.ts";

/** For so many calls a stated next step is due (docs/evidence.md). */
const NEXT_STEP_CALLS = 10;

/** The needs that are due at the next call, followed message by message. */
export interface Standing {
  due(): readonly Wanted[];
  follow(message: Message): void;
}

/** Follows the needs that stay due for more than the next call: the person's messages, the plan, decisions, the announced next step. */
export function createStanding(needles: Needles): Standing {
  const instructions = new Set<number>();
  const decisions = new Set<number>();
  let items: readonly PlanItem[] = [];
  let plan: readonly number[] = [];
  let nextStep: { readonly needle: number; readonly calls: number } | null = null;
  const numbered = (text: string) => needles.number(comparableText(text).trim());
  return {
    due() {
      const due: Wanted[] = [...instructions].map((needle) => ({ kind: "instructions", needle }));
      for (const needle of decisions) due.push({ kind: "decisions", needle });
      for (const needle of plan) due.push({ kind: "plan", needle });
      if (nextStep !== null && nextStep.calls < NEXT_STEP_CALLS) due.push({ kind: "nextStep", needle: nextStep.needle });
      if (nextStep !== null) nextStep = { ...nextStep, calls: nextStep.calls + 1 };
      return due;
    },
    follow(message) {
      if (isHuman(message)) {
        for (const text of comparedTexts(message)) if (text.trim() !== "") instructions.add(numbered(text));
        for (const decision of decisionsIn(textOf(message))) decisions.add(numbered(decision));
      }
      if (message.role !== "assistant") return;
      const said = nextStepIn(textOf(message));
      if (said !== null) nextStep = { needle: numbered(said), calls: 0 };
      for (const { argumentsJson } of toolCallsOf(message)) {
        const after = planAfter(items, argumentsJson);
        if (after === null) continue;
        items = after;
        const texts = items.map(({ text }) => text);
        plan = texts.map(numbered);
        for (const decision of texts.flatMap(decisionsIn)) decisions.add(numbered(decision));
      }
    },
  };
}
