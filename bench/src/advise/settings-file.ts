import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { lstat, mkdir, readdir, readFile } from "node:fs/promises";
import { basename, dirname, join, type PlatformPath, relative, sep, default as systemPath } from "node:path";
import { PlimsollError } from "@plimsoll/core";
import { writeWholeFile } from "@plimsoll/stores";
import { messageOf } from "../terminal/io.ts";
import type { SettingsPlace } from "./agent-knobs.ts";

/** Where a person's settings are looked for. */
export interface SettingsHome {
  readonly homeFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The settings file of an agent. */
export interface SettingsFile {
  readonly path: string;
  /** The folder that the person chose or the home folder: no link may lie between it and the file. */
  readonly root: string;
  readonly shown: string;
  readonly text: string | null;
}

/** Where an agent's settings may be: the folder that the person chose, or below the home folder. `system` says how paths are written. */
export function settingsPaths(
  { variable, base: folder, names }: SettingsPlace,
  { homeFolder, environment }: SettingsHome,
  system: Pick<PlatformPath, "join" | "sep"> = systemPath,
): { readonly root: string; readonly base: string; readonly paths: readonly string[]; shownOf(path: string): string } {
  const named = variable === null ? "" : (environment[variable] ?? "");
  const [root, base] = named === "" ? [homeFolder, system.join(homeFolder, folder)] : [named, named];
  return {
    root,
    base,
    paths: names.map((name) => system.join(base, name)),
    shownOf: (path) => (path.startsWith(homeFolder + system.sep) ? `~${path.slice(homeFolder.length)}` : path),
  };
}

/** The first of the agent's files that is there, else the one that would be made. Throws `bad-input` if it cannot be read. */
export async function openSettings(place: SettingsPlace, home: SettingsHome): Promise<SettingsFile> {
  const { root, base, paths, shownOf } = settingsPaths(place, home);
  const found = await Promise.all(paths.map(textOf));
  const at = Math.max(
    0,
    found.findIndex((text) => text !== null),
  );
  const path = paths[at] ?? base;
  return { path, root, shown: shownOf(path), text: found[at] ?? null };
}

/**
 * Replaces the text that was read, and keeps that beside the file under a name derived from the new text. It is written under another name and
 * renamed, with the file's own rights. Throws `bad-input`, and changes nothing, if a link is on the way or the file has changed since it was read.
 */
export async function writeSettings(file: SettingsFile, text: string): Promise<{ readonly backup: string }> {
  await refuseLinks(file);
  if ((await textOf(file.path)) !== file.text) throw refused(file, "was changed meanwhile; nothing was written");
  await mkdir(dirname(file.path), { recursive: true });
  const backup = backupName(file.path, text, file.text === null ? "new" : "before");
  const stats = await lstat(file.path).catch(() => null);
  const mode = stats === null ? NEW_FILE_MODE : stats.mode & MODE_BITS;
  // From here on nothing is awaited, so that Ctrl-C cannot leave a backup of a text that was not written.
  rmSync(backup, { force: true });
  writeFileSync(backup, file.text ?? "", { flag: "wx", mode });
  replaceFile(file, text);
  return { backup: basename(backup) };
}

/** The text that an undo would put back: the text from before, or `null` if there was no file. */
export interface OpenUndo {
  readonly before: string | null;
  readonly backup: string;
}

/** Finds the text before the last write; `null` if nothing was written. Throws `bad-input` if there was a write and the file has changed since. */
export async function findUndo(file: SettingsFile): Promise<OpenUndo | null> {
  const names = await readdir(dirname(file.path)).catch(() => []);
  if (!names.some((name) => name.startsWith(`${basename(file.path)}${BACKUP_MARK}`))) return null;
  await refuseLinks(file);
  if (file.text === null) throw refused(file, "is gone: nothing is undone");
  for (const kind of ["before", "new"] as const) {
    const backup = backupName(file.path, file.text, kind);
    const isPlain = (await lstat(backup).catch(() => null))?.isFile() === true;
    const text = isPlain ? await textOf(backup) : null;
    if (text !== null) return { before: kind === "new" ? null : text, backup };
  }
  throw refused(file, "was changed since it was written: nothing is undone");
}

/** Puts the earlier text back. Throws `bad-input` if the file was changed since it was read. */
export async function undoSettings(file: SettingsFile, { before, backup }: OpenUndo): Promise<void> {
  if ((await textOf(file.path)) !== file.text) throw refused(file, "was changed meanwhile; nothing was undone");
  if (before === null) rmSync(file.path);
  else replaceFile(file, before);
  rmSync(backup, { force: true });
}

/** Only its owner may read a new file, as settings may hold keys. */
const NEW_FILE_MODE = 0o600;
const MODE_BITS = 0o777;

/** The file's own rights stay; only its owner may read a new one. */
function replaceFile(file: SettingsFile, text: string): void {
  try {
    writeWholeFile(file.path, text, NEW_FILE_MODE);
  } catch (cause) {
    throw refused(file, `cannot be written (${messageOf(cause)})`, cause);
  }
}

const HASH_DIGITS = 16;
const BACKUP_MARK = ".plimsoll-";

/** Identifies the written text, so that an undo finds its backup and no other. */
function backupName(path: string, written: string, kind: "before" | "new"): string {
  const hash = createHash("sha256").update(written).digest("hex").slice(0, HASH_DIGITS);
  return `${path}${BACKUP_MARK}${kind}-${hash}`;
}

async function refuseLinks(file: SettingsFile): Promise<void> {
  const steps = relative(file.root, file.path).split(sep);
  let path = file.root;
  for (const step of steps) {
    path = join(path, step);
    const stats = await lstat(path).catch(() => null);
    const isLast = path === file.path;
    if (stats !== null && (stats.isSymbolicLink() || (isLast ? !stats.isFile() : !stats.isDirectory()))) {
      throw refused(file, `is not written: ${step} is a link or no ${isLast ? "file" : "folder"}`);
    }
  }
}

async function textOf(path: string): Promise<string | null> {
  try {
    const bytes = await readFile(path);
    const text = bytes.toString("utf8");
    // Text that is not UTF-8 could not be written back unchanged.
    if (Buffer.from(text).equals(bytes)) return text;
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR")) return null;
    throw new PlimsollError("bad-input", `${path}: cannot be read`, { file: path }, cause);
  }
  throw new PlimsollError("bad-input", `${path}: is not UTF-8 text`, { file: path });
}

function refused({ shown, path }: SettingsFile, why: string, cause?: unknown): PlimsollError {
  return new PlimsollError("bad-input", `${shown} ${why}`, { file: path }, cause);
}
