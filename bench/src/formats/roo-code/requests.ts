import { UNREPORTED_USAGE, type Usage, usageOf } from "@plimsoll/core";
import { type Fields, jsonValueOf, numberAt, parseRecord, recordAt, recordsAt, stringAt } from "../fields.ts";

/** The file of what the user saw, beside the history. */
export const UI_MESSAGES = "ui_messages.json";

/** The calls and compactions of a task that the user's messages tell of, in their order. */
export interface Requests {
  /** Requests to the model by the time at which each began; empty if the file is not there. */
  readonly calls: readonly { readonly atMs: number; readonly report: Fields }[];
  /** True if the tokens of a prompt do not count those of the cache, as in versions before 2025-09. */
  readonly isWithoutCache: boolean;
  /** The sizes of the context before each condensation. */
  readonly tokensBeforeCondensing: readonly (number | null)[];
  /** The sizes of the context before truncations, by their ids. */
  readonly tokensBeforeTruncation: ReadonlyMap<string, number | null>;
}

/**
 * Reads the user's messages. `tokensIn` counts the whole prompt (`getApiMetrics` of both agents: "tokensIn now stores TOTAL input
 * tokens"); in older versions it left the cache out if the provider did, which shows where it is less than the cache's own counts.
 */
export function requestsIn(document: unknown): Requests {
  const messages = recordsAt({ document }, "document");
  const saying = (kind: string): readonly Fields[] => messages.filter(({ type, say }) => type === "say" && say === kind);
  const calls = saying("api_req_started").flatMap((message) => {
    const report = parseRecord(stringAt(message, "text"));
    return report === null ? [] : [{ atMs: numberAt(message, "ts") ?? 0, report }];
  });
  const isWithoutCache = calls.some(
    ({ report }) =>
      (numberAt(report, "tokensIn") ?? 0) < (numberAt(report, "cacheReads") ?? 0) + (numberAt(report, "cacheWrites") ?? 0),
  );
  const condensed = saying("condense_context").filter((message) => message.partial !== true);
  const truncated = saying("sliding_window_truncation").flatMap((message): readonly Fields[] => {
    const told = recordAt(message, "contextTruncation");
    return told === null ? [] : [told];
  });
  return {
    calls,
    isWithoutCache,
    tokensBeforeCondensing: condensed.map((message) => numberAt(recordAt(message, "contextCondense"), "prevContextTokens")),
    tokensBeforeTruncation: new Map(
      truncated.map((told) => [stringAt(told, "truncationId") ?? "", numberAt(told, "prevContextTokens")]),
    ),
  };
}

/** Kilo Code notes who ran the model, and whether that did not report. */
export function isOfKilo({ calls }: Requests): boolean {
  return calls.some(({ report }) => "inferenceProvider" in report || "usageMissing" in report);
}

/** Gives each reply what its request reported, by time. Called in the order of the replies: each request is looked at once. */
export function usageByTime({ calls, isWithoutCache }: Requests): (atMs: number | null) => Usage | null {
  let next = 0;
  return (atMs) => {
    if (calls.length === 0) return UNREPORTED_USAGE;
    let report: Fields | null = null;
    for (let call = calls[next]; call !== undefined && atMs !== null && call.atMs <= atMs; call = calls[next]) {
      report = call.report;
      next += 1;
    }
    return report === null ? null : reportedUsage(report, isWithoutCache);
  };
}

function reportedUsage(report: Fields, isWithoutCache: boolean): Usage {
  const tokensIn = numberAt(report, "tokensIn");
  const cacheReadTokens = numberAt(report, "cacheReads");
  const cacheWriteTokens = numberAt(report, "cacheWrites");
  if (tokensIn === null || tokensIn + (cacheReadTokens ?? 0) === 0) return UNREPORTED_USAGE;
  const size = isWithoutCache ? { uncachedTokens: tokensIn } : { totalInputTokens: tokensIn };
  const counts = { cacheReadTokens, cacheWriteTokens, outputTokens: numberAt(report, "tokensOut") };
  return usageOf({ ...size, ...counts, raw: jsonValueOf(withoutRequest(report)) });
}

/** A report without the text of the request, which the history has. */
function withoutRequest(report: Fields): Fields {
  return Object.fromEntries(Object.entries(report).filter(([key]) => key !== "request"));
}
