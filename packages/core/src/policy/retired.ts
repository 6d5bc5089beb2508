import { PlimsollError } from "../error.ts";
import { isRecord } from "../json.ts";

/** Retired paths of policies and their files, with their replacements; `null` for nothing. */
const PATHS: ReadonlyMap<string, string | null> = new Map([
  ["idle", null],
  ["idleAfter", null],
  ["progress.target", null],
  ["excerpts", "keep.recall"],
  ["keep.lines", "keep.recall"],
  ["keep.passages", "keep.recall"],
]);

/** Paths of renamed keys, with the key's new name. */
const RENAMED: ReadonlyMap<string, string> = new Map([["afterPause.pauseMs", "after"]]);

type Settings = Readonly<Record<string, unknown>>;
const recall = ({ atMost }: Settings): Settings => ({ kind: "recall", atMost });
/** Retired kinds and words of policies, with their replacements. */
const KINDS: ReadonlyMap<unknown, (spec: Settings) => Settings> = new Map([
  ["lines", recall],
  ["passages", recall],
  ["drop-tool-calls", ({ keepMessages }) => ({ kind: "clear-tool-results", keepResults: keepMessages, clearAtLeastTokens: 0 })],
]);
const WORDS: ReadonlyMap<unknown, string> = new Map([["nearer-safe", "any-safe"]]);
/** Presets that went, with those that take their place. */
export const RETIRED_PRESETS: ReadonlyMap<string, string> = new Map([["plimsoll-rich", "plimsoll"]]);

/** Says that something was retired, and names its replacement. */
export function goneText(what: unknown, instead: unknown): string {
  return `${what} is gone: ${instead === null ? "nothing replaces it, remove it" : `${instead} replaces it`}`;
}

/** A written policy with the replacements of its retired parts, each of which calls `onRetired`. Kinds in `own` exist under any name. */
export function withoutRetired(
  written: unknown,
  own: readonly string[],
  onRetired: (path: readonly string[], text: string) => void,
): unknown {
  const walk = (value: unknown, path: readonly string[]): unknown => {
    const [place, word] = [path.join("."), WORDS.get(value)];
    const say = (what: unknown, instead: unknown) => onRetired(path, goneText(what, instead));
    if (PATHS.has(place) && !own.includes(place.replace("keep.", ""))) {
      // A policy that says nothing there loses nothing. Excerpts have a form of their own in older files.
      if (value !== null) say(place, PATHS.get(place));
      return place === "excerpts" ? value : undefined;
    }
    if (Array.isArray(value)) return value.map((item, at) => walk(item, [...path, `${at}`]));
    if (word !== undefined) say(value, word);
    if (!isRecord(value)) return word ?? value;
    const spec = own.includes(String(value.kind)) ? undefined : KINDS.get(value.kind)?.(value);
    if (spec !== undefined) say(value.kind, spec.kind);
    const entries = Object.entries(spec ?? value).map(([key, inner]): [string, unknown] => {
      const isGone = key === "exceeding" && value.kind === "recent";
      if (isGone && inner !== "stays") say(key, null);
      const now = RENAMED.get([...path, key].join("."));
      if (now !== undefined) onRetired([...path, key], goneText(key, now));
      return [now ?? key, isGone ? undefined : walk(inner, [...path, key])];
    });
    return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
  };
  return walk(written, []);
}

/** @throws PlimsollError `bad-policy` for a policy with a retired part, naming its replacement. Kinds in `own` exist under any name. */
export function refuseRetired(policy: unknown, own: readonly string[]): void {
  withoutRetired(policy, own, (path, text) => {
    throw new PlimsollError("bad-policy", `${path.join(".")}: ${text}`, { path: path.join(".") });
  });
}

/** Reads removed parts of policies. */
export const retired: {
  readonly presets: typeof RETIRED_PRESETS;
  readonly text: typeof goneText;
  readonly refuse: typeof refuseRetired;
} = { presets: RETIRED_PRESETS, text: goneText, refuse: refuseRetired };
