import type { UsageEntry } from "../entry.ts";
import type { Message } from "../message/message.ts";
import type { ToolSpec } from "../tool.ts";
import type { Ledger } from "./ledger.ts";
import type { MessageMeasure } from "./measure.ts";

/** What the next request is expected to measure. */
export interface Prediction {
  /** The expected size, messages and overhead, in tokens. */
  readonly expectedTokens: number;
  /** A size that it is not expected to exceed; equal to `expectedTokens` for estimators without a bound. */
  readonly upperTokens: number;
  /** The part that the provider reported; zero for estimators that do not anchor. */
  readonly reportedTokens: number;
  /** The part that was estimated. */
  readonly estimatedTokens: number;
  /** Tokens of system, tools, dynamic context and what the caller says is sent besides. */
  readonly overheadTokens: number;
  /** The estimator's name. */
  readonly basis: string;
}

/** What is sent besides messages. `hiddenTokens` is what the caller knows is sent but the log does not show. */
export interface Overhead {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly dynamicContext: string | null;
  readonly hiddenTokens: number;
}

/** One way of measuring: prices messages, learns from reported usage, predicts the next request. */
export interface Estimator {
  readonly name: string;
  /** Expected tokens of one message by what the ledger knows; what a candidate cut is priced with. */
  messageTokens(message: Message, ledger: Ledger): number;
  /** What the measure's tokens are multiplied by to become expected ones. */
  scaleRatio(ledger: Ledger): number;
  /** The upper bound of a view that was just cut, as a multiple of what is expected of it: what a cut leaves room for. */
  upperRatioAfterCut(ledger: Ledger): number;
  /** The message's own estimate, which the ledger adds up. */
  readonly measure: MessageMeasure;
  /** The ledger after one more message of the view; its sums are kept by the fold. */
  append(ledger: Ledger, message: Message): Ledger;
  /** The ledger after edits or an undo, which left this view. */
  recount(ledger: Ledger, messages: Iterable<Message>): Ledger;
  /** The ledger when the next request goes to this model. */
  changeModel(ledger: Ledger, modelId: string): Ledger;
  /** The ledger after a usage report of the view that it describes. */
  observe(ledger: Ledger, entry: UsageEntry, overhead: Overhead): Ledger;
  predict(ledger: Ledger, overhead: Overhead): Prediction;
}
