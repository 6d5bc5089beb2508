import { isRecord } from "../json.ts";
import type { Policy } from "./policy.ts";
import { PLIMSOLL_POLICY } from "./presets/plimsoll.ts";

/**
 * A policy as somebody wrote it, in the form that policies have now. Older ones say nothing of a fallback: they get the one that the engine
 * added to every policy then, which all presets have. Older ones keep one amount of the newest history, and room for `excerpts`: two keep
 * rules now. `preset` is what was changed, if something was: its rules that older files know nothing of stay. What is malformed is left
 * for the schema to judge.
 */
export function policyInNewestForm(written: unknown, preset: Policy | null = null): unknown {
  if (!isRecord(written)) return written;
  const withFallback = Object.hasOwn(written, "fallback") ? written : { ...written, fallback: PLIMSOLL_POLICY.fallback };
  return keepsInOlderForm(written) ? withRules(withFallback, preset) : withFallback;
}

/** True for values of a policy that say what stays as older versions did. */
export function keepsInOlderForm(values: Readonly<Record<string, unknown>>): boolean {
  const { keep, manualKeep, overflow } = values;
  return Object.hasOwn(values, "excerpts") || [keep, manualKeep, isRecord(overflow) ? overflow.keep : null].some(isRecord);
}

/** A preset as older files saw it: one amount that is kept, and room for excerpts. Values that an older file changes are put into this. */
export function presetInOlderForm(preset: Policy): Readonly<Record<string, unknown>> {
  const { keep, manualKeep, overflow } = preset;
  const lines = keep.find(({ kind }) => kind === "lines");
  return {
    ...preset,
    keep: amountOf(keep),
    manualKeep: manualKeep === null ? null : amountOf(manualKeep),
    overflow: { ...overflow, keep: amountOf(overflow.keep) },
    excerpts: lines === undefined ? null : settingsOf(lines),
  };
}

function amountOf(rules: Policy["keep"]): unknown {
  const recent = rules.find(({ kind }) => kind === "recent");
  if (recent === undefined) return { messages: 0 };
  const settings = settingsOf(recent);
  return Object.hasOwn(settings, "amount") ? settings.amount : settings;
}

function settingsOf({ kind: _, ...settings }: Policy["keep"][number]): Readonly<Record<string, unknown>> {
  return settings;
}

function withRules(written: Readonly<Record<string, unknown>>, preset: Policy | null): unknown {
  const { excerpts = null, keep, manualKeep, overflow, ...others } = written;
  const ruled = (amount: unknown, rules: Policy["keep"]) =>
    isRecord(amount)
      ? [recent(amount), ...rules.filter(isNewer), ...(isRecord(excerpts) ? [{ kind: "lines", ...excerpts }] : [])]
      : amount;
  const own = preset?.keep ?? [];
  return {
    ...others,
    keep: ruled(keep, own),
    manualKeep: ruled(manualKeep, preset?.manualKeep ?? own),
    overflow: isRecord(overflow) ? { ...overflow, keep: ruled(overflow.keep, preset?.overflow.keep ?? []) } : overflow,
  };
}

function recent(amount: Readonly<Record<string, unknown>>): unknown {
  return Object.hasOwn(amount, "messages") ? { kind: "recent", ...amount } : { kind: "recent", amount };
}

/** True for rules that older files know nothing of. */
function isNewer({ kind }: Policy["keep"][number]): boolean {
  return kind !== "recent" && kind !== "lines";
}
