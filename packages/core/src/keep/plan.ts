import { z } from "zod";
import type { Amount } from "../budget.ts";
import { amountSchema } from "../budget.ts";
import { isRecord } from "../json.ts";
import type { Message } from "../message/message.ts";
import { toolCallsOf } from "../message/message.ts";
import type { KeepRuleKind, KeepView, MessageRange } from "./keep-rule.ts";
import { defineKeepRule } from "./keep-rule.ts";

/** The newest plan, if it takes no more than an amount. */
export interface PlanSpec {
  readonly kind: "plan";
  readonly atMost: Amount;
}

const schema: z.ZodType<PlanSpec> = z.strictObject({
  kind: z.literal("plan"),
  atMost: amountSchema.describe("The most of it that stays."),
});

/** Keeps the newest call that writes a plan down. */
export const PLAN: KeepRuleKind = defineKeepRule({
  kind: "plan",
  schema,
  rule: ({ atMost }) => ({ keeps: "messages", atMost, choose: newestPlan }),
});

function newestPlan({ messages }: KeepView): readonly MessageRange[] {
  const index = messages.findLastIndex(writesPlan);
  return index < 0 ? [] : [{ from: index, through: index }];
}

function writesPlan(message: Message): boolean {
  for (const { argumentsJson } of toolCallsOf(message)) if (planItems(argumentsJson) !== null) return true;
  return false;
}

/** Arguments are parsed only if they have this key. */
const STATUS_KEY = '"status"';

/** An item of a plan: what is to be done, and what the model says has become of it, in its own words. */
export interface PlanItem {
  readonly text: string;
  readonly status: string;
}

/**
 * The items of the plan or list of tasks in a call's arguments, in their order. A plan is told by its shape and not by a tool's name: a list of
 * which each item has a text and a status. `null` if the arguments hold none.
 */
export function planItems(argumentsJson: string): readonly PlanItem[] | null {
  if (!argumentsJson.includes(STATUS_KEY)) return null;
  for (const value of parsedMembers(argumentsJson)) {
    if (!Array.isArray(value) || value.length === 0) continue;
    const items = value.flatMap((item) => planItem(item) ?? []);
    if (items.length === value.length) return items;
  }
  return null;
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

/** The names under which agents write an item's text, seen in recorded sessions; of other names the longest text is it. */
const TEXT_KEYS = ["content", "step", "description", "title", "text"] as const;

function planItem(item: unknown): PlanItem | null {
  if (!isRecord(item) || typeof item.status !== "string") return null;
  const text = TEXT_KEYS.map((key) => item[key]).find(isText) ?? longestText(item);
  return text === undefined ? null : { text, status: item.status };
}

function longestText(item: Readonly<Record<string, unknown>>): string | undefined {
  const texts = Object.entries(item).flatMap(([key, value]) => (key !== "status" && isText(value) ? [value] : []));
  return texts.toSorted((a, b) => b.length - a.length)[0];
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
