import { resolve } from "node:path";
import { formatTokens, importFile, type Transcript } from "@plimsoll/bench";
import type { ContextManager, FitOutcome, ModelLimits, Policy } from "@plimsoll/core";
import { createContextManager, createDigest, encodingsOf, PlimsollError } from "@plimsoll/core";
import { createTokenizerLoader, familyLimitsOf, modelPriors } from "@plimsoll/providers";
import type { Command } from "commander";
import { EXIT_FAILED, EXIT_OK } from "../exit-code.ts";
import { editWords } from "../inspect/edit-words.ts";
import type { CliIo } from "../io.ts";
import { findPolicy } from "../option/policy-option.ts";
import { writeWholeFile } from "../output/write-file.ts";
import { printable } from "../terminal/printable.ts";

interface CompactOptions {
  readonly dryRun?: boolean;
  readonly policy: string;
  readonly keep?: string;
  readonly focus?: string;
  readonly window?: string;
  readonly out?: string;
}

/** Adds `plimsoll compact`: compacts a recorded session once, without a model. */
export function addCompactCommand(program: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  program
    .command("compact")
    .description("compact a session log of any agent that can be read; prints the messages that would be sent, as JSON")
    .argument("<session>", "a session log")
    .option("--dry-run", "print what would be done, and no messages")
    .option("--policy <policy>", "a preset's name or a YAML file", "plimsoll")
    .option("--keep <tokens>", "keep so many tokens verbatim")
    .option("--focus <text>", "what the summary is to concentrate on")
    .option("--window <tokens>", "context window; default: what is known of the model, or twice the session")
    .option("-o, --out <file>", "write the messages to a file")
    .action(async (session: string, options: CompactOptions) => {
      const transcripts = await importFile(resolve(io.cwd, session), session);
      const [transcript] = transcripts;
      if (transcript === undefined) throw new PlimsollError("bad-input", `${session}: no session in it`);
      onExit(await compact(transcript, options, io));
    });
}

async function compact(transcript: Transcript, options: CompactOptions, io: CliIo): Promise<number> {
  const policy = policyNamed(options.policy, io.cwd);
  const tokenizers = await createTokenizerLoader()(encodingsOf(policy));
  const { entries } = transcript;
  const manager = createContextManager({ policy, summarizer: createDigest(), entries, modelPriors, tokenizers });
  const model = limitsFor(manager, options.window);
  const keep = options.keep === undefined ? null : { tokens: wholeNumber("--keep", options.keep) };
  const outcome = await manager.fit(
    { gate: "before-submit", pending: [], model, nowMs: null, focus: options.focus ?? null, now: { reason: "manual", keep } },
    new AbortController().signal,
  );
  const isDone = outcome.kind === "compacted" || outcome.kind === "unchanged";
  const report = `${compactionReport(transcript, outcome, model)}\n`;
  if (options.dryRun === true || !isDone) {
    io.stdout.write(report);
    return isDone || options.dryRun === true ? EXIT_OK : EXIT_FAILED;
  }
  io.stderr.write(report);
  const json = `${JSON.stringify(manager.context().messages, null, 2)}\n`;
  if (options.out === undefined) io.stdout.write(json);
  else await writeWholeFile(resolve(io.cwd, options.out), json);
  return EXIT_OK;
}

/** What was or would be done, for a person. */
function compactionReport(transcript: Transcript, outcome: FitOutcome, model: ModelLimits): string {
  const name = `${printable(transcript.name)} (${transcript.format})`;
  switch (outcome.kind) {
    case "unchanged":
      return `${name}: there is nothing to compact.`;
    case "cancelled":
      return `${name}: cancelled, ${printable(outcome.why)}.`;
    case "failed":
    case "irreducible":
      return [`${name}: cannot be compacted.`, ...stepLines(outcome.steps)].join("\n");
    case "compacted": {
      const { record, edits } = outcome.entry;
      const sizes = `${record.messagesBefore} → ${record.messagesAfter} messages, ${formatTokens(record.tokensBefore)} → ${formatTokens(record.tokensAfter)} tokens`;
      const window = model.contextWindowTokens === null ? "" : `, window ${formatTokens(model.contextWindowTokens)}`;
      return [
        `${name}: ${sizes}, by ${record.policy}${window}; measured by ${record.estimator}`,
        ...stepLines(record.steps),
        ...editWords(edits).map((words) => `  ${words}`),
        "Summaries are quotations made without a model.",
      ].join("\n");
    }
    default:
      return outcome satisfies never;
  }
}

function stepLines(steps: readonly { readonly strategy: string; readonly outcome: string; readonly detail: string | null }[]) {
  return steps.map(
    ({ strategy, outcome, detail }) => `  ${strategy}: ${outcome}${detail === null ? "" : ` (${printable(detail)})`}`,
  );
}

function policyNamed(name: string, cwd: string): Policy {
  const read = findPolicy(name, cwd);
  if ("found" in read) return read.found.policy;
  throw new PlimsollError("bad-input", read.problems.join("; "));
}

/** Twice what the session holds, so that a session of an unknown model is compacted by what it keeps, not by force. */
const WINDOW_FACTOR = 2;

function limitsFor(manager: ContextManager, window: string | undefined): ModelLimits {
  if (window !== undefined) return { contextWindowTokens: wholeNumber("--window", window), maxOutputTokens: null };
  const known = familyLimitsOf(manager.view().modelId ?? "");
  const neededTokens = manager.predict().upperTokens * WINDOW_FACTOR;
  if (known !== null) return { contextWindowTokens: known.contextWindowTokens, maxOutputTokens: known.maxOutputTokens };
  return { contextWindowTokens: Math.ceil(neededTokens) + 1, maxOutputTokens: null };
}

const TOKENS_PER_K = 1_000;

function wholeNumber(flag: string, text: string): number {
  const match = /^(\d{1,9})(k?)$/.exec(text);
  if (match !== null) return Number(match[1]) * (match[2] === "k" ? TOKENS_PER_K : 1);
  throw new PlimsollError("bad-input", `${flag} ${text}: give a number of tokens, as 8000 or 8k`);
}
