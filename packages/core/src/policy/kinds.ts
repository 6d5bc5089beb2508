import { z } from "zod";
import { PlimsollError } from "../error.ts";
import { BUILT_IN_KEEP_RULES } from "../keep/built-in-keep-rules.ts";
import type { KeepRuleKind } from "../keep/keep-rule.ts";
import type { KindSpec } from "../kind.ts";
import * as option from "../option.ts";
import type { Prompt } from "../ports.ts";
import { BUILT_IN_PROMPTS } from "../prompts/built-in-prompts.ts";
import { nearestName } from "../schema-problems.ts";
import { BUILT_IN_STRATEGIES } from "../strategy/built-in-strategies.ts";
import type { StrategyKind } from "../strategy/strategy.ts";
import { BUILT_IN_ESTIMATORS } from "../tokens/built-in-estimators.ts";
import type { EstimatorKind } from "../tokens/estimator.ts";
import { BUILT_IN_TRUNCATIONS } from "../truncation/built-in-truncations.ts";
import type { Truncation } from "../truncation/span.ts";

/** Kinds that a policy may name, and the truncations that cut results. Nothing else looks a kind up. */
export interface Kinds {
  readonly strategies: readonly StrategyKind[];
  readonly keepRules: readonly KeepRuleKind[];
  readonly estimators: readonly EstimatorKind[];
  readonly prompts: readonly Prompt[];
  readonly truncations: readonly Truncation[];
}

/** An extension of the bench has lists of other names, too. */
const KINDS = z.looseObject(option.optional(option.list, ...option.KIND_LISTS)).check(({ value, issues }) => {
  const key = Object.keys(value).find(
    (name) => !option.KIND_LISTS.includes(name) && nearestName(name, option.KIND_LISTS) !== undefined,
  );
  if (key !== undefined) issues.push({ code: "unrecognized_keys", keys: [key], input: value, path: [] });
});

/** The kinds that come with this package. */
export const BUILT_IN_KINDS: Kinds = {
  strategies: BUILT_IN_STRATEGIES,
  keepRules: BUILT_IN_KEEP_RULES,
  estimators: BUILT_IN_ESTIMATORS,
  prompts: BUILT_IN_PROMPTS,
  truncations: BUILT_IN_TRUNCATIONS,
};

/**
 * Adds the given kinds to the built-in ones.
 *
 * @throws PlimsollError `bad-policy` for a name that is taken.
 */
export function withKinds(added: Partial<Kinds>): Kinds {
  option.check("kinds", KINDS, added);
  const { strategies, keepRules, estimators, prompts, truncations } = BUILT_IN_KINDS;
  return {
    strategies: joined("strategy", [strategies, added.strategies], ({ kind }) => kind),
    keepRules: joined("keep rule", [keepRules, added.keepRules], ({ kind }) => kind),
    estimators: joined("estimator", [estimators, added.estimators], ({ kind }) => kind),
    prompts: joined("prompt", [prompts, added.prompts?.map(ofOwnTitles)], ({ id }) => id),
    truncations: joined("truncation", [truncations, added.truncations], ({ category }) => category),
  };
}

/** The prompt, whose titles are a copy: the policy's would be changed with them. */
function ofOwnTitles(prompt: Prompt): Prompt {
  return {
    ...prompt,
    instructions: (sections) => option.atOnce(`the prompt ${prompt.id}`, prompt.instructions([...sections])),
  };
}

/** Names of the kinds that a policy may use. */
export function kindNames({ strategies, keepRules }: Kinds): readonly string[] {
  return [...strategies, ...keepRules].map(({ kind }) => kind);
}

/** The same kinds, which read the settings that they are given once: a session asks for its strategies and keep rules at every compaction. */
export function bindingOnce(kinds: Kinds): Kinds {
  return { ...kinds, strategies: kinds.strategies.map(boundOnce), keepRules: kinds.keepRules.map(boundOnce) };
}

function boundOnce<Bound extends object, Kind extends { bind(spec: KindSpec): Bound }>(kind: Kind): Kind {
  const known = new WeakMap<KindSpec, Bound>();
  const bind = (spec: KindSpec): Bound => {
    const bound = known.get(spec) ?? kind.bind(spec);
    known.set(spec, bound);
    return bound;
  };
  return { ...kind, bind };
}

function joined<Kind>(
  what: string,
  [builtIn, added = []]: readonly [readonly Kind[], readonly Kind[] | undefined],
  nameOf: (kind: Kind) => string,
): readonly Kind[] {
  const names = new Set(builtIn.map(nameOf));
  for (const name of added.map(nameOf)) {
    if (names.has(name)) throw new PlimsollError("bad-policy", `the ${what} ${JSON.stringify(name)} already exists`, { name });
    names.add(name);
  }
  return [...builtIn, ...added];
}
