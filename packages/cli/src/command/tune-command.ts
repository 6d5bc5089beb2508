import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { createSerialPool, createThreadPool, runBench, tune, type WindowRequest, type WorkerPool } from "@plimsoll/bench";
import { KLAUDE_CODE_POLICY, OPAL_POLICY, PI_POLICY, PLIMSOLL_POLICY, type Policy, SVEN_POLICY } from "@plimsoll/core";
import type { Command } from "commander";
import { EXIT_FAILED, EXIT_OK, EXIT_USAGE } from "../exit-code.ts";
import { findInputs } from "../input/find-inputs.ts";
import type { CliIo } from "../io.ts";
import { parseJobs } from "../option/jobs-option.ts";
import { findPolicy } from "../option/policy-option.ts";
import { DEFAULT_WINDOW, parseWindow } from "../option/window-option.ts";
import { tuneReport } from "../output/tune-report.ts";
import { readPrices } from "../prices/read-prices.ts";
import { printable } from "../terminal/printable.ts";
import { createProgressBar } from "../terminal/progress-bar.ts";
import { plimsollVersion } from "../version.ts";

interface TuneOptions {
  readonly policy?: string;
  readonly window?: string;
  readonly jobs?: string;
  readonly prices?: string;
  /** False with `--no-presets`. */
  readonly presets: boolean;
}

/** Presets whose own best is shown beside the tuned policy. */
const COMPARED: readonly Policy[] = [SVEN_POLICY, OPAL_POLICY, KLAUDE_CODE_POLICY, PI_POLICY, PLIMSOLL_POLICY];

/** Adds `plimsoll tune`: looks for the best setting on the user's own sessions. */
export function addTuneCommand(program: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  program
    .command("tune")
    .description("find the setting of a policy that costs least on your own sessions without losing evidence")
    .argument("<inputs...>", "session files, folders or patterns; at least 8 sessions to know how sure it is")
    .option("-p, --policy <name>", "the current policy: a preset or a YAML file (default: plimsoll)")
    .option("-w, --window <size>", "working room: 16k, 32k, 64k, 128k, a number, or real (default: 64k)")
    .option("--jobs <count>", "replays at a time (default: the processor's cores)")
    .option("--prices <file>", "prices by model id, as YAML, before those that come with plimsoll")
    .option("--no-presets", "leave out the best settings of the presets")
    .action(async (inputs: readonly string[], options: TuneOptions) => onExit(await tuneOn(inputs, options, io)));
}

async function tuneOn(inputs: readonly string[], options: TuneOptions, io: CliIo): Promise<number> {
  const read = findPolicy(options.policy ?? PLIMSOLL_POLICY.name, io.cwd);
  const prices =
    options.prices === undefined ? { prices: new Map() } : readPrices(resolve(io.cwd, options.prices), options.prices);
  if ("problems" in read) return refuse(read.problems, io);
  if ("problems" in prices) return refuse(prices.problems, io);
  const { files, missing } = await findInputs(inputs, io.cwd);
  refuse(
    missing.map(({ reason }) => reason),
    io,
  );
  if (files.length === 0) return EXIT_FAILED;
  const { policy } = read.found;
  const others = options.presets ? COMPARED.filter(({ name }) => name !== policy.name) : [];
  const jobs = options.jobs === undefined ? availableParallelism() : parseJobs(options.jobs);
  const pool = jobs === 1 ? createSerialPool() : createThreadPool(jobs);
  const run = { files, pool, tasksPerFile: 4 * jobs, prices: prices.prices, plimsollVersion: plimsollVersion() };
  const window: WindowRequest = options.window === undefined ? DEFAULT_WINDOW : parseWindow(options.window);
  const results = await withBar(pool, io, async (onProgress) =>
    tune([policy, ...others], async (policies) => {
      const { rows } = await runBench({ ...run, policies, windows: [window], onProgress });
      // Scores need no chart.
      return rows.map((row) => ({ ...row, series: [], compactions: [] }));
    }),
  );
  if (results.length === 0) return refuse([`${policy.name} has no number that could be tuned`], io);
  io.stdout.write(`${tuneReport(results, policy.name)}\n`);
  return EXIT_OK;
}

type Bar = ReturnType<typeof createProgressBar>;

async function withBar<Result>(pool: WorkerPool, io: CliIo, run: (show: Bar["show"]) => Promise<Result>): Promise<Result> {
  const bar = createProgressBar(io.stderr);
  try {
    return await run(bar.show);
  } finally {
    bar.stop();
    await pool.close();
  }
}

function refuse(lines: readonly string[], io: CliIo): number {
  for (const line of lines) io.stderr.write(`plimsoll: ${printable(line)}\n`);
  return EXIT_USAGE;
}
