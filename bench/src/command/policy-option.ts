import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { isPlimsollError, PlimsollError, type Policy, PRESETS, presetNamed } from "@plimsoll/core";
import { type EnginePolicy, encodingsOf, type Kinds, retired, suggestion } from "@plimsoll/core/extend";
import { ENCODING_NAMES } from "@plimsoll/providers";
import { readPolicyFile, sameAt } from "@plimsoll/stores";
import { programPolicy } from "../drive/program-run.ts";
import { type BenchParts, BUILT_IN_PARTS } from "../extension.ts";
import type { InputFile } from "../open/corpus.ts";
import { asPublished } from "../peers/peers.ts";
import { policyRunBy, versionInHead } from "../peers/running-agents.ts";
import { isSamePolicy, nameParts, parseAxis, policyAt, withoutOwnRules } from "../sweep/grid.ts";
import type { CliIo } from "../terminal/io.ts";
import { tell } from "../terminal/printable.ts";
import { mistakes } from "./check-options.ts";
import { headOf } from "./find-inputs.ts";

type ReadPolicy = ReturnType<typeof readPolicyFile>;

/** The peers and programs that a run knows, and the kinds that its policies may name. */
export type PolicyParts = Pick<BenchParts, "peers" | "kinds"> & Partial<Pick<BenchParts, "programs">>;

/** Policies of a run unless others are asked for: never compacting, the agents that most people run, and ours. */
export const DEFAULT_POLICIES: readonly string[] = ["none", "claude-code", "codex", "opencode", "pi", "plimsoll"];

/** The name for the systems whose documents were followed word for word, beside never compacting. */
const DOCUMENTED = "documented";
const DOCUMENTED_POLICIES: readonly string[] = ["none", "sven", "opal", "klaude-code", "pi"];

/** Policies that were found, for a benchmark: some may be without their fallback. And a line for each thing that is wrong. */
export interface ChosenPolicies {
  readonly policies: readonly EnginePolicy[];
  readonly problems: readonly string[];
  /** Lines about files that say something in the words of an earlier version. */
  readonly notes: readonly string[];
}

/**
 * Looks policies up, by the names of presets or in files, each once and in the order in which they were asked for; `documented` names four. `NAME (as published)` is the
 * policy of that name without its fallback; a program's name gives the program.
 */
export function choosePolicies(given: readonly string[], cwd: string, parts?: PolicyParts): ChosenPolicies {
  const policies = new Map<string, EnginePolicy>();
  const problems: string[] = [];
  const notes: string[] = [];
  for (const name of new Set(given.flatMap((each) => (each === DOCUMENTED ? DOCUMENTED_POLICIES : [each])))) {
    const program = parts?.programs?.find((each) => each.name === name);
    if (program !== undefined) {
      policies.set(name, programPolicy(program));
      continue;
    }
    const bare = publishedNamed(name, parts);
    const read = bare === undefined ? findPolicy(name, cwd, parts) : { found: { policy: bare, notes: [] } };
    if ("problems" in read) {
      problems.push(...read.problems);
      continue;
    }
    notes.push(...(read.found.notes ?? []));
    const { policy }: { readonly policy: EnginePolicy } = read.found;
    if (policies.has(policy.name))
      problems.push(`${name}: another policy of this run is called ${policy.name}; give this one a name`);
    else policies.set(policy.name, policy);
  }
  return { policies: [...policies.values()], problems, notes };
}

/** The preset or peer without its fallback that has this name; `undefined` if none has. */
function publishedNamed(name: string, { peers }: PolicyParts = BUILT_IN_PARTS): EnginePolicy | undefined {
  return [...PRESETS, ...peers.map(({ policy }) => policy)].map(asPublished).find((policy) => policy.name === name);
}

/**
 * Finds the policies of the agents that wrote the files: read off the beginnings of the files. Agents that no policy is like are left out, and so are
 * files that cannot be read: a replay says why.
 */
export async function runningPolicies(
  files: readonly InputFile[],
  cwd: string,
  parts: PolicyParts & Pick<BenchParts, "importers">,
): Promise<readonly EnginePolicy[]> {
  const names = new Set<string>();
  for (const { path, displayName } of files) {
    const head = await headOf(path, displayName);
    const importer = head === null ? undefined : parts.importers.find((each) => each.recognises(head));
    if (head === null || importer === undefined) continue;
    const policy = policyRunBy({ format: importer.format, agentVersion: versionInHead(head) });
    if (policy !== null) names.add(policy);
  }
  return choosePolicies([...names], cwd, parts).policies;
}

/** All policies, those of one name once. */
export function joinPolicies(first: readonly EnginePolicy[], others: readonly EnginePolicy[]): readonly EnginePolicy[] {
  const names = new Set(first.map(({ name }) => name));
  return [...first, ...others.filter(({ name }) => !names.has(name))];
}

/** The policies, with the control of each that has a keep rule of a person's own: the same without it, unless the run has that under another name. */
export function withControls(policies: readonly EnginePolicy[]): readonly EnginePolicy[] {
  const all = policies.flatMap((policy) => {
    const control = withoutOwnRules(policy);
    return control === policy || policies.some((other) => isSamePolicy(other, control)) ? [policy] : [policy, control];
  });
  return [...new Map(all.map((policy) => [policy.name, policy])).values()];
}

/**
 * A preset or a peer by its name, or a policy from a file: a name with a dot or a slash is a file. Settings may follow, in the words of sweeps and of
 * the names that swept policies have: `sven actAt=75% cap=8k`.
 */
export function findPolicy(name: string, cwd: string, { peers, kinds }: PolicyParts = BUILT_IN_PARTS): ReadPolicy {
  if (publishedNamed(name, { peers, kinds }) !== undefined)
    return { problems: [`${name} has no fallback and may lose a call: it runs only in \`plimsoll bench\``] };
  const [base = "", ...settings] = nameParts(name);
  if (settings.length > 0) return withSettings(name, settings, findPolicy(base, cwd, { peers, kinds }), kinds);
  const preset = presetNamed(name);
  if (preset !== undefined) return { found: { policy: preset, originOf: () => `preset ${name}` } };
  const peer = peers.find(({ policy }) => policy.name === name);
  if (peer !== undefined) return { found: { policy: peer.policy, originOf: () => `peer ${name}, read on ${peer.readOn}` } };
  if (/[./\\]/.test(name)) {
    const read = readPolicyFile(resolve(cwd, name), name, kinds);
    return withKnownEncodings("problems" in read ? { problems: read.problems.map(withoutPeers(peers)) } : read, {
      name,
      kinds,
    });
  }
  const successor = retired.presets.get(name);
  if (successor !== undefined) return { problems: [retired.text(`the policy ${name}`, successor)] };
  const names = [...PRESETS, ...peers.map(({ policy }) => policy)].map((known) => known.name);
  const file = [".yaml", ".yml"].map((end) => `${name}${end}`).find((each) => existsSync(resolve(cwd, each)));
  return { problems: [`unknown policy "${name}": ${file === undefined ? suggestion(name, names) : `did you mean ${file}?`}`] };
}

/** A file's problem, which for the name of a peer suggests no preset that has a similar name: it is another agent. */
export function withoutPeers(peers: BenchParts["peers"]): (problem: string) => string {
  return (problem) => {
    const [known = "", given] = /unknown preset "(.*)": .*$/.exec(problem) ?? [];
    const isPeer = peers.some(({ policy }) => policy.name === given);
    return isPeer ? problem.replace(known, `${given} exists only in bench, by its name; a file extends a preset`) : problem;
  };
}

/** As {@link findPolicy}; prints the words of an earlier version in a file. Throws `bad-input` with all mistakes. */
export function policyNamed(name: string, io: Pick<CliIo, "cwd" | "stderr">, parts?: PolicyParts): Policy {
  const read = findPolicy(name, io.cwd, parts);
  if ("found" in read) {
    tell(io, ...(read.found.notes ?? []));
    return read.found.policy;
  }
  throw mistakes(read.problems);
}

function withSettings(name: string, given: readonly string[], base: ReadPolicy, kinds: Kinds): ReadPolicy {
  if ("problems" in base) return base;
  try {
    const settings = given.map((text) => {
      const { path, values } = parseAxis(text);
      const [value = null, other] = values;
      const remedy = text.includes("{") ? "write a share as 5% of window" : "--sweep takes those";
      if (other !== undefined) throw new PlimsollError("bad-input", `${name}: ${text} has several values; ${remedy}`);
      return { path, value };
    });
    const { policy } = policyAt(base.found.policy, settings, kinds);
    const before = base.found.policy;
    const originOf = (path: readonly PropertyKey[]) => (sameAt(path, policy, before) ? base.found.originOf(path) : name);
    return { found: { ...base.found, policy, originOf } };
  } catch (error) {
    // An impossible setting is reported like a mistake in a file.
    if (!isPlimsollError(error)) throw error;
    return { problems: [error.message] };
  }
}

/** A policy that counts by an encoding which is not bundled cannot run. */
function withKnownEncodings(read: ReadPolicy, { name, kinds }: { name: string; kinds: Kinds }): ReadPolicy {
  if ("problems" in read) return read;
  const names: readonly string[] = ENCODING_NAMES;
  const unknown = encodingsOf(read.found.policy, kinds).filter((encoding) => !names.includes(encoding));
  if (unknown.length === 0) return read;
  return {
    problems: unknown.map((encoding) => `${name}: unknown encoding "${encoding}": ${suggestion(encoding, names)}`),
  };
}
