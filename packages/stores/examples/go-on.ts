import { createDigest } from "@plimsoll/core";
import { LOG_VERSION, openSession } from "@plimsoll/core/extend";
import { createFileSessionStore, loadPolicy } from "@plimsoll/stores";

/** Goes on with a session in a folder, or begins it. Returns how many messages it has. */
export async function goOn(folder: string, id: string, text: string): Promise<number> {
  const { policy } = loadPolicy(`${folder}/plimsoll.yaml`);
  const sessions = createFileSessionStore({ folder: `${folder}/sessions` });
  const about = { system: "You are a coding agent.", tools: [], createdMs: Date.now(), parent: null, agent: null };
  const isThere = (await sessions.read(id)) !== null;
  const { session } = await openSession(
    { policy, summarizer: createDigest(), nowMs: Date.now },
    sessions,
    isThere ? { sessionId: id } : { type: "session", version: LOG_VERSION, id, ...about },
  );
  await session.say({ role: "user", origin: "human", parts: [{ type: "text", text }], atMs: Date.now() });
  const { messages } = session.context();
  await session.close();
  return messages.length;
}
