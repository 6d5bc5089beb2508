import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes an empty folder when `before` says: before each test, or before all of them. The function returns its path, or the path of a place in it. */
export function freshFolder(before: (make: () => void) => void): (...place: readonly string[]) => string {
  let folder = "";
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "plimsoll-test-"));
  });
  return (...place) => join(folder, ...place);
}
