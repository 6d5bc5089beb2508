import type { CompactionEntry, ContextEvent, FitOutcome, ModelLimits, Policy, ToolResultMessage } from "@plimsoll/core";
import { textOf } from "@plimsoll/core";
import { budgetOf, limitsWithin, PART_WORDS, triggerTokens, unkeptIn } from "@plimsoll/core/extend";
import type { LearnedWindow } from "./learned-limits.ts";

type Edit = CompactionEntry["edits"][number];

/**
 * Content that was replaced: whole messages by one message or nothing (`summary` if a model wrote it, `digest` if none was asked), or `parts` by shorter ones
 * whose originals `handles` find: by a compaction (`handles`), or on arrival by the policy's cap (`cap`).
 */
type Replaced =
  | { readonly by: Extract<Edit, { readonly kind: "replace-spans" }>["by"]; readonly messages: number; readonly chars: number }
  | { readonly by: "handles" | "cap"; readonly parts: number; readonly chars: number; readonly handles: readonly string[] };

/** A result that was cut on arrival, and the characters that it lost. */
export type CutResult = Extract<ContextEvent, { readonly type: "result-cut" }>;

/** The event of a result that was admitted; `null` for one that was not cut. */
export function resultCut(
  given: ToolResultMessage,
  { message, handle }: { readonly message: ToolResultMessage; readonly handle: string | null },
): CutResult | null {
  const { toolName } = given;
  return handle === null
    ? null
    : { type: "result-cut", toolName, handle, chars: textOf(given).length - textOf(message).length };
}

/** The report of the newest fit. Sizes, in `why` too, are expected tokens of the request as sent: with a person's new message, which events and the log leave out. */
export interface FitReport {
  readonly kind: FitOutcome["kind"];
  /** The caller's key of the conversation; `null` without one, and for a session. */
  readonly key: string | null;
  /** The id of the session's log. */
  readonly sessionId: string | null;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Of this fit; `cap` is listed under any `kind`, since results are cut on arrival. */
  readonly replaced: readonly Replaced[];
  /** A line for each keep rule that failed or lost choices, and for each of your own also what it kept: `keep tickets: 8 of 26 kept, no room for 9, 9 beyond its amount`. */
  readonly unkept: readonly string[];
  /** The window that refusals taught of the model, if it is smaller than that of the limits; `null` for none. */
  readonly learned: LearnedWindow | null;
  /** A refusal in words that say nothing known, with its status, after which less was sent, or whose cut was undone; `null` for neither. The words are data. */
  readonly refusal: FitOutcome["refusal"] | null;
  /** The reason of a compaction, or the reason that nothing was compacted. */
  readonly why: string;
}

/** The event of a policy that asks a model for summaries where no summarizer is given; `null` for any other. */
export function unwrittenSummaries({ enabled, strategies }: Policy, summarizer: unknown): ContextEvent | null {
  const isAsked = enabled && strategies.some((spec) => "writer" in spec && spec.writer === "model");
  const why = "no summarizer is given, so quotations from the log stand in for its summaries";
  return isAsked && summarizer === undefined ? { type: "breaker-open", failures: 0, why } : null;
}

/** A listener for programs that have none: warns of a part that failed, once, with its error as `cause` and the place of that as `detail`. */
export function createFailureWarnings(): (event: ContextEvent) => void {
  const told = new Set<string>();
  return (event) => {
    const failed =
      event.type === "compaction-failed" ? event.steps : event.type === "compaction-end" ? event.entry.record.steps : [];
    for (const { strategy, detail, cause } of failed) {
      if (cause === undefined || told.has(strategy)) continue;
      told.add(strategy);
      const place = cause instanceof Error ? cause.stack : undefined;
      const warning = new Error(`${strategy} failed: ${detail}; onEvent reports each time`, { cause });
      globalThis.process?.emitWarning(Object.assign(warning, { name: "PlimsollWarning", detail: place }));
    }
  };
}

interface Fitted {
  readonly key?: string | null;
  readonly sessionId: string | null;
  readonly policy: Pick<Policy, "trigger">;
  readonly limits: ModelLimits;
  readonly learned: FitReport["learned"];
  readonly expectedTokens: number;
  /** Results cut on arrival since the fit before. */
  readonly cuts: readonly CutResult[];
}

/** Reports the fits of one request, in their order. */
export function fitReport(outcomes: readonly FitOutcome[], fitted: Fitted): FitReport {
  const { key = null, sessionId, expectedTokens: tokensAfter, cuts, learned } = fitted;
  const outcome = outcomes.findLast(({ kind }) => kind !== "unchanged") ?? outcomes.at(-1);
  const told = outcomes.findLast((each) => each.refusal);
  const refusal = told?.refusal ?? null;
  const entries = outcomes.flatMap(({ entry }) => entry ?? []);
  const freedTokens = entries.reduce((sum, { record }) => sum + (record.tokensBefore ?? 0) - (record.tokensAfter ?? 0), 0);
  const status = `status ${refusal?.status ?? "unknown"}`;
  const refused = refusal && (told?.entry ? `${status} in unknown words, ` : `the cut after ${status} is undone, `);
  const spans: Replaced[] = [];
  const parts: Pick<CutResult, "handle" | "chars">[] = [];
  const unkept: string[] = [];
  for (const { edits, record } of entries) {
    unkept.push(...unkeptIn(record));
    for (const edit of edits) {
      if (edit.kind === "replace-part") parts.push({ handle: edit.handle, chars: edit.removedChars });
      if (edit.kind !== "replace-spans") continue;
      const { by, usage, covered } = edit;
      spans.push({ by: by === "summary" && usage === null ? "digest" : by, messages: covered.messages, chars: covered.chars });
    }
  }
  return {
    kind: outcome?.kind ?? "unchanged",
    key,
    sessionId,
    tokensBefore: tokensAfter + freedTokens,
    tokensAfter,
    replaced: [...spans, ...byHandles("handles", parts), ...byHandles("cap", cuts)],
    unkept,
    learned,
    refusal,
    why: `${refused ?? ""}${outcome === undefined ? "nothing was fitted" : whyOf(outcome, fitted, freedTokens)}`,
  };
}

function byHandles(by: "handles" | "cap", cuts: readonly Pick<CutResult, "handle" | "chars">[]): readonly Replaced[] {
  const chars = cuts.reduce((sum, cut) => sum + cut.chars, 0);
  return cuts.length === 0 ? [] : [{ by, parts: cuts.length, chars, handles: cuts.map(({ handle }) => handle) }];
}

const COMPACTED: Readonly<Record<CompactionEntry["record"]["reason"], string>> = {
  threshold: "the policy cuts here",
  emergency: "the window is nearly full",
  overflow: "the provider refused the request",
  "over-budget": "the next request might not fit",
  manual: "you asked for a cut",
  downshift: "the next model has a smaller window",
  "hand-off": "the work was handed off",
  repair: "the log was repaired",
  recorded: "another agent recorded this cut",
};

function whyOf(outcome: FitOutcome, { policy, limits, learned, expectedTokens }: Fitted, freedTokens: number): string {
  const isPriced = policy.trigger.pays !== undefined;
  switch (outcome.kind) {
    case "compacted": {
      const { reason, budgetTokens } = outcome.entry.record;
      const tokensBefore = expectedTokens + freedTokens;
      const cut = `the cut frees ${freedTokens} of ${tokensBefore} tokens`;
      const isOver =
        ["threshold", "emergency", "over-budget"].includes(reason) && tokensBefore > (budgetTokens ?? tokensBefore);
      if (isOver) return `the request did not fit ${budgetTokens} tokens: ${cut}`;
      return `${isPriced && reason === "threshold" ? "a cut pays now" : COMPACTED[reason]}: ${cut}`;
    }
    case "cancelled":
      return `no cut: ${outcome.why}`;
    case "failed":
      return `nothing was cut: ${outcome.steps.map(({ strategy, outcome: end, detail }) => `${strategy}: ${detail ?? end}`).join("; ")}`;
    case "irreducible":
      return `over ${outcome.budgetTokens} tokens: ${outcome.parts.flatMap(({ what, tokens }) => (tokens > 0 ? `${tokens} for ${PART_WORDS[what]}` : [])).join(", ")}`;
    case "unchanged": {
      if (outcome.off !== null)
        return outcome.off === "disabled" ? "the policy compacts nothing" : "the context window is not known";
      const budget = budgetOf(limitsWithin(limits, learned?.tokens ?? null));
      if (budget === null) return "below the trigger";
      const [now, line] = [expectedTokens, triggerTokens(policy.trigger, budget)].map(Math.round);
      const overTokens = expectedTokens - budget.inputBudgetTokens;
      if (overTokens > 0) return `${now} tokens do not fit, by ${Math.round(overTokens)}: no cut helps until more is new`;
      return isPriced
        ? `at ${now} tokens no cut pays yet; it cuts at ${line} at the latest`
        : `${now} tokens are below the trigger of ${line}`;
    }
    default:
      return outcome satisfies never;
  }
}
