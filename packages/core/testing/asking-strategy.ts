import { z } from "zod";
import { type Kinds, withKinds } from "../src/policy/kinds.ts";
import { defineStrategy, type StrategyInput } from "../src/strategy/strategy.ts";

/** Kinds with a strategy `ask` that changes nothing, and its input each time that it ran. */
export function askingStrategy(): { readonly kinds: Kinds; readonly given: readonly StrategyInput[] } {
  const given: StrategyInput[] = [];
  const asking = defineStrategy({
    kind: "ask",
    schema: z.strictObject({ kind: z.literal("ask") }),
    needsModel: () => false,
    plan: (_, input) => {
      given.push(input);
      return { kind: "not-applicable", reason: "it only asks" };
    },
  });
  return { kinds: withKinds({ strategies: [asking] }), given };
}
