import type { FitOutcome, MissedGoal, SizedPart, UnknownRefusal } from "../engine/fit-input.ts";
import type { WindowPart } from "../engine/window-parts.ts";
import type { CompactionEntry, CompactionReason, CompactionRecord, RevertEntry, SessionEntry, StepOutcome } from "../entry.ts";
import { isPlimsollError, PlimsollError } from "../error.ts";
import { heard } from "../kind.ts";
import type { Usage } from "../usage.ts";
import type { SessionView } from "./view.ts";

/** An event that a session sends to its subscribers. Token figures are by the estimator that `estimator` names. */
export type ContextEvent =
  | {
      readonly type: "compaction-start";
      readonly reason: CompactionReason;
      readonly estimator: string;
      readonly tokensBefore: number;
      readonly messagesBefore: number;
    }
  | CompactionEvent
  /** The cut after a refusal in unknown words is undone: it did not help, or a reply came behind a server's error. If that error comes again, the cut stays. */
  | { readonly type: "compaction-undone"; readonly entry: RevertEntry; readonly refusal: UnknownRefusal }
  | { readonly type: "compaction-failed"; readonly reason: CompactionReason; readonly steps: readonly StepOutcome[] }
  /** A summary was requested before it is needed. `usage` has the tokens of its request, even if no compaction uses it. */
  | {
      readonly type: "summary-prepared";
      readonly outcome: "ready" | "failed";
      readonly usage: Usage | null;
      readonly steps: readonly StepOutcome[];
    }
  /** A summary that was ready will not be used: its session was compacted without it, changed or closed. Sent once; `usage` has its request's tokens. */
  | { readonly type: "summary-unused"; readonly usage: Usage | null }
  | { readonly type: "session-repaired"; readonly entries: readonly SessionEntry[] }
  /** A hook cancelled it, or the cut would not pay: `why` says it in words. */
  | { readonly type: "compaction-cancelled"; readonly reason: CompactionReason; readonly why: string }
  | { readonly type: "compaction-off"; readonly why: "unknown-window" }
  /** A drop-in got a request whose history the vendor keeps, as `named` shows, and passes it untouched. Sent once per conversation, which has no log. */
  | { readonly type: "compaction-off"; readonly why: "vendors-history"; readonly named: string }
  | { readonly type: "breaker-open"; readonly failures: number; readonly why: string }
  /** A drop-in or an SDK session cut a result to the policy's cap before it entered history; `handle` finds the whole text. */
  | { readonly type: "result-cut"; readonly toolName: string; readonly handle: string; readonly chars: number }
  | { readonly type: "context-irreducible"; readonly budgetTokens: number; readonly parts: readonly SizedPart[] }
  | SilentTruncationEvent
  | UsageRefusedEvent
  | WindowFilledEvent
  /** The longest reply left too few tokens for a prompt, so requests ask for a shorter one. Sent once. */
  | {
      readonly type: "reply-lowered";
      readonly contextWindowTokens: number | null;
      readonly askedTokens: number | null;
      readonly maxOutputTokens: number | null;
    };

/**
 * More than half of a prompt's room is sent with every request, so that no cut takes it: system text, tools, and the provider's count beyond them. Reported
 * once for the same system text and tools, with the size of each part; fewer tools or shorter instructions help.
 */
export interface WindowFilledEvent {
  readonly type: "window-filled";
  /** Tokens that a prompt may hold, with the reply's kept free. */
  readonly budgetTokens: number;
  /** The sum of the parts, by `estimator`. */
  readonly overheadTokens: number;
  readonly parts: readonly WindowPart[];
  readonly estimator: string;
}

/**
 * A report of the provider whose counts are impossible. Report by report its prompts rise by more than the new messages could measure, as if it added
 * the whole session up or counted in other units: it is no evidence of this model from now on, and sizes are estimated. Or a count is no whole number
 * from zero on: that report is no evidence. Reported once.
 */
interface UsageRefusedEvent {
  readonly type: "usage-refused";
  readonly modelId: string;
  readonly requestId: string;
  readonly reportedTokens: number;
  /** Expected tokens of the next request by `estimator`, without reports. */
  readonly expectedTokens: number;
  readonly estimator: string;
}

/**
 * The provider reported a prompt that is smaller than the sent messages can measure, without an edit in between: it left something out (as a rule the
 * oldest messages) and did not say so. The reply is kept and the log does not change; reported once until the next edit. The request does not fit the
 * window that this server runs with: compact, or state that window.
 */
interface SilentTruncationEvent extends Omit<UsageRefusedEvent, "type" | "expectedTokens"> {
  readonly type: "silent-truncation";
  /** Tokens that `estimator` predicted for this request. */
  readonly expectedTokens: number;
  /** Tokens that are missing at least, over the requests since the newest edit. */
  readonly missingTokens: number;
}

/** A compaction that was made. Tokens are `null` if a size was not known. */
interface CompactionEvent
  extends Pick<CompactionRecord, "reason" | "estimator" | `${"tokens" | "messages"}${"Before" | "After"}`> {
  readonly type: "compaction-end";
  /** The strategies that were applied, in order. */
  readonly strategies: readonly string[];
  /** The step of the run at whose gate it was made; 0 before the first. */
  readonly step: number | null;
  readonly tokensRemoved: number | null;
  readonly messagesRemoved: number;
  readonly entry: CompactionEntry;
  /** A line for each keep rule that failed or lost choices, and for each of your own also what it kept: `keep tickets: 8 of 26 kept, no room for 9, 9 beyond its amount`. */
  readonly unkept: readonly string[];
  /** Set if the remaining view is still expected to exceed the budget: it is sent all the same. */
  readonly missed?: MissedGoal;
  /** Set if a refusal in unknown words is why: its status and words. */
  readonly refusal?: UnknownRefusal;
}

/** Receives events, in order. An error that it throws reaches the caller of `fit` or `append`; nothing waits for an async one, and its rejection is ignored. */
export type ContextListener = (event: ContextEvent) => void;

/**
 * Names a compaction's kind: the id of the prompt that its summary was written with (`structured`, `narrative`, `checkpoint`, `digest`, …); `emergency`
 * for a drop without a summary, for any cause; `cleared` for only parts, and `recorded` for a recorded compaction of another agent.
 */
export function compactionKind(entry: CompactionEntry): string {
  const ofSpans = entry.edits.filter((edit) => edit.kind === "replace-spans");
  const written = ofSpans.find(({ by }) => by === "summary" || by === "digest");
  if (ofSpans.some(({ by }) => by === "vendor")) return "vendor";
  if (written !== undefined) return written.spans[0]?.promptId ?? "summary";
  if (ofSpans.length > 0) return "emergency";
  return entry.edits.some((edit) => edit.kind === "replace-part") ? "cleared" : "recorded";
}

/** Makes the event of a fit's outcome; `null` if there is nothing to report. */
export function outcomeEvent(outcome: FitOutcome, estimator: string): ContextEvent | null {
  const { refusal } = outcome;
  const more = { estimator, ...(refusal && { refusal }) };
  switch (outcome.kind) {
    case "compacted":
      return { ...compactionEvent(outcome.entry), ...more };
    case "cancelled":
      return { type: "compaction-cancelled", reason: outcome.reason, why: outcome.why };
    case "failed":
      return { type: "compaction-failed", reason: outcome.reason, steps: outcome.steps };
    case "irreducible": {
      const { entry, budgetTokens, parts } = outcome;
      const missed = { budgetTokens, parts };
      return entry === undefined ? { type: "context-irreducible", ...missed } : { ...compactionEvent(entry), ...more, missed };
    }
    case "unchanged":
      return outcome.off === "unknown-window" ? { type: "compaction-off", why: "unknown-window" } : null;
    default:
      return outcome satisfies never;
  }
}

/** The parts of a context that cannot be made to fit, in words for a person. */
export const PART_WORDS: Readonly<Record<SizedPart["what"], string>> = {
  overhead: "system text, tools and tokens beyond the estimate",
  declared: "declared in the middle",
  "last-human-message": "the person's last message",
  pending: "not sent before",
  rest: "other messages",
};

/** Makes the error that names the parts of a context that cannot be made to fit; `cause` is the refusal of a provider that was asked all the same. */
export function overflowError({ budgetTokens, parts }: MissedGoal, cause?: unknown): PlimsollError {
  const sizes = parts.filter(({ tokens }) => tokens > 0).map(({ what, tokens }) => `${tokens} for ${PART_WORDS[what]}`);
  const refused = cause instanceof Error ? `; the provider refused it: ${cause.message}` : "";
  const text = `the context cannot be made to fit ${budgetTokens} tokens: ${sizes.join(", ")}; shorten the largest part, or use a model with a larger window${refused}`;
  const told = isPlimsollError(cause) ? cause.details : {};
  const named = parts.map(({ what, tokens }) => ({ what, tokens }));
  return new PlimsollError("context-overflow", text, { ...told, budgetTokens, parts: named }, cause);
}

function compactionEvent(entry: CompactionEntry): Omit<CompactionEvent, "estimator"> {
  const { record } = entry;
  const { tokensBefore, tokensAfter, messagesBefore, messagesAfter } = record;
  return {
    type: "compaction-end",
    reason: record.reason,
    strategies: record.steps.flatMap(({ outcome, strategy }) => (outcome === "applied" ? [strategy] : [])),
    step: record.step ?? null,
    tokensBefore,
    tokensAfter,
    tokensRemoved: tokensBefore === null || tokensAfter === null ? null : tokensBefore - tokensAfter,
    messagesBefore,
    messagesAfter,
    messagesRemoved: messagesBefore - messagesAfter,
    entry,
    unkept: unkeptIn(record),
  };
}

/** The lines of a record about keep rules that failed, or of whose choice something is gone. */
export function unkeptIn({ steps }: Pick<CompactionRecord, "steps">): readonly string[] {
  const ofRules = steps.filter(({ strategy, outcome }) => strategy.startsWith("keep ") && outcome !== "applied");
  // A rule's last step counts what is gone in the end.
  const lines = ofRules.map(({ strategy, outcome, detail }): readonly [string, string] => [
    strategy,
    `${strategy}${outcome === "failed" ? " failed" : ""}: ${detail ?? ""}`,
  ]);
  return [...new Map(lines).values()];
}

/** Sends events to a listener. It reports once that compaction is off, and once for a system text and its tools that they fill the window. */
export function createTeller(
  onEvent: ContextListener | undefined,
  viewOf: () => Pick<SessionView, "system" | "tools">,
): (event: ContextEvent | null) => void {
  let isOffTold = false;
  let irreducibleTold = "";
  let filledTold: Pick<SessionView, "system" | "tools"> | null = null;
  return (event) => {
    if (event === null || (event.type === "compaction-off" && isOffTold)) return;
    isOffTold ||= event.type === "compaction-off";
    if (event.type === "window-filled") {
      const { system, tools } = viewOf();
      if (filledTold?.system === system && filledTold.tools === tools) return;
      filledTold = { system, tools };
    }
    // An excess over another limit than that of tokens stays so step by step: it is reported once.
    const over = event.type === "context-irreducible" && event.parts[0]?.over !== undefined ? JSON.stringify(event) : "";
    if (over !== "" && over === irreducibleTold) return;
    irreducibleTold = over === "" ? irreducibleTold : over;
    heard(onEvent?.(event));
  };
}
