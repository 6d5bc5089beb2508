import type { JsonValue } from "../json.ts";
import { type Sequence, sequenceOf } from "../sequence.ts";
import { type ContentSum, type MessageContent, NO_CONTENT, type OverheadCounts } from "./ledger/content.ts";
import type { ModelFit } from "./ledger/model-fit.ts";

/**
 * All that is known about the size of a view: plain data, folded entry by entry. `foldLedger` (in session/) keeps the sums, which every estimator uses;
 * the estimator keeps its own part and leaves the others as they are in {@link EMPTY_LEDGER}.
 */
export interface Ledger extends ViewSums, AnchoredPart, MeasuredPart {
  /** The factor that an estimator has learned: expected tokens of one token of its measure. 1 before the first report. */
  readonly factor: number;
  /** The state of an estimator that is not built in, as plain JSON; `null` until it keeps something. */
  readonly own: JsonValue;
}

/** Sums over the view, by the estimator's own measure of messages. */
interface ViewSums {
  /** Sum of the message estimates over the view. */
  readonly estimatedTokens: number;
  /** That sum right after the newest compaction or undo; `null` before the first. An undo is not undone by the next gate. */
  readonly estimatedAtLastCutTokens: number | null;
  /** That sum at the newest model call; `null` before the first. */
  readonly estimatedAtLastCallTokens: number | null;
  /** Moving average of how much a step adds. */
  readonly stepGrowthTokens: number;
}

/** The state of the estimator `usage-anchored`. */
interface AnchoredPart {
  /** The newest report that still describes the view; `null` before the first and after a compaction. */
  readonly anchor: UsageAnchor | null;
  /** The scale that reports taught; `null` before the first. */
  readonly scale: LearnedScale | null;
}

/** The state of the estimator `ledger`: each message's content, and its size by reports. */
interface MeasuredPart {
  /** The model of the newest report, and the one that the next request goes to; `null` before they are named. */
  readonly reportedModelId: string | null;
  readonly nextModelId: string | null;
  /** The fit of each model, by its id. */
  readonly fits: { readonly [modelId: string]: ModelFit };
  /** The base of the next prompt. */
  readonly base: Base;
  /** The reply of the newest report; no report covers it yet. */
  readonly reply: ReplyReport | null;
  /** The content that came after the base, its messages, and whether a person wrote one of them. */
  readonly unreported: ContentSum;
  readonly unreportedMessages: Sequence<UnreportedMessage>;
  readonly hasUnreportedHuman: boolean;
  /** All messages of the view. */
  readonly view: ContentSum;
  /** Sizes by reports, in the order they were learned; the newest of a message counts. */
  readonly measured: Sequence<MeasuredMessage>;
  readonly firstReport: FirstReport | null;
  /** Reasoning that came back within the turn so far. */
  readonly turnReasoningTokens: number;
  /** Rises that no message explains. */
  readonly jump: Jump;
  /** How far the newest predictions were off. */
  readonly residuals: Residuals;
}

/** A reported size, and the sum of the estimates of what it covers. */
interface UsageAnchor {
  readonly reportedTokens: number;
  readonly estimatedTokens: number;
  /** The request whose reply the report covers too, until that reply is appended. */
  readonly coversReplyOf: string | null;
}

/** How estimates become tokens, as reports taught it. It outlives the anchor: what a cut leaves is expected to measure as it was planned. */
export interface LearnedScale {
  /** Reported tokens of one estimated token, by how the newest reports differ. */
  readonly ratio: number;
  /** Estimated tokens that the ratio rests on. */
  readonly weightTokens: number;
  /** The newest reported prompt, and the estimate of it, messages and overhead. */
  readonly promptTokens: number;
  readonly estimatedTokens: number;
  /** The overhead of the newest report by that ratio. */
  readonly overheadTokens: number;
  /** Tokens of one estimated token in a view that was edited since the newest report; `null` while the anchor is valid. */
  readonly viewRatio: number | null;
}

/** A reply as far as it is known: what was reported of it, and the message once it is appended. */
export interface ReplyReport {
  readonly requestId: string;
  /** `null` until the reply is appended. */
  readonly messageId: string | null;
  readonly outputTokens: number | null;
  readonly reasoningTokens: number | null;
  /** `null` until the reply is appended, and for replies with nothing to send back. */
  readonly content: MessageContent | null;
}

/** Nothing reported yet; the newest report; or what a cut left of what was measured before it. */
export type Base =
  | { readonly kind: "nothing" }
  | { readonly kind: "report"; readonly promptTokens: number; readonly overhead: OverheadCounts }
  | {
      readonly kind: "cut";
      /** Who cut: after others, what they put back is not known from the log. */
      readonly by: "engine" | "others";
      /** Tokens of the messages that the model of the newest report measured. */
      readonly measuredTokens: number;
      /** The same messages by content: any other model has to weigh them. */
      readonly measuredContent: ContentSum;
      readonly unmeasuredContent: ContentSum;
    };

/** The first report since the session began or was cut. It tells the overhead, whatever its messages turn out to weigh. */
export interface FirstReport {
  /** The model that counted it. */
  readonly modelId: string;
  readonly promptTokens: number;
  readonly measuredTokens: number;
  readonly unmeasuredContent: ContentSum;
  readonly overhead: OverheadCounts;
  /** Reports since: with each of them the session's own errors say more of the next one. */
  readonly laterReports: number;
}

/** A message that no report covers yet. */
export interface UnreportedMessage {
  readonly id: string;
  readonly content: MessageContent;
  readonly fixedTokens: number;
}

/** Tokens of a message by the difference of two reports. */
export interface MeasuredMessage {
  readonly id: string;
  /** The content that was measured: an edited message has the same id and other content. */
  readonly content: MessageContent;
  readonly modelId: string;
  readonly tokens: number;
  /** How many of them are reasoning, which may vanish at the next human message. */
  readonly reasoningTokens: number;
}

/** The situation of a prediction: each has errors of its own kind. */
export type Situation = "anchored" | "after-cut" | "after-others-cut" | "after-switch" | "first-call";

/** The largest late under-estimate in each situation, as a share of what was expected; it fades call by call. */
export type Residuals = { readonly [situation in Situation]: number };

/**
 * The under-estimate that is assumed of a situation until it has shown its own: 0.15 % if anchored; after a cut and a switch 8 % and 10 %, at
 * a first call 15 %, rounded up from the worst of the recorded sessions with everything in view; after a cut of others 40 %: agents put files and
 * instructions back that their logs do not show, up to 59 % of what can be seen (docs/evidence.md).
 */
export const ASSUMED_RESIDUALS: Residuals = {
  anchored: 0.0015,
  "after-cut": 0.08,
  "after-others-cut": 0.4,
  "after-switch": 0.1,
  "first-call": 0.15,
};

/** Nothing came since the base. */
export const NOTHING_UNREPORTED: Pick<Ledger, "reply" | "unreported" | "unreportedMessages" | "hasUnreportedHuman"> = {
  reply: null,
  unreported: NO_CONTENT,
  unreportedMessages: sequenceOf(),
  hasUnreportedHuman: false,
};

/** A model's jumps between two sizes of one prompt: what its server adds now and then. */
export interface Jump {
  /** The newest rise that nothing explained; 0 once it was taken back. */
  readonly risenTokens: number;
  /** A rise that was taken back whole may come again: the bound has room for it. */
  readonly roomTokens: number;
}

/** No jump was seen. */
export const NO_JUMP: Jump = { risenTokens: 0, roomTokens: 0 };

/** The ledger (the counts that sizes are predicted from) of a context without messages. */
export const EMPTY_LEDGER: Ledger = ledgerCopy({
  estimatedTokens: 0,
  estimatedAtLastCutTokens: null,
  estimatedAtLastCallTokens: null,
  stepGrowthTokens: 0,
  factor: 1,
  own: null,
  anchor: null,
  scale: null,
  reportedModelId: null,
  nextModelId: null,
  fits: {},
  base: { kind: "nothing" },
  ...NOTHING_UNREPORTED,
  view: NO_CONTENT,
  measured: sequenceOf(),
  firstReport: null,
  turnReasoningTokens: 0,
  jump: NO_JUMP,
  residuals: ASSUMED_RESIDUALS,
});

/** A ledger that is being made: its fields can still be set. */
export type LedgerCopy = { -readonly [Field in keyof Ledger]: Ledger[Field] };

/** A copy for a fold that makes one for each entry: spreading so many fields takes ten times as long. */
export function ledgerCopy(ledger: Ledger): LedgerCopy {
  return {
    estimatedTokens: ledger.estimatedTokens,
    estimatedAtLastCutTokens: ledger.estimatedAtLastCutTokens,
    estimatedAtLastCallTokens: ledger.estimatedAtLastCallTokens,
    stepGrowthTokens: ledger.stepGrowthTokens,
    factor: ledger.factor,
    own: ledger.own,
    anchor: ledger.anchor,
    scale: ledger.scale,
    reportedModelId: ledger.reportedModelId,
    nextModelId: ledger.nextModelId,
    fits: ledger.fits,
    base: ledger.base,
    reply: ledger.reply,
    unreported: ledger.unreported,
    unreportedMessages: ledger.unreportedMessages,
    hasUnreportedHuman: ledger.hasUnreportedHuman,
    view: ledger.view,
    measured: ledger.measured,
    firstReport: ledger.firstReport,
    turnReasoningTokens: ledger.turnReasoningTokens,
    jump: ledger.jump,
    residuals: ledger.residuals,
  };
}

/** The model that the next request goes to: the newest reported one until another is named. `null` before the first. */
export function nextModelIdOf({ nextModelId, reportedModelId }: Ledger): string | null {
  return nextModelId ?? reportedModelId;
}
