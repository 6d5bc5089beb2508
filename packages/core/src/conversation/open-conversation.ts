import { deadlineOf } from "../deadline.ts";
import type { SessionEntry, SessionStartEntry } from "../entry.ts";
import type { EntryListener, SessionStore, SessionWriter } from "../ports.ts";
import { managerOf } from "../session/context-manager.ts";
import { createHeldSession } from "../session/held-session.ts";
import type { LogArchive } from "../session/session-setup.ts";
import { sessionsDoor } from "../session/store-door.ts";
import { isUndoArchived } from "../session/view.ts";
import { createBackground } from "./background.ts";
import { type Conversation, type ConversationSetting, conversationOver } from "./conversation.ts";
import { createTally } from "./tally.ts";

/** A conversation that was taken up from a store, and what a crash left of the last line of its log. */
export interface OpenedConversation {
  readonly conversation: Conversation;
  readonly cutOff: { readonly line: number; readonly bytes: number } | null;
}

/**
 * A conversation whose log a store keeps: a new one, or one to go on with. The log is read entry by entry. Only what the context needs stays
 * in memory; what compactions covered is read back if a handle or an undo asks for it.
 *
 * @throws PlimsollError as {@link SessionStore} does.
 */
export async function openConversation(
  { nowMs, ...context }: ConversationSetting,
  store: SessionStore,
  session: SessionStartEntry | { readonly sessionId: string },
): Promise<OpenedConversation> {
  const sessions = sessionsDoor(store, deadlineOf(context));
  const opened = async (mayBeUndone: ReadonlySet<string>): Promise<OpenedConversation> => {
    const tally = createTally();
    const { archive, isAt } = archiveIn(sessions);
    const background = createBackground(context);
    const held = createHeldSession({ ...context, archive, prepared: background.prepared });
    const take = (entry: SessionEntry) => {
      held.take(entry, entry.type === "compaction" && mayBeUndone.has(entry.id));
      tally.add(entry);
    };
    const { writer, cutOff } = await writerOf(session, sessions, take);
    isAt(writer);
    try {
      const manager = managerOf(held, context);
      const kept = { writer, isArchived: true, heldCount: 0 };
      const told = context.onEvent === undefined ? {} : { onEvent: context.onEvent };
      return { conversation: conversationOver({ manager, tally, background, nowMs, ...kept, ...told }), cutOff };
    } catch (error) {
      await writer.close();
      throw error;
    }
  };
  return await opened(new Set()).catch(async (error: unknown) => {
    if (!isUndoArchived(error) || "type" in session) throw error;
    const undone = new Set<string>();
    await sessions.read(session.sessionId, (entry) => {
      if (entry.type === "revert") undone.add(entry.compactionId);
    });
    return await opened(undone);
  });
}

async function writerOf(
  session: SessionStartEntry | { readonly sessionId: string },
  sessions: SessionStore,
  take: EntryListener,
): Promise<Pick<OpenedConversation, "cutOff"> & { readonly writer: SessionWriter }> {
  if (!("type" in session)) {
    const opened = await sessions.open(session.sessionId, take);
    // A store that hands nothing over answers with all of them.
    for (const entry of opened.entries) take(entry);
    return opened;
  }
  const writer = await sessions.create(session);
  take(session);
  return { writer, cutOff: null };
}

/** The archive of a log whose writer is known once it is open. */
function archiveIn(sessions: SessionStore): { readonly archive: LogArchive; readonly isAt: (writer: SessionWriter) => void } {
  let at: SessionWriter | null = null;
  const writer = () => {
    if (at === null) throw new Error("the log is not open yet");
    return at;
  };
  return {
    archive: {
      entryAt: async (index) => await writer().entryAt(index),
      read: async (onEntry) => void (await sessions.read(writer().sessionId, onEntry)),
    },
    isAt: (opened) => {
      at = opened;
    },
  };
}
