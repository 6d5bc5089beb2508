import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { root } from "./tool.mjs";

/**
 * Runs examples/deploy/slurm/bench.sbatch for real: a controller and a node of Slurm on this machine's loopback, three parts of the bundled sessions as an
 * array, of which one is made to fail once, and then the report from the folder against that of one run: `pnpm slurm`. Needs Debian's slurm-wlm, and
 * root, as the controller has no other user to be. Takes its processes and its folder away again.
 */

const PARTS = 3;
const ARGS = ["-p", "none", "-p", "sven", "-w", "16k"];
/** Ports of the controller and the node, away from those of an installed one (6817, 6818). */
const [CONTROLLER_PORT, NODE_PORT] = [17_817, 17_818];
const STARTS_WITHIN_MS = 60_000;
const STEP_MS = 1_000;
/** How far apart it is said what parts are at (chosen). */
const SAY_MS = 10_000;

const lacking = ["slurmctld", "slurmd", "sbatch"].filter((name) => spawnSync(name, ["-V"]).error !== undefined);
if (lacking.length > 0 || process.getuid?.() !== 0) {
  const why = lacking.length > 0 ? `${lacking.join(", ")} not found (Debian: apt-get install slurm-wlm)` : "it needs root";
  console.log(`slurm: not run: ${why}`);
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), "plimsoll-slurm-"));
const results = join(folder, "results");
/** @type {import("node:child_process").ChildProcess[]} */
const daemons = [];
try {
  await run();
} finally {
  for (const daemon of daemons) daemon.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: STEP_MS });
}

async function run() {
  say("building");
  const built = spawnSync(process.execPath, [join(root, "scripts/build.mjs")], { stdio: "inherit" });
  if (built.status !== 0) return fail("the build failed");
  for (const made of ["state", "spool", "sessions"]) mkdirSync(join(folder, made));
  cpSync(join(root, "fixtures/sessions"), join(folder, "sessions"), { recursive: true });
  const config = join(folder, "slurm.conf");
  writeFileSync(config, configuration());
  const plimsoll = join(root, "packages/cli/bin/plimsoll.js");
  const env = { ...process.env, SLURM_CONF: config, HOME: folder };

  say("starting a controller and a node");
  daemons.push(spawn("slurmctld", ["-D", "-f", config], { stdio: "ignore" }));
  daemons.push(spawn("slurmd", ["-D", "-N", "here", "-f", config], { stdio: "ignore" }));
  if (!(await isIdle(env)))
    return fail(`no node within ${STARTS_WITHIN_MS / STEP_MS} s; the controller or the node did not start`);

  // The second part fails at its first try, as a process does that is killed.
  const flaky = join(folder, "plimsoll.sh");
  const once = `case "$*" in *"--shard 2/${PARTS}"*) [ "\${SLURM_RESTART_COUNT:-0}" -lt 1 ] && exit 137;; esac`;
  writeFileSync(flaky, `#!/bin/sh\n${once}\nexec ${process.execPath} ${plimsoll} "$@"\n`, { mode: 0o755 });
  say(`submitting ${PARTS} parts, of which one fails once: a controller waits some two minutes before it tries it again`);
  const submitted = await waitedFor(
    [
      ...["--wait", `--array=1-${PARTS}`, "--cpus-per-task=1", "--mem=0", "-o", join(folder, "part-%a.txt")],
      ...[join(root, "examples/deploy/slurm/bench.sbatch"), ...ARGS],
    ],
    { ...env, SESSIONS: join(folder, "sessions"), RESULTS: results, PLIMSOLL: flaky },
  );
  const texts = Array.from({ length: PARTS }, (_, part) => readIfThere(join(folder, `part-${part + 1}.txt`)));
  if (submitted.status !== 0) return fail(`sbatch ended with ${submitted.status}: ${submitted.stderr}\n${texts.join("\n")}`);
  const retried = texts.filter((text) => text.includes("tried again")).length;

  /** @param {readonly string[]} args */
  const bench = (args) => spawnSync(process.execPath, [plimsoll, "bench", ...args], { env, encoding: "utf8" });
  say("merging their reports, and one run for comparison");
  const merged = bench(["merge", results, "--json", join(folder, "merged.json")]);
  bench([join(folder, "sessions"), ...ARGS, "--json", join(folder, "whole.json")]);
  const isSame = readIfThere(join(folder, "merged.json")) === readIfThere(join(folder, "whole.json"));
  if (merged.status !== 0 || !isSame || retried !== 1) {
    return fail(`reports ${isSame ? "alike" : "differ"}, ${retried} parts tried again\n${merged.stderr}${texts.join("\n")}`);
  }
  const { stdout: version } = spawnSync("slurmctld", ["-V"], { encoding: "utf8" });
  console.log(`${version.trim()}: ${PARTS} parts, one of them tried again; the report has the bytes of one run`);
}

/**
 * Submits parts, and says what they are at until all have ended.
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
async function waitedFor(args, env) {
  const run = spawn("sbatch", args, { env, stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  run.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  /** @type {{ readonly status: number | null } | null} */
  let end = null;
  const ended = once(run, "close").then(([status]) => ({ status }));
  while (end === null) {
    end = await Promise.race([ended, wait(SAY_MS, null, { ref: false })]);
    const states = spawnSync("squeue", ["-h", "-r", "-o", "%T"], { env, encoding: "utf8" }).stdout.split("\n");
    const left = states.filter((state) => state !== "").map((state) => state.toLowerCase());
    if (end === null)
      say(`${PARTS - left.length} of ${PARTS} parts have ended${left.length === 0 ? "" : `, others: ${left.join(", ")}`}`);
  }
  return { ...end, stderr };
}

/** @param {NodeJS.ProcessEnv} env */
async function isIdle(env) {
  for (let waitedMs = 0; waitedMs < STARTS_WITHIN_MS; waitedMs += STEP_MS) {
    await wait(STEP_MS);
    const { stdout } = spawnSync("sinfo", ["-h", "-o", "%t"], { env, encoding: "utf8" });
    if (stdout.trim() === "idle") return true;
  }
  return false;
}

function configuration() {
  const [host = "localhost"] = hostname().split(".");
  return `ClusterName=plimsoll
SlurmctldHost=${host}(127.0.0.1)
SlurmctldPort=${CONTROLLER_PORT}
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd.pid
SlurmctldLogFile=${folder}/slurmctld.log
SlurmdLogFile=${folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
NodeName=here NodeHostname=${host} NodeAddr=127.0.0.1 Port=${NODE_PORT} CPUs=2 State=UNKNOWN
PartitionName=all Nodes=here Default=YES State=UP
`;
}

/** @param {string} file */
function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** @param {string} why */
function fail(why) {
  console.error(`slurm: ${why}`);
  process.exitCode = 1;
}

/** A step on a line of its own, with the seconds so far. @param {string} what */
function say(what) {
  process.stderr.write(`${Math.round(process.uptime())} s ${what}\n`);
}
