import type { SessionEntry } from "../entry.ts";
import type { MessageDraft } from "../message/ids.ts";
import { withId } from "../message/ids.ts";
import type { Message } from "../message/message.ts";
import { toolCallsOf } from "../message/message.ts";
import type { SessionWriter } from "../ports.ts";
import type { ContextManager } from "../session/context-manager.ts";
import type { UsageTotals } from "./usage-totals.ts";
import { foldTotals, NO_USAGE } from "./usage-totals.ts";

/** The context manager's log and its copy in the store, kept the same. */
export interface SessionLog {
  /** Appends a message under the id that follows from the ones before it. */
  say(draft: MessageDraft): Promise<Message>;
  append(entry: SessionEntry): Promise<void>;
  /** Writes what the manager appended by itself. Called after each of its operations. */
  flush(): Promise<void>;
  /** True for an id that a call of this session has. */
  hasCall(callId: string): boolean;
  /** The id that the next message's id follows from. */
  lastMessageId(): string | null;
  totals(): UsageTotals;
}

/** `writtenCount` entries of the manager's log are in the store already. */
export function createSessionLog(manager: ContextManager, writer: SessionWriter, writtenCount: number): SessionLog {
  const callIds = new Set<string>();
  let lastMessageId: string | null = null;
  let totals = NO_USAGE;
  let seenCount = 0;
  let writtenTo = writtenCount;
  let writing: Promise<void> = Promise.resolve();

  const see = () => {
    for (const entry of manager.entries().slice(seenCount)) {
      seenCount += 1;
      totals = foldTotals(totals, entry);
      if (entry.type !== "message") continue;
      lastMessageId = entry.message.id;
      for (const call of toolCallsOf(entry.message)) callIds.add(call.callId);
    }
  };
  const writeFresh = async () => {
    const fresh = manager.entries().slice(writtenTo);
    if (fresh.length === 0) return;
    await writer.append(fresh);
    writtenTo += fresh.length;
  };
  const flush = () => {
    see();
    // After a write that failed the next one brings what is missing: the log never has a gap.
    writing = writing.catch(() => undefined).then(writeFresh);
    return writing;
  };
  const append = async (entry: SessionEntry) => {
    manager.append(entry);
    await flush();
  };
  see();
  return {
    append,
    flush,
    say: async (draft) => {
      const message = withId(draft, lastMessageId);
      await append({ type: "message", message });
      return message;
    },
    hasCall: (callId) => callIds.has(callId),
    lastMessageId: () => lastMessageId,
    totals: () => totals,
  };
}
