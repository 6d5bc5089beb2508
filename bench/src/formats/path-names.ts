import { posix, win32 } from "node:path";

/**
 * Gives one name to one file, however it is spelt: the first spelling of the log. Where the session's folder is one of Windows, drive letters, slashes and case
 * don't count, Git Bash's `/c/` is a drive, and a path may be relative to the folder; elsewhere case counts and a backslash is a letter.
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

const WINDOWS_FOLDER = /^(?:\\\\\?\\)?[A-Za-z]:[\\/]/;
const LONG_PATH = /^\\\\\?\\/;

function keyOf(path: string, cwd: string | null): string {
  if (cwd === null) return path;
  if (!WINDOWS_FOLDER.test(cwd)) return cwd.startsWith("/") ? posix.resolve(cwd, path) : path;
  const plain = path.replace(LONG_PATH, "").replace(/^\/([A-Za-z])(?=\/|$)/, "$1:");
  return win32.resolve(cwd.replace(LONG_PATH, ""), plain).toLowerCase();
}
