import type { CompactionEntry, SessionEntry } from "../entry.ts";
import { NO_WORK } from "../entry.ts";
import { shortHash } from "../hash.ts";
import { canonicalJson } from "../json.ts";
import { checkMessages, STRICT_WIRE_RULES } from "../message/check.ts";
import type { Message } from "../message/message.ts";
import type { RepairedMessages } from "../message/repair.ts";
import { repairMessages } from "../message/repair.ts";
import { coverageOf } from "../message/size.ts";
import type { SessionView } from "./view.ts";

/**
 * The entries that make a view sendable again after a crash; none if nothing is wrong. Calls whose results were never written get
 * error results, as messages; what else a wire would reject is mended by one entry, each repair a step of its record. The log itself
 * keeps everything.
 */
export function repairsOf(view: SessionView): readonly SessionEntry[] {
  const messages = view.messages.slice();
  if (messages.length === 0 || checkMessages(messages, { ...STRICT_WIRE_RULES, lastMessage: "any" }).length === 0) return [];
  const repaired = repairMessages(messages);
  if (repaired.repairs.length === 0) return [];
  if (messages.every((message, index) => message === repaired.messages[index])) {
    return repaired.messages.slice(messages.length).map((message) => ({ type: "message", message }));
  }
  return [repairEntry(view, messages, repaired)];
}

function repairEntry(view: SessionView, messages: readonly Message[], repaired: RepairedMessages): CompactionEntry {
  const staying = new Set(repaired.messages);
  const gone = messages.filter((message) => !staying.has(message));
  const edits = [
    { kind: "replace-history", through: messages.at(-1)?.id ?? null, messages: repaired.messages, covered: coverageOf(gone) },
  ] as const;
  return {
    type: "compaction",
    id: shortHash(canonicalJson({ through: view.lastEntryId, reason: "repair", repairs: repaired.repairs })),
    throughEntryId: view.lastEntryId,
    edits,
    record: {
      policy: "repair",
      reason: "repair",
      gate: null,
      steps: repaired.repairs.map((repair) => ({
        strategy: repair.action,
        outcome: "applied",
        detail: `${repair.code} at message ${repair.index}: ${repair.subject}`,
      })),
      estimator: "none",
      cutEstimator: null,
      modelId: view.modelId,
      budgetTokens: null,
      tokensBefore: null,
      tokensAfter: null,
      messagesBefore: messages.length,
      messagesAfter: repaired.messages.length,
      work: NO_WORK,
    },
    atMs: null,
  };
}
