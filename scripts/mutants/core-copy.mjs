import { cpSync, mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../tool.mjs";

/**
 * A copy of core in a folder of its own, in which lines can be put wrong; its dependencies are linked.
 * @returns {{ readonly folder: string, readonly core: string }}
 */
export function copyCore() {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-mutants-"));
  const core = join(folder, "packages/core");
  mkdirSync(core, { recursive: true });
  for (const name of ["src", "package.json", "tsconfig.json"])
    cpSync(join(root, "packages/core", name), join(core, name), { recursive: true });
  for (const name of ["tsconfig.base.json", "vitest.config.ts", "package.json"]) cpSync(join(root, name), join(folder, name));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  symlinkSync(join(root, "packages/core/node_modules"), join(core, "node_modules"), "junction");
  return { folder, core };
}
