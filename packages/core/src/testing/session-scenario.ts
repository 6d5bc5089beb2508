import { z } from "zod";
import { type Amount, amountSchema } from "../budget.ts";
import type { ModelLimits } from "../entry.ts";
import { defineKeepRule, type KeepRuleKind } from "../keep/keep-rule.ts";
import type { Kinds } from "../policy/kinds.ts";
import type { Policy } from "../policy/policy.ts";

/** A custom rule that wants the whole view, and if that does not fit every message of it, the oldest first. */
export const EVERYTHING: KeepRuleKind = defineKeepRule<{ readonly kind: "everything"; readonly atMost: Amount }>({
  kind: "everything",
  schema: z.strictObject({ kind: z.literal("everything"), atMost: amountSchema }),
  rule: ({ atMost }) => ({
    keeps: "messages",
    atMost,
    choose: ({ messages }) => [
      ...(messages.length === 0 ? [] : [{ from: 0, through: messages.length - 1 }]),
      ...messages.map((_, index) => ({ from: index, through: index })),
    ],
  }),
});

/** An act of a generated session, in order. Ids are given when the session is played. */
export type SessionAct =
  | { readonly act: "human"; readonly text: string; readonly images: number }
  | StepAct
  | { readonly act: "inject"; readonly text: string }
  | { readonly act: "compact"; readonly keepMessages: number | null; readonly focus: string | null }
  | { readonly act: "overflow"; readonly recoveries: number; readonly limitRatio: number | null }
  | CrashAct
  | PrepareAct
  | { readonly act: "revert" }
  | { readonly act: "redo"; readonly policy: Policy | null; readonly focus: string | null }
  | { readonly act: "reload" }
  | { readonly act: "switch"; readonly limits: ModelLimits };

/**
 * One model call with its tool results. The provider reports `usageRatio` of the prediction, or the size by the scenario's counting, and the jump on
 * top; a jump of 0 is none.
 */
export interface StepAct {
  readonly act: "step";
  readonly calls: readonly StepCall[];
  readonly text: string;
  readonly reasoning: string | null;
  readonly usageRatio: number;
  readonly jumpTokens: number;
}

/** A summary is prepared. It is offered to every fit after `lateBy` others, also once its covered messages were compacted, undone or forgotten. */
export interface PrepareAct {
  readonly act: "prepare";
  readonly lateBy: number;
}

/** The process ends in the middle of a step; the log is read again with all that was written. */
export interface CrashAct {
  readonly act: "crash";
  readonly calls: readonly StepCall[];
  /** Results that were written before the end. */
  readonly answered: number;
  readonly damage: (typeof CRASH_DAMAGES)[number];
}

/**
 * Further damage to the log that a crash leaves: none; the reply with its calls is missing; a human message is between a call and its results; a result
 * is there twice; a reply is blank; two messages share an id.
 */
export const CRASH_DAMAGES = ["none", "lost-reply", "interleaved", "double-result", "blank-reply", "same-id"] as const;

/** A call of a step with its result. */
export interface StepCall {
  readonly argumentsText: string;
  readonly resultText: string;
  readonly isError: boolean;
  readonly hasImage: boolean;
  readonly path: string | null;
}

/**
 * How the generated session's summariser behaves at each of its calls, in turn. `aborted` hangs until the caller gives up;
 * `steered` works while a human message and an injected one arrive. `deaf` never answers, `late` answers after its deadline, and both ignore
 * the abort; their `-aborted` twins do so when the caller gives up.
 */
export const SUMMARIZER_BEHAVIOURS = [
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
] as const;

/** Answers of a generated session's before-compaction hook, call after call. */
export type HookBehaviour = "go" | "cancel" | "summary" | "blank-summary" | "throws" | "deaf" | "late";

/** A whole generated session with the policy and limits that it is played under. */
export interface SessionScenario {
  readonly policy: Policy;
  /** Kinds that the policy may name; the built-in ones by default. */
  readonly kinds?: Kinds;
  readonly limits: ModelLimits;
  readonly system: string;
  readonly summarizer: readonly (typeof SUMMARIZER_BEHAVIOURS)[number][];
  /** How the provider counts: a multiple of the characters' quarter, and tokens in no log; `null` for a share of the prediction. */
  readonly counting: { readonly factor: number; readonly hiddenTokens: number } | null;
  /** Empty for a session without a hook. */
  readonly hook: readonly HookBehaviour[];
  /** Whether the models bind reasoning to its prefix; they do not by default. */
  readonly reasoning?: "bound" | "free";
  /** Whether instructions are pinned and ports give live state and tracked files. */
  readonly hasKeptState: boolean;
  readonly acts: readonly SessionAct[];
}

/** A broken rule of the engine, in words; the property fails with it. */
export interface Violation {
  readonly rule: string;
  readonly detail: string;
}

/** Receives each broken rule. */
export type Report = (rule: string, detail: string) => void;
