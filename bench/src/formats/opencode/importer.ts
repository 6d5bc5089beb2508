import { basename, join } from "node:path";
import { PlimsollError } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { documentImporter } from "../document.ts";
import { type Fields, parseRecord, recordAt, recordsAt, stringAt } from "../fields.ts";
import type { FileSource, Importer } from "../importer.ts";
import { transcriptOf } from "../log-builder.ts";
import { openCodeSession } from "./session.ts";

const FORMAT = "opencode";

/**
 * Sessions of OpenCode as it keeps them in files: `storage/session/<project>/<id>.json` is the session, its messages and their parts
 * are files of their own beside it. Newer versions keep them in a database: `database.ts` reads each as an exported one.
 */
export const openCodeStorageImporter: Importer = {
  format: FORMAT,
  description: "OpenCode: ~/.local/share/opencode/storage/session/*/ses_*.json with the messages beside it",
  newestSeen: "1.18",
  recognises: ({ firstObjects: [first] }) =>
    stringAt(first, "id")?.startsWith("ses_") === true && first?.messages === undefined && first?.time !== undefined,
  read: async (source: FileSource) => {
    const file = source.displayName;
    const info = parseRecord(await source.text()) ?? {};
    const messages = await messagesOf(source, stringAt(info, "id") ?? "");
    const { start, cwd = null, items } = openCodeSession({ info, messages });
    return [
      transcriptOf({ name: file, file, format: FORMAT, start: { ...start, id: start.id ?? file }, cwd, items, notes: [] }),
    ];
  },
};

/** The messages with their parts; ids grow with time, so that the order of the names is the order of the session. */
async function messagesOf(source: FileSource, sessionId: string): Promise<readonly Fields[]> {
  const infos = await recordsIn(source, folderOf("message", sessionId));
  return Promise.all(
    infos.map(async (info) => ({ info, parts: await recordsIn(source, folderOf("part", stringAt(info, "id") ?? "")) })),
  );
}

/** From the folder of the session's file to that of all sessions, messages and parts. */
const STORAGE = "../..";

/** The folder of an id; an id from a file names a folder, it is no path. */
function folderOf(kind: "message" | "part", id: string): string {
  return join(STORAGE, kind, basename(id) === "" ? "none" : basename(id));
}

/** A message without parts has no folder for them. */
async function recordsIn(source: FileSource, folder: string): Promise<readonly Fields[]> {
  const names = (await source.namesIn(folder)).filter((name) => name.endsWith(".json"));
  const texts = await Promise.all(names.map((name) => source.beside(join(folder, name))));
  const lost = names[texts.indexOf(null)];
  const file = source.displayName;
  if (lost !== undefined)
    throw new PlimsollError("bad-input", `${file}: ${lost}, which belongs to it, cannot be read`, { file });
  return texts.map((text) => parseRecord(text ?? "")).filter((record) => record !== null);
}

/** Sessions of OpenCode as `opencode export` writes them. */
export const openCodeImporter: Importer = documentImporter({
  format: FORMAT,
  description: "OpenCode: the document of `opencode export` (seen: 1.4 to 1.18)",
  newestSeen: "1.18",
  recognises: ({ firstObjects: [first] }) =>
    recordsAt(first, "messages")
      .slice(0, 1)
      .some((each) => recordAt(each, "info") !== null && Array.isArray(each.parts)) && recordAt(first, "info") !== null,
  sessions: (documents) => documents.filter(isRecord).map(openCodeSession),
});
