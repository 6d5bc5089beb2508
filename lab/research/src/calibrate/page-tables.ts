import type { byEstimator, callKinds, errorsOf } from "@plimsoll/bench/extend";

export type PredictedCall = ReturnType<ReturnType<typeof byEstimator>>[number];

/** How far predictions were off, over some calls. */
export type PredictionErrors = ReturnType<typeof errorsOf>;

/** A predicted call with its kind. */
export type KindCall = PredictedCall & { readonly kind: ReturnType<typeof callKinds>[number] };

/** Single calls with their reported and expected tokens, under a title. */
export function callList(title: string, calls: readonly KindCall[]): readonly string[] {
  const rows = calls.map((call) => [
    call.file,
    String(call.call),
    String(call.reportedTokens),
    String(call.prediction.expectedTokens),
    String(call.prediction.upperTokens),
    `${signedPercentOf(call).toFixed(1)}%`,
  ]);
  return [`### ${title}`, "", ...markdownTable(["session", "call", "reported", "expected", "bound", "off by"], rows)];
}

/** The difference between a call's expected and reported tokens, in percent of the report. */
export function signedPercentOf({ prediction, reportedTokens }: Pick<KindCall, "prediction" | "reportedTokens">): number {
  return (100 * (prediction.expectedTokens - reportedTokens)) / reportedTokens;
}

/** A Markdown table and the empty line behind it. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line), ""];
}

/** A percentage as a figure: three digits behind the point if it is below one. */
export function percent(value: number | null): string {
  return value === null ? "–" : value.toFixed(Math.abs(value) < 1 ? 3 : 2);
}
