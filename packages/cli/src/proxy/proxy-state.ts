import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { appendFile, mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import type { SessionStore } from "@plimsoll/core/agent";
import { createFileSessionStore, takeFolder } from "@plimsoll/core/node";
import type { ConversationKeys, KeyNote, LearnedLimit, LearnedLimits } from "@plimsoll/providers/proxy";
import { createConversationKeys, NOTHING_LEARNED } from "@plimsoll/providers/proxy";
import { z } from "zod";

/** What a proxy keeps on the disk. All files are the owner's alone. */
export interface ProxyState {
  readonly sessions: SessionStore;
  readonly keys: ConversationKeys;
  readonly learned: LearnedLimits;
  /** The proxy's own token: made once, so that what was exported stays true after a restart. */
  readonly token: string;
  /** Writes everything that was noted, and gives the folders free. */
  close(): Promise<void>;
}

/** Where state is kept, and for how long. */
export interface StateOptions {
  /** Holds token and notes. */
  readonly folder: string;
  /** Holds the conversations' logs. */
  readonly logs: string;
  /** Logs that were not written to since then are removed; `null` for none. */
  readonly removeBeforeMs: number | null;
  readonly onProblem: (line: string) => void;
}

const OWNER_ONLY = { folder: 0o700, file: 0o600 } as const;
const NOTES_FILE = "notes.jsonl";
const TOKEN_FILE = "token";
const TOKEN_BYTES = 18;

const limit = z.number().nonnegative();
const noteSchema = z.union([
  z.strictObject({ type: z.literal("key"), key: z.string(), session: z.string().nullable(), opening: z.string().nullable() }),
  z.strictObject({
    type: z.literal("limit"),
    model: z.string(),
    statedTokens: limit.nullable(),
    refusedTokens: limit.nullable(),
    answeredTokens: limit,
    isMeasured: z.boolean(),
  }),
]);
type Note = z.infer<typeof noteSchema>;

/**
 * Takes the folders, opens what is kept in them, and removes what is older than it may be.
 *
 * @throws PlimsollError `session-conflict` naming the process that has one of them.
 */
export async function openProxyState(options: StateOptions): Promise<ProxyState> {
  const { folder, logs, onProblem } = options;
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY.folder });
  const release = await takeFolders(options);
  const sessions = createFileSessionStore({ folder: logs });
  await removeOld(sessions, options);
  const notes = await notesIn(join(folder, NOTES_FILE));
  let written: Promise<void> = Promise.resolve();
  const write = (note: Note): Promise<void> => {
    const next = written.then(() =>
      appendFile(join(folder, NOTES_FILE), `${JSON.stringify(note)}\n`, { mode: OWNER_ONLY.file, flush: true }),
    );
    written = next.catch((error: unknown) => onProblem(`notes are not written: ${String(error)}`));
    return written;
  };
  const known = notes.flatMap((note): readonly KeyNote[] => (note.type === "key" ? [note] : []));
  return {
    sessions,
    keys: createConversationKeys(known, (note) => write({ type: "key", ...note })),
    learned: learnedByModel(notes, write),
    token: await tokenIn(join(folder, TOKEN_FILE)),
    close: async () => {
      await written;
      await release();
    },
  };
}

/** Two proxies on one folder would each find conversations that the other one has, and could not compact them. */
async function takeFolders({ folder, logs }: StateOptions): Promise<() => Promise<void>> {
  const rule = (option: string) =>
    `a folder has one proxy at a time; stop that one, or give this one another folder by ${option}`;
  const releaseState = await takeFolder(folder, { use: "proxy", rule: rule("--state") });
  if (logs.startsWith(join(folder, sep))) return releaseState;
  try {
    await mkdir(logs, { recursive: true, mode: OWNER_ONLY.folder });
    const releaseLogs = await takeFolder(logs, { use: "proxy-log", rule: rule("--record") });
    return () => releaseLogs().then(releaseState);
  } catch (error) {
    await releaseState();
    throw error;
  }
}

/** The notes of a file; a last line that a crash cut off is passed over, and ends before the next one. */
async function notesIn(path: string): Promise<readonly Note[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  if (text !== "" && !text.endsWith("\n")) await appendFile(path, "\n");
  return text.split("\n").flatMap((line) => {
    try {
      const note = noteSchema.safeParse(JSON.parse(line));
      return note.success ? [note.data] : [];
    } catch {
      return [];
    }
  });
}

/** What was learned of a model holds for every conversation: all of them ask one upstream. Written if a limit changed. */
function learnedByModel(notes: readonly Note[], write: (note: Note) => Promise<void>): LearnedLimits {
  const known = new Map<string, LearnedLimit>();
  for (const note of notes) {
    if (note.type !== "limit") continue;
    const { model, statedTokens, refusedTokens, answeredTokens, isMeasured } = note;
    known.set(model, { statedTokens, refusedTokens, answeredTokens, isMeasured });
  }
  const of: LearnedLimits["of"] = (_, model = "") => known.get(model) ?? NOTHING_LEARNED;
  return {
    of,
    learn: (conversation, model = "", next) => {
      const before = of(conversation, model);
      const after = next(before);
      known.set(model, after);
      const isNews = after.statedTokens !== before.statedTokens || after.refusedTokens !== before.refusedTokens;
      if (isNews) void write({ type: "limit", model, ...after });
    },
  };
}

/** The token of a file, made if there is none. */
async function tokenIn(path: string): Promise<string> {
  const made = randomBytes(TOKEN_BYTES).toString("base64url");
  try {
    const file = await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, OWNER_ONLY.file);
    await file.writeFile(made);
    await file.close();
    return made;
  } catch {
    // It is there already, or nothing can be written here: then the token holds for this run alone.
    const kept = (await readFile(path, "utf8").catch(() => "")).trim();
    return /^[\w-]{16,}$/.test(kept) ? kept : made;
  }
}

/** Makes a new token for the next start. */
export async function renewToken(folder: string): Promise<void> {
  await rm(join(folder, TOKEN_FILE), { force: true });
}

async function removeOld(sessions: SessionStore, { removeBeforeMs, onProblem, folder }: StateOptions): Promise<void> {
  if (removeBeforeMs === null) return;
  const all = await sessions.list();
  const old = all.filter(({ updatedMs }) => updatedMs !== null && updatedMs < removeBeforeMs);
  for (const { sessionId } of old)
    await sessions.delete(sessionId).catch((error: unknown) => onProblem(`${sessionId} is not removed: ${String(error)}`));
  if (all.length > 0 && old.length === all.length) await forgetKeys(join(folder, NOTES_FILE));
}

/** Without logs no key means anything; limits are kept. */
async function forgetKeys(path: string): Promise<void> {
  const limits = (await notesIn(path)).filter(({ type }) => type === "limit");
  await writeFile(`${path}.new`, limits.map((note) => `${JSON.stringify(note)}\n`).join(""), { mode: OWNER_ONLY.file });
  await rename(`${path}.new`, path);
}
