import { randomBytes } from "node:crypto";
import { constants, existsSync, statSync } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { beginningOf } from "@plimsoll/bench/terminal";
import { PlimsollError, type SessionStore } from "@plimsoll/core";
import { believedAt, believedLimits, learnedWindowTokens, NOTHING_LEARNED, REQUEST_UNITS } from "@plimsoll/core/extend";
import { createConversationKeys, createLearnedLimits } from "@plimsoll/providers/proxy";
import { createFileSessionStore, openRegularFile, readSmallFile, takeFolder, writeWholeFile } from "@plimsoll/stores";
import { z } from "zod";
import { UNIT_WORDS } from "../run/event-lines.ts";
import { shortId } from "./proxy-status.ts";

type LearnedLimits = ReturnType<typeof createLearnedLimits>;

/** The state that a proxy keeps on the disk. Only the owner may read its files. */
export interface ProxyState {
  readonly sessions: SessionStore;
  readonly keys: ReturnType<typeof createConversationKeys>;
  readonly learned: LearnedLimits;
  /** The proxy's own token: made once, so that exported addresses stay true after a restart. */
  readonly token: string;
  listensAt(url: string): void;
  /** Writes everything that was noted, and gives the folders free. */
  close(): Promise<void>;
}

/** Where state is kept, and for how long. */
export interface StateOptions {
  readonly folder: string;
  readonly logs: string;
  /** Logs that were not written to since then are removed; `null` for none. */
  readonly removeBeforeMs: number | null;
  readonly onProblem: (line: string) => void;
  readonly nowMs: () => number;
  /** Whether the person said how large windows are: then a limit learned in one conversation holds only for it. */
  readonly windows: "stated" | "known";
  readonly onLimit: (line: string) => void;
}

const OWNER_ONLY = { folder: 0o700, file: 0o600 } as const;
const NOTES_FILE = "notes.jsonl";
const TOKEN_FILE = "token";

/** Holds the address of the proxy that runs on the state, with its token; there is none while no proxy runs. */
export const ADDRESS_FILE = "address";
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
    // Notes of before have no time: they are as old as they can be.
    refusedAtMs: limit.nullable().default(0),
    request: z
      .partialRecord(z.enum(REQUEST_UNITS), z.strictObject({ limit, entryId: z.string(), atMs: limit.nullable() }))
      .default({}),
  }),
  /** Limits of a model that were learned before this line are forgotten; `null` for all models. */
  z.strictObject({ type: z.literal("forgotten"), model: z.string().nullable(), atMs: limit }),
]);
type Note = z.infer<typeof noteSchema>;

/**
 * Takes the folders, opens the files in them, and removes those beyond their age.
 *
 * @throws PlimsollError `session-conflict` naming the process that has one of them, `bad-input` for notes or a token that may not be read: the
 * folders are free again then.
 */
export async function openProxyState(options: StateOptions): Promise<ProxyState> {
  await mkdir(options.folder, { recursive: true, mode: OWNER_ONLY.folder });
  const release = await takeFolders(options);
  try {
    return await stateIn(options, release);
  } catch (error) {
    await release();
    throw error;
  }
}

async function stateIn(options: StateOptions, release: () => Promise<void>): Promise<ProxyState> {
  const { folder, logs, onProblem } = options;
  const sessions = createFileSessionStore({ folder: logs });
  await removeOld(sessions, options);
  const notes = await notesIn(join(folder, NOTES_FILE));
  let written: Promise<void> = Promise.resolve();
  const write = (note: Note): Promise<void> => {
    const next = written.then(() => append(join(folder, NOTES_FILE), `${JSON.stringify(note)}\n`));
    written = next.catch((error: unknown) => onProblem(`notes are not written: ${String(error)}`));
    return written;
  };
  const known = notes.filter((note) => note.type === "key");
  return {
    sessions,
    keys: createConversationKeys(known, (note) => write({ type: "key", ...note })),
    learned: learnedByModel(write, options),
    token: await tokenIn(join(folder, TOKEN_FILE)),
    listensAt: (url) => writeWholeFile(join(folder, ADDRESS_FILE), `${url}\n`, OWNER_ONLY.file),
    close: async () => {
      await written;
      await rm(join(folder, ADDRESS_FILE), { force: true });
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

/** Adds to a file that is made if there is none; rejects for a link, a device or a pipe. */
async function append(path: string, text: string): Promise<void> {
  const flags = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY;
  const file = await openRegularFile(path, { flags, mode: OWNER_ONLY.file });
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The most bytes of notes that are read, some 500,000 of them; chosen. */
const MAXIMUM_NOTES_BYTES = 100_000_000;

/** The text of a file of the state's folder, which no link may lead out of; empty if there is none. */
function textIn(path: string): string {
  const found = readSmallFile(path, { within: dirname(path), maximumBytes: MAXIMUM_NOTES_BYTES });
  if (found.kind === "refused") throw new PlimsollError("bad-input", `${path}: ${found.why}`, { file: path });
  return found.kind === "text" ? found.text : "";
}

/** The notes of a file; a last line that a crash cut off is passed over, and ends before the next one. */
async function notesIn(path: string): Promise<readonly Note[]> {
  const text = textIn(path);
  if (text !== "" && !text.endsWith("\n")) await append(path, "\n");
  return parsedNotes(text);
}

function parsedNotes(text: string): readonly Note[] {
  return text.split("\n").flatMap((line) => {
    try {
      const note = noteSchema.safeParse(JSON.parse(line));
      return note.success ? [note.data] : [];
    } catch {
      return [];
    }
  });
}

/** The limits of a file's notes that are still believed, by model. */
function limitsIn(notes: readonly Note[], nowMs: number): ReadonlyMap<string, ReturnType<LearnedLimits["of"]>> {
  const known = new Map<string, ReturnType<LearnedLimits["of"]>>();
  for (const note of notes) {
    if (note.type !== "limit") continue;
    const { type: _, model, ...learned } = note;
    known.set(model, believedAt(learned, nowMs));
  }
  return known;
}

/** Growth of the largest answer from which on it is written: it outweighs refusals after a restart, too. Chosen. */
const WORTH_WRITING_RATIO = 1.25;

/**
 * Shares the limits learned of a model among all conversations, as all of them ask one upstream: until a larger request is answered, or for a day. A
 * refusal below an answered size, and any below a window that the person stated, holds only for its conversation.
 */
function learnedByModel(
  write: (note: Note) => Promise<void>,
  { folder, nowMs, windows, onLimit }: Pick<StateOptions, "folder" | "nowMs" | "windows" | "onLimit">,
): LearnedLimits {
  const path = join(folder, NOTES_FILE);
  const inodeNow = () => statSync(path, { throwIfNoEntry: false })?.ino ?? null;
  const asKept = () => {
    const notes = parsedNotes(textIn(path));
    const known = new Map(windows === "stated" ? [] : limitsIn(notes, nowMs()));
    const written = new Map([...known].map(([model, { answeredTokens }]) => [model, answeredTokens] as const));
    return { inode: inodeNow(), notes, known, written, own: createLearnedLimits() };
  };
  let state = asKept();
  /** The state; read anew if another process wrote the file: a limit that a person wants forgotten is gone at the next request. */
  const current = () => {
    const inode = inodeNow();
    if (state.inode === null) state = { ...state, inode };
    else if (inode !== null && inode !== state.inode) state = asKept();
    return state;
  };
  const sharedOf = (model: string) => believedAt(current().known.get(model) ?? NOTHING_LEARNED, nowMs());
  const of: LearnedLimits["of"] = (conversation, model = "") => {
    const [mine, shared] = [believedAt(current().own.of(conversation, model), nowMs()), sharedOf(model)];
    if (mine === NOTHING_LEARNED) return shared;
    const isRefuted = mine.refusedTokens !== null && shared.answeredTokens > mine.refusedTokens;
    const request = { ...shared.request, ...mine.request };
    return isRefuted ? { ...mine, refusedTokens: null, request } : { ...mine, request };
  };
  return {
    of,
    forgottenMs: (model = "") => forgottenMs(current().notes, model),
    learn: (conversation, model = "", next) => {
      const mine = of(conversation, model);
      const [before, after] = [sharedOf(model), next(mine)];
      const { own, known, written } = current();
      own.learn(conversation, model, () => after);
      const toldLines = requestLines(model, mine, nowMs());
      for (const line of requestLines(model, after, nowMs())) if (!toldLines.includes(line)) onLimit(`refused; ${line}`);
      const windowTokens = limitOf(after);
      if (windowTokens !== null && windowTokens !== limitOf(mine) && after.refusedAtMs !== mine.refusedAtMs)
        onLimit(`${model}: refused; prompts are kept below ${windowTokens} tokens for now (plimsoll proxy status)`);
      const shared = next(before);
      // A larger answer outweighs one refusal: other conversations go on as they are.
      if (windows === "stated" || shared.answeredTokens < before.answeredTokens) return;
      known.set(model, shared);
      const isOther = JSON.stringify(shared.request) !== JSON.stringify(before.request);
      const isNews = isOther || shared.statedTokens !== before.statedTokens || shared.refusedTokens !== before.refusedTokens;
      if (!isNews && shared.answeredTokens <= (written.get(model) ?? 0) * WORTH_WRITING_RATIO) return;
      written.set(model, shared.answeredTokens);
      void write({ type: "limit", model, ...shared });
    },
  };
}

/** When a model's limits were last forgotten; `null` for never. */
function forgottenMs(notes: readonly Note[], model: string): number | null {
  const times = notes.flatMap((note) =>
    note.type === "forgotten" && (note.model === null || note.model === model) ? [note.atMs] : [],
  );
  return times.length === 0 ? null : Math.max(...times);
}

/** Returns the tokens that a learned limit leaves to prompts; `null` if it is no limit of tokens. */
function limitOf(learned: ReturnType<LearnedLimits["of"]>): number | null {
  const tokens = learnedWindowTokens(learned, 0);
  return tokens === null ? null : Math.round(tokens);
}

/** The limits that were learned and are still believed, a line each. */
export async function learnedLimitLines(folder: string, nowMs: number): Promise<readonly string[]> {
  const known = limitsIn(await notesIn(join(folder, NOTES_FILE)), nowMs);
  return [...known].flatMap(([model, learned]) => {
    const others = requestLines(model, learned, nowMs);
    const tokens = limitOf(learned);
    if (tokens === null) return others;
    const how = learned.statedTokens === null ? "by a refusal without a number" : "as the provider named it";
    const since = learned.refusedAtMs === null ? "" : `, since ${new Date(learned.refusedAtMs).toISOString()}`;
    return [`${model}  ${tokens} tokens, ${how}${since}`, ...others];
  });
}

const BYTES_PER_KB = 1_000;
/** A line of 80 characters, less the words before it. */
const STORED_CHARS = 66;
const dayOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, "2026-01-31".length);

/** The conversations that are kept, a line each; those left out are in the memory of a proxy. */
export async function storedLines(
  sessions: SessionStore,
  leftOut: ReadonlySet<string> = new Set(),
): Promise<readonly string[]> {
  const stored = (await sessions.list()).filter(({ sessionId }) => !leftOut.has(sessionId));
  return stored.map(({ sessionId, updatedMs, bytes, title }) =>
    beginningOf(
      [
        shortId(sessionId),
        updatedMs === null ? "?" : dayOf(updatedMs),
        `${Math.ceil(bytes / BYTES_PER_KB)} kB`,
        title ?? "",
      ].join("  "),
      STORED_CHARS,
    ),
  );
}

/** Lists the limits learned of a model's requests in other units than tokens, a line each. */
function requestLines(model: string, { request }: ReturnType<LearnedLimits["of"]>, nowMs: number): readonly string[] {
  const limits = believedLimits(request, nowMs);
  return REQUEST_UNITS.flatMap((unit) =>
    limits[unit] === undefined ? [] : [`${model}  at most ${limits[unit]} ${UNIT_WORDS[unit]}`],
  );
}

/**
 * Removes the limits learned of a model, or of all; gives the number of removed notes. A proxy that runs forgets before its next request, its conversations' logs
 * included.
 */
export async function forgetLimits(folder: string, model: string | null, nowMs: number): Promise<number> {
  const path = join(folder, NOTES_FILE);
  const notes = await notesIn(path);
  const kept = notes.filter((note) => note.type === "key" || (model !== null && note.model !== model));
  writeNotes(path, [...kept, { type: "forgotten", model, atMs: nowMs }]);
  return notes.filter((note) => note.type === "limit").length - kept.filter((note) => note.type === "limit").length;
}

/** Forgets the limits learned of a model, or of `all`, and says so. Throws `bad-input` if there are none. */
export async function forgotten(folder: string, model: string, nowMs: number): Promise<string> {
  if (!existsSync(folder) || (await forgetLimits(folder, model === "all" ? null : model, nowMs)) === 0)
    throw new PlimsollError("bad-input", model === "all" ? "no limit was learned" : `no limit was learned of ${model}`);
  return "learned limits were forgotten";
}

async function tokenIn(path: string): Promise<string> {
  const made = randomBytes(TOKEN_BYTES).toString("base64url");
  try {
    const file = await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, OWNER_ONLY.file);
    await file.writeFile(made);
    await file.close();
    return made;
  } catch {
    // It is there already, or nothing can be written here: then the token holds only for this run.
    const kept = textIn(path).trim();
    return /^[\w-]{16,}$/.test(kept) ? kept : made;
  }
}

async function removeOld(sessions: SessionStore, { removeBeforeMs, onProblem, folder }: StateOptions): Promise<void> {
  if (removeBeforeMs === null) return;
  const all = await sessions.list();
  const old = all.filter(({ updatedMs }) => updatedMs !== null && updatedMs < removeBeforeMs);
  for (const { sessionId } of old)
    await sessions.delete(sessionId).catch((error: unknown) => onProblem(`${sessionId} is not removed: ${String(error)}`));
  const path = join(folder, NOTES_FILE);
  // Without logs no key means anything; limits are kept.
  const isLast = all.length > 0 && old.length === all.length;
  if (isLast)
    writeNotes(
      path,
      (await notesIn(path)).filter(({ type }) => type !== "key"),
    );
}

function writeNotes(path: string, notes: readonly Note[]): void {
  writeWholeFile(path, notes.map((note) => `${JSON.stringify(note)}\n`).join(""), OWNER_ONLY.file);
}
