import type { AssistantMessage, CompactionEntry, SessionView, SummaryRequest, UsageEntry } from "@plimsoll/core";
import type { checkMessages } from "@plimsoll/core/extend";

/** One call of a replay as it was sent, or could not be; every metric is made from it. */
export interface ReplayedCall {
  readonly call: number;
  /** The recording's report of this call. */
  readonly recorded: UsageEntry;
  /** The recorded reply; `null` if it showed nothing. */
  readonly reply: AssistantMessage | null;
  /** The messages that were sent; for a lost call those that could not be. */
  readonly context: SessionView["messages"];
  /** Size of that request, by the size model. */
  readonly promptTokens: number;
  /** Tokens in it in addition to the messages. */
  readonly nonMessageTokens: number;
  /** Tokens that the call is charged: its own size, for a lost call that of the recorded request. */
  readonly chargedTokens: number;
  /** True if a request of this call was above the window. */
  readonly overflowed: boolean;
  /** True if the engine said that the context cannot be made to fit. */
  readonly irreducible: boolean;
  /** True if the call could not be sent at all: the session would have ended here. */
  readonly lost: boolean;
  readonly violations: readonly ReturnType<typeof checkMessages>[number][];
  /** Compactions since the call before, and attempts that came to nothing. */
  readonly compactions: readonly CompactionEntry[];
  readonly failedCompactions: number;
  /** Summaries that were asked for since the call before, of a model in earnest. */
  readonly summaries: readonly AskedSummary[];
}

/** A request for a summary. */
export interface AskedSummary {
  readonly request: SummaryRequest;
  readonly writtenBy: SummaryWriter;
  /** Requests that a model answered for it; `null` if its text replaces one that a model would have written. */
  readonly answered: readonly AnsweredRequest[] | null;
  /** When it was prepared, by the recorded clock, if no request had to wait for it; absent if the request before which it was asked for waited. */
  readonly ahead?: { readonly atMs: number | null };
}

/** The writer of a summary. `nobody`: the model's answer was unusable. */
export type SummaryWriter = "digest" | "recorded" | "recorded-and-digest" | "model" | "nobody";

/** A request to a model, by the provider's report; `null` for unreported figures. */
export interface AnsweredRequest {
  readonly modelId: string;
  readonly usage: {
    readonly inputTokens: number | null;
    readonly cacheReadTokens: number | null;
    readonly cacheWriteTokens: number | null;
    readonly outputTokens: number | null;
  };
}

/** Receives the calls of a replay in order. */
export type CallObserver = (call: ReplayedCall) => void;
