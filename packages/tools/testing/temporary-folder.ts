import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A folder for one test. */
export interface TemporaryFolder {
  readonly path: string;
  write(name: string, content: string | Uint8Array): void;
  remove(): void;
}

/** A new folder with the files given. */
export function temporaryFolder(files: { readonly [name: string]: string | Uint8Array } = {}): TemporaryFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "plimsoll-tools-")));
  const write = (name: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  };
  for (const [name, content] of Object.entries(files)) write(name, content);
  return { path, write, remove: () => rmSync(path, { recursive: true, force: true }) };
}
