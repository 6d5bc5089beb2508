import { canonicalJson, shortHash } from "@plimsoll/core/extend";
import type { BenchReport, Shard } from "../results.ts";

/** The identity of a run, before anything of it is replayed, and the part that is meant. */
export type RunDescription = Pick<
  BenchReport,
  "inputs" | "policies" | "windows" | "summarizer" | "shard" | "plimsollVersion" | "referencesVersion"
>;

/** A name for the run that a report is of, or a part of: the same for all parts of a run, another for other files, policies, windows or versions. */
export function runIdentity(run: RunDescription): string {
  const { inputs, policies, windows, summarizer, shard, plimsollVersion, referencesVersion } = run;
  return shortHash(
    textOf({ inputs, policies, windows, summarizer, count: shard?.count ?? 1, plimsollVersion, referencesVersion }),
  );
}

/** A part as a folder of results has it: `about` names its run, and of the files its own alone. */
export interface KeptPart {
  readonly shard: Shard;
  readonly about: Readonly<Record<string, unknown>>;
}

/** In what a part's run differs from this one, as words for a person; nothing if it is the same. */
export function runDifferences(run: RunDescription, { shard, about }: KeptPart): readonly string[] {
  if (about.run === runIdentity(run)) return [];
  const own: Readonly<Record<string, unknown>> = { ...run, inputs: shareOf(run.inputs, shard) };
  const differing = ASPECTS.filter(([, fields]) => fields.some((field) => textOf(own[field]) !== textOf(about[field])));
  // All that the part says is the same: what differs are files of other parts.
  return differing.length === 0 ? ["files"] : differing.map(([word]) => word);
}

const ASPECTS = [
  ["files", ["inputs"]],
  ["policies", ["policies"]],
  ["windows", ["windows"]],
  ["summaries", ["summarizer"]],
  ["versions", ["plimsollVersion", "referencesVersion"]],
] as const;

/** The files of a part: every `count`th, so that parts take about as long as each other. All of them for a whole run. */
export function shareOf<File>(files: readonly File[], shard: Shard | null): readonly File[] {
  return shard === null ? files : files.filter((_, place) => place % shard.count === shard.index - 1);
}

/** Through JSON text: what a file holds and what a run holds are compared alike. */
function textOf(value: unknown): string {
  return canonicalJson(JSON.parse(JSON.stringify(value ?? null)));
}
