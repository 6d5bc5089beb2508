import { option, shortHash } from "@plimsoll/core/extend";
import { z } from "zod";

/** Signs by which the requests of one conversation are recognised. They are only hashes; `null` for a sign that was absent. */
export interface ConversationSigns {
  /** Of the program's own name. */
  readonly session: string | null;
  /** Of the history through the model's first reply, which no later message changes. */
  readonly opening: string | null;
}

/** The key of a conversation, and signs of it. */
export interface KeyNote extends ConversationSigns {
  readonly key: string;
}

/** Finds the conversation that a request to the proxy belongs to. */
export interface ConversationKeys {
  /**
   * The key of a request's conversation: its session's, else that of a known history with the same opening (the program has given the session another name), else a
   * new one. `null` for a request without either: it has no history. Resolves when new notes are written.
   */
  keyFor(signs: ConversationSigns): Promise<string | null>;
  /** True if there is a conversation with this opening. */
  has(opening: string): boolean;
}

const KEYS = option.schema({ notes: z.array(z.looseObject({ key: option.text })), write: option.fn });

/** Makes the keys from earlier notes. `write` stores each new note; `keyFor` waits for it. */
export function createConversationKeys(notes: readonly KeyNote[], write: (note: KeyNote) => Promise<void>): ConversationKeys {
  option.check("conversations' keys", KEYS, { notes, write });
  const bySession = new Map<string, string>();
  const byOpening = new Map<string, string>();
  const learn = ({ key, session, opening }: KeyNote) => {
    if (session !== null) bySession.set(session, key);
    if (opening !== null && !byOpening.has(opening)) byOpening.set(opening, key);
  };
  for (const note of notes) learn(note);
  return {
    has: (opening) => byOpening.has(opening),
    keyFor: async ({ session, opening }) => {
      const named = session === null ? undefined : bySession.get(session);
      const known = opening === null ? undefined : byOpening.get(opening);
      const key = named ?? known ?? keyOf(session, opening);
      if (key === null) return null;
      const isNews = (session !== null && named === undefined) || (opening !== null && known === undefined);
      if (!isNews) return key;
      const note = { key, session, opening };
      learn(note);
      await write(note);
      return key;
    },
  };
}

function keyOf(session: string | null, opening: string | null): string | null {
  if (session !== null) return `s-${session}`;
  return opening === null ? null : `h-${shortHash(opening)}`;
}
