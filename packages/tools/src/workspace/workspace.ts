import { type Dirent, readdir } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { PlimsollError } from "@plimsoll/core";
import { isRecord, option } from "@plimsoll/core/extend";
import { isInside } from "@plimsoll/stores";
import { glob } from "tinyglobby";
import { onFile, readFolder } from "./files.ts";

/** A folder to which the file tools are confined. */
export interface Workspace {
  /** Absolute, without symbolic links. */
  readonly root: string;
  /**
   * The real place of a path, absolute or relative to the root; a path that does not exist yet has the real place of its folder. Rejects with
   * `bad-input` for a path that leads out of the workspace, by `..` or by a symbolic link.
   */
  place(path: string): Promise<string>;
  /** The place of a name itself, for removing or moving it: follows only symbolic links above it. */
  entryPlace(path: string): Promise<string>;
  /** A place as the model sees it: relative to the root, with forward slashes. */
  nameOf(place: string): string;
}

/** Opens a folder as a workspace. Rejects with the operating system's error if it does not exist. */
export async function openWorkspace(folder: string): Promise<Workspace> {
  option.check("a workspace", option.text, folder ?? null);
  const root = await realpath(folder);
  const wantedPlace = (path: string): string => {
    if (path.includes("\u0000")) throw new PlimsollError("bad-input", "a path cannot hold a NUL character");
    return resolve(root, path);
  };
  const inside = (place: string, path: string): string => {
    if (isInside(root, place)) return place;
    throw new PlimsollError("bad-input", `${path} is outside the workspace`, { path });
  };
  return {
    root,
    place: (path) => onFile(path, async () => inside(await realPlace(wantedPlace(path)), path)),
    entryPlace: (path) =>
      onFile(path, async () => {
        const wanted = wantedPlace(path);
        if (wanted === root) return root;
        return inside(join(await realPlace(dirname(wanted)), basename(wanted)), path);
      }),
    nameOf: (place) => {
      const name = relative(root, place);
      return name === "" ? "." : name.split(sep).join("/");
    },
  };
}

/** The real path of an existing file; for the rest the real path of its nearest folder that exists, and the names below it. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if (parent === path || !isRecord(error) || error.code !== "ENOENT") throw error;
    // A link to nothing: writing through it would create its target, wherever that is.
    if ((await lstat(path).catch(() => null))?.isSymbolicLink() === true)
      throw new PlimsollError("bad-input", `${path} is a link to nothing`, { path });
    return join(await realPlace(parent), basename(path));
  }
}

const SKIPPED = ["**/.git/**", "**/node_modules/**"] as const;

/** Reads a folder for the walk, by its open handle: no link on the way is followed, even if it was put there later. */
function readOpened(path: string, _: unknown, done: (error: Error | null, entries: Dirent[]) => void): void {
  readFolder(resolve(path)).then(
    (entries) => done(null, entries),
    (error: Error) => done(error, []),
  );
}

/** Paths of the files below a folder of the workspace that a pattern matches, relative to the root, in order. Links are not followed. */
export async function workspaceFiles(workspace: Workspace, folder: string, pattern: string): Promise<readonly string[]> {
  const place = await workspace.place(folder);
  // Such a pattern would walk folders outside before its matches are thrown away.
  if (pattern.startsWith("/") || pattern.split("/").includes("..")) return [];
  const found = await glob(pattern, {
    cwd: place,
    ignore: [...SKIPPED],
    dot: true,
    onlyFiles: true,
    followSymbolicLinks: false,
    expandDirectories: false,
    fs: Object.assign({ readdir }, { readdir: readOpened }),
  });
  const prefix = workspace.nameOf(place);
  return found.map((name) => (prefix === "." ? name : `${prefix}/${name}`)).sort();
}
