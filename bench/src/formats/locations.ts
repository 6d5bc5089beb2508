import type { Dirent, Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { type PlatformPath, default as systemPath } from "node:path";
import { fileEnd } from "./file-source.ts";
import { storedSession, storedSessions } from "./opencode/database.ts";

/** All agents whose logs {@link locateLogs} can find on the user's machine, in the order of the documentation. */
export const LOCATED_AGENTS = [
  "claude-code",
  "codex",
  "copilot-cli",
  "pi",
  "opencode",
  "gemini",
  "qwen-code",
  "cline",
  "roo-code",
  "kilo-code",
] as const;

/** One of them. */
export type LocatedAgent = (typeof LOCATED_AGENTS)[number];

/** A log of an agent: a file, or a session of a database as `opencode.db#ses_1`. */
export interface LocatedFile {
  readonly path: string;
  /** The time of its newest record; of the file if its end shows none. A copied file is newer than its records. */
  readonly modifiedMs: number;
}

/** A folder below the home folder, searched to any depth, and how the names of its logs begin and end. */
interface Place {
  readonly folder: string;
  /** The replacement of the folder's beginning if it is set. */
  readonly moved?: Moved;
  readonly prefix?: string;
  readonly suffixes: readonly string[];
}

/** A variable of the environment that names a folder, and the default folder if it is not set. */
interface Moved {
  readonly variable: string;
  readonly base: string;
}

/** Where the editor keeps its extensions' files: Linux, macOS, Windows. */
const EDITOR_PLACES: readonly Pick<Place, "folder" | "moved">[] = [
  { folder: ".config/Code/User", moved: { variable: "XDG_CONFIG_HOME", base: ".config" } },
  { folder: "Library/Application Support/Code/User" },
  { folder: "AppData/Roaming/Code/User", moved: { variable: "APPDATA", base: "AppData/Roaming" } },
];

const CLAUDE: Moved = { variable: "CLAUDE_CONFIG_DIR", base: ".claude" };
const CODEX: Moved = { variable: "CODEX_HOME", base: ".codex" };
const PI: Moved = { variable: "PI_CODING_AGENT_DIR", base: ".pi/agent" };
const XDG_DATA: Moved = { variable: "XDG_DATA_HOME", base: ".local/share" };

/** Codex packs logs that are older than a week. */
const CODEX_LOGS = [".jsonl", ".jsonl.zst"];

/** The agents' usual places, from their sources and documentation (read 2026). */
const PLACES: { readonly [Agent in LocatedAgent]: readonly Place[] } = {
  "claude-code": [{ folder: ".claude/projects", moved: CLAUDE, suffixes: [".jsonl"] }],
  codex: [
    { folder: ".codex/sessions", moved: CODEX, prefix: "rollout-", suffixes: CODEX_LOGS },
    { folder: ".codex/archived_sessions", moved: CODEX, prefix: "rollout-", suffixes: CODEX_LOGS },
  ],
  "copilot-cli": [{ folder: ".copilot/session-state", suffixes: [".jsonl"] }],
  pi: [{ folder: ".pi/agent/sessions", moved: PI, suffixes: [".jsonl"] }],
  opencode: [{ folder: ".local/share/opencode/storage/session", moved: XDG_DATA, prefix: "ses_", suffixes: [".json"] }],
  gemini: [{ folder: ".gemini/tmp", prefix: "session-", suffixes: [".json", ".jsonl"] }],
  "qwen-code": [{ folder: ".qwen/projects", suffixes: [".jsonl"] }],
  cline: [
    { folder: ".cline/data/sessions", suffixes: [".messages.json"] },
    { folder: ".cline/data/tasks", suffixes: ["api_conversation_history.json"] },
    ...editorTasks("saoudrizwan.claude-dev"),
  ],
  "roo-code": editorTasks("rooveterinaryinc.roo-cline"),
  "kilo-code": [
    ...editorTasks("kilocode.kilo-code"),
    { folder: ".local/share/kilo/storage/session", moved: XDG_DATA, prefix: "ses_", suffixes: [".json"] },
  ],
};

/** Where OpenCode keeps its sessions from 1.2 on: `packages/opencode/src/storage/db.ts` and `src/session/session.sql.ts` of anomalyco/opencode, read in 2026. */
const OPENCODE_DATABASES = {
  place: { folder: ".local/share/opencode", moved: XDG_DATA, suffixes: [".db"] },
  name: /^opencode(-[\w.-]+)?\.db$/,
} as const;

/** A file among an agent's logs, changed since a time, that may hold sessions and is not read. */
export interface UnreadFile extends LocatedFile {
  /** True if the user can export its sessions. */
  readonly isExported: boolean;
}

/** Finds an agent's databases whose sessions cannot be read here, and packed files and databases among its logs that no reader takes. */
export async function unreadFiles(query: Omit<LogQuery, "limit">): Promise<readonly UnreadFile[]> {
  const sinceMs = query.sinceMs ?? Number.NEGATIVE_INFINITY;
  const databases = (await databasesOf(query)).filter(({ path }) => storedSessions(path) === null);
  const others = PLACES[query.agent].map(async (place) => {
    const stores = await filesIn(folderOf(place, query), { folder: place.folder, suffixes: STORES });
    return stores.filter(({ path }) => !isLog(systemPath.basename(path), place));
  });
  return [
    ...databases.map((file) => ({ ...file, isExported: true })),
    ...(await Promise.all(others)).flat().map((file) => ({ ...file, isExported: false })),
  ].filter(({ modifiedMs }) => modifiedMs >= sinceMs);
}

/** How files end that may hold sessions: packed ones, and databases. */
const STORES = [".zst", ".gz", ".xz", ".db", ".sqlite", ".sqlite3", ".vscdb"];

async function databasesOf(query: Omit<LogQuery, "limit">): Promise<readonly LocatedFile[]> {
  if (query.agent !== "opencode") return [];
  const { place, name: form } = OPENCODE_DATABASES;
  const folder = folderOf(place, query);
  const names = (await list(folder)).filter((entry) => entry.isFile() && form.test(entry.name)).map(({ name }) => name);
  return (await Promise.all(names.map((name) => located(systemPath.join(folder, name))))).flat();
}

function editorTasks(extension: string): readonly Place[] {
  return EDITOR_PLACES.map(({ folder, ...place }) => ({
    ...place,
    folder: `${folder}/globalStorage/${extension}/tasks`,
    suffixes: ["api_conversation_history.json"],
  }));
}

interface LogHome {
  readonly homeFolder: string;
  /** Variables that move agents' folders; none if they are left out. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** How paths are written; as on this system if it is left out. */
  readonly paths?: Pick<PlatformPath, "join">;
}

/** Lists the folders that {@link locateLogs} looks through, for a message that nothing was found. */
export function usualPlaces(agent: LocatedAgent, home: LogHome): readonly string[] {
  return PLACES[agent].map((place) => folderOf(place, home));
}

/** A variable that is set to nothing moves nothing, as in the agents. */
function folderOf({ folder, moved }: Place, { homeFolder, environment = {}, paths = systemPath }: LogHome): string {
  const named = moved === undefined ? "" : (environment[moved.variable] ?? "");
  return moved === undefined || named === ""
    ? paths.join(homeFolder, folder)
    : paths.join(named, folder.slice(moved.base.length));
}

/** The logs that {@link locateLogs} looks for. */
export interface LogQuery extends LogHome {
  readonly agent: LocatedAgent;
  readonly sinceMs?: number;
  readonly limit?: number;
}

/**
 * Finds the logs that an agent has written below a home folder or where the environment says, newest first (equally new ones by path). Passes over folders
 * that do not exist or may not be read; follows no links.
 */
export async function locateLogs(query: LogQuery): Promise<readonly LocatedFile[]> {
  const { agent, sinceMs = Number.NEGATIVE_INFINITY, limit = Number.POSITIVE_INFINITY } = query;
  const files = await Promise.all(PLACES[agent].map((place) => filesIn(folderOf(place, query), place)));
  const stored = (await databasesOf(query)).flatMap(({ path }) => storedSessions(path) ?? []);
  const inFiles = withoutPackedCopies(files.flat(), ({ path }) => path);
  // Sessions moved into the database are still in its files.
  const ids = new Set(stored.map(({ path }) => storedSession(path)?.sessionId));
  const isSince = ({ modifiedMs }: LocatedFile) => modifiedMs >= sinceMs;
  const own = inFiles.filter((file) => isSince(file) && !ids.has(systemPath.basename(file.path, ".json"))).map(recordedFile);
  return [...stored, ...own]
    .filter(isSince)
    .sort((a, b) => b.modifiedMs - a.modifiedMs || (a.path < b.path ? -1 : 1))
    .slice(0, Math.min(limit, Number.MAX_SAFE_INTEGER));
}

/** Bytes at the end of a log that are searched for times, more if the first show none. Chosen: a home has thousands of logs, and a result may be long. */
const TAIL_BYTES = [1 << 13, 1 << 18] as const;

/** Times as values of JSON: `"2026-01-31T12:00:00Z"`, or milliseconds since 1970. Those inside of texts have escaped quotes. */
const TIME = /(?<!\\)"(\d{4}-\d\d-\d\dT\d\d:\d\d[^"\\]*)"|[:\s](1\d{12})(?=[\s,}])/g;

/** Dates a file by the newest time at its end that is not after the file's own. */
function recordedFile({ path, modifiedMs }: LocatedFile): LocatedFile {
  for (const bytes of TAIL_BYTES) {
    const times = [...fileEnd(path, bytes).matchAll(TIME)].map(([, text = "", ms]) => Number(ms ?? Date.parse(text)));
    const newest = times.reduce((most, time) => (time > most && time <= modifiedMs ? time : most), 0);
    if (newest > 0) return { path, modifiedMs: newest };
  }
  return { path, modifiedMs };
}

/** Leaves out packed files that lie beside their own plain text: an agent that goes on with a packed log unpacks it, and writes to that. */
export function withoutPackedCopies<File>(files: readonly File[], pathOf: (file: File) => string): readonly File[] {
  const paths = new Set(files.map(pathOf));
  return files.filter((file) => !PACKED_ENDING.test(pathOf(file)) || !paths.has(pathOf(file).replace(PACKED_ENDING, "")));
}

const PACKED_ENDING = /\.(?:zst|gz)$/;

async function filesIn(folder: string, place: Place): Promise<readonly LocatedFile[]> {
  const entries = await list(folder);
  const found = await Promise.all(
    entries.map(async (entry): Promise<readonly LocatedFile[]> => {
      const path = systemPath.join(folder, entry.name);
      if (entry.isDirectory()) return filesIn(path, place);
      if (!entry.isFile() || !isLog(entry.name, place)) return [];
      return located(path);
    }),
  );
  return found.flat();
}

async function located(path: string): Promise<readonly LocatedFile[]> {
  const stats = await statsOf(path);
  return stats === null ? [] : [{ path, modifiedMs: stats.mtimeMs }];
}

function isLog(name: string, place: Place): boolean {
  return name.startsWith(place.prefix ?? "") && place.suffixes.some((suffix) => name.endsWith(suffix));
}

async function list(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    // An agent that is not installed, or a folder that is not ours to read: nothing to find there.
    return [];
  }
}

async function statsOf(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch {
    // Removed since it was listed.
    return null;
  }
}
