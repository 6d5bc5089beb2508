import { type KindSpec, kindNamed } from "../kind.ts";
import { FILES_IN_HAND } from "../memory/files-in-hand.ts";
import { PLAN } from "../memory/plan.ts";
import { RECALL } from "../memory/recall.ts";
import { HUMAN } from "./human.ts";
import type { AmountSpec, KeepRule, KeepRuleKind } from "./keep-rule.ts";
import { PINNED, type PinnedSpec } from "./pinned.ts";
import { RECENT, type RecentSpec } from "./recent.ts";

/** The keep rules that come with this package. */
export const BUILT_IN_KEEP_RULES: readonly KeepRuleKind[] = [RECENT, HUMAN, PLAN, FILES_IN_HAND, RECALL, PINNED];

/** The settings of a built-in keep rule. */
export type BuiltInKeepSpec = RecentSpec | AmountSpec<"human" | "plan" | "files-in-hand" | "recall"> | PinnedSpec;

/** A keep rule as data: the settings of a built-in kind, or of one that `withKinds` added. */
export type KeepRuleSpec = BuiltInKeepSpec | KindSpec;

/**
 * The rules of a policy's list, in its order.
 *
 * @throws PlimsollError `bad-policy` for a kind that is not there, or settings that it refuses.
 */
export function keepRulesOf(
  specs: readonly KindSpec[],
  kinds: readonly KeepRuleKind[] = BUILT_IN_KEEP_RULES,
): readonly KeepRule[] {
  return specs.map((spec) => kindNamed(kinds, spec.kind, "keep rule").bind(spec));
}
