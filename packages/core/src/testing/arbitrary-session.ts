import fc from "fast-check";
import type { ModelLimits } from "../entry.ts";
import type { KeepRuleSpec } from "../keep/built-in-keep-rules.ts";
import type { Kinds } from "../policy/kinds.ts";
import { withKinds } from "../policy/kinds.ts";
import type { Policy } from "../policy/policy.ts";
import { PRESETS } from "../policy/presets/presets.ts";
import type { StrategySpec } from "../strategy/built-in-strategies.ts";
import type {
  CrashDamage,
  HookBehaviour,
  SessionAct,
  SessionScenario,
  StepCall,
  SummarizerBehaviour,
} from "./session-scenario.ts";
import { EVERYTHING } from "./session-scenario.ts";

/** Texts of all scripts, with lone surrogates, blank and giant ones. `fc.string` with unit `binary` gives every UTF-16 unit. */
export function arbitraryText(maximumChars: number): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.lorem({ maxCount: 30 }) },
    { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 60 }).map((text) => `${text}.`) },
    { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 60 }).map((text) => `${text}.`) },
    {
      weight: 1,
      arbitrary: fc
        .integer({ min: 0, max: maximumChars })
        .map((length) => "word ".repeat(Math.ceil(length / 5)).slice(0, length)),
    },
    { weight: 1, arbitrary: fc.constant("") },
  );
}

/** Larger than any window that is generated, in scripts of one, two and three bytes a character. */
const giantText: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom("a line of output\n", "naïve façade ", "压缩上下文", "👍🏽", "\ud800"),
    fc.integer({ min: 5000, max: 60_000 }),
  )
  .map(([piece, chars]) => piece.repeat(Math.ceil(chars / piece.length)));

const call: fc.Arbitrary<StepCall> = fc.record({
  argumentsText: fc.lorem({ maxCount: 5 }),
  resultText: fc.oneof({ weight: 60, arbitrary: arbitraryText(6000) }, { weight: 1, arbitrary: giantText }),
  isError: fc.boolean(),
  hasImage: fc.boolean(),
  path: fc.option(fc.constantFrom("src/a.ts", "src/b.ts", "docs/c.md"), { nil: null }),
});

const limits: fc.Arbitrary<ModelLimits> = fc
  .tuple(fc.integer({ min: 150, max: 12_000 }), fc.option(fc.integer({ min: 1, max: 3000 }), { nil: null }))
  .map(([window, output]) => ({
    // One window in twenty is not known.
    contextWindowTokens: window % 20 === 0 ? null : window,
    maxOutputTokens: output === null ? null : Math.min(output, Math.floor(window / 2)),
  }));

const strategy: fc.Arbitrary<StrategySpec> = fc.oneof(
  fc.record({
    kind: fc.constant("summarize" as const),
    writer: fc.constantFrom("model" as const, "digest" as const),
    boundary: fc.constantFrom("any-safe" as const, "next-safe" as const, "not-in-tool-batch" as const, "turn" as const),
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

/** Any of the rules that keep something, among them one of somebody's own that wants everything. */
const keepRule: fc.Arbitrary<KeepRuleSpec> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("recent" as const), messages: fc.integer({ min: 0, max: 8 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("recent" as const), amount: amount }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom("human", "plan", "files-in-hand", "passages", "lines", "everything"),
      atMost: amount,
    }),
  },
);

/** A preset or an example, or a preset with random strategies, keep, trigger, target and facts, some of them those of examples. */
function arbitraryPolicy(examples: readonly Policy[]): fc.Arbitrary<Policy> {
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
        steps: fc.option(fc.integer({ min: 0, max: 20 }), { nil: null }),
      })
      .map(({ preset, estimator, strategies, keep, ratio, factsTokens, role, steps }) => ({
        ...preset,
        name: `random-${preset.name}`,
        estimator: estimator ?? preset.estimator,
        strategies,
        keep,
        trigger: { atLeast: { ratio, of: "input-budget" as const } },
        facts: { maxTokens: factsTokens },
        summary: { ...preset.summary, role },
        progress: {
          ...preset.progress,
          target: steps === null ? null : { atMost: { ratio: ratio * 0.7, of: "input-budget" as const }, steps },
        },
      })),
  );
}

/** Any of the built-in settings, and as often one of the examples' if there are any. */
function orOneOf<Spec>(examples: readonly Spec[], builtIn: fc.Arbitrary<Spec>): fc.Arbitrary<Spec> {
  return examples.length === 0 ? builtIn : fc.oneof(builtIn, fc.constantFrom(...examples));
}

const arbitraryAct = (policy: fc.Arbitrary<Policy>): fc.Arbitrary<SessionAct> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        act: fc.constant("human" as const),
        text: arbitraryText(1500).map((text) => text.trim() || "go on"),
        images: fc.integer({ min: 0, max: 1 }),
      }),
    },
    {
      weight: 12,
      arbitrary: fc.record({
        act: fc.constant("step" as const),
        calls: fc.array(call, { maxLength: 4 }),
        text: arbitraryText(2000),
        reasoning: fc.option(fc.lorem({ maxCount: 8 }), { nil: null }),
        usageRatio: fc.double({ min: 0.6, max: 2.2, noNaN: true }),
        jumpTokens: fc.oneof(
          { weight: 9, arbitrary: fc.constant(0) },
          { weight: 1, arbitrary: fc.integer({ min: 1, max: 4000 }) },
        ),
      }),
    },
    { weight: 1, arbitrary: fc.record({ act: fc.constant("inject" as const), text: fc.lorem({ maxCount: 20 }) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        act: fc.constant("compact" as const),
        keepMessages: fc.option(fc.integer({ min: 0, max: 6 }), { nil: null }),
        focus: fc.option(fc.constant("the tests"), { nil: null }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        act: fc.constant("overflow" as const),
        recoveries: fc.integer({ min: 1, max: 3 }),
        limitRatio: fc.option(fc.double({ min: 0.3, max: 1.2, noNaN: true }), { nil: null }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        act: fc.constant("crash" as const),
        calls: fc.array(call, { minLength: 1, maxLength: 3 }),
        answered: fc.integer({ min: 0, max: 2 }),
        damage: fc.constantFrom<CrashDamage>(
          "none",
          "none",
          "lost-reply",
          "interleaved",
          "double-result",
          "blank-reply",
          "same-id",
        ),
      }),
    },
    { weight: 1, arbitrary: fc.record({ act: fc.constant("revert" as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        act: fc.constant("redo" as const),
        policy: fc.option(policy, { nil: null }),
        focus: fc.option(fc.constant("the tests"), { nil: null }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ act: fc.constant("reload" as const) }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constant("switch" as const), limits }) },
  );

/** What generated policies are made of, in addition to the built-in kinds. */
export interface AddedToScenarios {
  readonly kinds?: Partial<Kinds>;
  /** Policies whose settings generated ones may have: what names the kinds. */
  readonly examples?: readonly Policy[];
}

/** Whole sessions: acts, any policy of the kinds that are there, limits, and a summariser that may fail in every way. */
export function arbitraryScenario(maximumActs: number, added: AddedToScenarios = {}): fc.Arbitrary<SessionScenario> {
  const { kinds = {}, examples = [] } = added;
  const policy = arbitraryPolicy(examples);
  return fc.record({
    policy,
    kinds: fc.constant(withKinds({ ...kinds, keepRules: [EVERYTHING, ...(kinds.keepRules ?? [])] })),
    limits,
    system: fc.lorem({ maxCount: 20 }),
    summarizer: fc.array(
      fc.constantFrom<SummarizerBehaviour>(
        "works",
        "works",
        "works",
        "steered",
        "fails",
        "empty",
        "cut-off",
        "garbage",
        "huge",
        "calls-tools",
        "aborted",
        "deaf",
        "late",
        "deaf-aborted",
        "late-aborted",
      ),
      { minLength: 1, maxLength: 5 },
    ),
    counting: fc.oneof(
      fc.constant(null),
      fc.record({ factor: fc.double({ min: 0.5, max: 3, noNaN: true }), hiddenTokens: fc.integer({ min: 0, max: 3000 }) }),
    ),
    hook: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      {
        weight: 1,
        arbitrary: fc.array(
          fc.constantFrom<HookBehaviour>("go", "go", "cancel", "summary", "blank-summary", "throws", "deaf", "late"),
          {
            minLength: 1,
            maxLength: 4,
          },
        ),
      },
    ),
    hasKeptState: fc.boolean(),
    acts: fc.array(arbitraryAct(policy), { minLength: 1, maxLength: maximumActs, size: "max" }),
  });
}
