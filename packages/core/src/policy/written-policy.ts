import type { z } from "zod";
import { AMOUNT_KEYS } from "../budget.ts";
import { isPlimsollError, PlimsollError } from "../error.ts";
import { isRecord } from "../json.ts";
import type { BuiltInKeepSpec } from "../keep/built-in-keep-rules.ts";
import type { KindSpec } from "../kind.ts";
import * as option from "../option.ts";
import { suggestion } from "../schema-problems.ts";
import { BUILT_IN_KINDS, type Kinds, kindNames } from "./kinds.ts";
import { KNOBS, type Knobs, withKnob } from "./knobs.ts";
import { checkPolicy, type EnginePolicy, type Policy, policySchema, unknownKind } from "./policy.ts";
import { PLIMSOLL_POLICY } from "./presets/plimsoll.ts";
import { PRESETS, presetNamed } from "./presets/presets.ts";
import { goneText, RETIRED_PRESETS, withoutRetired } from "./retired.ts";

/** A value with any of its parts left out; lists are whole, and may have settings of your own kinds. */
type Part<Value, Own> = Value extends readonly (infer Item)[]
  ? Value | (KindSpec extends Item ? readonly (Item | OwnSpec<Own>)[] : never)
  : Value extends object
    ? { readonly [Key in keyof Value]?: Part<Value[Key], Own> }
    : Value;

type OwnSpec<Own> = [Own] extends [never] ? never : { readonly kind: Own; readonly [setting: string]: unknown };

/** A policy as a user writes it: a preset with changed knobs, and any key of a policy. `Own` names your own kinds; other unknown keys don't compile. */
export type WrittenPolicy<Own extends string = never> = Omit<Knobs, "keep"> & {
  /** The preset to change; `plimsoll` by default. */
  readonly extends?: string;
  readonly name?: string;
  readonly keep?: { readonly [Rule in BuiltInKeepSpec["kind"] | Own]?: string | number } | Part<Policy["keep"], Own>;
} & { readonly [Key in Exclude<keyof Policy, "name" | "keep">]?: Part<Policy[Key], Own> };

interface WrittenProblem {
  readonly path: readonly string[];
  readonly text: string;
}

/**
 * Makes a policy from a preset and your changes: `definePolicy({ extends: "sven", actAt: "75%", writer: "none" })`. Without a `name` a changed one is called
 * `sven (changed)`.
 *
 * @throws PlimsollError `bad-policy` with a line for the first mistake, and all of them in its details. Parts of earlier versions are mistakes, too.
 */
export function definePolicy<Own extends string = never>(written?: WrittenPolicy<NoInfer<Own>>): Policy;
/** With your own kinds, from `withKinds`: their names and settings compile, too. */
export function definePolicy<Own extends string = string>(written: WrittenPolicy<NoInfer<Own>>, kinds: Kinds): Policy;
export function definePolicy(written: WrittenPolicy<string> = {}, kinds: Kinds = BUILT_IN_KINDS): Policy {
  option.check("a policy", option.object, written);
  option.check("a policy's kinds", option.kinds, kinds);
  const { extends: presetName = "plimsoll", ...changes } = written;
  const preset = presetNamed(presetName);
  if (preset === undefined) throw unknownPreset(presetName, "bad-policy");
  const name = Object.keys(changes).length === 0 ? preset.name : `${preset.name} (changed)`;
  const { result, problems, retired } = readWritten({ name, ...changes }, { preset, kinds });
  const knobs = [...KNOB_KEYS, "extends"];
  const found = result.success ? [] : option.problems(result.error, policySchema(kinds), knobs).map(({ text }) => text);
  const gone = retired.map(({ path, text }) => `${path.join(".")}: ${text}`);
  const lines = [...gone, ...problems.map(({ text }) => text), ...found];
  if (result.success && lines.length === 0) return result.data;
  throw new PlimsollError("bad-policy", lines[0] ?? "no policy", { problems: lines });
}

interface ReadWritten {
  /** The policy, or the schema's objections to it. */
  readonly result: z.ZodSafeParseResult<Policy>;
  /** Mistakes in knobs. */
  readonly problems: readonly WrittenProblem[];
  /** Parts that only earlier versions knew, with their replacements. */
  readonly retired: readonly WrittenProblem[];
}

/** Reads a whole policy, or changes of a preset, as this version or an earlier one wrote it. */
export function readWritten(
  written: Readonly<Record<string, unknown>>,
  { preset, kinds }: { readonly preset: Policy | null; readonly kinds: Kinds },
): ReadWritten {
  const retired: WrittenProblem[] = [];
  const inNewWords = withoutRetired(written, kindNames(kinds), (path, text) => retired.push({ path, text }));
  const now = isRecord(inNewWords) ? inNewWords : written;
  const { data, problems } = preset === null ? { data: now, problems: [] } : changedPreset(preset, now, kinds);
  return { result: policySchema(kinds).safeParse(policyInNewestForm(data, preset), { reportInput: true }), problems, retired };
}

/** Keys that turn a knob, and no value of a policy. `keep` is both. */
const KNOB_KEYS: readonly string[] = KNOBS.map(({ key }) => key);

/** A knob of earlier versions: a file that has it changes a preset. */
const RETIRED_KNOB = "idleAfter";

/** True if it names a preset (`extends`) or sets a knob. `keep` by itself does not count: whole policies have it, too. */
export function changesPreset(written: Readonly<Record<string, unknown>>): boolean {
  return (
    ["extends", RETIRED_KNOB].some((key) => Object.hasOwn(written, key)) ||
    KNOB_KEYS.some((key) => key !== "keep" && Object.hasOwn(written, key))
  );
}

/** The preset with parts changed and then knobs turned. Values of an older version change the preset as that had it; unknown keys are left for the schema to name. */
function changedPreset(
  preset: Policy,
  changes: Readonly<Record<string, unknown>>,
  kinds: Kinds,
): { readonly data: unknown; readonly problems: readonly WrittenProblem[] } {
  const knobs = knobsIn(changes);
  const parts = Object.fromEntries(
    Object.entries(changes).filter(([key]) => (key === "keep" ? !keepsByRule(changes.keep) : !KNOB_KEYS.includes(key))),
  );
  Object.assign(parts, keptAfterRefusal(preset, parts));
  const before = keepsInOlderForm(parts) ? changedInOlderForm(preset, parts) : { ...preset };
  const known = Object.fromEntries(Object.entries(parts).filter(([key]) => Object.hasOwn(before, key)));
  const unknown = Object.fromEntries(Object.entries(parts).filter(([key]) => !Object.hasOwn(before, key)));
  // A size that is written out is all of the trigger: cuts need to pay only if it says so. Older files knew no price.
  const isSize = isRecord(known.trigger) && Object.keys(known.trigger).some((key) => key !== "pays");
  const merged = mergePolicy(isSize ? { ...before, trigger: { ...preset.trigger, pays: undefined } } : before, known);
  const data = policyInNewestForm({ ...(isRecord(merged) ? merged : before), ...unknown }, preset);
  return turned(data, preset, { knobs, rules: kinds.keepRules.map(({ kind }) => kind) });
}

/** A list of rules is also that of a refused request, as by the knob, if the preset has one list for both and no other is written. */
function keptAfterRefusal({ keep, overflow }: Policy, parts: Readonly<Record<string, unknown>>): object {
  const { overflow: written = {} } = parts;
  const isOne = JSON.stringify(keep) === JSON.stringify(overflow.keep);
  const isWritten = !isRecord(written) || Object.hasOwn(written, "keep");
  return isOne && Array.isArray(parts.keep) && !isWritten ? { overflow: { ...written, keep: parts.keep } } : {};
}

/** A preset that an older file changes. A share that it changes is one of the input budget: it knew none of the room. */
function changedInOlderForm(preset: Policy, parts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const older = presetInOlderForm(preset);
  const { keep, overflow } = older;
  const changed = isRecord(parts.overflow) ? parts.overflow.keep : null;
  const ofOverflow = isRecord(overflow) ? { ...overflow, keep: shareOfBudget(overflow.keep, changed) } : overflow;
  return { ...older, keep: shareOfBudget(keep, parts.keep), overflow: ofOverflow };
}

function shareOfBudget(amount: unknown, changed: unknown): unknown {
  return isRecord(changed) && isRecord(amount) && amount.of === "room" ? { ...amount, of: "input-budget" } : amount;
}

/** Knobs are turned on the preset, and the differences replace the present values: other parts may not be whole yet. */
function turned(
  data: unknown,
  preset: Policy,
  { knobs, rules }: { readonly knobs: readonly (readonly [string, unknown])[]; readonly rules: readonly string[] },
): ReturnType<typeof changedPreset> {
  const problems: WrittenProblem[] = [];
  let policy = preset;
  for (const [path, value] of knobs) {
    const [, rule] = /^keep\.(.*)$/.exec(path) ?? [];
    if (rule !== undefined && !rules.includes(rule)) {
      problems.push({ path: ["keep", rule], text: unknownKind("keep rule", rule, rules) });
      continue;
    }
    try {
      policy = withKnob(policy, path, value);
    } catch (error) {
      if (!isPlimsollError(error, "bad-policy")) throw error;
      problems.push({ path: path.split("."), text: error.message });
    }
  }
  return { data: isRecord(data) ? { ...data, ...turnedParts(data, policy, preset) } : data, problems };
}

/** The parts of a policy that knobs changed, with what is written out of such a part. */
function turnedParts(now: Readonly<Record<string, unknown>>, policy: Policy, preset: Policy): object {
  const before = new Map<string, unknown>(Object.entries(preset));
  return Object.fromEntries(
    differing(policy, preset).map(([key, value]): [string, unknown] => {
      const [own, written] = [before.get(key), now[key]];
      if (!isRecord(value) || !isRecord(own) || !isRecord(written) || !isSameShape(own, written)) return [key, value];
      const isRules = key === "overflow" && JSON.stringify(own.keep) !== JSON.stringify(written.keep);
      return [key, { ...written, ...Object.fromEntries(differing(value, own)), ...(isRules ? { keep: written.keep } : {}) }];
    }),
  );
}

function differing(values: object, from: object): readonly [string, unknown][] {
  const before = new Map<string, unknown>(Object.entries(from));
  return Object.entries(values).filter(([key, value]) => value !== before.get(key));
}

/** Knobs in the order of {@link KNOBS}; rules from the last on, since a new one comes first. */
function knobsIn(changes: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  return KNOB_KEYS.flatMap((key): readonly (readonly [string, unknown])[] => {
    if (!Object.hasOwn(changes, key)) return [];
    const { keep } = changes;
    if (key !== "keep") return [[key, changes[key]]];
    return keepsByRule(keep)
      ? Object.entries(keep)
          .toReversed()
          .map(([rule, value]) => [`keep.${rule}`, value] as const)
      : [];
  });
}

/** True for `keep` as a map from rules to amounts. */
export function keepsByRule(keep: unknown): keep is Readonly<Record<string, unknown>> {
  return isRecord(keep) && !Object.keys(keep).some((key) => AMOUNT_KEYS.includes(key));
}

/**
 * Returns the preset of a name, or the policy itself.
 *
 * @throws PlimsollError `bad-input` for an unknown name, with the nearest one.
 */
export function policyOf<Given extends EnginePolicy>(given: Given | string): Given | Policy {
  // A caller without types may give changes of a preset.
  if (typeof given !== "string" && isRecord(given) && changesPreset(given) && !Object.hasOwn(given, RETIRED_KNOB))
    throw new PlimsollError("bad-policy", "these are changes of a preset: give definePolicy({ … }) of them", {});
  if (typeof given !== "string") return given;
  const preset = presetNamed(given);
  if (preset === undefined) throw unknownPreset(given, "bad-input");
  return preset;
}

/**
 * Returns the policy, or the preset of that name, if it is valid and has a fallback, as every policy outside benchmarks must.
 *
 * @throws PlimsollError `bad-policy` for one that does not parse, and for one without a fallback, which may lose a call.
 */
export function requireFallback(given: EnginePolicy | string, kinds: Kinds = BUILT_IN_KINDS): Policy {
  const policy = policyOf(given);
  const { fallback } = policy;
  // A caller without types may have left it out.
  if (fallback !== null && fallback !== undefined) {
    checkPolicy(policy, kinds);
    return { ...policy, fallback };
  }
  throw new PlimsollError(
    "bad-policy",
    `the policy ${policy.name} has no fallback and may lose a call: it runs only in benchmarks; take a preset, or add \`fallback\``,
    { policy: policy.name },
  );
}

function unknownPreset(name: string, code: "bad-policy" | "bad-input"): PlimsollError {
  const successor = RETIRED_PRESETS.get(name);
  const names = PRESETS.map((preset) => preset.name);
  const [first = "", ...settings] = name.split(/\s+/);
  const others = `known: ${names.join(", ")}; further names of \`plimsoll policy list\` run only in \`plimsoll bench\``;
  const nearest = /[\\/]|\.\w+$/.test(name)
    ? "take loadPolicy of @plimsoll/stores for a file"
    : settings.length > 0 && names.includes(first)
      ? `in code, write definePolicy({ extends: "${first}", ${settings.join(", ").replaceAll(/=([^,]+)/g, ': "$1"')} })`
      : suggestion(name, names, others);
  const text = successor === undefined ? `there is no preset "${name}": ${nearest}` : goneText(`the preset ${name}`, successor);
  return new PlimsollError(code, text, { name });
}

/**
 * A preset's data with changed values put in. A map is changed key by key if the preset has all of these keys and both are of the
 * same kind; otherwise, and for lists and single values, the new value takes the place of the old one. So `{ ratio: 0.9 }` changes the
 * ratio of a share, and `{ tokens: 9000 }` replaces the share by an amount.
 */
function mergePolicy(base: unknown, changes: unknown): unknown {
  if (!isRecord(base) || !isRecord(changes) || !isSameShape(base, changes)) return changes;
  const merged = Object.entries(base).map(([key, value]): [string, unknown] =>
    Object.hasOwn(changes, key) ? [key, mergePolicy(value, changes[key])] : [key, value],
  );
  return Object.fromEntries(merged);
}

function isSameShape(base: Readonly<Record<string, unknown>>, changes: Readonly<Record<string, unknown>>): boolean {
  const isSameKind = !Object.hasOwn(changes, "kind") || changes.kind === base.kind;
  return isSameKind && Object.keys(changes).every((key) => Object.hasOwn(base, key));
}

/**
 * A user's policy, in the present form of policies. Older ones say nothing of a fallback: they get the one that the engine added to every policy then, which
 * all presets have. Older ones keep one amount of the newest history, and room for `excerpts`: the keep rules `recent` and `recall` now. `preset` is the
 * changed preset, if there is one: its rules that older files know nothing of stay. Malformed parts are left for the schema to judge.
 */
export function policyInNewestForm(written: unknown, preset: Policy | null = null): unknown {
  if (!isRecord(written)) return written;
  const withFallback = Object.hasOwn(written, "fallback") ? written : { ...written, fallback: PLIMSOLL_POLICY.fallback };
  return keepsInOlderForm(written) ? withRules(withFallback, preset) : withFallback;
}

/** True for values of a policy that state its kept parts as older versions did. */
export function keepsInOlderForm(values: Readonly<Record<string, unknown>>): boolean {
  const { keep, manualKeep, overflow } = values;
  return Object.hasOwn(values, "excerpts") || [keep, manualKeep, isRecord(overflow) ? overflow.keep : null].some(isRecord);
}

/** A preset as older files saw it: one amount that is kept, and room for excerpts. Values that an older file changes are put into this. */
export function presetInOlderForm(preset: Policy): Readonly<Record<string, unknown>> {
  const { keep, manualKeep, overflow } = preset;
  return {
    ...preset,
    keep: amountOf(keep),
    manualKeep: manualKeep === null ? null : amountOf(manualKeep),
    overflow: { ...overflow, keep: amountOf(overflow.keep) },
    excerpts: null,
  };
}

function amountOf(rules: Policy["keep"]): unknown {
  const recent = rules.find(({ kind }) => kind === "recent");
  if (recent === undefined) return { messages: 0 };
  const { kind: _, ...settings } = recent;
  return "amount" in settings ? settings.amount : settings;
}

function withRules(written: Readonly<Record<string, unknown>>, preset: Policy | null): unknown {
  const { excerpts = null, keep, manualKeep, overflow, ...others } = written;
  const ruled = (amount: unknown, rules: Policy["keep"]) => {
    if (!isRecord(amount)) return amount;
    const newer = rules.filter(({ kind }) => kind !== "recent");
    const recalls = isRecord(excerpts) && !newer.some(({ kind }) => kind === "recall");
    const recent = Object.hasOwn(amount, "messages") ? amount : { amount };
    return [{ kind: "recent", ...recent }, ...newer, ...(recalls ? [{ kind: "recall", ...excerpts }] : [])];
  };
  const own = preset?.keep ?? [];
  return {
    ...others,
    keep: ruled(keep, own),
    manualKeep: ruled(manualKeep, preset?.manualKeep ?? own),
    overflow: isRecord(overflow) ? { ...overflow, keep: ruled(overflow.keep, preset?.overflow.keep ?? []) } : overflow,
  };
}
