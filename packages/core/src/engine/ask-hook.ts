import { z } from "zod";
import { answerWithin } from "../deadline.ts";
import type { StepOutcome } from "../entry.ts";
import { isPlimsollError } from "../error.ts";
import { type Door, passed } from "../port-door.ts";
import type { CompactionNotice, FitState } from "./fit-input.ts";

/** The decision of a before-compaction hook. */
type HookDecision =
  | { readonly kind: "go" }
  | { readonly kind: "cancel"; readonly why: string }
  | { readonly kind: "summary"; readonly text: string };

const DECISION: Door<HookDecision> = {
  port: "the hook",
  shape: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("go") }),
    z.object({ kind: z.literal("cancel"), why: z.string() }),
    z.object({ kind: z.literal("summary"), text: z.string() }),
  ]),
  wanted: "go, cancel or a summary",
};

/** The decision, and what the record says of how it came about. */
export interface AskedHook {
  readonly decision: HookDecision;
  readonly steps: readonly StepOutcome[];
}

/** Asks the hook, if there is one. One that rejects is a step of the record; only the caller's own abort is passed on. */
export async function askHook(
  state: Pick<FitState, "beforeCompaction" | "deadline">,
  notice: CompactionNotice,
  signal: AbortSignal,
): Promise<AskedHook> {
  const { beforeCompaction: hook, deadline } = state;
  if (hook === null) return { decision: { kind: "go" }, steps: [] };
  const late = (afterMs: number) => new Error(`the hook gave no answer within ${afterMs} ms`);
  try {
    const answer: unknown = await answerWithin((given) => hook(notice, given), { deadline, signal, late });
    return { decision: passed(DECISION, answer), steps: [] };
  } catch (error) {
    // A hook that fails must not keep the context from fitting: it is noted and the engine goes on.
    if (signal.aborted) throw error;
    const failed = { strategy: "before-compaction", outcome: "failed", detail: failureText(error) } as const;
    return { decision: { kind: "go" }, steps: [failed] };
  }
}

/** A failure as one line of the record. */
export function failureText(error: unknown): string {
  if (isPlimsollError(error)) return `${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : "unknown failure";
}
