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

/** Keeps the calls that write the newest plan down: its one call, or those that make or change its tasks. */
export const PLAN: KeepRuleKind = defineKeepRule({
  kind: "plan",
  schema,
  rule: ({ atMost }) => ({ keeps: "messages", atMost, choose: newestPlan }),
});

function newestPlan({ messages }: KeepView): readonly MessageRange[] {
  return (planIn(messages)?.places ?? []).map((place) => ({ from: place, through: place }));
}

/** A plan as it stands, and the places of the messages that wrote it, the newest first. */
export interface StandingPlan {
  readonly items: readonly PlanItem[];
  readonly places: readonly number[];
}

/** The newest plan of some messages, read from their end as far as it takes; `null` if there is none. */
export function planIn(messages: readonly Message[]): StandingPlan | null {
  const written: string[] = [];
  const places = new Set<number>();
  let isWhole = false;
  for (let place = messages.length - 1; place >= 0 && !isWhole; place--) {
    const message = messages[place];
    for (const { argumentsJson } of message === undefined ? [] : toolCallsOf(message).toReversed()) {
      if (isWhole || planAfter([], argumentsJson) === null) continue;
      written.unshift(argumentsJson);
      places.add(place);
      isWhole = planItems(argumentsJson) !== null;
    }
  }
  const items = written.reduce<readonly PlanItem[]>((plan, json) => planAfter(plan, json) ?? plan, []);
  return written.length === 0 ? null : { items, places: [...places] };
}

/**
 * The plan after a call: a whole one takes its place, a task is added to it, or changed in it by its number in the order in which tasks were made, as Claude Code's
 * TaskCreate and TaskUpdate do (seen in recordings of November 2026). `null` for a call that writes no plan.
 */
export function planAfter(plan: readonly PlanItem[], argumentsJson: string): readonly PlanItem[] | null {
  const whole = planItems(argumentsJson);
  if (whole !== null || !/"(?:subject|taskId)"/.test(argumentsJson)) return whole;
  const { subject, description, taskId, status } = parsedObject(argumentsJson);
  if (isText(subject) && isText(description) && taskId === undefined) return [...plan, { text: subject, status: "pending" }];
  if (!isText(taskId) || !(isText(status) || isText(subject))) return null;
  const changed = (item: PlanItem): PlanItem => ({
    text: isText(subject) ? subject : item.text,
    status: isText(status) ? status : item.status,
  });
  return plan.map((item, index) => (index + 1 === Number(taskId) ? changed(item) : item));
}

/** Arguments are parsed only if they have one of these keys. */
const PLAN_KEY = /"(?:status|plan)"/;

/** An item of a plan: what is to be done, and what the model says has become of it, in its own words. */
export interface PlanItem {
  readonly text: string;
  readonly status: string;
}

/**
 * The items of the plan or list of tasks in a call's arguments, in their order. A plan is told by its shape and not by a tool's name: a list of
 * which each item has a text and a status, or a text named `plan`, whose headings and list items it is. `null` if the arguments hold none.
 */
export function planItems(argumentsJson: string): readonly PlanItem[] | null {
  if (!PLAN_KEY.test(argumentsJson)) return null;
  const args = parsedObject(argumentsJson);
  for (const value of Object.values(args)) {
    if (!Array.isArray(value) || value.length === 0) continue;
    const items = value.flatMap((item) => planItem(item) ?? []);
    if (items.length === value.length) return items;
  }
  return isText(args.plan) ? writtenItems(args.plan) : null;
}

/** A line of Markdown that is an item of a list, or a heading. */
const LISTED_LINE = /^\s*(?:#{1,6}|[-*+]|\d+[.)])\s+(.*\S)\s*$/;

function writtenItems(plan: string): readonly PlanItem[] {
  const lines = plan.split("\n").flatMap((line) => LISTED_LINE.exec(line)?.[1] ?? []);
  return (lines.length === 0 ? [plan.trim()] : lines).map((text) => ({ text, status: "pending" }));
}

function parsedObject(argumentsJson: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(argumentsJson);
    return isRecord(parsed) ? parsed : {};
  } catch {
    // A call that the model did not finish is no plan.
    return {};
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
