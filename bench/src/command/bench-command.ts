import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { NONE_POLICY, PlimsollError } from "@plimsoll/core";
import { RECORDED_POLICY } from "@plimsoll/core/extend";
import type { Command } from "commander";
import type { WindowRequest } from "../drive/cell.ts";
import type { BenchParts } from "../extension.ts";
import { mergeRows, type NamedRows } from "../replay/run-result.ts";
import { formatNumberOf } from "../show/figures.ts";
import { type CliIo, EXIT_FAILED } from "../terminal/io.ts";
import { tell } from "../terminal/printable.ts";
import { checkOptions, mistakes } from "./check-options.ts";
import {
  addLogOptions,
  type FoundInputs,
  findInputs,
  findLogs,
  joinInputs,
  type LogOptions,
  nothingFound,
} from "./find-inputs.ts";
import { choosePolicies, DEFAULT_POLICIES, joinPolicies, runningPolicies, withControls } from "./policy-option.ts";
import { PRICES_HELP, readPrices } from "./read-prices.ts";
import {
  addExtensionOption,
  addReportOptions,
  collect,
  DEFAULT_WINDOW,
  type ExtensionOptions,
  openExtensions,
  parseJobs,
  parseShard,
  parseSummarizer,
  parseWindow,
  type ReportOptions,
  reportFiles,
  type SummarizerOptions,
  sweepPolicies,
} from "./replay-options.ts";
import { runAndReport, writeReports } from "./run-and-report.ts";

interface BenchOptions extends ReportOptions, SummarizerOptions, LogOptions, ExtensionOptions {
  readonly dryRun?: true;
  readonly state?: string;
  readonly demo?: true;
  readonly policy?: readonly string[];
  readonly window?: readonly string[];
  readonly prices?: string;
  readonly full?: true;
  readonly sweep?: readonly string[];
  readonly jobs?: string;
  readonly shard?: string;
}

/** Working room in which every policy of the demo compacts in each bundled session; a test holds it. */
const DEMO_WINDOW: WindowRequest = { kind: "working-room", tokens: 48_000 };

/** Adds `plimsoll bench`: replays sessions of any known agent and compares policies. */
export function defineBenchCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  command.argument("[inputs...]", "session files, folders (and their subfolders) or patterns");
  command
    .optionsGroup("Sessions:")
    .option("--demo", "replay the sessions that come with plimsoll, with 48k tokens for messages");
  addLogOptions(command)
    .optionsGroup("Policies:")
    .option(
      "-p, --policy <name>",
      `a name of plimsoll policy list or a YAML file, also with settings ("plimsoll cap=16k"); repeatable; documented: four documented systems (default: ${DEFAULT_POLICIES.join(", ")}, and those of the agents that wrote the sessions; the policy none always runs)`,
      collect,
    )
    .option("-w, --window <size>", "real (default), or tokens for messages alone: 16k, 64k, …; repeatable", collect)
    .option(
      "--sweep <path=values>",
      "replay these values in place of each policy's own, e.g. actAt=50%..95%:5% or keep.recent=5%,10%; repeatable: a grid",
      collect,
    );
  addExtensionOption(command)
    .optionsGroup("Prices and summaries:")
    .option("--prices <file>", PRICES_HELP)
    .option(
      "--summarizer <name>",
      "source of summaries: recorded ones if they fit (default), digest (no model), or provider:model",
    )
    .option("--cassette <folder>", "with a model: folder for its answers; kept answers are reused")
    .option("--dry-run", "with a model: estimate the cost, and send nothing")
    .optionsGroup("Execution:")
    .option("--jobs <count>", "parallel replays (default: one per processor core; 1 for small runs)")
    .option("--state <file>", "file of finished rows, to resume from and to merge (default: removed after the run)")
    .option(
      "--shard <i/n>",
      "replay the i-th of n parts of the files into --state; plimsoll bench merge puts the parts together",
    )
    .optionsGroup("Results:")
    .option("--out <folder>", "write sessions, rows and calls as Parquet, for DuckDB and others; parts share the folder")
    .option("--full", "print each measure, dollars, requests, sessions, and how reliable the figures are");
  addReportOptions(command).action(async (inputs: readonly string[], options: BenchOptions) =>
    onExit(await bench(inputs, options, io)),
  );
  addMergeCommand(command, io, onExit);
  command.addHelpOption(command.createOption("-h, --help", "show help").helpGroup("Help:"));
}

async function bench(inputs: readonly string[], options: BenchOptions, io: CliIo): Promise<number> {
  checkOptions(options, { needs: { since: ["from"], limit: ["from"], shard: ["state"] } });
  const isDemo = options.demo === true;
  const windows: readonly WindowRequest[] = options.window?.map(parseWindow) ?? [isDemo ? DEMO_WINDOW : DEFAULT_WINDOW];
  const parts = await openExtensions(options, io);
  const chosen = choosePolicies(options.policy ?? DEFAULT_POLICIES, io.cwd, parts);
  const { policies, sweeps, problems, notes } = sweepPolicies(chosen.policies, options.sweep ?? [], parts.kinds);
  const prices = readPrices(options.prices, io.cwd);
  const shard = options.shard === undefined ? null : parseShard(options.shard);
  const summarizer = parseSummarizer(options, io.cwd);
  if (options.dryRun === true && summarizer.kind !== "model")
    throw new PlimsollError("bad-input", "--dry-run needs a model: give --summarizer provider:model");
  const jobs = options.jobs === undefined ? null : parseJobs(options.jobs);
  const wrong = [...chosen.problems, ...problems];
  if (wrong.length > 0) throw mistakes(wrong);
  const found = await gather(inputs, { ...options, parts }, io);
  if (found.files.length === 0) {
    tell(io, ...nothingFound(found, "replay"));
    return EXIT_FAILED;
  }
  if (found.older > 0) tell(io, `${formatNumberOf(found.older, "older log")} left out; --limit COUNT reads more`);
  const likenesses = options.policy === undefined && !isDemo ? await runningPolicies(found.files, io.cwd, parts) : [];
  // An agent's own logs are the person's: what ran is compared, as in advise.
  const isOwn = options.policy === undefined && options.from !== undefined;
  const running = isOwn ? joinPolicies(likenesses, [RECORDED_POLICY]) : likenesses;
  const request = {
    ...{ found, parts, sweeps, windows, prices, shard, jobs, summarizer },
    policies: joinPolicies(joinPolicies(withControls(policies), [NONE_POLICY]), running),
    dryRun: options.dryRun ?? false,
    withoutEffect: [...chosen.notes, ...notes],
    stateFile: options.state,
    full: options.full ?? false,
    reports: reportFiles(options, io),
  };
  return runAndReport(request, io);
}

async function gather(
  inputs: readonly string[],
  options: BenchOptions & { readonly parts: BenchParts },
  io: CliIo,
): Promise<FoundInputs> {
  const { importers } = options.parts;
  const bundled = options.demo === true ? (await io.demoSessions()).map(({ name, path }) => ({ path, displayName: name })) : [];
  if (inputs.length === 0 && options.from === undefined && bundled.length === 0) {
    throw new PlimsollError(
      "bad-input",
      "nothing to replay: give session files, folders or patterns, --from <agent>, or --demo for the sessions that come with plimsoll",
    );
  }
  const logs = await findLogs(options, io);
  const found = joinInputs(await findInputs(inputs, io.cwd, importers), logs);
  return { ...found, files: [...bundled, ...found.files] };
}

interface MergeOptions extends ReportOptions, ExtensionOptions {
  readonly full?: true;
}

function addMergeCommand(bench: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  const merge = bench
    .command("merge")
    .description("merge the parts of a run (--shard) into one report: the same bytes as one run")
    .argument("<rows...>", "row files (--state) of all parts, or their folder")
    .action(async (names: readonly string[], _own: unknown, command: Command) =>
      // Options that the command above has too are read there.
      onExit(await mergeAll(names, command.optsWithGlobals<MergeOptions>(), io)),
    );
  addReportOptions(merge);
}

async function mergeAll(names: readonly string[], options: MergeOptions, io: CliIo): Promise<number> {
  const parts = await openExtensions(options, io);
  const named = (await Promise.all(names.map((name) => rowsIn(name, io)))).flat();
  const output = { reports: reportFiles(options, io), full: options.full ?? false, metrics: parts.metrics };
  return writeReports(mergeRows(named, parts), output, io);
}

/** A file of rows, or all that are in a folder. */
async function rowsIn(name: string, { cwd }: CliIo): Promise<readonly NamedRows[]> {
  const path = resolve(cwd, name);
  const below = await readdir(path).catch(() => null);
  if (below === null) return [{ path, name }];
  const found = below.filter((each) => each.endsWith(".jsonl")).toSorted();
  if (found.length === 0)
    throw new PlimsollError("bad-input", `${name}: no row files; give those written by plimsoll bench --state`);
  return found.map((each) => ({ path: join(path, each), name: join(name, each) }));
}
