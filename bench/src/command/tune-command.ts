import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { PLIMSOLL_POLICY, PlimsollError, type Policy, presetNamed } from "@plimsoll/core";
import { isKnobPath, isRecord, withKnob } from "@plimsoll/core/extend";
import { policyOf, readDocument, readSmallFile, SESSION_KEYS, withoutSettings, writeWholeFile } from "@plimsoll/stores";
import type { Command } from "commander";
import { Document, isMap, parseDocument } from "yaml";
import type { WindowRequest } from "../drive/cell.ts";
import { withoutApart } from "../judge/apart.ts";
import { type Split, splitSessions } from "../judge/split.ts";
import { openCorpus } from "../open/corpus.ts";
import type { SessionDescription } from "../open/session-description.ts";
import { type BenchInput, runBench } from "../replay/run-bench.ts";
import type { ReportProblem } from "../results.ts";
import { formatNumberOf, lineageWords } from "../show/figures.ts";
import { figuresJson } from "../show/json.ts";
import { READING } from "../show/policy-tables.ts";
import { reportProblems } from "../show/problems.ts";
import { reportTable, tableRows } from "../show/report-table.ts";
import { type SessionNames, sessionNames } from "../show/session-names.ts";
import { problemText } from "../show/terminal-report.ts";
import { settingToTake, tuneAnswer } from "../show/tune-answer.ts";
import { renderTuneHtml, tuneTables } from "../show/tune-page.ts";
import { FEWEST_OWNERS } from "../statistics.ts";
import { type CliIo, EXIT_FAILED, EXIT_OK } from "../terminal/io.ts";
import { fitted, printable, tableColumns, tell, wrapped } from "../terminal/printable.ts";
import { settingWords } from "../tune/tunable-settings.ts";
import { type ReplayRound, type TunedPolicy, type TuneResult, type TuneRound, tune } from "../tune/tune.ts";
import { checkOptions } from "./check-options.ts";
import { addLogOptions, findInputs, findLogs, joinInputs, type LogOptions, nothingFound } from "./find-inputs.ts";
import { policyNamed } from "./policy-option.ts";
import { createProgressBar } from "./progress-bar.ts";
import { PRICES_HELP, readPrices } from "./read-prices.ts";
import {
  addExtensionOption,
  DEFAULT_WINDOW,
  type ExtensionOptions,
  openExtensions,
  parseJobs,
  parseWindow,
} from "./replay-options.ts";
import { openState, poolOf } from "./replay-state.ts";

interface TuneOptions extends ExtensionOptions, LogOptions {
  readonly policy?: string;
  readonly window?: string;
  readonly jobs?: string;
  readonly prices?: string;
  readonly state?: string;
  readonly html?: string;
  readonly json?: string;
  readonly write?: string;
  readonly full?: true;
}

/** Adds `plimsoll tune`: looks for the best setting on the user's own sessions. */
export function defineTuneCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  command.argument(
    "[inputs...]",
    "session files, folders or patterns; every second project judges; a firm answer needs 8 sessions there that fill half of the window",
  );
  addExtensionOption(addLogOptions(command))
    .option("-p, --policy <name>", "tune this preset or YAML file, and compare it with plimsoll (default: plimsoll)")
    .option("-w, --window <size>", "real (default), or tokens for messages, system prompt and tools not counted: 16k, 64k, …")
    .option("--jobs <count>", "parallel replays (default: one per processor core)")
    .option("--prices <file>", PRICES_HELP)
    .option("--state <file>", "file of finished rows, to resume from (default: removed after the run)")
    .optionsGroup("Results:")
    .option("--full", "also print each session under the best setting, if one is found")
    .option("--html <file>", "write charts and tables as one HTML page")
    .option("--json <file>", "write the answer and all figures as JSON")
    .option("--write <file>", "write the setting into a policy file, such as plimsoll.yaml, and keep its other content")
    .action(async (inputs: readonly string[], options: TuneOptions) => onExit(await tuneOn(inputs, options, io)));
}

async function tuneOn(inputs: readonly string[], options: TuneOptions, io: CliIo): Promise<number> {
  checkOptions(options, { needs: { since: ["from"], limit: ["from"] } });
  if (inputs.length === 0 && options.from === undefined)
    throw new PlimsollError("bad-input", "nothing to tune on: give session files, folders or patterns, or --from <agent>");
  const parts = await openExtensions(options, io);
  const policy = policyNamed(options.policy ?? PLIMSOLL_POLICY.name, io, parts);
  const prices = readPrices(options.prices, io.cwd);
  const found = joinInputs(await findInputs(inputs, io.cwd, parts.importers), await findLogs(options, io));
  const { files, missing } = found;
  tell(io, ...(files.length === 0 ? nothingFound(found, "tune on") : missing.map(({ reason }) => reason)));
  if (files.length === 0) return EXIT_FAILED;
  const others = policy.name === PLIMSOLL_POLICY.name ? [] : [PLIMSOLL_POLICY];
  const jobs = options.jobs === undefined ? availableParallelism() : parseJobs(options.jobs);
  const window: WindowRequest = options.window === undefined ? DEFAULT_WINDOW : parseWindow(options.window);
  const given = { files, policy, others, window, prices: [...prices], with: parts.identity };
  const kept = await openState({ file: options.state, run: given, parts }, io);
  const pool = await poolOf(jobs, io, parts);
  const corpus = await openCorpus(files, pool);
  const run = { files, corpus, pool, prices, plimsollVersion: io.version };
  const described = new Map<string, SessionDescription>();
  const met = new Map<string, ReportProblem>();
  const results = await tune(
    [policy, ...others],
    replayRounds({ ...run, windows: [window], kept: kept.kept }, { described, met, isLimited: options.from !== undefined }, io),
    parts.kinds,
  ).finally(() => pool.close());
  await kept.finish();
  const [own, ...compared] = results;
  if (own === undefined) throw new PlimsollError("bad-input", `${policy.name} has no number to tune`);
  const taken = settingToTake(own);
  const problems = [...met.values()];
  if (described.size === 0) {
    io.stdout.write(`${problemText(problems)}\n\nNothing to tune on; nothing was written.\n`);
    return EXIT_FAILED;
  }
  const nameOf = sessionNames({ sessions: [...described.values()] });
  const said = [
    problemText(problems),
    wrapped(lineageWords(corpus.lineages.counts)).join("\n"),
    tuneReport(results, { current: policy, columns: tableColumns(io.stdout), full: options.full ?? false, nameOf }),
  ];
  io.stdout.write(`${said.filter((text) => text !== "").join("\n\n")}\n`);
  if (options.html !== undefined) {
    const yaml = taken === null ? null : tunedYaml({ text: "", current: policy, best: taken });
    writeWholeFile(resolve(io.cwd, options.html), renderTuneHtml(results, { yaml, nameOf, problems }));
  }
  if (options.json !== undefined) {
    const answer = tuneAnswer(own, compared);
    writeWholeFile(resolve(io.cwd, options.json), figuresJson({ formatVersion: JSON_VERSION, answer, problems, results }));
  }
  const trial = own.verdict.kind === "too-few" ? own.best : null;
  if (options.write !== undefined) await writeTuned(options.write, { taken, trial, policy }, io);
  return own.current.train.isBroken ? EXIT_FAILED : EXIT_OK;
}

async function writeTuned(
  file: string,
  { taken, trial, policy }: Record<"taken" | "trial", TunedPolicy | null> & { readonly policy: Policy },
  io: CliIo,
): Promise<void> {
  const path = resolve(io.cwd, file);
  const best = taken ?? trial;
  if (best === null) {
    io.stdout.write(`Nothing was written to ${printable(file)}: it finds no setting to take.\n`);
    return;
  }
  const before = readSmallFile(path);
  if (before.kind === "refused") throw new PlimsollError("bad-input", `${file} ${before.why}: nothing was written`, { file });
  const text = before.kind === "text" ? before.text : "";
  writeWholeFile(path, tunedYaml({ text, current: policy, best }));
  io.stdout.write(
    `Wrote ${printable(file)}: the ${taken === null ? "best setting tried, not yet an answer" : "setting found"}.\n`,
  );
}

/** The form of the file; raised if a field changes its meaning. */
const JSON_VERSION = 1;

const MS_PER_MINUTE = 60_000;
/** Time of a policy that acts, as a share of the first round's with none, which also imports the files (measured on 19 files, November 2026). */
const ACTING_RATIO = 1.1;
/** Logs for a quick look (chosen). */
const QUICK_LOGS = 6;

interface Met {
  readonly described: Map<string, SessionDescription>;
  readonly met: Map<string, ReportProblem>;
  /** True if the logs are an agent's own, of which `--limit` takes the newest. */
  readonly isLimited: boolean;
}

/**
 * Replays the tuner's rounds on the pool, with a bar for each. After the first, a line says how many replays and about how much time are left.
 * `described` receives the findings of each session, `met` the problems of any round, each once.
 */
function replayRounds(run: Omit<BenchInput, "policies">, { described, met, isLimited }: Met, io: CliIo): ReplayRound {
  const fileOf = (session: string) => described.get(session)?.file;
  let sessionMs = 0;
  return async ({ name, policies, sessions, replaysLeft }) => {
    const files = run.files.filter(
      ({ displayName }) => sessions === null || [...sessions].some((session) => fileOf(session) === displayName),
    );
    const startMs = io.nowMs();
    const what = `tuning, step ${ROUNDS.indexOf(name) + 1} of ${ROUNDS.length}: ${name}`;
    if (name === "coarse grid" && replaysLeft !== null && replaysLeft > 0) {
      const minutes = Math.max(1, Math.round((sessionMs * ACTING_RATIO * replaysLeft) / MS_PER_MINUTE));
      const quicker = isLimited ? `--limit ${QUICK_LOGS}` : `only ${QUICK_LOGS} files`;
      const look = run.files.length > QUICK_LOGS ? `; for a quick look without a firm answer: ${quicker}` : "";
      tell(
        io,
        `about ${formatNumberOf(replaysLeft, "replay")} left, ${formatNumberOf(minutes, "minute")}${look}; Ctrl-C stops, and the same command resumes`,
      );
    }
    const bar = createProgressBar(io.stderr, { what, leftOf: " of this step" }, io.nowMs);
    try {
      const report = await runBench({ ...run, files, policies, onProgress: bar.show });
      const { sessions: found, rows } = withoutApart(report);
      // Rounds after the first play a part of the sessions: only their failures are news.
      for (const problem of reportProblems(report))
        if (sessions === null || problem.kind === "failed") met.set(problem.text, problem);
      const hasFailures = rows.some(({ failures }) => failures !== undefined);
      for (const each of found) described.set(each.session, each);
      if (name === "baseline") {
        sessionMs = (io.nowMs() - startMs) / Math.max(1, found.length);
        sayIfTooFew(splitSessions({ sessions: found, rows }), io);
      }
      // Scores need no chart; a part's other actions show whether it always fails.
      const kept = rows.map((row) => ({ ...row, series: [], cacheMisses: [], ...(hasFailures ? {} : { compactions: [] }) }));
      return { sessions: found, rows: kept };
    } finally {
      bar.stop();
    }
  };
}

/** Says before the long rounds that their answer cannot be firm. */
function sayIfTooFew({ by, train, test }: Split, io: CliIo): void {
  if (test.size === 0 || test.size >= FEWEST_OWNERS) return;
  const half =
    by === "nothing" ? "the same file chooses" : `${train.size} of other ${by === "file" ? "files" : "projects"} choose`;
  tell(
    io,
    `no firm answer to expect: ${formatNumberOf(test.size, "session")} can judge (${half}), and ${FEWEST_OWNERS} are needed, so the search ends after its coarse grid; give more logs (--limit, --since): of projects, every second one judges`,
  );
}

const ROUNDS: readonly TuneRound["name"][] = ["baseline", "coarse grid", "refinement", "test"];

interface TuneReportOptions {
  readonly current: Policy;
  readonly columns: number;
  /** Whether the table of sessions is printed. */
  readonly full: boolean;
  readonly nameOf: SessionNames;
}

/** Writes the tuner's results as text: the answer in five lines, its table, and the YAML to paste; all else only if it is asked for. */
export function tuneReport(results: readonly TuneResult[], { current, columns, full, nameOf }: TuneReportOptions): string {
  const [first, ...others] = results;
  if (first === undefined || first.trainSessions === 0) return first === undefined ? "" : fitted(tuneAnswer(first).join("\n"));
  const [own, ...sessions] = tuneTables(results, nameOf);
  const idle =
    first.idleSessions === 0
      ? []
      : [`Left out (never filled half of the window): ${formatNumberOf(first.idleSessions, "session")}.`];
  const taken = settingToTake(first);
  return [
    [...tuneAnswer(first, others).flatMap((line) => wrapped(printable(line), { further: "  " })), ...idle].join("\n"),
    ...(own === undefined ? [] : [full ? reportTable(own, columns) : tableRows(own, columns)]),
    ...(full ? sessions.map((table) => reportTable(table, columns)) : []),
    fitted(`${READING}. ${full ? "" : (own?.notes.at(-1) ?? "")}`.trimEnd()),
    ...(taken === null ? [] : [`# plimsoll.yaml\n${tunedYaml({ text: "", current, best: taken }).trimEnd()}`]),
    ...(full || sessions.length === 0 ? [] : ["Each session: --full or --html FILE."]),
  ].join("\n\n");
}

interface TunedFile {
  readonly text: string;
  readonly current: Policy;
  readonly best: TunedPolicy;
}

/** Lines are not folded. */
const NO_FOLDING = 0;

/**
 * A policy file with the setting that was found. A session's settings in the file and its comments stay.
 * A file that changes the same preset gets the knobs beside its other changes; otherwise a preset's changes or a whole policy replace the chosen
 * policy.
 */
export function tunedYaml({ text, current, best }: TunedFile): string {
  const knobs = best.settings.map(settingWords).filter(({ path }) => isKnobPath(path));
  const { policy: wanted } = best;
  const turned = knobs.reduce((policy, { path, value }) => withKnob(policy, path, value), current);
  const others = changesBetween(turned, wanted);
  const put = (document: Document): void => {
    const prefix = isMap(document.get("policy")) ? ["policy"] : [];
    const isList = knobs.some(({ path }) => path.startsWith("keep.")) && !isMap(document.getIn([...prefix, "keep"]));
    if (isList) document.deleteIn([...prefix, "keep"]);
    for (const { path, value } of knobs) document.setIn([...prefix, ...path.split(".")], value);
    for (const [key, value] of Object.entries(isRecord(others) ? others : {}))
      document.setIn([...prefix, key], document.createNode(value));
  };
  const forms: readonly (() => Document)[] = [
    () => edited(text, put),
    () =>
      edited(withoutPolicy(text), (document) => {
        document.set("extends", current.name);
        put(document);
      }),
  ];
  for (const form of forms) {
    const made = form().toString({ lineWidth: NO_FOLDING });
    if (isSame(made, wanted)) return made;
  }
  const named = presetNamed(current.name) === undefined ? current.name : `${current.name} tuned`;
  const whole = edited(withoutPolicy(text), (document) =>
    document.set("policy", document.createNode({ ...wanted, name: named })),
  );
  return whole.toString({ lineWidth: NO_FOLDING });
}

function edited(text: string, edit: (document: Document) => void): Document {
  const parsed = parseDocument(text);
  const document: Document = isMap(parsed.contents) ? parsed : new Document({});
  edit(document);
  return document;
}

/** The file's text without its choice of a policy: a session's settings, with their comments. */
function withoutPolicy(text: string): string {
  const document = parseDocument(text);
  const { contents } = document;
  if (!isMap(contents)) return "";
  contents.items = contents.items.filter(({ key }) => SESSION_KEYS.includes(String(key)));
  return contents.items.length === 0 ? "" : document.toString({ lineWidth: NO_FOLDING });
}

/** True if the text is read as the policy, under any name. */
function isSame(text: string, policy: Policy): boolean {
  const read = readDocument(text);
  if ("problems" in read) return false;
  const found = policyOf(withoutSettings(read.document), "plimsoll.yaml");
  const { policy: made } = "found" in found ? found.found : { policy: null };
  return changesBetween(made, policy) === undefined && changesBetween(policy, made) === undefined;
}

/** The parts of the second that differ, without the name; lists whole. `undefined` if nothing does. */
function changesBetween(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return JSON.stringify(before) === JSON.stringify(after) ? undefined : after;
  const changed = Object.entries(after).flatMap(([key, value]) => {
    const change = key === "name" ? undefined : changesBetween(before[key], value);
    return change === undefined ? [] : [[key, change] as const];
  });
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}
