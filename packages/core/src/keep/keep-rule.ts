import { z } from "zod";
import { AMOUNT_KEYS, type Amount, amountSchema, type Budget, isRuleName } from "../budget.ts";
import { failureText, isPlimsollError, PlimsollError } from "../error.ts";
import { type KindSpec, parseSpec } from "../kind.ts";
import type { Message } from "../message/message.ts";
import * as option from "../option.ts";

/** A kind of keep rule: it reads its settings in a policy and makes a rule from them. */
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

/** How a keep rule chooses: the newest history, messages or units, the best first. The engine keeps as many as fit the rule's amount. */
export type KeepChoice = NewestRule | MessagesRule | UnitsRule;

/** How much of the newest history is kept: a number of messages, or the messages that first reach an amount. */
export type NewestAmount = { readonly messages: number } | Amount;

/**
 * Asks for the newest history. Where exactly that begins is up to the strategy, whose boundary moves the cut to a place where it may
 * fall. Of several such rules the first counts.
 */
interface NewestRule {
  readonly keeps: "newest";
  readonly amount: NewestAmount;
}

/** Keeps messages in their place, word for word, from the policy's strategies, but not from a vendor's summary or a limit of media. The fallback releases them if nothing else fits. */
export interface MessagesRule {
  readonly keeps: "messages";
  readonly atMost: Amount;
  /** Index ranges, most valuable first. One that no longer fits is skipped; one that would split a call from its results is widened. The view is frozen. */
  readonly choose: (view: KeepView) => Iterable<MessageRange>;
  /**
   * How many of the most valuable stay beyond the amount if all rules together have room for them; none by default. All rules together may fill half of the room; if one
   * rule's share is larger, that share, but never over two thirds. Records, events and reports count the choices that are gone.
   */
  readonly beyondAmount?: number | undefined;
}

/** Recalls units of the whole log, also those that earlier compactions took, in place of messages that leave the view. Of several such rules the first counts. */
interface UnitsRule extends UnitWorth {
  readonly keeps: "units";
  readonly atMost: Amount;
}

/** How much units are worth. */
export interface UnitWorth {
  /** Says how much a unit is worth, 0 or more; those worth most for their length come first. */
  readonly worth: (facts: UnitFacts) => number;
}

/** The facts about a unit at one point of the log. Distances are in characters of logged texts. */
export interface UnitFacts {
  readonly kind: LogTextKind;
  readonly chars: number;
  readonly ageChars: number;
  /** Share of its lines that were stated again later. */
  readonly restatedRatio: number;
  /** Texts of the model that quoted a line of it, or named a rare word that it had stated last. */
  readonly quotes: number;
  readonly mentions: number;
  /** Characters logged since the model last did; `null` if it never did. */
  readonly sinceUseChars: number | null;
  /** Sum over its rare words that the model's newest texts or the person's last have, too: each counts by the logarithm of how few units have it. */
  readonly shared: number;
  /** The file that it shows; `null` if that is not known. */
  readonly file: FileFacts | null;
}

/** Knowledge of a file. Distances are in characters of logged texts. */
export interface FileFacts {
  readonly reads: number;
  readonly writes: number;
  readonly sinceTouchChars: number;
  /** Since it was last written; `null` if it never was. */
  readonly sinceWriteChars: number | null;
  /** Whether it was written after the text in question. */
  readonly isWrittenSince: boolean;
}

/**
 * The kind of a text in the log: a file that a call read, another call's output, a failed call's output, a text that a call wrote into a file, words or
 * a command of the model, words of the person.
 */
export type LogTextKind = "read" | "output" | "failed" | "written" | "said" | "person";

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

/**
 * Makes a kind of keep rule from its parts, for `withKinds`. `rule` gets settings that the schema has parsed: if it throws, or its answer has a missing or unknown
 * part, the policy is refused as `bad-policy`. If `choose` or `worth` throws, the rule keeps nothing, and the event and the record name the error.
 *
 * @throws PlimsollError `bad-input` for a name that `keep.NAME` can't have, and a schema without `kind`.
 */
export function defineKeepRule<Spec extends KindSpec>(parts: {
  readonly kind: Spec["kind"];
  readonly schema: z.ZodType<Spec>;
  readonly rule: (spec: Spec) => KeepChoice;
}): KeepRuleKind {
  option.check("a keep rule", option.having("rule"), parts);
  const { kind, schema, rule } = parts;
  const of = `the keep rule ${JSON.stringify(kind)}`;
  if (!isRuleName(kind)) {
    const text = `${of}: give a name of letters, digits, _ and -, other than ${AMOUNT_KEYS.join(", ")}`;
    throw new PlimsollError("bad-input", text, { kind });
  }
  const refused = schema.safeParse({ kind }).error?.issues ?? [];
  if (refused.some((issue) => issue.code === "unrecognized_keys" && issue.keys.includes("kind")))
    throw new PlimsollError("bad-input", `the schema of ${of} has no kind: add kind: z.literal(${JSON.stringify(kind)})`, {
      kind,
    });
  const bind = (spec: KindSpec): KeepRule => {
    const parsed = parseSpec(schema, spec);
    try {
      const choice = option.atOnce("rule", rule(parsed));
      option.check(of, KEEPS, choice);
      option.check(of, CHOICES[choice.keeps], choice);
      return { kind, ...choice };
    } catch (failure) {
      const why = isPlimsollError(failure) ? failure.message : failureText(failure);
      throw new PlimsollError("bad-policy", why.includes(of) ? why : `${of}: ${why}`, { kind }, failure);
    }
  };
  return { kind, schema, bind };
}

const KEEPS = z.looseObject({ keeps: z.enum(["newest", "messages", "units"]) });
const { fn, count } = option;
const messages = z.strictObject({ messages: count });

/** The parts of a rule, by its `keeps`. */
const CHOICES: { readonly [Keeps in KeepChoice["keeps"]]: z.ZodType } = {
  newest: z.strictObject({ keeps: z.literal("newest"), amount: z.union([messages, amountSchema]) }),
  messages: z.strictObject({
    ...{ keeps: z.literal("messages"), atMost: amountSchema, choose: fn, beyondAmount: count.optional() },
  }),
  units: z.strictObject({ keeps: z.literal("units"), atMost: amountSchema, worth: fn }),
};

/** The settings of a rule that has nothing but the most that it keeps. */
export interface AmountSpec<Kind extends string> {
  readonly kind: Kind;
  readonly atMost: Amount;
}

/** Makes the kind of a rule whose one setting is an amount, which `meaning` describes. */
export function defineAmountRule<Kind extends string>(
  kind: Kind,
  rule: (atMost: Amount) => KeepChoice,
  meaning = "The most that stays.",
): KeepRuleKind {
  const schema = z.strictObject({ kind: z.literal(kind), atMost: amountSchema.describe(meaning) });
  return defineKeepRule<AmountSpec<string>>({ kind, schema, rule: ({ atMost }) => rule(atMost) });
}
