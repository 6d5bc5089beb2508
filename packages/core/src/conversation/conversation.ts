import type { FitInput, FitOutcome } from "../engine/fit-input.ts";
import type { SessionEntry, UsageEntry } from "../entry.ts";
import type { MessageDraft } from "../message/ids.ts";
import { overheadHash, withId } from "../message/ids.ts";
import type { Message } from "../message/message.ts";
import { toolCallsOf } from "../message/message.ts";
import { messageChars } from "../message/size.ts";
import type { SessionWriter } from "../ports.ts";
import type { ContextManager } from "../session/context-manager.ts";
import { createContextManager } from "../session/context-manager.ts";
import type { ContextManagerOptions } from "../session/context-manager-options.ts";
import type { SessionView } from "../session/view.ts";
import type { Usage } from "../usage.ts";
import { createQueue } from "./queue.ts";
import type { UsageTotals } from "./usage-totals.ts";
import { foldTotals, NO_USAGE } from "./usage-totals.ts";

/** What a conversation is made of. */
export interface ConversationOptions extends Omit<ContextManagerOptions, "entries"> {
  /** The log so far; the first entry names the session. */
  readonly entries: readonly SessionEntry[];
  /** Where the log is kept, holding `entries` already; `null` for a conversation that lives in memory alone. */
  readonly writer: SessionWriter | null;
  /** The clock. */
  readonly nowMs: () => number | null;
}

/** A fit of a conversation: the clock is its own. */
export type ConversationFit = Omit<FitInput, "nowMs">;

/** What a provider reported of one request. */
export interface ReportedUsage {
  readonly requestId: string;
  readonly modelId: string;
  readonly usage: Usage;
}

/**
 * One conversation: a log and its copy in the store, one queue of work, one clock, one set of pins, state providers and hooks. The agent,
 * every drop-in and the replay stand on it. When a promise resolves, what it did is in the store.
 */
export interface Conversation {
  readonly manager: ContextManager;
  /** Runs work when all work that was given before has ended. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Work that was given and has not ended. */
  pendingCount(): number;
  /** Appends a message under the id that follows from the ones before it. */
  say(draft: MessageDraft): Promise<Message>;
  append(entry: SessionEntry): Promise<void>;
  fit(input: ConversationFit, signal: AbortSignal): Promise<FitOutcome>;
  /** Logs what a request measured that sent `sent`. Nothing if the view is another one by now: the report would measure something else. */
  report(sent: SessionView, reported: ReportedUsage): Promise<UsageEntry | null>;
  /** Writes what the manager appended by itself. Called after each of its operations. */
  flush(): Promise<void>;
  /** Ids of the messages that were appended, in order. */
  messageIds(): readonly string[];
  /** True for an id that a call of this conversation has. */
  hasCall(callId: string): boolean;
  totals(): UsageTotals;
  /** Characters of all messages that were appended: what it takes in memory, about. */
  sizeChars(): number;
  /** Gives the log free for other writers, after the work that goes on. */
  close(): Promise<void>;
}

/** A conversation over a log. What a crash left unsendable is repaired; the repairs are written with the first flush. */
export function createConversation(options: ConversationOptions): Conversation {
  const { entries, writer, nowMs, ...context } = options;
  const manager = createContextManager({ ...context, entries });
  const queue = createQueue();
  const writes = createQueue();
  const hashOf = createOverheadHash();
  const messageIds: string[] = [];
  const callIds = new Set<string>();
  let totals = NO_USAGE;
  let sizeChars = 0;
  let seenCount = 0;
  let writtenCount = entries.length;

  const see = () => {
    for (const entry of manager.entries().slice(seenCount)) {
      seenCount += 1;
      totals = foldTotals(totals, entry);
      if (entry.type !== "message") continue;
      messageIds.push(entry.message.id);
      sizeChars += messageChars(entry.message) + imageChars(entry.message);
      for (const call of toolCallsOf(entry.message)) callIds.add(call.callId);
    }
  };
  const flush = () => {
    see();
    // After a write that failed the next one brings what is missing: the log never has a gap.
    return writes.run(async () => {
      const fresh = manager.entries().slice(writtenCount);
      if (fresh.length === 0) return;
      await writer?.append(fresh);
      writtenCount += fresh.length;
    });
  };
  const append = async (entry: SessionEntry) => {
    manager.append(entry);
    await flush();
  };
  see();
  return {
    manager,
    inTurn: queue.run,
    pendingCount: queue.pendingCount,
    append,
    flush,
    say: async (draft) => {
      const message = withId(draft, manager.state().lastMessageId);
      await append({ type: "message", message });
      return message;
    },
    fit: async (input, signal) => {
      const outcome = await manager.fit({ ...input, nowMs: nowMs() }, signal);
      await flush();
      return outcome;
    },
    report: async (sent, reported) => {
      if (sent.viewHash !== manager.view().viewHash) return null;
      const entry: UsageEntry = {
        type: "usage",
        ...reported,
        throughMessageId: sent.messages.at(-1)?.id ?? null,
        overheadHash: hashOf(sent),
        viewHash: sent.viewHash,
        atMs: nowMs(),
      };
      await append(entry);
      return entry;
    },
    messageIds: () => {
      see();
      return messageIds;
    },
    hasCall: (callId) => {
      see();
      return callIds.has(callId);
    },
    totals: () => {
      see();
      return totals;
    },
    sizeChars: () => {
      see();
      return sizeChars;
    },
    close: () => queue.run(async () => await writer?.close()),
  };
}

/** Characters of the images whose bytes are in the message. */
function imageChars({ parts }: Message): number {
  let chars = 0;
  for (const part of parts) if (part.type === "image" && part.source.kind === "base64") chars += part.source.data.length;
  return chars;
}

/** The hash of a view's overhead, made anew only if system text or tools are others than when it was asked before. */
function createOverheadHash(): (view: Pick<SessionView, "system" | "tools">) => string {
  let known: { readonly view: Pick<SessionView, "system" | "tools">; readonly hash: string } | null = null;
  return (view) => {
    if (known === null || known.view.system !== view.system || known.view.tools !== view.tools)
      known = { view: { system: view.system, tools: view.tools }, hash: overheadHash(view.system, view.tools) };
    return known.hash;
  };
}
