import { join, resolve } from "node:path";
import type { WindowRequest } from "@plimsoll/bench";
import type { AskedModel, Shard, SummarizerChoice } from "@plimsoll/bench/extend";
import { PlimsollError } from "@plimsoll/core";
import type { Command } from "commander";
import type { CliIo } from "../io.ts";
import { modelNamed, wholeNumber } from "../option/replay-options.ts";

/** Options for a model that is asked for the next action. */
export interface AskOptions {
  readonly ask?: string;
  readonly sample?: string;
  readonly maxDollars?: string;
  readonly yes?: true;
  readonly cassette?: string;
  readonly cassetteOnly?: true;
}

/** The model to ask, and the limits of asking. */
export interface AskChoice {
  readonly model: AskedModel;
  readonly callsAPolicy: number;
  /** `null` for no limit. */
  readonly mostUsd: number | null;
  readonly cassetteFolder: string;
  /** Ask nothing; a missing answer is an error. */
  readonly cassetteOnly: boolean;
  /** The person has agreed to the price beforehand. */
  readonly isAgreed: boolean;
}

/** Below the home folder, unless `--cassette` names another: what was paid for is found again without an option. */
const ANSWERS_FOLDER = ".cache/plimsoll/answers";

/** Calls for each policy unless another number is given: a share's interval is 27 points wide at most (chosen). */
const USUAL_CALLS = 50;
const MOST_CALLS = 10_000;

/** Adds `--ask` and what belongs to it alone. */
export function addAskOptions(command: Command): Command {
  return command
    .option("--ask <model>", "ask a model (provider:model) for the next action after each cut; says the price first")
    .option("--sample <count>", `with --ask: calls for each policy (default: ${USUAL_CALLS})`)
    .option("--max-dollars <usd>", "with --ask: stop before this run could cost more")
    .option("--yes", "with --ask: send without a question");
}

/** Other options of the run, as far as asking needs them. */
export interface AskedRun {
  readonly windows: readonly WindowRequest[];
  readonly shard: Shard | null;
  readonly summarizer: SummarizerChoice;
}

/**
 * Reads `--ask` and what belongs to it; `null` without it.
 *
 * @throws PlimsollError `bad-input` for a model or number that is none, and for a run that cannot be asked about.
 */
export function parseAsk(
  options: AskOptions,
  run: AskedRun,
  { cwd, homeFolder }: Pick<CliIo, "cwd" | "homeFolder">,
): AskChoice | null {
  const { ask, sample, maxDollars, yes = false, cassette, cassetteOnly = false } = options;
  if (ask === undefined) {
    const alone = sample !== undefined || maxDollars !== undefined || yes;
    if (alone) throw new PlimsollError("bad-input", "--sample, --max-dollars and --yes are for --ask <provider:model>");
    return null;
  }
  checkRun(run);
  return {
    model: modelNamed("--ask", ask),
    callsAPolicy: sample === undefined ? USUAL_CALLS : wholeNumber("--sample", sample, [1, MOST_CALLS]),
    mostUsd: maxDollars === undefined ? null : dollarsIn(maxDollars),
    cassetteFolder: cassette === undefined ? join(homeFolder, ANSWERS_FOLDER) : resolve(cwd, cassette),
    cassetteOnly,
    isAgreed: yes,
  };
}

function checkRun({ windows, shard, summarizer }: AskedRun): void {
  const bad = (why: string) => new PlimsollError("bad-input", `--ask ${why}`);
  if (windows.length !== 1) throw bad("is for one --window: each further one costs as much again");
  if (shard !== null) throw bad("draws from all files: leave --shard out");
  if (summarizer.kind === "model" && summarizer.missing !== "fail")
    throw bad("needs the summaries of a model beforehand: run the bench with --summarizer first, then with --cassette-only");
}

function dollarsIn(text: string): number {
  const dollars = /^\d{1,6}(\.\d{1,4})?$/.test(text) ? Number(text) : 0;
  if (dollars > 0) return dollars;
  throw new PlimsollError("bad-input", `--max-dollars ${text}: give an amount above zero, such as 5 or 0.50`);
}
