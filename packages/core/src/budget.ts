import { z } from "zod";
import type { ModelLimits } from "./entry.ts";
import { PlimsollError } from "./error.ts";

/**
 * A number of tokens in a policy: fixed, a share (0 to 1) of the window, of the input budget or of the room for messages, or computed from other amounts.
 * `minus` subtracts all later amounts from the first, never below 0. `above` holds in windows of more than `windowAbove` tokens, else `upTo`.
 */
export type Amount =
  | { readonly tokens: number }
  | { readonly ratio: number; readonly of: "window" | "input-budget" | "room" }
  | { readonly min: readonly Amount[] }
  | { readonly max: readonly Amount[] }
  | { readonly minus: readonly Amount[] }
  | { readonly windowAbove: number; readonly above: Amount; readonly upTo: Amount };

const tokens = z.number().nonnegative();

/** The zod schema that checks an {@link Amount}. */
export const amountSchema: z.ZodType<Amount> = z.lazy(() =>
  z.union([
    z.strictObject({ tokens: tokens.describe("A number of tokens.") }),
    z.strictObject({
      ratio: z.number().min(0).max(1).describe("A share, from 0 to 1."),
      of: z
        .enum(["window", "input-budget", "room"])
        .describe(
          "The whole: the window, the window less the longest reply, or the rest of that beside system text and tools (or the messages' size, if smaller).",
        ),
    }),
    z.strictObject({ min: z.array(amountSchema).min(1).readonly().describe("The smallest of these.") }),
    z.strictObject({ max: z.array(amountSchema).min(1).readonly().describe("The largest of these.") }),
    z.strictObject({ minus: z.array(amountSchema).min(1).readonly().describe("The first less all others, at least 0.") }),
    z.strictObject({
      windowAbove: tokens.describe("Windows larger than this use `above`."),
      above: amountSchema.describe("The amount in larger windows."),
      upTo: amountSchema.describe("The amount in all other windows."),
    }),
  ]),
);

/** The limits that amounts are resolved against, in tokens. */
export interface Budget {
  readonly windowTokens: number;
  /** Window less the output reserve: the most that a request may measure. */
  readonly inputBudgetTokens: number;
  /** Input budget less system text and tools, or all messages if they are fewer, where these are known. */
  readonly roomTokens?: number | undefined;
}

/**
 * The budget of a model: input budget = window − output reserve, where the reserve is the model's maximum output (none
 * if it is not known). `null` for an unknown window.
 *
 * @throws PlimsollError `bad-policy` if the window is at or below the reserve, naming both numbers.
 */
export function budgetOf(limits: ModelLimits): Budget | null {
  const windowTokens = limits.contextWindowTokens;
  if (windowTokens === null) return null;
  const reserveTokens = limits.maxOutputTokens ?? 0;
  if (windowTokens <= reserveTokens) {
    throw new PlimsollError(
      "bad-policy",
      `the context window (${windowTokens} tokens) is not larger than the output reserve (${reserveTokens} tokens): set a larger window or a smaller maximum output`,
      { windowTokens, reserveTokens },
    );
  }
  return { windowTokens, inputBudgetTokens: windowTokens - reserveTokens };
}

/** Largest share of a window that a reply may take: above it too little is left for the prompt. Chosen. */
const LARGEST_REPLY_RATIO = 3 / 4;

/** No more of a window than this goes to a reply whose limit is not known, or too large; chosen, so that small windows have room for a prompt. */
export const REPLY_RATIO: number = 1 / 4;

/** Lowers a reply of more than three quarters of the window to a quarter, so that a prompt fits; other limits come back as they are. */
export function withReplyWithin<Limits extends ModelLimits>(limits: Limits): Limits {
  const { contextWindowTokens: windowTokens, maxOutputTokens } = limits;
  if (windowTokens === null || maxOutputTokens === null || maxOutputTokens <= windowTokens * LARGEST_REPLY_RATIO) return limits;
  return { ...limits, maxOutputTokens: Math.floor(windowTokens * REPLY_RATIO) };
}

/** Lowers the window to `learnedTokens`, a size learned from a rejection; `null` or a larger one changes nothing. A longest reply of that size or more becomes half of it. */
export function limitsWithin<Limits extends ModelLimits>(limits: Limits, learnedTokens: number | null): Limits {
  const { contextWindowTokens, maxOutputTokens } = limits;
  if (learnedTokens === null) return limits;
  const windowTokens = Math.min(contextWindowTokens ?? learnedTokens, learnedTokens);
  const isTooLarge = maxOutputTokens !== null && maxOutputTokens >= learnedTokens;
  const replyTokens = isTooLarge ? Math.floor(learnedTokens / 2) : maxOutputTokens;
  return { ...limits, contextWindowTokens: windowTokens, maxOutputTokens: replyTokens };
}

/** A reply of fewer tokens is no reply: the requested length stays, and a refusal says more. Chosen. */
export const LEAST_REPLY_TOKENS = 1_024;

/** Returns the longest reply, in tokens, that fits beside the prompt. `maxOutputTokens` stays as it is if it fits, if a limit is unknown, or if under 1,024 would be left. */
export function replyBeside({ contextWindowTokens, maxOutputTokens }: ModelLimits, promptTokens: number): number | null {
  if (contextWindowTokens === null || maxOutputTokens === null) return maxOutputTokens;
  const roomTokens = Math.floor(contextWindowTokens - promptTokens);
  return roomTokens >= maxOutputTokens || roomTokens < LEAST_REPLY_TOKENS ? maxOutputTokens : roomTokens;
}

/** Keys of an amount. A `keep` that has one is an amount, as older versions wrote it; after `keep.` one names a part of an amount, not a rule. */
export const AMOUNT_KEYS: readonly string[] = "messages tokens ratio of min max minus windowAbove above upTo".split(" ");

/** True for a keep rule's name that `keep.NAME` can have. */
export function isRuleName(name: string): boolean {
  return /^[\w-]*[a-zA-Z][\w-]*$/.test(name) && !AMOUNT_KEYS.includes(name);
}

/** Computes an amount in tokens for a budget. The result is not rounded, so it may be a fraction. */
export function resolveAmount(amount: Amount, budget: Budget): number {
  if ("tokens" in amount) return amount.tokens;
  if ("ratio" in amount) {
    const { windowTokens, inputBudgetTokens, roomTokens = inputBudgetTokens } = budget;
    return amount.ratio * (amount.of === "window" ? windowTokens : amount.of === "room" ? roomTokens : inputBudgetTokens);
  }
  const all = (amounts: readonly Amount[]) => amounts.map((each) => resolveAmount(each, budget));
  if ("min" in amount) return Math.min(...all(amount.min));
  if ("max" in amount) return Math.max(...all(amount.max));
  if ("windowAbove" in amount)
    return resolveAmount(budget.windowTokens > amount.windowAbove ? amount.above : amount.upTo, budget);
  return Math.max(
    0,
    all(amount.minus).reduce((left, each) => left - each),
  );
}

/**
 * The size of the context at which a policy compacts: at or above an amount, or strictly above it. With `pays` it waits until a cut pays for itself that many times
 * within the steps that it buys: fewer times in a fuller window, and at any price in the window's last twentieth or if a request would not fit.
 */
export type Trigger = ({ readonly atLeast: Amount } | { readonly above: Amount }) & { readonly pays?: number | undefined };

/** True if a context of `usedTokens` fires the trigger. */
export function fires(trigger: Trigger, usedTokens: number, budget: Budget): boolean {
  return "atLeast" in trigger ? usedTokens >= lineOf(trigger.atLeast, budget) : usedTokens > lineOf(trigger.above, budget);
}

/** A share of the room lies above the tokens of system text and tools. */
function lineOf(amount: Amount, budget: Budget): number {
  const isOfRoom = "ratio" in amount && amount.of === "room";
  const { inputBudgetTokens, roomTokens = inputBudgetTokens } = budget;
  return resolveAmount(amount, budget) + (isOfRoom ? inputBudgetTokens - roomTokens : 0);
}

/** Computes the size in tokens at which the trigger fires at the latest: one that waits until a cut pays may wait for the window. */
export function triggerTokens(trigger: Trigger, budget: Budget): number {
  if (trigger.pays !== undefined) return budget.inputBudgetTokens;
  return lineOf("atLeast" in trigger ? trigger.atLeast : trigger.above, budget);
}
