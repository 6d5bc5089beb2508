import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { numberAbove0, optionsOf } from "../options.ts";

const USAGE = `pnpm big-log: writes a log with outputs of 50 kB and 50 MB and compactions in
between, then opens it through the public entry points, in a fresh process each:
read entry by entry, opened as a conversation, and with a small heap also with a
recall and an undo of what compactions covered. Prints file, context, most
memory and time.

  --megabytes N   size of the log (1024)`;

const values = optionsOf(USAGE, { megabytes: { type: "string", default: "1024" } });
const megabytes = numberAbove0("megabytes", values.megabytes);

/**
 * Without a limit the collector waits for some hundred megabytes; a small heap shows what is needed. An undo needs more: the view that it brings
 * back is larger.
 */
const TASKS = [
  ["write"],
  ["read"],
  ["open"],
  ["read", "--max-old-space-size=128"],
  ["open", "--max-old-space-size=224"],
  ["recall", "--max-old-space-size=224"],
  ["undo", "--max-old-space-size=448"],
] as const;

const folder = mkdtempSync(join(tmpdir(), "plimsoll-big-log-"));
const program = fileURLToPath(new URL("./task.js", import.meta.url));
try {
  for (const [task, ...nodeOptions] of TASKS) {
    if (nodeOptions.length > 0) console.log(`node ${nodeOptions.join(" ")}`);
    const options = ["--megabytes", `${megabytes}`, "--file", join(folder, "big.jsonl")];
    const { status } = spawnSync(process.execPath, [...nodeOptions, program, task, ...options], { stdio: "inherit" });
    process.exitCode = status ?? 1;
    if (status !== 0) break;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
