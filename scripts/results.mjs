import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildPackages } from "./build.mjs";
import { everyPolicy } from "./every-policy.mjs";
import { root, runNode } from "./tool.mjs";

const HEAD =
  "# Results\n\nMade by `pnpm results` over recorded sessions that are not part of the repository; losing cases are at the end.\n\n";

/**
 * Makes docs/results.md: all recorded sessions of other agents under every preset and peer in four working rooms. The sessions are not
 * part of the repository; PLIMSOLL_TRANSCRIPTS names their folder where it is not beside it.
 */
const folder = resolve(process.env.PLIMSOLL_TRANSCRIPTS ?? join(root, "../shared/transcripts"));
if (!existsSync(folder)) {
  process.stderr.write("no recorded sessions: set PLIMSOLL_TRANSCRIPTS to a folder of session files\n");
  process.exitCode = 1;
} else {
  process.exitCode = await buildPackages();
  if (process.exitCode === 0) {
    const rooms = ["16k", "32k", "64k", "128k"].flatMap((room) => ["--window", room]);
    const page = join(root, "docs/results.md");
    const program = join(root, "packages/cli/bin/plimsoll.js");
    const args = [program, "bench", ".", ...(await everyPolicy()), ...rooms, "--markdown", page];
    // From inside the folder, so that sessions go by their names there.
    const { code, output } = await runNode(args, { output: "hold", cwd: folder });
    if (code === 0) writeFileSync(page, `${HEAD}${readFileSync(page, "utf8")}`);
    process.stdout.write(code === 0 ? "docs/results.md written\n" : output);
    process.exitCode = code;
  }
}
