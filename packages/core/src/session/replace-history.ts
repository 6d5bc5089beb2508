import { type CompactionEntry, type CompactionRecord, NO_WORK, type SessionEntry, type StepOutcome } from "../entry.ts";
import { canonicalJson } from "../json.ts";
import { historyViolations } from "../message/check.ts";
import { type Message, type MessageDraft, withIds } from "../message/message.ts";
import { repairMessages } from "../message/repair.ts";
import { coverageOf } from "../message/size.ts";
import { shortHash } from "../text.ts";
import type { SessionView } from "./view.ts";

/**
 * The entries that make a view sendable again after a crash; none if there is no fault. Calls whose results were never written get error results, as
 * messages; one entry mends all else that a wire would reject, each repair a step of its record. The log itself keeps everything.
 */
export function repairsOf(view: SessionView): readonly SessionEntry[] {
  const messages = view.messages.slice();
  if (messages.length === 0 || historyViolations(messages).length === 0) return [];
  const { messages: repaired, repairs } = repairMessages(messages);
  if (repairs.length === 0) return [];
  if (messages.every((message, index) => message === repaired[index]))
    return repaired.slice(messages.length).map((message) => ({ type: "message", message }));
  const steps = repairs.map(({ action, code, index, subject }): StepOutcome => {
    return { strategy: action, outcome: "applied", detail: `${code} at message ${index}: ${subject}` };
  });
  const id = shortHash(canonicalJson({ through: view.lastEntryId, reason: "repair", repairs }));
  return [replacingEntry(view, repaired, { id, policy: "repair", reason: "repair", steps, atMs: null })];
}

/** Makes the entry that replaces all messages of a view by the given ones. The old ones stay in the log; an undo restores them. */
export function replaceHistory(view: SessionView, history: readonly MessageDraft[], nowMs: number): CompactionEntry {
  const id = shortHash(`replace-history\n${view.lastEntryId ?? ""}`);
  const steps = [{ strategy: "replace-history", outcome: "applied", detail: null }] as const;
  return replacingEntry(view, withIds(history, id), { id, policy: "caller", reason: "manual", steps, atMs: nowMs });
}

/** The entry of an edit that no policy planned: nothing was measured. */
function replacingEntry(
  view: SessionView,
  messages: readonly Message[],
  {
    id,
    atMs,
    policy,
    reason,
    steps,
  }: Pick<CompactionEntry, "id" | "atMs"> & Pick<CompactionRecord, "policy" | "reason" | "steps">,
): CompactionEntry {
  const before = view.messages.slice();
  const staying = new Set(messages);
  const covered = coverageOf(before.filter((message) => !staying.has(message)));
  return {
    type: "compaction",
    id,
    throughEntryId: view.lastEntryId,
    edits: [{ kind: "replace-history", through: before.at(-1)?.id ?? null, messages, covered }],
    record: {
      policy,
      reason,
      gate: null,
      steps,
      estimator: "none",
      cutEstimator: null,
      modelId: view.modelId,
      budgetTokens: null,
      tokensBefore: null,
      tokensAfter: null,
      messagesBefore: before.length,
      messagesAfter: messages.length,
      work: NO_WORK,
    },
    atMs,
  };
}
