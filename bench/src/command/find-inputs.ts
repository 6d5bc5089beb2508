import { createHash } from "node:crypto";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, isAbsolute, join, resolve, sep } from "node:path";
import { isPlimsollError, PlimsollError } from "@plimsoll/core";
import { suggestion } from "@plimsoll/core/extend";
import type { Command } from "commander";
import { glob, isDynamicPattern } from "tinyglobby";
import { BUILT_IN_PARTS } from "../extension.ts";
import { fileSource, readHead } from "../formats/file-source.ts";
import type { FileHead, Importer } from "../formats/importer.ts";
import type { LocatedAgent } from "../formats/locations.ts";
import { LOCATED_AGENTS, locateLogs, unreadFiles, usualPlaces, withoutPackedCopies } from "../formats/locations.ts";
import { UNREAD_DATABASE } from "../formats/registry.ts";
import { unreadAgentIn } from "../formats/unread-logs.ts";
import type { InputFile } from "../open/corpus.ts";
import type { SkippedInput } from "../results.ts";
import { formatNumberOf } from "../show/figures.ts";
import type { CliIo } from "../terminal/io.ts";
import { collect, parseSince, wholeNumber } from "./replay-options.ts";

/** Files to replay, and the given inputs that cannot be replayed. */
export interface FoundInputs {
  readonly files: readonly InputFile[];
  readonly missing: readonly SkippedInput[];
  /** Files below a folder or matched by a pattern that no importer recognises. */
  readonly notSessions: readonly SkippedInput[];
  /** Logs of agents that were left out as there are newer ones. */
  readonly older: number;
}

/** Why a file among logs is left out that no importer recognises. */
const NO_READER = "no importer reads it";

/** Folders whose files a person does not mean by naming a folder above them. */
const IGNORED = ["node_modules", ".git"];

/**
 * Files, folders (with all below them) and patterns, as the user gave them. Files found by a folder or pattern are opened, and left out if they are
 * no sessions; a named file is always tried. Each file comes once.
 */
export async function findInputs(given: readonly string[], cwd: string, importers?: readonly Importer[]): Promise<FoundInputs> {
  const seen = new Set<string>();
  const files: InputFile[] = [];
  const missing: SkippedInput[] = [];
  const notSessions: SkippedInput[] = [];
  for (const argument of given) {
    const found = await expand(argument, cwd);
    if (found.members.length === 0) missing.push({ file: argument, reason: found.problem });
    for (const displayName of found.isNamed ? found.members : withoutPackedCopies(found.members, String)) {
      const path = resolve(cwd, displayName);
      // The same file under two names, by a link or given twice, is one session.
      const place = await realpath(path).catch(() => path);
      if (seen.has(place)) continue;
      seen.add(place);
      const reason = found.isNamed ? null : await unreadReason(path, importers);
      if (reason === null) files.push({ path, displayName });
      else notSessions.push({ file: displayName, reason });
    }
  }
  return { files, missing, notSessions, older: 0 };
}

/** Both, each file once. */
export function joinInputs(first: FoundInputs, second: FoundInputs): FoundInputs {
  const files = new Map([...first.files, ...second.files].map((file) => [file.path, file]));
  return {
    files: [...files.values()],
    missing: [...first.missing, ...second.missing],
    notSessions: [...first.notSessions, ...second.notSessions],
    older: first.older + second.older,
  };
}

/** True if every argument names nothing: then each has its line, and that no session was found goes without saying. */
export function areAllMissing({ files, missing, notSessions }: FoundInputs): boolean {
  return missing.length > 0 && files.length === 0 && notSessions.length === 0;
}

/** Says that no session was found, to `purpose`: the problem of each argument, and the number of files looked at if any were. */
export function nothingFound(found: FoundInputs, purpose: string): readonly string[] {
  const looked = found.notSessions.length === 0 ? "" : ` (looked at ${formatNumberOf(found.notSessions.length, "file")})`;
  const nothing = areAllMissing(found) ? [] : [`nothing to ${purpose}: no session was found${looked}`];
  return [...found.missing.map(({ reason }) => reason), ...nothing];
}

async function expand(
  argument: string,
  cwd: string,
): Promise<{ readonly members: readonly string[]; readonly isNamed: boolean; readonly problem: string }> {
  const stats = await stat(resolve(cwd, argument)).catch(() => null);
  if (stats?.isFile()) return { members: [argument], isNamed: true, problem: "" };
  if (stats?.isDirectory()) {
    const members = (await filesBelow(resolve(cwd, argument))).toSorted().map((member) => join(argument, member));
    return { members, isNamed: false, problem: `${argument}: an empty folder; give a folder with session files` };
  }
  if (isDynamicPattern(argument)) {
    const ignore = IGNORED.map((name) => `**/${name}/**`);
    const matches = await glob(argument, { cwd, dot: true, ignore, followSymbolicLinks: false });
    return { members: matches.toSorted(), isNamed: false, problem: `${argument}: no file matches this pattern` };
  }
  return { members: [], isNamed: true, problem: `${argument}: no such file or folder` };
}

/** Names of the files below a folder. A link is taken for the file that it leads to; one to a folder could lead anywhere, and round. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const { name } = entry;
    // A writer's lock holds nothing.
    if ((entry.isFile() || entry.isSymbolicLink()) && !name.endsWith(".lock")) found.push(name);
    if (!entry.isDirectory() || IGNORED.includes(name)) continue;
    // A folder that may not be entered has nothing to show.
    const below = await filesBelow(join(folder, name)).catch(() => []);
    for (const each of below) found.push(join(name, each));
  }
  return found;
}

/** Reads the beginning of a file; `null` if it cannot be read. */
export async function headOf(path: string, displayName: string = path): Promise<FileHead | null> {
  try {
    return await readHead(await fileSource(path, displayName));
  } catch (error) {
    if (isPlimsollError(error, "bad-input")) return null;
    throw error;
  }
}

/** Why a file is no session, by its content; `null` if one of the importers recognises it. */
async function unreadReason(path: string, importers: readonly Importer[] = BUILT_IN_PARTS.importers): Promise<string | null> {
  const head = await headOf(path);
  if (head !== null && importers.some((importer) => importer.recognises(head))) return null;
  const agent = unreadAgentIn(head?.firstObjects ?? []);
  return agent === null ? NO_READER : `${agent}: ${NO_READER}`;
}

/** Logs of each agent that are replayed unless another number is asked for: a first look takes seconds (chosen). */
export const DEFAULT_LOG_LIMIT = 20;
const MOST_LOGS = 999_999;

/** Adds `--from`, `--since` and `--limit`: the logs that agents keep. */
export function addLogOptions(command: Command): Command {
  return command
    .option("--from <agent>", `the agent's own logs in their usual place; repeatable (${LOCATED_AGENTS.join(", ")})`, collect)
    .option("--since <time>", "with --from: logs with records since a date (2026-01-31), or of the last 12h, 7d or 4w")
    .option(
      "--limit <count>",
      `with --from: read at most this many logs per agent, newest first (default: ${DEFAULT_LOG_LIMIT})`,
    );
}

/** Where logs are looked for, as the options give it. */
export interface LogOptions {
  readonly from?: readonly string[] | undefined;
  readonly since?: string | undefined;
  readonly limit?: string | undefined;
}

/** The user's own logs, newest first. Throws `bad-input` for an agent, time or count that cannot be read. */
export async function findLogs({ from = [], since, limit }: LogOptions, io: CliIo): Promise<FoundInputs> {
  const chosen = from.map(parseAgent);
  const most = limit === undefined ? DEFAULT_LOG_LIMIT : wholeNumber("--limit", limit, [1, MOST_LOGS]);
  const query = logQuery(since, io);
  const located = await Promise.all(chosen.map(async (agent) => ({ agent, all: await locateLogs({ agent, ...query }) })));
  const found = located.map(({ agent, all }) => ({ agent, logs: all.slice(0, most) }));
  const places = (agent: LocatedAgent) => usualPlaces(agent, io).map((place) => homeName(place, io.homeFolder));
  const files = found.flatMap(({ logs }) => logs.map(({ path }) => ({ path, displayName: homeName(path, io.homeFolder) })));
  const older = located.reduce((sum, { all }) => sum + Math.max(0, all.length - most), 0);
  const read = await Promise.all(files.map(async (file) => ({ file, reason: await unreadReason(file.path) })));
  return {
    files: read.flatMap(({ file, reason }) => (reason === null ? [file] : [])),
    missing: [
      ...found
        .filter(({ logs }) => logs.length === 0)
        .map(({ agent }) => ({
          file: `--from ${agent}`,
          reason: `--from ${agent}: no logs${since === undefined ? "" : ` since ${since}`} in ${places(agent).join(", ")}`,
        })),
      ...(await unreadInputs({ from, since }, io)),
    ],
    notSessions: read.flatMap(({ file, reason }) => (reason === null ? [] : [{ file: file.displayName, reason }])),
    older,
  };
}

/** The newest log of an agent, and when it was written to. */
interface NewestLog extends InputFile {
  readonly agent: LocatedAgent;
  readonly modifiedMs: number;
  /** A short part of its id, by which `inspect` finds it. */
  readonly shortId: string;
}

/**
 * Finds the newest log of an agent, or of all; with a folder that of a session that ran in it, with an id the one that has it in its name; with `accepts` the first of the newest 20 that it accepts. `null` if there
 * is none. Throws `bad-input` for an unknown agent, or if an id is in several names.
 */
export async function newestLog(
  agent: string | null,
  io: CliIo,
  {
    folder = null,
    id = "",
    accepts,
  }: { readonly folder?: string | null; readonly id?: string; readonly accepts?: (path: string) => Promise<boolean> } = {},
): Promise<NewestLog | null> {
  const agents = agent === null ? LOCATED_AGENTS : [parseAgent(agent)];
  const query = logQuery(undefined, io);
  const located = await Promise.all(
    agents.map(async (each) => (await locateLogs({ agent: each, ...query })).map((file) => ({ ...file, agent: each }))),
  );
  const folders = folder === null ? null : [folder, await realpath(folder).catch(() => folder)];
  const logs = located.flat();
  const begin = id === "" ? [] : logs.filter(({ path }) => idOf(path).startsWith(id) || shortId(path) === id);
  const others = id.length < FEWEST_PART_CHARS && id !== "" ? [] : logs.filter(({ path }) => basename(path).includes(id));
  const named = begin.length > 0 ? begin : others;
  if (id !== "" && named.length > 1) {
    const names = named.slice(0, LISTED_LOGS).map(({ path }) => homeName(path, io.homeFolder));
    throw new PlimsollError("bad-input", `${id} is in the names of ${named.length} logs; give one of them: ${names.join(" ")}`);
  }
  const most = accepts === undefined ? named.length : DEFAULT_LOG_LIMIT;
  for (const log of named.toSorted((a, b) => b.modifiedMs - a.modifiedMs).slice(0, most)) {
    const head = await headOf(log.path);
    const isSession = head !== null && BUILT_IN_PARTS.importers.some((importer) => importer.recognises(head));
    if (isSession && (folders === null || ranIn(head, folders)) && (await accepts?.(log.path)) !== false)
      return { ...log, displayName: homeName(log.path, io.homeFolder), shortId: shortId(log.path) };
  }
  return null;
}

const LISTED_LOGS = 5;
/** A part of a name that is not its id's beginning has so many characters at least, as words are no ids; chosen. */
const FEWEST_PART_CHARS = 8;

/** The id in a log's name, or in its folder's if all logs have one name, as `events.jsonl`: the random one, or the name without its ending. */
function idOf(path: string): string {
  const names = path.split(/[\\/#]/);
  const name = names.findLast((each) => /\d/.test(each)) ?? names.at(-1) ?? path;
  return /[0-9a-f]{8}-[0-9a-f]{4}-.*/.exec(name)?.[0] ?? name.replace(/(?:\.[a-z]+)+$/, "");
}

/** A short part of a log's id, by which `inspect` finds it. */
export function shortId(path: string): string {
  const id = idOf(path);
  return /^[0-9a-f]{8}(?=-)/.exec(id)?.[0] ?? /\w{1,10}$/.exec(id)?.[0] ?? id;
}

/** True if an object of the log names one of the folders as its first path, as logs do that state where they were written, or the log has a folder's hash, as Gemini CLI's. */
function ranIn({ firstObjects, text }: FileHead, folders: readonly string[]): boolean {
  const isHere = (object: unknown) => folders.includes(firstPath(object) ?? "");
  return (
    firstObjects.some(isHere) || folders.some((folder) => text.includes(createHash("sha256").update(folder).digest("hex")))
  );
}

function firstPath(value: unknown): string | null {
  if (typeof value === "string") return isAbsolute(value) ? value : null;
  if (typeof value !== "object" || value === null) return null;
  for (const each of Object.values(value)) {
    const found = firstPath(each);
    if (found !== null) return found;
  }
  return null;
}

/** Packed files and databases of the agents that cannot be read, each with a remedy. */
export async function unreadInputs(
  { from = [], since }: Pick<LogOptions, "from" | "since">,
  io: CliIo,
): Promise<readonly SkippedInput[]> {
  const query = logQuery(since, io);
  const found = await Promise.all(from.map((name) => unreadFiles({ agent: parseAgent(name), ...query })));
  return found.flat().map(({ path, isExported }) => {
    const file = homeName(path, io.homeFolder);
    return { file, reason: `${file}: ${isExported ? UNREAD_DATABASE : NO_READER}` };
  });
}

function logQuery(since: string | undefined, { homeFolder, environment = {}, nowMs }: CliIo) {
  return { homeFolder, environment, ...(since === undefined ? {} : { sinceMs: parseSince(since, nowMs()) }) };
}

/** Reads the name of an agent. Throws `bad-input` if it is none whose logs are found. */
export function parseAgent(name: string): LocatedAgent {
  const agent = LOCATED_AGENTS.find((known) => known === name);
  if (agent === undefined) throw new PlimsollError("bad-input", `--from ${name}: ${suggestion(name, LOCATED_AGENTS)}`);
  return agent;
}

/** A path below the home folder as people write it. */
function homeName(path: string, homeFolder: string): string {
  return path.startsWith(homeFolder + sep) ? `~${path.slice(homeFolder.length)}` : path;
}
