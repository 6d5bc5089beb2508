import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { createSerialPool, createThreadPool, tune, type WindowRequest } from "@plimsoll/bench";
import { renderTuneHtml } from "@plimsoll/bench/internal";
import { KLAUDE_CODE_POLICY, OPAL_POLICY, PI_POLICY, PLIMSOLL_POLICY, type Policy, SVEN_POLICY } from "@plimsoll/core";
import type { Command } from "commander";
import { EXIT_FAILED, EXIT_OK, EXIT_USAGE } from "../exit-code.ts";
import { findInputs } from "../input/find-inputs.ts";
import type { CliIo } from "../io.ts";
import { parseJobs } from "../option/jobs-option.ts";
import { findPolicy } from "../option/policy-option.ts";
import { DEFAULT_WINDOW, parseWindow } from "../option/window-option.ts";
import { tuneReport } from "../output/tune-report.ts";
import { writeWholeFile } from "../output/write-file.ts";
import { readPrices } from "../prices/read-prices.ts";
import { printable } from "../terminal/printable.ts";
import { plimsollVersion } from "../version.ts";
import { openState } from "./replay-state.ts";
import { replayRounds } from "./tune-rounds.ts";

interface TuneOptions {
  readonly policy?: string;
  readonly window?: string;
  readonly jobs?: string;
  readonly prices?: string;
  readonly state?: string;
  readonly html?: string;
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
    .option("--state <folder>", "keep finished replays there and take those that are (default: kept until the run is done)")
    .option("--html <file>", "write the fronts as charts and tables, one HTML page")
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
  const window: WindowRequest = options.window === undefined ? DEFAULT_WINDOW : parseWindow(options.window);
  const version = plimsollVersion();
  const given = { files, policy, others, window, prices: [...prices.prices] };
  const kept = await openState({ folder: options.state, run: given, plimsollVersion: version }, io);
  const pool = jobs === 1 ? createSerialPool() : createThreadPool(jobs);
  const run = { files, pool, tasksPerFile: TASKS_PER_JOB * jobs, prices: prices.prices, plimsollVersion: version };
  const results = await tune(
    [policy, ...others],
    replayRounds({ ...run, windows: [window], state: kept.state, onKept: kept.onKept }, io),
  ).finally(() => pool.close());
  await kept.finish();
  if (results.length === 0) return refuse([`${policy.name} has no number that could be tuned`], io);
  const text = tuneReport(results, policy);
  io.stdout.write(`${text}\n`);
  if (options.html !== undefined) await writeWholeFile(resolve(io.cwd, options.html), renderTuneHtml(results, text));
  return EXIT_OK;
}

/** A file's cells become so many tasks for each job, so that jobs end at about the same time (chosen). */
const TASKS_PER_JOB = 4;

function refuse(lines: readonly string[], io: CliIo): number {
  for (const line of lines) io.stderr.write(`plimsoll: ${printable(line)}\n`);
  return EXIT_USAGE;
}
