import type { z } from "zod";
import type { Amount, Budget } from "../budget.ts";
import { type KindSpec, parseSpec } from "../kind.ts";
import type { Message } from "../message/message.ts";
import type { UnitWorth } from "../recall/logged-units.ts";

/** A kind of keep rule: what a policy may say of it, and the rule that its settings make. */
export interface KeepRuleKind {
  readonly kind: string;
  readonly schema: z.ZodType<KindSpec>;
  /**
   * The rule of these settings.
   *
   * @throws PlimsollError `bad-policy` for settings that the schema refuses.
   */
  readonly bind: (spec: KindSpec) => KeepRule;
}

/** A keep rule with its settings; `kind` is its name in records of compactions. */
export type KeepRule = KeepChoice & { readonly kind: string };

/** How a keep rule chooses: the newest history, messages, passages or units, the best first. The engine keeps as many as fit the rule's amount. */
export type KeepChoice = NewestRule | MessagesRule | PassagesRule | UnitsRule;

/** How much of the newest history is kept: a number of messages, or the messages that first reach an amount. */
export type NewestAmount = { readonly messages: number } | Amount;

/**
 * Asks for the newest history. Where exactly that begins is up to the strategy, whose boundary moves the cut to a place where it may
 * fall. Of several such rules the first counts.
 */
interface NewestRule {
  readonly keeps: "newest";
  readonly amount: NewestAmount;
  /** Whether the message that exceeds an amount of tokens is kept (`stays`, also if left out) or not. */
  readonly exceeding?: "stays" | "goes" | undefined;
}

/** Keeps messages in their place, word for word: no strategy of the policy takes or changes them. */
export interface MessagesRule {
  readonly keeps: "messages";
  readonly atMost: Amount;
  /** Ranges of the view, the worthiest first. One that does not fit any more is passed over; one that parts a batch of calls takes all of it. */
  readonly choose: (view: KeepView) => Iterable<MessageRange>;
  /** How many of the worthiest stay beyond the amount, where all rules together have room for them; none if left out. */
  readonly beyondAmount?: number | undefined;
}

/** Keeps pieces of the texts that a compaction removes: it quotes them, word for word, beside the text that replaces them. */
export interface PassagesRule {
  readonly keeps: "passages";
  readonly atMost: Amount;
  /** Passages of the texts that leave, the worthiest first. One that does not fit any more is passed over. */
  readonly choose: (texts: readonly ReadableText[]) => Iterable<Passage>;
}

/** Recalls units of the whole log, also of what earlier compactions took, in place of what leaves the view. Of several such rules the first counts. */
interface UnitsRule extends UnitWorth {
  readonly keeps: "units";
  readonly atMost: Amount;
}

/** The view that messages are chosen from. */
export interface KeepView {
  /** All messages of the view, oldest first. */
  readonly messages: readonly Message[];
  readonly budget: Budget;
  /** Returns the tokens that a message takes of a rule's amount. */
  readonly messageTokens: (message: Message) => number;
}

/** Messages of a view by index, both ends included. */
export interface MessageRange {
  readonly from: number;
  readonly through: number;
}

/** One text of the view, as the rules that choose passages read it. */
export interface ReadableText {
  readonly text: string;
  /** Whose it is: a person's or a tool's, the model's (a reply, or a call's arguments), or what an earlier compaction quoted of a source. */
  readonly by: "source" | "model" | "excerpt";
  /** The origin of its message (a tool's name, or who said it), and the handle of the whole message. */
  readonly source: string;
  readonly handle: string;
  /** True if the compaction removes its message, so that only passages of it stay. */
  readonly leaves: boolean;
}

/** A piece of a text: the text's index, and where the piece begins and ends in it, in UTF-16 units. */
export interface Passage {
  readonly text: number;
  readonly start: number;
  readonly end: number;
}

/** Makes a kind of keep rule from its parts, for `withKinds`. `rule` gets settings that the schema has parsed. */
export function defineKeepRule<Spec extends KindSpec>(parts: {
  readonly kind: Spec["kind"];
  readonly schema: z.ZodType<Spec>;
  readonly rule: (spec: Spec) => KeepChoice;
}): KeepRuleKind {
  const { kind, schema, rule } = parts;
  return { kind, schema, bind: (spec) => ({ kind, ...rule(parseSpec(schema, spec)) }) };
}
