/**
 * How an agent asks a model for a summary: behind its cached conversation, with a history that no cache has (`anew`), or in a call that its log reports
 * as one of its own (`logged`).
 */
export type SummaryRequestKind = "cached" | "anew" | "logged";

/** By format; the peers under `peers/` name the sources. */
const KINDS: Readonly<Record<string, SummaryRequestKind | undefined>> = {
  "claude-code": "cached",
  "qwen-code": "cached",
  ...{ opencode: "logged", pi: "logged", plimsoll: "logged" },
};

/** Names how the agent that writes a format asks for a summary; `anew` if that is unknown. */
export function summaryRequestKind(format: string): SummaryRequestKind {
  return KINDS[format] ?? "anew";
}
