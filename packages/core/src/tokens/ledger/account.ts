import type { Sequence } from "../../sequence.ts";
import { sequenceOf } from "../../sequence.ts";
import type { ClassCounts } from "../char-classes.ts";
import type { MessageContent } from "./content.ts";
import type { Load } from "./load.ts";
import { NO_LOAD } from "./load.ts";
import type { ModelFit } from "./model-fit.ts";
import type { ReplyReport } from "./reply-return.ts";
import type { Residuals } from "./residuals.ts";
import { ASSUMED_RESIDUALS } from "./residuals.ts";

/** The ledger's state: plain data, folded entry by entry. */
export interface Account {
  /** The model of the newest report, and the one that the next request goes to. */
  readonly reportedModelId: string | null;
  readonly nextModelId: string | null;
  readonly fits: { readonly [modelId: string]: ModelFit };
  /** What the next prompt is built on. */
  readonly base: Base;
  /** The reply of the newest report, which is in no report yet. */
  readonly reply: ReplyReport | null;
  /** What else came after the base, and the messages it consists of. */
  readonly pending: Load;
  readonly pendingMessages: Sequence<PendingMessage>;
  readonly pendingHuman: boolean;
  /** All messages of the view. */
  readonly view: Load;
  readonly measured: Sequence<MeasuredMessage>;
  readonly epoch: Epoch | null;
  /** Reasoning that came back within the turn so far. */
  readonly turnReasoningTokens: number;
  /** What rose within the turn without a message to explain it: server-side tools and their results. */
  readonly turnSurgeTokens: number;
  readonly residuals: Residuals;
}

/** Nothing reported yet; the newest report; or what a cut left of what was measured before it. */
export type Base =
  | { readonly kind: "nothing" }
  | { readonly kind: "report"; readonly promptTokens: number; readonly beside: Beside }
  | {
      readonly kind: "cut";
      /** What was measured under the model of the newest report, and the same messages unpriced, for any other model. */
      readonly measuredTokens: number;
      readonly measuredLoad: Load;
      readonly load: Load;
    };

/** What was sent beside the messages. */
export interface Beside {
  /** System and dynamic context. */
  readonly counts: ClassCounts;
  readonly toolCounts: ClassCounts;
  readonly hiddenTokens: number;
}

/** The first report since the session began or was cut: what tells the overhead, at any later price of its text. */
export interface Epoch {
  /** The model that counted it. */
  readonly modelId: string;
  readonly promptTokens: number;
  readonly measuredTokens: number;
  readonly load: Load;
  readonly beside: Beside;
}

/** A message that no report covers yet. */
export interface PendingMessage {
  readonly id: string;
  readonly content: MessageContent;
  readonly fixedTokens: number;
}

/** Tokens of a message by the difference of two reports. */
export interface MeasuredMessage {
  readonly id: string;
  /** What was measured: an edited message has the same id and other content. */
  readonly content: MessageContent;
  readonly modelId: string;
  readonly tokens: number;
  /** How many of them are reasoning, which may vanish at the next human message. */
  readonly reasoningTokens: number;
}

/** The account of an empty log. */
export const EMPTY_ACCOUNT: Account = {
  reportedModelId: null,
  nextModelId: null,
  fits: {},
  base: { kind: "nothing" },
  reply: null,
  pending: NO_LOAD,
  pendingMessages: sequenceOf(),
  pendingHuman: false,
  view: NO_LOAD,
  measured: sequenceOf(),
  epoch: null,
  turnReasoningTokens: 0,
  turnSurgeTokens: 0,
  residuals: ASSUMED_RESIDUALS,
};
