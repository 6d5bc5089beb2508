import { type Sequence, sequenceOf } from "../../sequence.ts";
import { type ContentSum, type MessageContent, NO_CONTENT, type OverheadCounts } from "./content.ts";
import type { ModelFit } from "./model-fit.ts";

/** The state of the estimator `ledger`: each message's content, and its size by reports. Plain data, which the fold carries. */
export interface MeasuredState {
  readonly kind: "ledger";
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
export const NOTHING_UNREPORTED: Pick<MeasuredState, "reply" | "unreported" | "unreportedMessages" | "hasUnreportedHuman"> = {
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

/** The state before the first entry. */
export const NOTHING_MEASURED: MeasuredState = {
  kind: "ledger",
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
};
