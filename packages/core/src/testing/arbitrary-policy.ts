import fc from "fast-check";
import type { KeepRuleSpec } from "../keep/built-in-keep-rules.ts";
import type { Policy } from "../policy/policy.ts";
import { PRESETS } from "../policy/presets/presets.ts";
import type { StrategySpec } from "../strategy/built-in-strategies.ts";
import type { SummarizeSpec } from "../strategy/summarize.ts";

const strategy: fc.Arbitrary<StrategySpec> = fc.oneof(
  fc.record({
    kind: fc.constant("summarize" as const),
    writer: fc.constantFrom("model" as const, "digest" as const),
    boundary: fc.constantFrom<SummarizeSpec["boundary"]>("any-safe", "next-safe", "not-in-tool-batch", "turn", "human"),
    promptId: fc.constant("checkpoint"),
    turnPrefixPromptId: fc.constantFrom("turn-prefix", null),
    turnPrefixFromMessages: fc.constantFrom(undefined, 5),
    keepNothingUpToMessages: fc.constantFrom(undefined, 4, 12),
    forcedKeepMessages: fc.constantFrom(undefined, 0, 2),
  }),
  fc.record({
    kind: fc.constant("clear-tool-results" as const),
    keepResults: fc.integer({ min: 0, max: 4 }),
    clearAtLeastTokens: fc.integer({ min: 0, max: 200 }),
  }),
  fc.record({
    kind: fc.constant("drop-oldest" as const),
    amount: fc.constantFrom("all-but-keep" as const, "until-it-fits" as const),
    notice: fc.constantFrom("count" as const, "roles" as const, "none" as const),
  }),
  fc.record({ kind: fc.constant("cut-oversized" as const), to: fc.constantFrom("fit" as const, "stubs" as const) }),
);

/** Amounts of rules, up to all that there is. */
const amount = fc.oneof(
  fc.record({ tokens: fc.integer({ min: 0, max: 3000 }) }),
  fc.record({ ratio: fc.constantFrom(0.1, 0.5, 1), of: fc.constant("window" as const) }),
);

/** Any of the rules that keep something, among them a custom one that wants everything. */
const keepRule: fc.Arbitrary<KeepRuleSpec> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("recent" as const), messages: fc.integer({ min: 0, max: 8 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("recent" as const), amount }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom("human", "plan", "files-in-hand", "recall", "everything"), atMost: amount }),
  },
);

/** A preset or an example, or a preset with random strategies, keep, trigger and facts, some of them those of examples. */
export function arbitraryPolicy(examples: readonly Policy[]): fc.Arbitrary<Policy> {
  const known = [...PRESETS, ...examples];
  const estimators = examples.map(({ estimator }) => estimator);
  const strategies = examples.flatMap((example) => example.strategies);
  const keepRules = examples.flatMap(({ keep }) => keep);
  return fc.oneof(
    fc.constantFrom(...known),
    fc
      .record({
        preset: fc.constantFrom(...PRESETS.filter((preset) => preset.enabled)),
        estimator: estimators.length === 0 ? fc.constant(null) : fc.constantFrom(null, ...estimators),
        strategies: fc.array(orOneOf(strategies, strategy), { maxLength: 3 }),
        keep: fc.array(orOneOf(keepRules, keepRule), { maxLength: 4 }),
        ratio: fc.double({ min: 0.1, max: 1, noNaN: true }),
        factsTokens: fc.integer({ min: 0, max: 500 }),
        role: fc.constantFrom("user" as const, "assistant" as const),
      })
      .map(({ preset, estimator, strategies, keep, ratio, factsTokens, role }) => ({
        ...preset,
        name: `random-${preset.name}`,
        estimator: estimator ?? preset.estimator,
        strategies,
        keep,
        trigger: { atLeast: { ratio, of: "input-budget" as const } },
        facts: { maxTokens: factsTokens },
        summary: { ...preset.summary, role },
      })),
  );
}

/** Any of the built-in settings, and as often one of the examples' if there are any. */
function orOneOf<Spec>(examples: readonly Spec[], builtIn: fc.Arbitrary<Spec>): fc.Arbitrary<Spec> {
  return examples.length === 0 ? builtIn : fc.oneof(builtIn, fc.constantFrom(...examples));
}
