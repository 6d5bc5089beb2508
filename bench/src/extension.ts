import { PlimsollError, PRESETS } from "@plimsoll/core";
import { isRecord, type Kinds, withKinds } from "@plimsoll/core/extend";
import type { Program } from "./drive/program.ts";
import type { Importer } from "./formats/importer.ts";
import { IMPORTERS } from "./formats/registry.ts";
import type { Metric } from "./metrics/metric.ts";
import { METRICS, type RunMetrics } from "./metrics/registry.ts";
import { EXCERPTS } from "./peers/excerpts.ts";
import type { Peer } from "./peers/peer.ts";
import { PEERS } from "./peers/peers.ts";

/** Importers, metrics, peers, programs and kinds of policy parts that a user adds to the bench. */
export interface BenchExtension extends Partial<Kinds> {
  /** Asked before the built-in ones, since the importers of plain message lists recognise many files. */
  readonly importers?: readonly Importer[];
  readonly metrics?: readonly Metric[];
  readonly peers?: readonly Peer[];
  readonly programs?: readonly Program[];
}

/** The parts of a run: the built-in ones and those that extensions add. */
export interface BenchParts extends Required<Omit<BenchExtension, keyof Kinds>> {
  readonly kinds: Kinds;
  readonly metrics: RunMetrics;
  /** Addresses of the added parts' modules, for threads to load them. */
  readonly modules: readonly string[];
  /** Distinguishes these parts from others of the same names; `null` if that is unknown: then no replay is kept for later runs. */
  readonly identity: string | null;
}

/** An extension with the name that messages give it. */
export interface NamedExtension {
  readonly name: string;
  readonly extension: BenchExtension;
}

const BUILT_IN = { importers: IMPORTERS, metrics: METRICS, peers: PEERS, programs: [] } as const satisfies BenchExtension;
/** Kinds that come with core, and one of a cheat. */
const KINDS = withKinds({ strategies: [EXCERPTS] });
const BUILT_IN_EXTENSION: BenchExtension = { ...BUILT_IN, ...KINDS };

/** The parts of a run without extensions. */
export const BUILT_IN_PARTS: BenchParts = { ...BUILT_IN, kinds: KINDS, modules: [], identity: "" };

/**
 * Adds extensions to the built-in parts. They are values of this process: threads cannot load them, and their replays are not
 * kept for later runs. Throws `bad-input` if a name is taken.
 */
export function partsWith(extensions: readonly BenchExtension[]): BenchParts {
  return joinedParts(extensions.map((extension, place) => ({ name: `extension ${place + 1}`, extension })));
}

/** As {@link partsWith}, for extensions that have names. */
export function joinedParts(added: readonly NamedExtension[]): BenchParts {
  checkNames([{ name: "plimsoll", extension: BUILT_IN_EXTENSION }, ...added]);
  const of = <Part>(parts: (extension: BenchExtension) => readonly Part[] | undefined): readonly Part[] =>
    added.flatMap(({ extension }) => parts(extension) ?? []);
  return {
    importers: [...of(({ importers }) => importers), ...BUILT_IN.importers],
    metrics: [...BUILT_IN.metrics, ...of(({ metrics }) => metrics)],
    peers: [...BUILT_IN.peers, ...of(({ peers }) => peers)],
    programs: [...of(({ programs }) => programs)],
    kinds: withKinds({
      strategies: [EXCERPTS, ...of(({ strategies }) => strategies)],
      keepRules: of(({ keepRules }) => keepRules),
      estimators: of(({ estimators }) => estimators),
      prompts: of(({ prompts }) => prompts),
      truncations: of(({ truncations }) => truncations),
    }),
    modules: [],
    identity: added.length === 0 ? BUILT_IN_PARTS.identity : null,
  };
}

/** The names of parts by their kind. Importers of one extension may read one format in several forms. */
const NAMES_OF: Readonly<Record<string, (extension: BenchExtension) => readonly string[]>> = {
  importer: ({ importers = [] }) => [...new Set(importers.map(({ format }) => format))],
  metric: ({ metrics = [] }) => metrics.map(({ id }) => id),
  policy: ({ peers = [], programs = [] }) => [...peers.map(({ policy }) => policy), ...programs].map(({ name }) => name),
  strategy: ({ strategies = [] }) => strategies.map(({ kind }) => kind),
  "keep rule": ({ keepRules = [] }) => keepRules.map(({ kind }) => kind),
  estimator: ({ estimators = [] }) => estimators.map(({ kind }) => kind),
  prompt: ({ prompts = [] }) => prompts.map(({ id }) => id),
  truncation: ({ truncations = [] }) => truncations.map(({ category }) => category),
};

function checkNames(extensions: readonly NamedExtension[]): void {
  for (const [kind, namesOf] of Object.entries(NAMES_OF)) {
    const ownerOf = new Map(kind === "policy" ? PRESETS.map(({ name }) => [name, "plimsoll"]) : []);
    for (const { name: owner, extension } of extensions) {
      for (const name of namesOf(extension)) {
        const before = ownerOf.get(name);
        if (before !== undefined) throw taken({ kind, name, owner, before });
        ownerOf.set(name, owner);
      }
    }
  }
}

function taken(clash: Readonly<Record<"kind" | "name" | "owner" | "before", string>>): PlimsollError {
  const { kind, name, owner, before } = clash;
  const holder = before === owner ? "it has" : `${before} has`;
  const article = /^[aeiou]/.test(kind) ? "an" : "a";
  return new PlimsollError(
    "bad-input",
    `${owner}: ${holder} ${article} ${kind} called "${name}" already; give this one another name`,
  );
}

/** Fields that each part must have, by its type: a module in JavaScript has no compiler that says so. */
const REQUIRED: {
  readonly [Part in keyof Required<BenchExtension>]: Readonly<Record<string, "string" | "number" | "function" | "object">>;
} = {
  importers: { format: "string", description: "string", recognises: "function", read: "function" },
  metrics: { id: "string", schema: "object", measure: "function", pool: "function", figures: "object" },
  peers: { policy: "object", figures: "object", readOn: "string", notExpressed: "object" },
  programs: { name: "string", runs: "string", maxRecoveries: "number", start: "function" },
  strategies: { kind: "string", schema: "object", bind: "function" },
  keepRules: { kind: "string", schema: "object", bind: "function" },
  estimators: { kind: "string", schema: "function", create: "function" },
  prompts: { id: "string", instructions: "function" },
  truncations: { category: "string", cut: "function" },
};

/** A module's default export as an extension. Throws `bad-input` with a line that names the part that is missing. */
export function parseExtension(value: unknown, name: string): BenchExtension {
  const isExtension = (given: unknown): given is BenchExtension => problemOf(given) === null;
  if (isExtension(value)) return value;
  throw new PlimsollError("bad-input", `${name}: ${problemOf(value)}`);
}

function problemOf(value: unknown): string | null {
  const required: Readonly<Record<string, Readonly<Record<string, string>>>> = REQUIRED;
  if (!isRecord(value))
    return `its default export is not an extension; export an object with ${Object.keys(required).join(", ")}`;
  for (const [kind, parts] of Object.entries(value)) {
    const needs = required[kind];
    if (needs === undefined) return `an extension has no "${kind}"; it may have ${Object.keys(required).join(", ")}`;
    if (!Array.isArray(parts)) return `"${kind}" is not a list`;
    for (const [place, part] of parts.entries()) {
      const lacking = Object.entries(needs).find(([key, type]) => !isRecord(part) || typeof part[key] !== type);
      if (lacking !== undefined)
        return `${kind}[${place}] has no ${lacking[0]} (${lacking[1] === "object" ? "an" : "a"} ${lacking[1]})`;
    }
  }
  return null;
}
