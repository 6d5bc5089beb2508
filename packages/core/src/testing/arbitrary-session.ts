import fc from "fast-check";
import type { ModelLimits } from "../entry.ts";
import { type Kinds, withKinds } from "../policy/kinds.ts";
import type { Policy } from "../policy/policy.ts";
import { arbitraryPolicy } from "./arbitrary-policy.ts";
import { arbitraryTextUpTo } from "./arbitrary-text.ts";
import type { HookBehaviour, SessionAct, SessionScenario, StepCall } from "./session-scenario.ts";
import { CRASH_DAMAGES, EVERYTHING, SUMMARIZER_BEHAVIOURS } from "./session-scenario.ts";

/** Larger than any window that is generated, in scripts of one, two and three bytes a character. */
const giantText: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom("a line of output\n", "naïve façade ", "压缩上下文", "👍🏽", "\ud800"),
    fc.integer({ min: 5000, max: 60_000 }),
  )
  .map(([piece, chars]) => piece.repeat(Math.ceil(chars / piece.length)));

const call: fc.Arbitrary<StepCall> = fc.record({
  argumentsText: fc.lorem({ maxCount: 5 }),
  resultText: fc.oneof({ weight: 60, arbitrary: arbitraryTextUpTo(6000) }, { weight: 1, arbitrary: giantText }),
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

const act = <Act>(weight: number, model: { readonly [Key in keyof Act]: fc.Arbitrary<Act[Key]> }) => {
  return { weight, arbitrary: fc.record<Act>(model) };
};

const arbitraryAct = (policy: fc.Arbitrary<Policy>): fc.Arbitrary<SessionAct> =>
  fc.oneof(
    act(4, {
      act: fc.constant("human" as const),
      text: arbitraryTextUpTo(1500).map((text) => text.trim() || "go on"),
      images: fc.integer({ min: 0, max: 1 }),
    }),
    act(12, {
      act: fc.constant("step" as const),
      calls: fc.array(call, { maxLength: 4 }),
      text: arbitraryTextUpTo(2000),
      reasoning: fc.option(fc.lorem({ maxCount: 8 }), { nil: null }),
      usageRatio: fc.double({ min: 0.6, max: 2.2, noNaN: true }),
      jumpTokens: fc.oneof(
        { weight: 9, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 4000 }) },
      ),
    }),
    act(1, { act: fc.constant("inject" as const), text: fc.lorem({ maxCount: 20 }) }),
    act(1, {
      act: fc.constant("compact" as const),
      keepMessages: fc.option(fc.integer({ min: 0, max: 6 }), { nil: null }),
      focus: fc.option(fc.constant("the tests"), { nil: null }),
    }),
    act(1, {
      act: fc.constant("overflow" as const),
      recoveries: fc.integer({ min: 1, max: 3 }),
      limitRatio: fc.option(fc.double({ min: 0.3, max: 1.2, noNaN: true }), { nil: null }),
    }),
    act(1, {
      act: fc.constant("crash" as const),
      calls: fc.array(call, { minLength: 1, maxLength: 3 }),
      answered: fc.integer({ min: 0, max: 2 }),
      damage: fc.constantFrom("none", ...CRASH_DAMAGES),
    }),
    act(4, { act: fc.constant("prepare" as const), lateBy: fc.constantFrom(0, 0, 0, 1, 3) }),
    act(1, { act: fc.constant("revert" as const) }),
    act(1, {
      act: fc.constant("redo" as const),
      policy: fc.option(policy, { nil: null }),
      focus: fc.option(fc.constant("the tests"), { nil: null }),
    }),
    act(1, { act: fc.constant("reload" as const) }),
    act(1, { act: fc.constant("switch" as const), limits }),
  );

/** Kinds that generated policies may have in addition to the built-in ones. */
export interface AddedToScenarios {
  readonly kinds?: Partial<Kinds>;
  /** Policies whose settings generated ones may have: they name the kinds. */
  readonly examples?: readonly Policy[];
}

/** Generates whole sessions for fast-check: acts, a policy of any known kinds, limits, and a summariser that may fail in every way. */
export function arbitraryScenario(maximumActs: number, added: AddedToScenarios = {}): fc.Arbitrary<SessionScenario> {
  const { kinds = {}, examples = [] } = added;
  const policy = arbitraryPolicy(examples);
  return fc.record({
    policy,
    kinds: fc.constant(withKinds({ ...kinds, keepRules: [EVERYTHING, ...(kinds.keepRules ?? [])] })),
    limits,
    system: fc.lorem({ maxCount: 20 }),
    summarizer: fc.array(fc.constantFrom("works", "works", ...SUMMARIZER_BEHAVIOURS), {
      minLength: 1,
      maxLength: 5,
    }),
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
          { minLength: 1, maxLength: 4 },
        ),
      },
    ),
    hasKeptState: fc.boolean(),
    reasoning: fc.constantFrom<"bound" | "free">("bound", "free"),
    acts: fc.array(arbitraryAct(policy), { minLength: 1, maxLength: maximumActs, size: "max" }),
  });
}
