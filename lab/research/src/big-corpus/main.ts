import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fixtureSessions } from "@plimsoll/fixtures";
import { numberAbove0, optionsOf } from "../options.ts";
import { ROOT, recordedFiles } from "../recorded/recorded-sessions.ts";
import { writeCorpus } from "./write-corpus.ts";

const USAGE = `pnpm big-corpus: memory and processor time of plimsoll bench over corpora of
several sizes, each in a process of its own, with nothing kept. A corpus is made
by varying recorded sessions, the bundled ones if there are none, in a temporary
folder that is gone afterwards.

  --megabytes N   size of a corpus; again for several (512 and 1024)
  --jobs N        workers (1)
  --policy NAME   what is replayed; again for several (none)`;

const values = optionsOf(USAGE, {
  megabytes: { type: "string", multiple: true, default: ["512", "1024"] },
  jobs: { type: "string", default: "1" },
  policy: { type: "string", multiple: true, default: ["none"] },
});
const sizes = values.megabytes.map((megabytes) => numberAbove0("megabytes", megabytes));

const MEGABYTE = 1e6;
const GIGABYTE = 1e9;
/** How a line begins in which a run says how far it is. */
const PROGRESS = "plimsoll: ";
/** Says at its end what a process took. */
const AT_END = `data:text/javascript,${encodeURIComponent(`
import { isMainThread } from "node:worker_threads";
if (isMainThread) process.on("exit", () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  process.stderr.write("\\n" + JSON.stringify({ maxRSS, cpuMicroseconds: userCPUTime + systemCPUTime }) + "\\n");
});`)}`;

const recorded = recordedFiles().map(({ path }) => path);
const sources = recorded.length === 0 ? fixtureSessions().map(({ path }) => path) : recorded;
const names = values.policy.map((policy) => `\`${policy}\``).join(", ");
const folder = mkdtempSync(join(tmpdir(), "plimsoll-big-corpus-"));
try {
  console.log("| policies | sessions | MB | report, MB | most memory, MB | processor seconds | seconds a GB |");
  console.log("|---|---:|---:|---:|---:|---:|---:|");
  for (const size of sizes) console.log(await measured(size * MEGABYTE));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Makes a corpus, runs the command over it and takes it away again. */
async function measured(leastBytes: number): Promise<string> {
  const place = join(folder, "sessions");
  mkdirSync(place);
  const { sessions, bytes } = writeCorpus({ sources, leastBytes, place });
  const json = join(folder, "report.json");
  sayStep(`${sessions} sessions under ${values.policy.join(", ")}`);
  const { maxRSS, cpuMicroseconds } = await usageOf(["bench", place, "--json", json]);
  const reportBytes = statSync(json).size;
  sayStep("the run is over");
  rmSync(place, { recursive: true });
  rmSync(join(folder, "cache"), { recursive: true, force: true });
  const seconds = cpuMicroseconds / 1e6;
  const cells = [bytes / MEGABYTE, reportBytes / MEGABYTE, (maxRSS * 1024) / MEGABYTE, seconds, seconds / (bytes / GIGABYTE)];
  return `| ${[names, sessions, ...cells.map((cell) => (cell < 10 ? cell.toFixed(1) : cell.toFixed(0)))].join(" | ")} |`;
}

/** Runs the command to its end, says how far it is, and returns what its process took. */
async function usageOf(args: readonly string[]): Promise<{ readonly maxRSS: number; readonly cpuMicroseconds: number }> {
  const program = join(ROOT, "packages/cli/bin/plimsoll.js");
  const policies = values.policy.flatMap((policy) => ["--policy", policy]);
  const env = { ...process.env, XDG_CACHE_HOME: join(folder, "cache") };
  const run = spawn(process.execPath, ["--import", AT_END, program, ...args, ...policies, "--jobs", values.jobs], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(run, "close");
  let last = "";
  for await (const line of createInterface({ input: run.stderr })) {
    if (line.startsWith(PROGRESS)) sayStep(line.slice(PROGRESS.length));
    if (line !== "") last = line;
  }
  const [code, signal] = await ended;
  if (code !== 0) throw new Error(`the run failed (${code ?? signal}): ${last}`);
  return JSON.parse(last);
}

/** Says a step on a line of its own, with the seconds so far, e.g. `12 s written 500 of 5000 MB`: standard output stays free for what is made. */
function sayStep(text: string): void {
  process.stderr.write(`${Math.round(process.uptime())} s ${text}\n`);
}
