import type { Kinds } from "../src/policy/kinds.ts";
import type { Policy } from "../src/policy/policy.ts";
import type { AddedToScenarios } from "../src/testing/arbitrary-session.ts";

/** A module that adds kinds, and shows settings of each in a peer's policy: an extension of the bench is one. */
interface ModuleOfKinds {
  readonly default: Partial<Kinds> & { readonly peers?: readonly { readonly policy: Policy }[] };
}

/**
 * Loads the kinds that a module adds to generated scenarios; nothing if none is named. Its code runs.
 *
 * @throws Error for a kind that none of its policies names: it would never be played.
 */
export async function kindsAddedBy(address: string | undefined): Promise<AddedToScenarios> {
  if (address === undefined) return {};
  const { default: extension }: ModuleOfKinds = await import(/* @vite-ignore */ address);
  const { peers = [], strategies = [], keepRules = [], estimators = [] } = extension;
  const examples = peers.map(({ policy }) => policy);
  const named = new Set(
    examples.flatMap((policy) => [policy.estimator, ...policy.keep, ...policy.strategies].map(({ kind }) => kind)),
  );
  const unnamed = [...strategies, ...keepRules, ...estimators].filter(({ kind }) => !named.has(kind));
  if (unnamed.length > 0)
    throw new Error(`${address}: no policy of its peers names ${unnamed.map(({ kind }) => kind).join(", ")}`);
  return { kinds: extension, examples };
}
