import { MEASURED_FIGURES } from "@plimsoll/providers";
import type { Transcript } from "../transcript.ts";
import { type CallKind, callKinds } from "./calibrate-sessions.ts";
import { calibrateTranscripts, type MethodErrors } from "./calibration-report.ts";
import { errorsOf, type PredictionErrors, signedPercentOf } from "./errors.ts";
import { leaveOneRepositoryOut } from "./leave-one-out.ts";
import { CALIBRATED_METHODS } from "./methods.ts";
import type { PredictedCall } from "./predict-calls.ts";

/** A call off by more than this is listed with its place. */
const LISTED_PERCENT = 5;

/**
 * The measured part of `docs/estimators.md`, from recorded sessions: every method on every kind of call, fitted in and out of sample, and
 * every miss. It is replaced between its marks; the words around it are written by hand.
 */
export function estimatorsPage(transcripts: readonly Transcript[]): string {
  const used = transcripts.filter(({ parentName, hasUsage }) => parentName === null && hasUsage);
  const { report } = calibrateTranscripts(used, CALIBRATED_METHODS);
  const kinds = used.map(callKinds);
  const heldOut = leaveOneRepositoryOut(used).flatMap((calls, index) => withKinds(calls, kinds[index] ?? []));
  const { sessions } = calibrateTranscripts(used, CALIBRATED_METHODS.slice(-1));
  const inSample = sessions.flatMap(({ session, kinds: own }) => withKinds(session.methods[0]?.calls ?? [], own));
  const calm = inSample.filter(({ kind }) => kind === "calm");
  return [
    `Figures fitted ${MEASURED_FIGURES.asOf}; ${used.length} sessions, ${inSample.length} calls. In percent of the reported prompt.`,
    "",
    ...section("All calls but each session's first", report.methods, "afterFirst"),
    ...section("Nothing hidden: no unmarked fall, cut or switch", report.methods, "calm"),
    ...section("Hidden events: unmarked falls, first calls after a cut or a switch", report.methods, "hidden"),
    ...section("First call after a cut", report.methods, "afterCut"),
    "### The ledger, in and out of sample",
    "",
    "Out of sample: the fitted figures come from the sessions of all other repositories.",
    "",
    ...table([
      ["in sample, all but first", errorsOf(inSample.filter(({ kind }) => kind !== "first"))],
      ["out of sample, all but first", errorsOf(heldOut.filter(({ kind }) => kind !== "first"))],
      ["in sample, nothing hidden", errorsOf(calm)],
      ["out of sample, nothing hidden", errorsOf(heldOut.filter(({ kind }) => kind === "calm"))],
    ]),
    ...byFormat(used, inSample, heldOut),
    ...list(
      "### First calls after a cut",
      inSample.filter(({ kind }) => kind === "after-cut"),
    ),
    ...list(
      `### Calls without a hidden event that are off by more than ${LISTED_PERCENT} %`,
      calm.filter((call) => Math.abs(signedPercentOf(call)) > LISTED_PERCENT),
    ),
    ...list(
      "### Calls without a hidden event above their upper bound",
      calm.filter(({ prediction, reportedTokens }) => reportedTokens > prediction.upperTokens),
    ),
    ...list(
      "### First calls of sessions whose system text is in the log",
      inSample.filter(({ kind, prediction }) => kind === "first" && prediction.basis !== "unanchored"),
    ),
  ].join("\n");
}

type KindCall = PredictedCall & { readonly kind: CallKind };

function withKinds(calls: readonly PredictedCall[], kinds: readonly CallKind[]): readonly KindCall[] {
  return calls.map((call, index) => ({ ...call, kind: kinds[index] ?? "calm" }));
}

function section(
  title: string,
  methods: readonly MethodErrors[],
  key: Exclude<keyof MethodErrors, "method">,
): readonly string[] {
  return [`### ${title}`, "", ...table(methods.map((errors) => [errors.method, errors[key]]))];
}

function byFormat(
  transcripts: readonly Transcript[],
  inSample: readonly KindCall[],
  heldOut: readonly KindCall[],
): readonly string[] {
  const formatOf = new Map(transcripts.map(({ name, format }) => [name, format]));
  const formats = [...new Set(formatOf.values())];
  const errors = (calls: readonly KindCall[], format: string) =>
    errorsOf(calls.filter(({ file, kind }) => kind === "calm" && formatOf.get(file) === format));
  const rows = formats.flatMap((format): readonly (readonly [string, PredictionErrors])[] => [
    [`${format}, in`, errors(inSample, format)],
    [`${format}, out`, errors(heldOut, format)],
  ]);
  return ["### By format, nothing hidden, in and out of sample", "", ...table(rows)];
}

function table(rows: readonly (readonly [string, PredictionErrors])[]): readonly string[] {
  return [
    "| | calls | bias | MAPE | p50 | p95 | max | off by > 2 % | > 5 % | bound holds | margin | its median |",
    "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ...rows.map(
      ([name, errors]) =>
        `| ${name} | ${errors.calls} | ${figure(errors.signedPercent)} | ${figure(errors.mapePercent)} | ${figure(errors.p50Percent)} | ${figure(errors.p95Percent)} | ${figure(errors.maxPercent)} | ${errors.offByTwoPercentCount} | ${errors.offByFivePercentCount} | ${errors.coverageRatio === null ? "–" : (100 * errors.coverageRatio).toFixed(2)} | ${figure(errors.marginPercent)} | ${figure(errors.marginP50Percent)} |`,
    ),
    "",
  ];
}

function figure(percent: number | null): string {
  return percent === null ? "–" : percent.toFixed(Math.abs(percent) < 1 ? 3 : 2);
}

function list(title: string, calls: readonly KindCall[]): readonly string[] {
  return [
    title,
    "",
    "| session | call | reported | expected | bound | off by |",
    "|---|---|---|---|---|---|",
    ...calls.map(
      (call) =>
        `| ${call.file} | ${call.call} | ${call.reportedTokens} | ${call.prediction.expectedTokens} | ${call.prediction.upperTokens} | ${signedPercentOf(call).toFixed(1)} % |`,
    ),
    "",
  ];
}
