import { z } from "zod";
import type { Amount } from "../budget.ts";
import { amountSchema } from "../budget.ts";
import { isRecord } from "../json.ts";
import { toolCallsOf } from "../message/message.ts";
import type { KeepRuleKind, KeepView, MessageRange } from "./keep-rule.ts";
import { defineKeepRule } from "./keep-rule.ts";

/** The newest plan, if it takes no more than an amount. */
export interface PlanSpec {
  readonly kind: "plan";
  readonly atMost: Amount;
}

const schema: z.ZodType<PlanSpec> = z.strictObject({ kind: z.literal("plan"), atMost: amountSchema });

/**
 * Keeps the newest call that writes a plan down. A plan is told by its shape and not by a tool's name: a list in the call's arguments, each
 * of whose items has a text and a status.
 */
export const PLAN: KeepRuleKind = defineKeepRule({
  kind: "plan",
  schema,
  rule: ({ atMost }) => ({ keeps: "messages", atMost, choose: newestPlan }),
});

function newestPlan({ messages }: KeepView): readonly MessageRange[] {
  const index = messages.findLastIndex((message) => toolCallsOf(message).some((call) => isPlan(call.argumentsJson)));
  return index < 0 ? [] : [{ from: index, through: index }];
}

/** Arguments are parsed only if they have this key. */
const STATUS_KEY = '"status"';

function isPlan(argumentsJson: string): boolean {
  if (!argumentsJson.includes(STATUS_KEY)) return false;
  const values = parsedMembers(argumentsJson);
  return values.some((value) => Array.isArray(value) && value.length > 0 && value.every(isItem));
}

function parsedMembers(argumentsJson: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(argumentsJson);
    return isRecord(parsed) ? Object.values(parsed) : [];
  } catch {
    // A call that the model did not finish is no plan.
    return [];
  }
}

function isItem(item: unknown): boolean {
  if (!isRecord(item) || typeof item.status !== "string") return false;
  return Object.entries(item).some(([key, value]) => key !== "status" && typeof value === "string" && value.trim() !== "");
}
