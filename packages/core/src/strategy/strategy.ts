import type { z } from "zod";
import type { Budget } from "../budget.ts";
import type { NewestKept } from "../cut-point.ts";
import type { Edit } from "../edit/apply-edits.ts";
import { type KindSpec, parseSpec } from "../kind.ts";
import type { Message } from "../message/message.ts";
import * as option from "../option.ts";
import type { MessageMeasure } from "../tokens/measure.ts";

/** The input of a strategy. Pure data and pure functions: no clock, no model, no store. */
export interface StrategyInput {
  /** The view as it is at this step, with the edits of earlier steps applied. */
  readonly messages: readonly Message[];
  readonly budget: Budget;
  /** Tokens that the messages may take at most: the limit of this compaction, which may be less than the room that `budget` names. */
  readonly roomTokens: number;
  /** Tokens of messages at which it would be asked again at once; a cut that keeps so many is not worth its cost. After a refusal the same as `roomTokens`. */
  readonly lineTokens: number;
  /** The newest history to keep, in messages or tokens. */
  readonly keep: NewestKept;
  /** True for messages that keep rules hold, and for the agent's declarations: they stay in place, whichever spans the strategy returns (but for a vendor's summary). */
  readonly isKept: (message: Message) => boolean;
  /** True for a human message that the newest compaction left in its place, although it took the messages on both sides of it: its turn was split then. */
  readonly isLeftOver: (message: Message) => boolean;
  /**
   * Whether the last human message stays where it is, as the engine promises (if left out), or goes as any other: the programs that
   * policies without a fallback imitate promise nothing.
   */
  readonly lastHuman?: "stays" | "goes" | undefined;
  /**
   * Whether a step at the end of the view waits for the model (if left out), or had been answered when the compaction began: earlier edits took the
   * messages after it, and it may go as any other. Only drops need to take it: `summarize` leaves it.
   */
  readonly lastStep?: "open" | "answered" | undefined;
  /** Why it is looked at: the context is too large by its measure, a provider has just said so, or someone asked for it. */
  readonly cause: "size" | "overflow" | "demand";
  /** Expected tokens of a message by the policy's measure: the unit of room and line. */
  readonly messageTokens: (message: Message) => number;
  /** Returns the tokens that a message takes of the history to keep: by the policy's cut estimator if it has one. */
  readonly keptMessageTokens: (message: Message) => number;
  /** The measure itself, for texts that are not messages yet; `scaleRatio` turns its tokens into expected ones. */
  readonly measure: MessageMeasure;
  readonly scaleRatio: number;
  /** Tokens that a notice with its facts is planned with. */
  readonly noticeTokens: number;
}

/** Edits to make, or the reason that there are none, for the record. */
export type StrategyAnswer =
  | { readonly kind: "edits"; readonly edits: readonly [Edit, ...Edit[]] }
  | { readonly kind: "not-applicable"; readonly reason: string };

/** A strategy with its settings: it answers a context that is too large with edits. */
export interface Strategy {
  /** Its name in records and events. */
  readonly name: string;
  /** True if its edits have a model write: such a strategy is left out in an emergency. */
  readonly needsModel: boolean;
  /**
   * Looks at the context and answers with edits, or with why it has none. Edits that change the last human message, take a call or a result of the open
   * step (its texts may be cut), or part a call from its result are refused as a whole: the step fails and the next strategy runs.
   */
  plan(input: StrategyInput): StrategyAnswer;
}

/** A kind of strategy: it reads its settings and makes a strategy from them. Made by {@link defineStrategy}. */
export interface StrategyKind {
  readonly kind: string;
  /** The schema of its settings; strict, so that a policy with an unknown key is refused. */
  readonly schema: z.ZodType<KindSpec>;
  /** @throws PlimsollError `bad-policy` for settings that the schema refuses. */
  bind(spec: KindSpec): Strategy;
}

/** Makes a kind of strategy, for `withKinds`. Its settings have the type that its schema gives. */
export function defineStrategy<S extends KindSpec>(kind: {
  readonly kind: S["kind"];
  readonly schema: z.ZodType<S>;
  needsModel(spec: S): boolean;
  /** The name in records and events; the kind's own by default. */
  label?(spec: S): string;
  plan(spec: S, input: StrategyInput): StrategyAnswer;
}): StrategyKind {
  option.check("a strategy", option.having("needsModel", "plan"), kind);
  return {
    kind: kind.kind,
    schema: kind.schema,
    bind: (given) => {
      const spec = parseSpec(kind.schema, given);
      return {
        name: kind.label?.(spec) ?? kind.kind,
        needsModel: kind.needsModel(spec),
        plan: (input) => kind.plan(spec, input),
      };
    },
  };
}
