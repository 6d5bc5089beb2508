import type { MessageSpan } from "../applied-edit.ts";
import type { Message } from "../message/message.ts";
import type { StrategyInput } from "../strategy/strategy.ts";
import type { Chain, ChainStep } from "./chain.ts";
import type { FitInput, PreparedSummary } from "./fit-input.ts";
import type { Goal } from "./goal.ts";

/** The name in records of the step that swaps a prepared summary in. */
export const PREPARED_STEP = "prepared";

/**
 * The chain with a prepared summary before the first step that would ask a model, where that step's own would come; `only` it, if the caller
 * wants nothing else. Not before steps that leave nothing but what cannot be cut.
 */
export function withPrepared(chain: Chain, step: ChainStep | null, only: FitInput["only"] | null): Chain {
  if (only === "prepared") return { ...chain, steps: step === null ? [] : [step] };
  if (step === null || chain.isForced) return chain;
  const asking = chain.steps.findIndex(({ strategy, from }) => from === "policy" && strategy.needsModel);
  return { ...chain, steps: chain.steps.toSpliced(Math.max(0, asking), 0, step) };
}

/**
 * The step that swaps a prepared summary in. It is a candidate like any other, with two questions of its own: is what it covers as it was, and is
 * what has come since little enough that the policy would not act again at once?
 */
export function preparedStep(
  { edit, covered }: PreparedSummary,
  { view, goal }: { readonly view: readonly Message[]; readonly goal: Goal },
): ChainStep {
  const before = spanned(view, edit.spans);
  const isAsItWas = before.length === covered.length && before.every((message, index) => message === covered[index]);
  const gone = new Set(covered.map(({ id }) => id));
  const plan = ({ messages, messageTokens }: StrategyInput) => {
    // Steps before it may have shortened results, which a summary of the whole results stands for as well.
    const now = spanned(messages, edit.spans);
    if (!isAsItWas || now.length !== covered.length || now.some(({ id }) => !gone.has(id)))
      return refused("what it covers has changed since");
    const leftTokens = messages.reduce((sum, message) => (gone.has(message.id) ? sum : sum + messageTokens(message)), 0);
    if (leftTokens >= goal.lineTokens || leftTokens > goal.targetTokens) return refused("too much has come since");
    return { kind: "edits", edits: [edit] } as const;
  };
  return { strategy: { name: PREPARED_STEP, needsModel: false, plan }, from: "policy" };
}

function refused(reason: string): { readonly kind: "not-applicable"; readonly reason: string } {
  return { kind: "not-applicable", reason };
}

/** The messages of the spans; none if one of them is not there. */
function spanned(messages: readonly Message[], spans: readonly MessageSpan[]): readonly Message[] {
  const places = new Map(messages.map(({ id }, index) => [id, index]));
  const found = spans.map(({ from, through }) => [places.get(from), places.get(through)] as const);
  if (found.some((ends) => ends.includes(undefined))) return [];
  return found.flatMap(([from = 0, through = -1]) => messages.slice(from, through + 1));
}
