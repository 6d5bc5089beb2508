import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** Temporary folders of all tests are in one, which goes when they have run: a test does not remove its own unless it is large. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-tests-"));
  // A database server of the tests runs as another user.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
