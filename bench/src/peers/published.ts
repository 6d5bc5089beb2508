import type { Policy } from "@plimsoll/core";
import type { EnginePolicy } from "@plimsoll/core/build";

/** What stands behind the name of a policy that runs without its fallback. */
export const AS_PUBLISHED = " (as published)";

/**
 * The policy without its fallback: it acts where its own trigger says, tries its own strategies, and loses a call if they are not enough, as the
 * program that it imitates does.
 */
export function asPublished(policy: Policy): EnginePolicy {
  return { ...policy, name: `${policy.name}${AS_PUBLISHED}`, fallback: null };
}
