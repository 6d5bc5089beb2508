import { statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { type BenchParts, importFile, type Transcript } from "@plimsoll/bench";
import { formatNumberOf, formatTokens, ownPlaceOf } from "@plimsoll/bench/extend";
import {
  addExtensionOption,
  type CliIo,
  checkOptions,
  EXIT_FAILED,
  EXIT_OK,
  type ExtensionOptions,
  openExtensions,
  policyNamed,
  printable,
  shortened,
  tell,
  tokensOf,
  wrapped,
} from "@plimsoll/bench/terminal";
import type { CompactionEntry, FitOutcome, Message, ModelLimits, Session } from "@plimsoll/core";
import { createDigest, createSession, isPlimsollError, NONE_POLICY, PLIMSOLL_POLICY, PlimsollError } from "@plimsoll/core";
import { encodingsOf } from "@plimsoll/core/extend";
import { catalogLimits, createTokenizerLoader, isBoundReasoning, modelCosts, modelPriors } from "@plimsoll/providers";
import { compactionLoss } from "@plimsoll/providers/proxy";
import { createFileSessionStore, writeWholeFile } from "@plimsoll/stores";
import type { Command } from "commander";
import { sessionFile } from "../input/session-file.ts";
import { editWords, kindsText, lossText } from "../inspect/compaction-loss.ts";
import { createCompositionCounter } from "../inspect/session-story.ts";
import { printableLines } from "../terminal/word-wrap.ts";

interface CompactOptions extends ExtensionOptions {
  readonly undo?: boolean;
  readonly dryRun?: boolean;
  readonly policy?: string;
  readonly keep?: string;
  readonly focus?: string;
  readonly window?: string;
  readonly out?: string;
}

/** Adds `plimsoll compact`: compacts a recorded session once, without a model, or takes the newest compaction back. */
export function defineCompactCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  command
    .argument("<session>", "a session log, or the id of a plimsoll session")
    .option("--undo", "undo the newest compaction of a plimsoll session (adds a line to its log)")
    .option("--dry-run", "show the compaction and its losses, and print no messages")
    .option("--policy <policy>", "a preset's name or a YAML file; default: plimsoll")
    .option("--keep <tokens>", "tokens of the newest messages to keep word for word")
    .option("--focus <text>", "the focus of the summary")
    .option("--window <tokens>", "context window; default: the log's, its last budget, the model's, or twice the session")
    .option("-o, --out <file>", "write the messages to a file")
    .action(async (session: string, options: CompactOptions) => {
      checkOptions(options, {
        excludes: { dryRun: ["out"], undo: ["dryRun", "policy", "keep", "focus", "window", "out", "with"] },
      });
      if (options.undo === true) return onExit(await undoNewest(session, io));
      const input = sessionFile(session, io);
      const parts = await openExtensions(options, io);
      const transcripts = await importFile(input.path, input.displayName, parts.importers);
      const [transcript, ...further] = transcripts;
      if (transcript === undefined) throw new PlimsollError("bad-input", `${session}: no session in it`);
      const out = options.out === undefined ? null : resolve(io.cwd, options.out);
      if (out !== null && isSameFile(input.path, out))
        throw new PlimsollError("bad-input", `--out ${options.out}: this is the session's log itself; give another file`);
      const more = formatNumberOf(further.length, "further session");
      const leftOut = further.length === 0 ? null : `${more} in this file: left out.`;
      onExit(await compact(transcript, { options, out, leftOut, parts }, io));
    });
  addExtensionOption(command);
}

/** True for two names of one file, by links as well. */
function isSameFile(path: string, other: string): boolean {
  const [a, b] = [path, other].map((each) => statSync(each, { throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

interface CompactRequest {
  readonly options: CompactOptions;
  readonly out: string | null;
  readonly leftOut: string | null;
  readonly parts: BenchParts;
}

async function compact(transcript: Transcript, { options, out, leftOut, parts }: CompactRequest, io: CliIo): Promise<number> {
  const { kinds } = parts;
  const policy = policyNamed(options.policy ?? PLIMSOLL_POLICY.name, io, parts);
  const tokenizers = await createTokenizerLoader()(encodingsOf(policy, kinds));
  const session = createSession({
    policy,
    summarizer: createDigest(),
    entries: transcript.entries,
    modelPriors,
    modelCosts,
    isBoundReasoning,
    tokenizers,
    kinds,
  });
  const model = limitsFor(session, options.window);
  const keep = options.keep === undefined ? null : { tokens: tokensOf("--keep", options.keep) };
  const before = session.context().messages;
  const outcome = await session.fit(
    { gate: "before-submit", pending: [], model, nowMs: null, focus: options.focus ?? null, now: { reason: "manual", keep } },
    new AbortController().signal,
  );
  const isDone = outcome.entry !== undefined || outcome.kind === "unchanged";
  if (outcome.unusedFocus !== undefined) {
    tell(io, `--focus: ${outcome.unusedFocus}`);
    return EXIT_FAILED;
  }
  const { messages } = session.context();
  const tried = compactionReport({ modules: parts.modules, transcript, outcome, model, before, after: messages });
  const report = printableLines(`${tried}\n${leftOut === null ? "" : `${leftOut}\n`}`);
  if (options.dryRun === true || !isDone) {
    io.stdout.write(report);
    return isDone || options.dryRun === true ? EXIT_OK : EXIT_FAILED;
  }
  io.stderr.write(report);
  const json = `${JSON.stringify(messages, null, 2)}\n`;
  if (out === null) io.stdout.write(json);
  else writeWholeFile(out, json);
  return EXIT_OK;
}

/** Twice the session's tokens, so that the policy's kept amounts compact a session of an unknown model, not force. */
const WINDOW_FACTOR = 2;

function limitsFor(session: Session, window: string | undefined): ModelLimits {
  if (window !== undefined) return { contextWindowTokens: tokensOf("--window", window), maxOutputTokens: null };
  const { limits, modelId } = session.view();
  if (limits !== null && limits.contextWindowTokens !== null) return limits;
  const cut = session.entries().findLast(({ type }) => type === "compaction");
  if (cut?.type === "compaction" && cut.record.budgetTokens !== null)
    return { contextWindowTokens: cut.record.budgetTokens, maxOutputTokens: null };
  const known = catalogLimits(modelId ?? "");
  if (known !== null) return known;
  const neededTokens = session.predict().upperTokens * WINDOW_FACTOR;
  return { contextWindowTokens: Math.ceil(neededTokens) + 1, maxOutputTokens: null };
}

interface TriedCompaction {
  readonly modules: readonly string[];
  readonly transcript: Transcript;
  readonly outcome: FitOutcome;
  readonly model: ModelLimits;
  readonly before: readonly Message[];
  readonly after: readonly Message[];
}

const NAME_CHARS = 50;
const BODY = { first: "  ", further: "    " } as const;

/** Reports a compaction that was or would be made, for a person: lines of 80 columns. */
function compactionReport({ modules, transcript, outcome, model, before, after }: TriedCompaction): string {
  const name = `${transcript.format} log ${shortened(basename(transcript.name), NAME_CHARS)}`;
  if (outcome.entry !== undefined) {
    const { record, edits } = outcome.entry;
    const window = model.contextWindowTokens === null ? "" : `, window ${formatTokens(model.contextWindowTokens)}`;
    const sizes = `${record.messagesBefore} → ${record.messagesAfter} messages, ${formatTokens(record.tokensBefore)} → ${formatTokens(record.tokensAfter)} tokens, by ${printable(record.policy)}${window}; measured by ${record.estimator}`;
    return [
      ...wrapped(`${name}: ${sizes}`),
      ...stepLines(record.steps, modules),
      ...editWords(edits).flatMap((words) => wrapped(words, BODY)),
      ...lossText(compactionLoss(before, after, createCompositionCounter().tokensOf), BODY),
      "Summaries are quotations made without a model.",
    ].join("\n");
  }
  switch (outcome.kind) {
    case "unchanged":
      return `${name}: there is nothing to compact.`;
    case "cancelled":
      return `${name}: cancelled, ${printable(outcome.why)}.`;
    default:
      return [`${name}: cannot be compacted.`, ...("steps" in outcome ? stepLines(outcome.steps, modules) : [])].join("\n");
  }
}

function stepLines(steps: CompactionEntry["record"]["steps"], modules: readonly string[]): readonly string[] {
  return steps.flatMap(({ strategy, outcome, detail, cause }) => {
    const place = ownPlaceOf(cause, modules);
    const isCount = strategy.startsWith("keep ") && /^\d+ of \d+ kept|^chose nothing/.test(detail ?? "");
    const said = isCount ? "" : ` ${outcome}`;
    const more =
      detail === null
        ? ""
        : ` ${isCount ? printable(detail) : `(${printable(place === null ? detail : `${detail}, ${place}`)})`}`;
    return wrapped(`${printable(strategy)}:${said}${more}`, BODY);
  });
}

const LOG_SUFFIX = ".jsonl";

async function undoNewest(session: string, io: CliIo): Promise<number> {
  const { path } = sessionFile(session, io);
  if (!path.endsWith(LOG_SUFFIX))
    throw new PlimsollError("bad-input", `${session}: only plimsoll's own logs, which end in ${LOG_SUFFIX}, can be undone`);
  const store = createFileSessionStore({ folder: dirname(path) });
  const { writer, entries } = await store.open(basename(path, LOG_SUFFIX)).catch((error: unknown) => {
    throw notOurs(error, session);
  });
  try {
    const log = { entries, writer, nowMs: io.nowMs };
    const { view, context, undo } = createSession({ policy: NONE_POLICY, summarizer: createDigest(), ...log });
    const undone = view().activeCompactions.at(-1);
    const before = context().messages;
    await undo();
    io.stdout.write(`${undoneText(undone, before, context().messages)}\n`);
  } finally {
    await writer.close();
  }
  return EXIT_OK;
}

/** Says that a log is not of Plimsoll's own, rather than quoting its first line that makes no sense. */
function notOurs(error: unknown, session: string): unknown {
  if (!isPlimsollError(error) || error.details.line !== 1) return error;
  return new PlimsollError("bad-input", `${session}: not one of plimsoll's own logs; only those can be undone`, {}, error);
}

function undoneText(undone: CompactionEntry | undefined, before: readonly Message[], after: readonly Message[]): string {
  const { tokensOf } = createCompositionCounter();
  const sum = (messages: readonly Message[]) => messages.reduce((tokens, message) => tokens + tokensOf(message), 0);
  const { kinds } = compactionLoss(after, before, tokensOf);
  const which = undone === undefined ? "" : ` the compaction by ${printable(undone.record.policy)} (${undone.record.reason})`;
  const sizes = `${formatNumberOf(before.length, "message")} became ${after.length}, about ${formatTokens(sum(before))} → ${formatTokens(sum(after))} tokens`;
  return wrapped(`Undone:${which}; ${sizes}. Back: ${kindsText(kinds)}.`, { further: "  " }).join("\n");
}
