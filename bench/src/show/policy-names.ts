import type { Judgement } from "../judge/judge.ts";

/** Gives the name of a policy as people see it. */
export type PolicyNames = (policy: string) => string;

/** Marks the name of a policy that pays for summaries by a model. */
export const MODEL_MARK = "*";

/** Makes the names of a report's policies. */
export function policyNames({ asking }: Pick<Judgement, "asking">): PolicyNames {
  return (policy) => (asking.has(policy) ? `${policy}${MODEL_MARK}` : policy);
}
