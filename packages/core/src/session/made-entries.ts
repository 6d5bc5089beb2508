import type { FitInput, FitOutcome } from "../engine/fit-input.ts";
import type { AttemptEntry, RevertEntry } from "../entry.ts";
import { PlimsollError } from "../error.ts";
import { shortHash } from "../hash.ts";
import type { SessionState } from "./session-state.ts";
import type { SessionView } from "./view.ts";

/** The entry of a fit that was tried and changed nothing; `null` if nothing was tried. */
export function attemptEntry(
  outcome: Exclude<FitOutcome, { readonly kind: "compacted" }>,
  at: { readonly input: FitInput; readonly estimatedTokens: number; readonly state: SessionState },
): AttemptEntry | null {
  if (outcome.kind === "unchanged") return null;
  const { kind, reason } = outcome;
  const steps = outcome.kind === "cancelled" ? [] : outcome.steps;
  const id = shortHash(`attempt\n${reason}\n${kind}\n${at.state.view.lastEntryId ?? ""}`);
  return { type: "attempt", id, reason, outcome: kind, steps, estimatedTokens: at.estimatedTokens, atMs: at.input.nowMs };
}

/**
 * The entry that undoes the newest compaction.
 *
 * @throws PlimsollError `bad-input` if there is none, or if undoing it would make the session unsendable.
 */
export function revertEntry(view: SessionView, nowMs: number | null): RevertEntry {
  const latest = view.activeCompactions.at(-1);
  if (latest === undefined) throw new PlimsollError("bad-input", "there is no compaction to undo");
  if (latest.record.reason === "repair") {
    throw new PlimsollError(
      "bad-input",
      "the newest compaction is a repair of a damaged session; undoing it would make the session unsendable",
    );
  }
  const id = shortHash(`revert\n${latest.id}\n${view.lastEntryId ?? ""}`);
  return { type: "revert", id, compactionId: latest.id, atMs: nowMs };
}
