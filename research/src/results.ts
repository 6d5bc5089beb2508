import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PEERS } from "@plimsoll/bench";
import { PRESETS } from "@plimsoll/core";
import { RECORDED_FOLDER, ROOT, recordedFiles } from "./recorded/recorded-sessions.ts";

const HEAD =
  "# Results\n\nMade by `pnpm results` over recorded sessions that are not part of the repository; losing cases are at the end.\n\n";

/** Makes docs/results.md: all recorded sessions of other agents under every preset and peer in four working rooms. */
if (recordedFiles().length === 0) {
  process.stderr.write("no recorded sessions: set PLIMSOLL_TRANSCRIPTS to a folder of session files\n");
  process.exitCode = 1;
} else {
  const policies = [...PRESETS, ...PEERS.map(({ policy }) => policy)].flatMap(({ name }) => ["--policy", name]);
  const rooms = ["16k", "32k", "64k", "128k"].flatMap((room) => ["--window", room]);
  const page = join(ROOT, "docs/results.md");
  const program = join(ROOT, "packages/cli/bin/plimsoll.js");
  const args = [program, "bench", ".", ...policies, ...rooms, "--markdown", page];
  // From inside the folder, so that sessions go by their names there.
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: RECORDED_FOLDER, encoding: "utf8" });
  if (status === 0) writeFileSync(page, `${HEAD}${readFileSync(page, "utf8")}`);
  process.stdout.write(status === 0 ? "docs/results.md written\n" : stdout + stderr);
  process.exitCode = status ?? 1;
}
