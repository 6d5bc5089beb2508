import { type Amount, amountSchema, isRuleName } from "../budget.ts";
import { PlimsollError } from "../error.ts";
import type { KeepRuleSpec } from "../keep/built-in-keep-rules.ts";
import type { Policy } from "./policy.ts";

/** The settings that most people change of a policy, in the words of files, command lines, sweeps, the tuner and code. */
export interface Knobs {
  /** When it acts, at any price unless `pays` is given: a share, as `75%` or 0.75, of what the preset's own is a share of, or a size, as `150k` or 150000. */
  readonly actAt?: string | number;
  /** How many times a cut between `actAt` and the full window has to pay for itself, as 12; `off` cuts at `actAt`. */
  readonly pays?: string | number;
  /** Amounts that stay word for word, by rule: a share, a size, for `recent` also `12 messages`; `off` takes the rule away. */
  readonly keep?: { readonly [rule: string]: string | number };
  /** The writer of summaries: the model, the vendor where its wire can, or `none`, so that a digest of quotations replaces them. */
  readonly writer?: string;
  /** Cap of one tool result before it enters the history, in tokens of four bytes of UTF-8 each, as `16k` for 64,000 bytes; `off` cuts nothing. */
  readonly cap?: string | number;
  /** From when on the model's summary is prepared while the conversation goes on: a share or a size as for `actAt`, below it; `off` prepares none. */
  readonly prepareAt?: string | number;
  /** The model that writes, with its window, as `claude-haiku-4-5 200k`; `same` is the session's own. */
  readonly model?: string;
}

/** A knob as documentation shows it. */
export interface KnobDescription {
  readonly key: keyof Knobs;
  readonly meaning: string;
  readonly examples: readonly string[];
}

/** Describes all knobs: the settings of a policy that most people change. `keep` has one for each rule. */
export const KNOBS: readonly KnobDescription[] = [
  {
    key: "actAt",
    meaning:
      "the size at which it compacts, at any price unless `pays` is written: a share of the same space as the preset's own, or tokens",
    examples: ["75%", "150k"],
  },
  {
    key: "pays",
    meaning:
      "how many times a cut below the full window must pay for its rewritten prompt cache within the calls that it buys; `off`: compacts at any price",
    examples: ["12", "off"],
  },
  {
    key: "keep",
    meaning:
      "the text that stays word for word, by rule: a share of the same space as the preset's own, or a size, for `recent` also a number of messages; `off` removes a rule, and rules not named stay",
    examples: ["{ recent: 12 messages }", "{ recent: 10%, human: 20k, recall: off }"],
  },
  {
    key: "writer",
    meaning:
      "the writer of summaries: `model`, `vendor` (its API's own compaction, with quotations if it has none), or `none` (quotations made without a model)",
    examples: ["model", "vendor", "none"],
  },
  {
    key: "cap",
    meaning: "the longest tool result that stays whole, in tokens of four bytes: `16k` is 64,000 bytes; `off` cuts nothing",
    examples: ["16k", "off"],
  },
  {
    key: "prepareAt",
    meaning:
      "the size, below `actAt`, from which a model's summary is prepared in the background: no waiting, but you pay for it even if it is never used; `off` prepares none",
    examples: ["70%", "off"],
  },
  {
    key: "model",
    meaning:
      "the model that writes the summaries, with its window; `same` is the session's own. In plimsoll.yaml put it under `policy`: `model` at the top is the session's",
    examples: ["claude-haiku-4-5 200k", "same"],
  },
];

/** True for the path of a knob: `actAt`, `writer`, or `keep.` and a rule. */
export function isKnobPath(path: string): boolean {
  const [, rule] = /^keep\.(.*)$/.exec(path) ?? [];
  return rule === undefined ? KNOBS.some(({ key }) => key === path && key !== "keep") : isRuleName(rule);
}

/**
 * Changes one knob of a policy. The result may name an unknown keep rule or an impossible size: the policy's schema checks that.
 *
 * @throws PlimsollError `bad-policy` for a value that the knob does not take, or a policy without that knob.
 */
export function withKnob(policy: Policy, path: string, value: unknown): Policy {
  switch (path) {
    case "actAt":
      return actingAt(policy, value);
    case "pays":
      return { ...policy, trigger: { ...policy.trigger, pays: value === "off" ? undefined : timesIn(value) } };
    case "writer":
      return writtenBy(policy, value);
    case "cap": {
      // A policy that has no cap says how one would cut.
      const own = policy.truncation;
      if (value === "off") return { ...policy, truncation: own && { ...own, capTokens: 0 } };
      return { ...policy, truncation: { ...own, capTokens: sizeIn("cap", value) } };
    }
    case "prepareAt":
      if (value === "off") return { ...policy, prepare: undefined };
      return { ...policy, prepare: { atLeast: amountIn("prepareAt", value, wholeOf(policy, policy.prepare?.atLeast)) } };
    case "model":
      return { ...policy, summary: { ...policy.summary, request: requestTo(policy.summary.request, value) } };
    default:
      return keeping(policy, path.slice("keep.".length), value);
  }
}

function actingAt(policy: Policy, value: unknown): Policy {
  const line = amountIn("actAt", value, wholeOf(policy));
  const { trigger, enabled, name } = policy;
  if (!enabled) throw refused("actAt", `${name} never compacts: choose another preset`);
  // A size that is stated is meant, whether or not the cut pays; `pays` is turned after it.
  const noPrice = trigger.pays === undefined ? {} : { pays: undefined };
  return { ...policy, trigger: { ...("above" in trigger ? { above: line } : { atLeast: line }), ...noPrice } };
}

type Whole = Extract<Amount, { ratio: number }>["of"];

const WHOLES: readonly Whole[] = ["window", "input-budget", "room"];

/** A share is of the same whole as the amount that it replaces, else as the policy's line, else of the input budget. */
function wholeOf({ trigger }: Pick<Policy, "trigger">, own?: Amount): Whole {
  return wholeIn(own) ?? wholeIn("above" in trigger ? trigger.above : trigger.atLeast) ?? "input-budget";
}

/** The whole that an amount, or one of its bounds, is a share of. */
function wholeIn(amount: Amount | undefined): Whole | undefined {
  if (amount === undefined) return undefined;
  if ("ratio" in amount) return amount.of;
  const bounds = "min" in amount ? amount.min : "max" in amount ? amount.max : [];
  return bounds.map(wholeIn).find((whole) => whole !== undefined);
}

/** The prompt with which every preset asks a model for summaries, and the one of the digest. */
const MODEL_PROMPT = "checkpoint";
const DIGEST_PROMPT = "digest";

function writtenBy(policy: Policy, value: unknown): Policy {
  if (value !== "model" && value !== "none" && value !== "vendor") throw refused("writer", "give model, vendor or none");
  if (!policy.strategies.some(({ kind }) => kind === "summarize")) throw refused("writer", `${policy.name} writes no summary`);
  const strategies = policy.strategies.flatMap((spec) => {
    if (spec.kind !== "summarize" || !("writer" in spec)) return [spec];
    // The step behind the vendor's is the one to turn.
    if (spec.writer === "vendor") return [];
    const digest = { ...spec, writer: "digest" as const, promptId: DIGEST_PROMPT, turnPrefixPromptId: null };
    if (value === "none") return [digest];
    if (value === "vendor") return [{ ...digest, writer: "vendor" as const }, digest];
    return [spec.writer === "model" ? spec : { ...spec, writer: "model" as const, promptId: MODEL_PROMPT }];
  });
  return { ...policy, strategies };
}

function requestTo(request: Policy["summary"]["request"], value: unknown): Policy["summary"]["request"] {
  if (value === "same") return typeof request === "string" ? request : "serialised";
  const [modelId = "", window = "", ...more] = String(value).split(/\s+/);
  if (more.length > 0 || modelId === "" || sizeOf(window) === null)
    throw refused("model", "give its id and its window, as claude-haiku-4-5 200k, or same");
  return { cheaper: { modelId, contextWindowTokens: sizeIn("model", window) } };
}

/** Lists that hold the same rule change together: a rejected request keeps the same as any other. */
function keeping(policy: Policy, kind: string, value: unknown): Policy {
  const before = JSON.stringify(policy.keep.find((rule) => rule.kind === kind));
  const change = (rules: readonly KeepRuleSpec[]) => {
    const isSame = JSON.stringify(rules.find((rule) => rule.kind === kind)) === before;
    return isSame ? withRule(rules, { kind, value, policy }) : rules;
  };
  const { overflow, manualKeep } = policy;
  return {
    ...policy,
    keep: change(policy.keep),
    manualKeep: manualKeep === null ? null : change(manualKeep),
    overflow: { ...overflow, keep: change(overflow.keep) },
  };
}

/** A rule that is new comes first: the last rule gives way first. */
function withRule(
  rules: readonly KeepRuleSpec[],
  { kind, value, policy }: { readonly kind: string; readonly value: unknown; readonly policy: Policy },
): readonly KeepRuleSpec[] {
  if (value === "off") return rules.filter((rule) => rule.kind !== kind);
  const [, count] = /^(\d{1,6}) messages?$/.exec(String(value)) ?? [];
  if (kind === "recent" && count !== undefined) return put(rules, { kind, messages: Number(count) });
  const own = rules.find((rule) => rule.kind === kind);
  const before = Object.values(own ?? {}).flatMap((part) => amountSchema.safeParse(part).data ?? [])[0];
  const amount = amountIn(`keep.${kind}`, value, wholeOf(policy, before));
  const sized = kind === "recent" ? { kind, amount } : { ...own, kind, atMost: amount };
  return put(rules, sized);
}

function put(rules: readonly KeepRuleSpec[], changed: KeepRuleSpec): readonly KeepRuleSpec[] {
  const isNew = !rules.some(({ kind }) => kind === changed.kind);
  return isNew ? [changed, ...rules] : rules.map((rule) => (rule.kind === changed.kind ? changed : rule));
}

function amountIn(path: string, value: unknown, of: Whole): Amount {
  const amount = amountOf(value, of);
  if (amount !== null) return amount;
  const messages = path === "keep.recent" ? ", as 12 messages" : "";
  const off = path === "actAt" ? "" : ", or off";
  const both = sizeOf(String(value)) === null ? "" : `; ${String(value)} may be either`;
  throw refused(path, `give a share up to 100%, as 75% or 75% of window, or a size, as 150k${messages}${off}${both}`);
}

function sizeIn(path: string, value: unknown): number {
  const tokens = typeof value === "number" ? value : sizeOf(String(value));
  if (tokens !== null) return tokens;
  throw refused(path, "give a size in tokens, as 16k, or off");
}

function timesIn(value: unknown): number {
  const times = typeof value === "number" ? value : Number(/^\d{1,4}(?:\.\d{1,2})?$/.exec(String(value))?.[0]);
  if (times > 0) return times;
  throw refused("pays", "give a number, as 12, or off");
}

/** A bare number up to this is tokens to one reader and per cent to another. */
const MOST_PERCENT = 100;

/** Reads an amount as people write it: `75%`, `75% of window` and 0.75 are shares, `150k`, `1m` and 150000 are tokens. `null` for anything else, 75 among it. */
export function amountOf(value: unknown, of: Whole = "input-budget"): Amount | null {
  const [, percent, named] = /^(\d{1,3}(?:\.\d{1,4})?) ?%(?: of (window|input-budget|room))?$/.exec(String(value)) ?? [];
  const whole = WHOLES.find((each) => each === named) ?? of;
  if (percent !== undefined) return Number(percent) <= 100 ? { ratio: rounded(Number(percent) / 100), of: whole } : null;
  const number = typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY ? value : sizeOf(String(value));
  if (number === null) return null;
  if (number <= 1) return { ratio: number, of };
  return number <= MOST_PERCENT ? null : { tokens: number };
}

const FACTORS: Readonly<Record<string, number>> = { "": 1, k: 1_000, m: 1_000_000 };

/** Reads a size as people write it, in tokens: `24k`, `1.5m`, `48000`. `null` for anything else. */
export function sizeOf(text: string): number | null {
  const [, digits, unit = ""] = /^(\d{1,9}(?:\.\d{1,6})?)([km]?)$/i.exec(text) ?? [];
  return digits === undefined ? null : rounded(Number(digits) * (FACTORS[unit.toLowerCase()] ?? 1));
}

/** Without the tail of binary fractions: 0.58 and not 0.5800000000000001. */
function rounded(value: number): number {
  return Number(value.toFixed(6));
}

function refused(path: string, why: string): PlimsollError {
  return new PlimsollError("bad-policy", `${path}: ${why}`, { path });
}

/** A knob's value as people write it: 0.75 is `75%`, 150000 is `150k`, text stays. */
export function knobText(value: string | number | boolean | null): string {
  if (typeof value !== "number") return String(value);
  if (value <= 1) return `${rounded(value * 100)}%`;
  return value % 1_000 === 0 ? `${value / 1_000}k` : String(value);
}
