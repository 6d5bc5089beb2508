import type { Transcript } from "@plimsoll/bench";
import {
  byMethod,
  type CallKind,
  calibrateTranscripts,
  callKinds,
  errorsOf,
  type MethodErrors,
  signedPercentOf,
} from "@plimsoll/bench/internal";
import { MEASURED_FIGURES } from "@plimsoll/providers";
import { formatTable } from "./format-table.ts";
import { goalTable } from "./goal-table.ts";
import { leaveOneRepositoryOut } from "./leave-one-out.ts";
import { COMPARED_METHODS, isBaseline } from "./methods.ts";
import { callList, errorTable, type KindCall } from "./page-tables.ts";
import { tellsOverhead } from "./told-overhead.ts";

/** A call off by more than this is listed with its place. */
const LISTED_PERCENT = 5;

/**
 * The measured part of `docs/estimators.md`, from recorded sessions: what was asked, every method on every kind of call and format, fitted in and
 * out of sample, and every miss. It is replaced between its marks; the words around it are written by hand.
 */
export function estimatorsPage(transcripts: readonly Transcript[]): string {
  const used = transcripts.filter(({ parentName, hasUsage }) => parentName === null && hasUsage);
  const { report, sessions } = calibrateTranscripts(used, COMPARED_METHODS);
  const methods = byMethod(sessions);
  const own = methods.at(-1)?.calls ?? [];
  const baselines = methods.filter(({ method }) => isBaseline({ name: method }));
  const heldOut = withKinds(leaveOneRepositoryOut(used), used.map(callKinds));
  const formatOf = formatsByFile(used);
  const toldFiles = new Set(used.filter(tellsOverhead).map(({ name }) => name));
  const later = laterThanFirst(own);
  const calm = own.filter(isCalm);
  const ofFormats = (isMeant: (call: KindCall) => boolean) =>
    formatTable({
      formatOf,
      baselines: baselines.map(({ method, calls }) => ({ method, calls: calls.filter(isMeant) })),
      own: own.filter(isMeant),
      heldOut: heldOut.filter(isMeant),
    });
  return [
    `Figures fitted ${MEASURED_FIGURES.asOf}; ${used.length} sessions, ${own.length} calls. In percent of the reported prompt. In sample: the fitted figures`,
    "come from all sessions. Out of sample: each session's come from the sessions of all other repositories.",
    "",
    "### What was asked",
    "",
    "The goals were set before this was built, on figures of methods tried on the same sessions.",
    "",
    ...goalTable({ baselines, own, heldOut, toldFiles }),
    "### By format, against the best baseline of that format",
    "",
    "Nothing hidden:",
    "",
    ...ofFormats(isCalm),
    "All calls but each session's first:",
    "",
    ...ofFormats(({ kind }) => kind !== "first"),
    ...section("All calls but each session's first", report.methods, "afterFirst"),
    ...section("Nothing hidden: no unmarked fall, provider's tool, cut or switch", report.methods, "calm"),
    ...section(
      "Hidden events: unmarked falls, provider's tools, first calls after a cut or a switch",
      report.methods,
      "hidden",
    ),
    ...section("First call after a cut", report.methods, "afterCut"),
    "### The ledger, in and out of sample",
    "",
    ...errorTable([
      ["in sample, all but first", errorsOf(later)],
      ["out of sample, all but first", errorsOf(laterThanFirst(heldOut))],
      ["in sample, nothing hidden", errorsOf(calm)],
      ["out of sample, nothing hidden", errorsOf(heldOut.filter(isCalm))],
    ]),
    "### The ledger by format, nothing hidden, in and out of sample",
    "",
    ...errorTable(
      [...new Set(formatOf.values())].flatMap((format) => {
        const of = (calls: readonly KindCall[]) =>
          errorsOf(calls.filter((call) => isCalm(call) && formatOf.get(call.file) === format));
        return [[`${format}, in`, of(own)] as const, [`${format}, out`, of(heldOut)] as const];
      }),
    ),
    ...callList(
      "First calls after a cut",
      own.filter(({ kind }) => kind === "after-cut"),
    ),
    ...callList(
      `Calls without a hidden event that are off by more than ${LISTED_PERCENT} %`,
      calm.filter((call) => Math.abs(signedPercentOf(call)) > LISTED_PERCENT),
    ),
    ...callList("Calls without a hidden event above their upper bound", calm.filter(isAboveBound)),
    ...callList(
      "Hidden events above their upper bound",
      laterThanFirst(own).filter((call) => !isCalm(call) && isAboveBound(call)),
    ),
    ...callList(
      "First calls of sessions whose log holds system text and tools",
      own.filter(({ kind, file }) => kind === "first" && toldFiles.has(file)),
    ),
    ...callList(
      "First calls of sessions whose log holds the system text without the tools",
      own.filter(({ kind, file, prediction }) => kind === "first" && prediction.basis !== "unanchored" && !toldFiles.has(file)),
    ),
  ].join("\n");
}

function withKinds(
  sessions: ReturnType<typeof leaveOneRepositoryOut>,
  kinds: readonly (readonly CallKind[])[],
): readonly KindCall[] {
  return sessions.flatMap((calls, session) =>
    calls.map((call, index) => ({ ...call, kind: kinds[session]?.[index] ?? "calm" })),
  );
}

function formatsByFile(transcripts: readonly Transcript[]): ReadonlyMap<string, string> {
  return new Map(transcripts.map(({ name, format }) => [name, format]));
}

function isCalm({ kind }: KindCall): boolean {
  return kind === "calm";
}

function laterThanFirst(calls: readonly KindCall[]): readonly KindCall[] {
  return calls.filter(({ kind }) => kind !== "first");
}

function isAboveBound({ prediction, reportedTokens }: KindCall): boolean {
  return reportedTokens > prediction.upperTokens;
}

function section(
  title: string,
  methods: readonly MethodErrors[],
  key: Exclude<keyof MethodErrors, "method">,
): readonly string[] {
  return [`### ${title}`, "", ...errorTable(methods.map((errors) => [errors.method, errors[key]]))];
}
