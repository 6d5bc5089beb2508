import type { CompactionEntry } from "../entry.ts";
import { NO_WORK } from "../entry.ts";
import { shortHash } from "../hash.ts";
import type { MessageDraft } from "../message/ids.ts";
import { withId } from "../message/ids.ts";
import type { Message } from "../message/message.ts";
import { coverageOf } from "../message/size.ts";
import type { SessionView } from "../session/view.ts";

/** The entry that puts the messages given in the place of all that a view holds. What was there stays in the log, and can be undone to. */
export function replaceHistory(view: SessionView, history: readonly MessageDraft[], nowMs: number): CompactionEntry {
  const id = shortHash(`replace-history\n${view.lastEntryId ?? ""}`);
  let previousId = id;
  const messages = history.map((draft): Message => {
    const message = withId(draft, previousId);
    previousId = message.id;
    return message;
  });
  const replaced = view.messages.slice();
  return {
    type: "compaction",
    id,
    throughEntryId: view.lastEntryId,
    edits: [{ kind: "replace-history", through: replaced.at(-1)?.id ?? null, messages, covered: coverageOf(replaced) }],
    record: {
      policy: "caller",
      reason: "manual",
      gate: null,
      steps: [{ strategy: "replace-history", outcome: "applied", detail: null }],
      estimator: "none",
      cutEstimator: null,
      modelId: view.modelId,
      budgetTokens: null,
      tokensBefore: null,
      tokensAfter: null,
      messagesBefore: replaced.length,
      messagesAfter: messages.length,
      work: NO_WORK,
    },
    atMs: nowMs,
  };
}
