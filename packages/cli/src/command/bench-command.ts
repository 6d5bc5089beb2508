import { resolve } from "node:path";
import type { WindowRequest } from "@plimsoll/bench";
import { formatNumberOf, LOCATED_AGENTS } from "@plimsoll/bench";
import { PlimsollError } from "@plimsoll/core";
import type { Command } from "commander";
import { EXIT_FAILED, EXIT_USAGE } from "../exit-code.ts";
import { findInputs, joinInputs } from "../input/find-inputs.ts";
import { DEFAULT_LOG_LIMIT, findLogs } from "../input/find-logs.ts";
import type { CliIo } from "../io.ts";
import { choosePolicies, DEFAULT_POLICIES } from "../option/policy-option.ts";
import { DEFAULT_WINDOW, parseWindow } from "../option/window-option.ts";
import { printable } from "../terminal/printable.ts";
import { runAndReport } from "./run-and-report.ts";

interface BenchOptions {
  readonly policy?: readonly string[];
  readonly window?: readonly string[];
  readonly from?: readonly string[];
  readonly since?: string;
  readonly limit?: string;
  readonly json?: string;
  readonly html?: string;
  readonly perSession?: true;
}

const collect = (value: string, previous: readonly string[] = []): readonly string[] => [...previous, value];

const AFTER_HELP = `
Sessions are recognised by their content. Examples:
  plimsoll bench session.jsonl
  plimsoll bench ~/.claude/projects --policy none --policy sven --window 32k --window 128k --html report.html
  plimsoll bench --from codex --since 7d --policy none --policy sven
  plimsoll bench "logs/**/*.jsonl" --policy recorded --window real --json report.json`;

/** Adds `plimsoll bench`: replays sessions of any known agent and compares policies. */
export function addBenchCommand(program: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  program
    .command("bench")
    .description("replay recorded sessions under policies and compare size, cost, safety and retention")
    .argument("[inputs...]", "session files, folders (all below them is looked at) or patterns")
    .option("-p, --policy <name>", `a preset or a YAML file; repeatable (default: ${DEFAULT_POLICIES.join(" and ")})`, collect)
    .option("-w, --window <size>", "working room: 16k, 32k, 64k, 128k, a number, or real; repeatable (default: 64k)", collect)
    .option("--from <agent>", `the agent's own logs in their usual place; repeatable (${LOCATED_AGENTS.join(", ")})`, collect)
    .option("--since <time>", "with --from: logs changed since 2026-01-31, or in the last 12h, 7d or 4w")
    .option("--limit <count>", `with --from: at most so many logs of each agent, the newest (default: ${DEFAULT_LOG_LIMIT})`)
    .option("--json <file>", "write the whole report as JSON")
    .option("--html <file>", "write the report as one HTML page")
    .option("--per-session", "list every session, however many there are")
    .addHelpText("after", AFTER_HELP)
    .action(async (inputs: readonly string[], options: BenchOptions) => onExit(await bench(inputs, options, io)));
}

async function bench(inputs: readonly string[], options: BenchOptions, io: CliIo): Promise<number> {
  const { policies, problems } = choosePolicies(options.policy ?? DEFAULT_POLICIES, io.cwd);
  const windows: readonly WindowRequest[] = options.window?.map(parseWindow) ?? [DEFAULT_WINDOW];
  for (const problem of problems) io.stderr.write(`plimsoll: ${printable(problem)}\n`);
  if (policies.length === 0) return EXIT_USAGE;

  const query = { agents: options.from ?? [], since: options.since, limit: options.limit };
  if (inputs.length === 0 && query.agents.length === 0) {
    throw new PlimsollError("bad-input", "nothing to replay: give session files, folders or patterns, or --from <agent>");
  }
  const found = joinInputs(await findInputs(inputs, io.cwd), await findLogs(query, io));
  if (found.files.length === 0) {
    for (const { reason } of found.missing) io.stderr.write(`plimsoll: ${printable(reason)}\n`);
    const looked = found.notSessions.length === 0 ? "" : ` (looked at ${formatNumberOf(found.notSessions.length, "file")})`;
    io.stderr.write(`plimsoll: nothing to replay: no session was found${looked}\n`);
    return EXIT_FAILED;
  }
  return runAndReport(
    { found, policies, windows, listSessions: options.perSession ?? false, reports: reportFiles(options, io) },
    io,
  );
}

function reportFiles(
  { json, html }: BenchOptions,
  { cwd }: CliIo,
): { readonly json: string | null; readonly html: string | null } {
  const place = (file: string | undefined) => (file === undefined ? null : resolve(cwd, file));
  return { json: place(json), html: place(html) };
}
