import { readFileSync } from "node:fs";

/** The file's text, or `null` where it is missing, a folder or not allowed: the caller says so in one line. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Why does not matter for what to do about it.
    return null;
  }
}
