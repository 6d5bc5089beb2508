/** Who writes the summaries of a run: a digest in place of all, the recording where that is comparable, or a model. Plain data, so that a worker can be given it. */
export type SummarizerChoice = { readonly kind: "digest" } | { readonly kind: "recorded" } | ModelChoice;

/** A model that writes them, with the folder in which its answers are kept. */
export interface ModelChoice {
  readonly kind: "model";
  /** The host's name, as in `clientFor`. */
  readonly host: string;
  readonly modelId: string;
  readonly cassetteFolder: string;
  /** The treatment of a request without a recorded answer: ask, fail with a line, or count it and go on with a digest. */
  readonly missing: "ask" | "fail" | "estimate";
}

/** The choice if none is made: recorded summaries at comparable places, else the digest as a stand-in (docs/evidence.md). */
export const DEFAULT_SUMMARIZER: SummarizerChoice = { kind: "recorded" };

/** The name of a summarizer in reports: its kind, or `host:id` of a model. It says nothing of the cassette: replaying one gives the report of the run that recorded it. */
export function summarizerName(choice: SummarizerChoice): string {
  return choice.kind === "model" ? `${choice.host}:${choice.modelId}` : choice.kind;
}
