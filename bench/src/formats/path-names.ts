import { posix, win32 } from "node:path";

/**
 * Gives one name to one file, however it is spelt: the first spelling of the log. Where the session's folder (or without one the path itself) is one of Windows,
 * drive letters, slashes and case don't count, Git Bash's `/c/` is a drive, and a path may be relative to the folder; elsewhere case counts and a
 * backslash is a letter.
 */
export function pathNames(cwd: string | null): (path: string) => string {
  const names = new Map<string, string>();
  return (path) => {
    const key = keyOf(path, cwd);
    const name = names.get(key) ?? path;
    names.set(key, name);
    return name;
  };
}

/** A drive, or a folder that a server shares. */
const OF_WINDOWS = /^(?:[A-Za-z]:[\\/]|\\\\)/;

function keyOf(path: string, cwd: string | null): string {
  if (!OF_WINDOWS.test(cwd ?? path)) return cwd?.startsWith("/") ? posix.resolve(cwd, path) : path;
  return win32.resolve(withoutLongMark(cwd ?? ""), withoutLongMark(path).replace(/^\/([A-Za-z])(?=\/|$)/, "$1:")).toLowerCase();
}

function withoutLongMark(path: string): string {
  return path.replace(/^\\\\\?\\UNC(?=\\)/, "\\").replace(/^\\\\\?\\/, "");
}
