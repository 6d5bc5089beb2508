import { type CompactionEntry, type CompactionRecord, NO_WORK, type SessionEntry } from "../entry.ts";
import { canonicalJson } from "../json.ts";
import { historyViolations } from "../message/check.ts";
import { type Message, type MessageDraft, withIds } from "../message/message.ts";
import { type RepairedMessages, repairMessages } from "../message/repair.ts";
import { type CoverageCount, coverageOf } from "../message/size.ts";
import { shortHash } from "../text.ts";
import type { SessionView } from "./view.ts";

/**
 * The entries that make a view sendable again after a crash; none if there is no fault. Calls whose results were never written get error results, as
 * messages; one entry mends all else that a wire would reject, each repair a step of its record. The log itself keeps everything.
 */
export function repairsOf(view: SessionView): readonly SessionEntry[] {
  const messages = view.messages.slice();
  if (messages.length === 0) return [];
  if (historyViolations(messages).length === 0) return [];
  const repaired = repairMessages(messages);
  if (repaired.repairs.length === 0) return [];
  if (messages.every((message, index) => message === repaired.messages[index])) {
    return repaired.messages.slice(messages.length).map((message) => ({ type: "message", message }));
  }
  return [repairEntry(view, messages, repaired)];
}

function repairEntry(view: SessionView, messages: readonly Message[], repaired: RepairedMessages): CompactionEntry {
  const staying = new Set(repaired.messages);
  return replacingEntry(view, {
    id: shortHash(canonicalJson({ through: view.lastEntryId, reason: "repair", repairs: repaired.repairs })),
    policy: "repair",
    reason: "repair",
    steps: repaired.repairs.map((repair) => ({
      strategy: repair.action,
      outcome: "applied",
      detail: `${repair.code} at message ${repair.index}: ${repair.subject}`,
    })),
    messages: repaired.messages,
    covered: coverageOf(messages.filter((message) => !staying.has(message))),
    atMs: null,
  });
}

/** Makes the entry that replaces all messages of a view by the given ones. The old ones stay in the log; an undo restores them. */
export function replaceHistory(view: SessionView, history: readonly MessageDraft[], nowMs: number): CompactionEntry {
  const id = shortHash(`replace-history\n${view.lastEntryId ?? ""}`);
  return replacingEntry(view, {
    id,
    policy: "caller",
    reason: "manual",
    steps: [{ strategy: "replace-history", outcome: "applied", detail: null }],
    messages: withIds(history, id),
    covered: coverageOf(view.messages.slice()),
    atMs: nowMs,
  });
}

/** The message in the place of a whole view, and its author. */
interface Replacement extends Pick<CompactionEntry, "id" | "atMs">, Pick<CompactionRecord, "policy" | "reason" | "steps"> {
  readonly messages: readonly Message[];
  readonly covered: CoverageCount;
}

/** The entry of an edit that no policy planned: nothing was measured. */
function replacingEntry(
  view: SessionView,
  { id, atMs, policy, reason, steps, messages, covered }: Replacement,
): CompactionEntry {
  const before = view.messages.slice();
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
