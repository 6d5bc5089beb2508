import type { StepOutcome } from "../entry.ts";
import { answerWithin } from "./deadline.ts";
import { failureText } from "./failure-text.ts";
import type { CompactionNotice, FitState } from "./fit-input.ts";

/** What a before-compaction hook decided. */
export type HookDecision =
  | { readonly kind: "go" }
  | { readonly kind: "cancel"; readonly why: string }
  | { readonly kind: "summary"; readonly text: string };

/** Asks the hook, if there is one. One that rejects is a step of the record; only the caller's own abort is passed on. */
export async function askHook(
  state: FitState,
  notice: CompactionNotice,
  { steps, signal }: { steps: StepOutcome[]; signal: AbortSignal },
): Promise<HookDecision> {
  const { beforeCompaction: hook, deadline } = state;
  if (hook === null) return { kind: "go" };
  const late = (afterMs: number) => new Error(`the hook gave no answer within ${afterMs} ms`);
  try {
    return await answerWithin((given) => hook(notice, given), { deadline, signal, late });
  } catch (error) {
    // A hook that fails must not keep the context from fitting: it is noted and the engine goes on.
    if (signal.aborted) throw error;
    steps.push({ strategy: "before-compaction", outcome: "failed", detail: failureText(error) });
    return { kind: "go" };
  }
}
