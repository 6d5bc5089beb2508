import { isRecord } from "../json.ts";

/**
 * The plan after a call: a whole one takes its place, a task is added to it, or changed in it by its number in the order in which tasks were made, as Claude Code's
 * TaskCreate and TaskUpdate do (seen in recordings of November 2026). `null` for a call that writes no plan.
 */
export function planAfter(plan: readonly PlanItem[], argumentsJson: string): readonly PlanItem[] | null {
  const whole = planItems(argumentsJson);
  if (whole !== null || !/"(?:subject|taskId)"/.test(argumentsJson)) return whole;
  const { subject, description, taskId, status } = parsedObject(argumentsJson);
  if (isText(subject) && isText(description) && taskId === undefined)
    return [...plan, { text: subject, status: "pending" }].slice(0, MOST_ITEMS);
  if (!isText(taskId) || !(isText(status) || isText(subject))) return null;
  const changed = (item: PlanItem): PlanItem => ({
    text: isText(subject) ? subject : item.text,
    status: isText(status) ? status : item.status,
  });
  return plan.map((item, index) => (index + 1 === Number(taskId) ? changed(item) : item));
}

/** Items of a plan that are remembered, its first: each call that changes one copies it. Chosen. */
const MOST_ITEMS = 1_000;

/** Arguments are parsed only if they have one of these keys. */
const PLAN_KEY = /"(?:status|plan)"/;

/** An item of a plan: a task, and its status in the model's own words. */
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
    if (items.length === value.length) return items.slice(0, MOST_ITEMS);
  }
  return isText(args.plan) ? writtenItems(args.plan) : null;
}

/** A line of Markdown, without white space at its ends, that is an item of a list, or a heading. */
const LISTED_LINE = /^(?:#{1,6}|[-*+]|\d+[.)])\s+(\S.*)$/;

function writtenItems(plan: string): readonly PlanItem[] {
  const lines = plan.split("\n").flatMap((line) => LISTED_LINE.exec(line.trim())?.[1] ?? []);
  return (lines.length === 0 ? [plan.trim()] : lines).map((text) => ({ text, status: "pending" })).slice(0, MOST_ITEMS);
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

/** Agents' words for items that are done, and items that were given up, in lower case; seen in recorded sessions. */
const DONE = ["completed", "complete", "done", "closed"];
const GIVEN_UP = ["cancelled", "canceled", "skipped", "deleted"];

/** True for the status of an item that is done. */
export function isDone(status: string): boolean {
  return DONE.includes(status.toLowerCase());
}

/** True for the status of an item that was given up. */
export function isGivenUp(status: string): boolean {
  return GIVEN_UP.includes(status.toLowerCase());
}
