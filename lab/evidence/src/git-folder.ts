import { execFileSync } from "node:child_process";
import { PlimsollError } from "@plimsoll/core";

/** A fetched repository: the files of its newest commit, read from git's own folder without a work tree. */
export interface GitFolder {
  /** The commit that is read. */
  readonly commit: string;
  /** Paths of the files below a folder, sorted. */
  paths(folder: string): readonly string[];
  /** A file's text. Throws `bad-input` if the commit lacks it, or if it was left out of the copy. */
  text(path: string): string;
}

/** The largest file that is read, in bytes; chosen above the largest that is needed (64 MB). */
const MOST_BYTES = 2 ** 26;

/** Opens a repository by its git folder (or the folder of a clone). Throws `bad-input` if git can't read it. */
export function gitFolder(folder: string): GitFolder {
  const git = (...args: readonly string[]): string => {
    try {
      return execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", maxBuffer: MOST_BYTES, stdio: "pipe" });
    } catch (cause) {
      throw new PlimsollError(
        "bad-input",
        `${folder}: git can't read ${args.at(-1) ?? ""}; give the folder of a fetched repository`,
        {
          file: folder,
          cause: String(cause),
        },
      );
    }
  };
  return {
    commit: git("rev-parse", "HEAD").trim(),
    paths: (below) =>
      git("ls-tree", "-r", "-z", "--name-only", "HEAD", below)
        .split("\0")
        .filter((path) => path !== ""),
    text: (path) => git("cat-file", "blob", `HEAD:${path}`),
  };
}
