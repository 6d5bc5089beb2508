import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fixtureSessions } from "@plimsoll/fixtures";
import { numberAbove0, optionsOf } from "../options.ts";
import { ROOT, recordedFiles } from "../recorded/recorded-sessions.ts";
import { variedSession } from "./varied-session.ts";

const USAGE = `pnpm big-corpus: most memory of plimsoll bench over corpora of several sizes,
each in a process of its own. A corpus is made by varying recorded sessions, the
bundled ones if there are none, in a temporary folder that is gone afterwards.

  --megabytes N   size of a corpus; again for several (512 and 1024)
  --jobs N        workers (1)
  --policy NAME   what is replayed; again for several (none)
  --bundled       varies the bundled sessions`;

const values = optionsOf(USAGE, {
  megabytes: { type: "string", multiple: true, default: ["512", "1024"] },
  jobs: { type: "string", default: "1" },
  policy: { type: "string", multiple: true, default: ["none"] },
  bundled: { type: "boolean", default: false },
});
const sizes = values.megabytes.map((megabytes) => numberAbove0("megabytes", megabytes));

const MEGABYTE = 1e6;
/** A run tells its progress and its notes, a few hundred bytes a session. */
const MOST_OUTPUT_BYTES = 256 * MEGABYTE;
/** Says at its end what a process took. */
const AT_END = `data:text/javascript,${encodeURIComponent(`
import { isMainThread } from "node:worker_threads";
if (isMainThread) process.on("exit", () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  process.stderr.write("\\n" + JSON.stringify({ maxRSS, cpuMicroseconds: userCPUTime + systemCPUTime }) + "\\n");
});`)}`;

const recorded = recordedFiles().map(({ path }) => path);
const sources = values.bundled || recorded.length === 0 ? fixtureSessions().map(({ path }) => path) : recorded;
const folder = mkdtempSync(join(tmpdir(), "plimsoll-big-corpus-"));
try {
  console.log("| sessions | MB | report, MB | most memory, MB | processor seconds |\n|---:|---:|---:|---:|---:|");
  for (const size of sizes) console.log(measured(size * MEGABYTE));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Makes a corpus, runs the command over it and takes it away again. */
function measured(mostBytes: number): string {
  const place = join(folder, "sessions");
  mkdirSync(place);
  let bytes = 0;
  let count = 0;
  for (; bytes < mostBytes; count++) {
    const source = sources[count % sources.length] ?? "";
    const text = variedSession(readFileSync(source, "utf8"), Math.floor(count / sources.length));
    writeFileSync(join(place, `${count}${extname(source)}`), text);
    bytes += Buffer.byteLength(text);
  }
  const json = join(folder, "report.json");
  const program = join(ROOT, "packages/cli/bin/plimsoll.js");
  const policies = values.policy.flatMap((policy) => ["--policy", policy]);
  const args = ["bench", place, ...policies, "--jobs", values.jobs, "--json", json];
  const environment = { ...process.env, XDG_CACHE_HOME: join(folder, "cache") };
  const options = { encoding: "utf8", env: environment, maxBuffer: MOST_OUTPUT_BYTES } as const;
  const run = spawnSync(process.execPath, ["--import", AT_END, program, ...args], options);
  if (run.status !== 0) throw new Error(`the run over ${count} sessions failed (${run.status ?? run.signal}): ${run.stderr}`);
  const { maxRSS, cpuMicroseconds } = JSON.parse(run.stderr.trimEnd().split("\n").at(-1) ?? "");
  const reportBytes = readFileSync(json).length;
  rmSync(place, { recursive: true });
  rmSync(join(folder, "cache"), { recursive: true, force: true });
  const cells = [count, bytes / MEGABYTE, reportBytes / MEGABYTE, (maxRSS * 1024) / MEGABYTE, cpuMicroseconds / 1e6];
  return `| ${cells.map((cell) => (cell < 10 ? cell.toFixed(1) : cell.toFixed(0))).join(" | ")} |`;
}
