import type { Transcript } from "@plimsoll/bench";
import { callKinds, errorsOf } from "@plimsoll/bench/extend";
import { familyOf } from "@plimsoll/providers";
import { leaveOneRepositoryOut } from "./leave-one-out.ts";
import { callList, type KindCall, markdownTable, type PredictionErrors, percent, signedPercentOf } from "./page-tables.ts";

/** A recorded session, and the folder that it lies in. */
export interface RecordedSession {
  readonly transcript: Transcript;
  readonly set: string;
}

/** A call that was predicted by the figures of other repositories, with all keys that divide rows. */
export interface HeldOutCall extends KindCall {
  readonly set: string;
  readonly format: string;
  readonly side: string;
}

/** The calls of sessions that are each predicted by figures fitted on the sessions of all other repositories. */
export function heldOutCalls(sessions: readonly RecordedSession[], sideOf: (file: string) => string): readonly HeldOutCall[] {
  const used = sessions.filter(({ transcript }) => transcript.parentName === null && transcript.hasUsage);
  const predicted = leaveOneRepositoryOut(used.map(({ transcript }) => transcript));
  return used.flatMap(({ transcript, set }, session): readonly HeldOutCall[] => {
    const kinds = callKinds(transcript);
    const { format, file } = transcript;
    const told = { set, format, side: sideOf(file) };
    return (predicted[session] ?? []).map((call, index) => ({ ...call, kind: kinds[index] ?? "calm", ...told }));
  });
}

/** The places of a session that have errors of their own. */
const POSITIONS: readonly (readonly [string, (call: HeldOutCall) => boolean])[] = [
  ["nothing hidden", ({ kind }) => kind === "calm"],
  ["calls 1 to 9", ({ kind, call }) => kind === "calm" && call < 10],
  ["call 10 and later", ({ kind, call }) => kind === "calm" && call >= 10],
  ["first after a cut", ({ kind }) => kind === "after-cut"],
  ["first after a switch", ({ kind }) => kind === "after-switch"],
  ["provider's tool", ({ kind }) => kind === "server-tool"],
  ["unmarked fall", ({ kind }) => kind === "fell"],
];

/** The divisions of rows: all calls, by folder, by side of the protocol, by format, by family of the model. */
const DIVISIONS: readonly ((call: HeldOutCall) => string)[] = [
  () => "all",
  ({ set }) => set,
  ({ side }) => `side ${side}`,
  ({ format }) => format,
  ({ modelId }) => familyOf(modelId).name,
];

/** A row for each part of the calls and each position that occurs in it. */
function heldOutTable(calls: readonly HeldOutCall[]): readonly string[] {
  const rows = DIVISIONS.flatMap((divide) =>
    [...new Set(calls.map(divide))].flatMap((part) =>
      POSITIONS.flatMap(([position, isAt]) => {
        const meant = calls.filter((call) => divide(call) === part && isAt(call));
        return meant.length === 0 ? [] : [rowOf(`${part}, ${position}`, errorsOf(meant))];
      }),
    ),
  );
  return markdownTable(["", "calls", "MAPE", "median", "p95", "> 5%", "bound holds", "margin"], rows);
}

function rowOf(row: string, errors: PredictionErrors): readonly string[] {
  const bound = errors.coverageRatio === null ? null : 100 * errors.coverageRatio;
  const figures = [errors.mapePercent, errors.p50Percent, errors.p95Percent].map(percent);
  return [
    row,
    String(errors.calls),
    ...figures,
    String(errors.offByFivePercentCount),
    percent(bound),
    percent(errors.marginPercent),
  ];
}

/** A call that is off by more is listed with its place. */
const LISTED_PERCENT = 5;

/** The rows, and the calls that missed. */
export function heldOutPage(calls: readonly HeldOutCall[]): string {
  const calm = calls.filter(({ kind }) => kind === "calm");
  return [
    ...heldOutTable(calls),
    ...callList(`Nothing hidden, off by more than ${LISTED_PERCENT}%`, calm.filter(isFarOff)),
    ...callList(
      "Nothing hidden, above the bound",
      calm.filter(({ reportedTokens, prediction }) => reportedTokens > prediction.upperTokens),
    ),
    ...callList(
      `First after a cut, off by more than ${LISTED_PERCENT}%`,
      calls.filter((call) => call.kind === "after-cut" && isFarOff(call)),
    ),
  ].join("\n");
}

function isFarOff(call: HeldOutCall): boolean {
  return Math.abs(signedPercentOf(call)) > LISTED_PERCENT;
}
