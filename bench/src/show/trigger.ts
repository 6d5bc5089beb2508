import type { Amount } from "@plimsoll/core";
import { type EnginePolicy, triggerTokens } from "@plimsoll/core/extend";
import type { ReplayRow } from "../results.ts";
import { formatCount } from "./figures.ts";

/** The place of a policy's trigger in a window, in tokens; `null` for policies that never act by themselves, or always. */
export type TriggerLine = (
  limits: Pick<ReplayRow, "contextWindowTokens" | "inputBudgetTokens"> & Partial<Pick<ReplayRow, "overheadTokens">>,
) => number | null;

type Acting = Pick<EnginePolicy, "enabled" | "trigger">;
type Sizes = Readonly<Record<"fromTokens" | "tokens", number>>;

/** Makes a function that gives the tokens at which a policy compacts in a window; `null` for policies that never compact by themselves, or always. */
export function triggerLine({ enabled, trigger }: Acting): TriggerLine {
  if (!enabled) return () => null;
  return ({ contextWindowTokens: windowTokens, inputBudgetTokens, overheadTokens = 0 }) => {
    const roomTokens = inputBudgetTokens - overheadTokens;
    const tokens = triggerTokens(trigger, { windowTokens, inputBudgetTokens, roomTokens });
    return Number.isFinite(tokens) && tokens > 0 ? Math.round(tokens) : null;
  };
}

/** The sizes at which a policy compacts in a window: from `fromTokens` on if that pays, at the latest at `tokens`; `null` without such a line. */
export function triggerSizes({ enabled, trigger }: Acting, limits: Parameters<TriggerLine>[0]): Sizes | null {
  const triggers = [{ ...trigger, pays: undefined }, trigger];
  const [fromTokens = null, tokens = null] = triggers.map((each) => triggerLine({ enabled, trigger: each })(limits));
  return fromTokens === null || tokens === null ? null : { fromTokens, tokens };
}

/** Says when a policy compacts, e.g. `at 75% of the input budget`; `null` for policies that never compact by themselves. */
export function triggerWords({ enabled, trigger }: Acting): string | null {
  if (!enabled) return null;
  const [how, line] = "atLeast" in trigger ? ["at", trigger.atLeast] : ["above", trigger.above];
  const words = amountWords(line);
  return trigger.pays === undefined ? `${how} ${words}` : `from ${words} if that saves money, at the latest in a full window`;
}

/** An amount in words, e.g. `75% of the input budget`. */
export function amountWords(amount: Amount): string {
  if ("tokens" in amount) return `${formatCount(amount.tokens)} tokens`;
  if ("ratio" in amount)
    return `${amount.ratio === 1 ? "" : `${Number((100 * amount.ratio).toPrecision(4))}% of `}${WHOLES[amount.of]}`;
  if ("min" in amount) return bounded("at most", "less", amount.min);
  if ("max" in amount) return bounded("at least", "more", amount.max);
  if ("windowAbove" in amount)
    return `${amountWords(amount.above)} (in windows up to ${formatCount(amount.windowAbove)} tokens ${amountWords(amount.upTo)})`;
  return amount.minus.map(amountWords).join(" less ");
}

const WHOLES = { window: "the window", "input-budget": "the input budget", room: "the space for messages" } as const;

/** The first amount with the others as its bounds. */
function bounded(bound: "at most" | "at least", than: "less" | "more", amounts: readonly Amount[]): string {
  const [first, ...others] = amounts.map(amountWords);
  // Brackets are not nested.
  if (others.some((other) => other.includes("("))) return `${first}, or ${others.join(" or ")} if that is ${than}`;
  return `${first} (${others.map((other) => `${bound} ${other}`).join(" and ")})`;
}
