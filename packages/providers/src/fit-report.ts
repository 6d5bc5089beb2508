import type { CompactionEntry, FitOutcome, ModelLimits, Policy } from "@plimsoll/core";
import { budgetOf, limitsWithin, PART_WORDS, triggerTokens, unkeptIn } from "@plimsoll/core/extend";

type Edit = CompactionEntry["edits"][number];

/** Content that a compaction replaced: whole messages by one message or nothing, or `parts` by shorter ones whose originals `handles` find. */
type Replaced =
  | { readonly by: Extract<Edit, { readonly kind: "replace-spans" }>["by"]; readonly messages: number; readonly chars: number }
  | { readonly by: "handles"; readonly parts: number; readonly chars: number; readonly handles: readonly string[] };

/** The report of the newest fit. Sizes are expected tokens of the request. */
export interface FitReport {
  readonly kind: FitOutcome["kind"];
  /** The caller's key of the conversation; `null` without one, and for a session. */
  readonly key: string | null;
  /** The id of the session's log. */
  readonly sessionId: string | null;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly replaced: readonly Replaced[];
  /** A line for each keep rule that failed, or of whose choice something is gone: `keep tickets: 8 of 26 kept, no room for 9, 9 beyond its amount`. */
  readonly unkept: readonly string[];
  /** The reason of a compaction, or the reason that nothing was compacted. */
  readonly why: string;
}

interface Fitted {
  readonly key?: string | null;
  readonly sessionId: string | null;
  readonly policy: Pick<Policy, "trigger">;
  readonly limits: ModelLimits;
  readonly observedLimitTokens?: number | null | undefined;
  readonly expectedTokens: number;
}

/** Reports the fits of one request, in their order. */
export function fitReport(outcomes: readonly FitOutcome[], fitted: Fitted): FitReport {
  const { key = null, sessionId, expectedTokens: tokensAfter } = fitted;
  const outcome = outcomes.findLast(({ kind }) => kind !== "unchanged") ?? outcomes.at(-1);
  const entries = outcomes.flatMap(({ entry }) => entry ?? []);
  const edits = entries.flatMap((entry) => entry.edits);
  const spans = edits.flatMap((edit) =>
    edit.kind === "replace-spans" ? [{ by: edit.by, messages: edit.covered.messages, chars: edit.covered.chars }] : [],
  );
  const parts = edits.flatMap((edit) => (edit.kind === "replace-part" ? [edit] : []));
  const chars = parts.reduce((sum, { removedChars }) => sum + removedChars, 0);
  const handles = parts.map(({ handle }) => handle);
  return {
    kind: outcome?.kind ?? "unchanged",
    key,
    sessionId,
    tokensBefore: entries[0]?.record.tokensBefore ?? tokensAfter,
    tokensAfter,
    replaced: parts.length === 0 ? spans : [...spans, { by: "handles", parts: parts.length, chars, handles }],
    unkept: entries.flatMap(({ record }) => unkeptIn(record)),
    why: outcome === undefined ? "nothing was fitted" : whyOf(outcome, fitted),
  };
}

function whyOf(outcome: FitOutcome, { policy, limits, observedLimitTokens = null, expectedTokens }: Fitted): string {
  switch (outcome.kind) {
    case "compacted":
      return outcome.entry.record.reason;
    case "cancelled":
      return `cancelled: ${outcome.why}`;
    case "failed":
      return outcome.steps.map(({ strategy, outcome: end, detail }) => `${strategy} ${detail ?? end}`).join("; ");
    case "irreducible":
      return `over ${outcome.budgetTokens} tokens with ${outcome.parts.map(({ what, tokens }) => `${PART_WORDS[what]} ${tokens}`).join(", ")}`;
    case "unchanged": {
      if (outcome.off !== null)
        return outcome.off === "disabled" ? "the policy compacts nothing" : "the context window is not known";
      const budget = budgetOf(limitsWithin(limits, observedLimitTokens));
      if (budget === null) return "below the trigger";
      return `${Math.round(expectedTokens)} tokens are below the trigger of ${Math.round(triggerTokens(policy.trigger, budget))}`;
    }
    default:
      return outcome satisfies never;
  }
}
