import { basename, extname } from "node:path";
import { type Policy, PRESETS, presetNamed } from "@plimsoll/core";
import { BUILT_IN_KINDS, type Kinds, policyInNewestForm, policySchema } from "@plimsoll/core/build";
import { isRecord, keepsInOlderForm, presetInOlderForm } from "@plimsoll/core/internal";
import { z } from "zod";
import { suggestion } from "../option/nearest-name.ts";
import { type JsonSchema, schemaProblems } from "../yaml/schema-problems.ts";
import { readDocument, readText, type YamlDocument } from "../yaml/yaml-document.ts";
import { mergePolicy, readPolicySection } from "./policy-section.ts";
import type { ReadPolicy } from "./policy-yaml.ts";

/**
 * Reads a policy from a YAML file: `policy: <preset>` with changed values next to it, or a whole policy, under `policy:` or at the top.
 * Or a section of another system's configuration (`agent:`, `compaction:`), which changes that system's preset. A changed preset goes by the file's name unless `name` gives another. Problems are lines with file, line and column.
 */
export function readPolicyFile(path: string, displayName: string, kinds: Kinds = BUILT_IN_KINDS): ReadPolicy {
  const text = readText(path);
  if (text === null) return { problems: [`${displayName}: cannot be read; give a preset's name or a YAML file`] };
  const read = readDocument(text);
  if ("problems" in read)
    return { problems: read.problems.map((problem) => `${displayName}:${problem.place}: ${problem.text}`) };
  return readPolicySection(read.document, displayName) ?? policyOf(read.document, displayName, kinds);
}

/** The policy that a document holds. */
export function policyOf(document: YamlDocument, displayName: string, kinds: Kinds = BUILT_IN_KINDS): ReadPolicy {
  const { policy: chosen, ...changes } = document.content;
  if (typeof chosen === "string") return changedPreset(document, displayName, { presetName: chosen, changes, kinds });
  if (chosen === undefined) return checked(document, displayName, { data: document.content, prefix: [], base: null, kinds });
  const [extra] = Object.keys(changes);
  if (isRecord(chosen) && extra === undefined)
    return checked(document, displayName, { data: chosen, prefix: ["policy"], base: null, kinds });
  const [place, text] =
    extra === undefined
      ? [["policy"], "policy: give a preset's name or a whole policy"]
      : [[extra], `"${extra}" is next to a whole policy; put it under policy`];
  return { problems: [`${displayName}:${document.placeOf(place)}: ${text}`] };
}

interface ChangedPreset {
  readonly presetName: string;
  readonly changes: Readonly<Record<string, unknown>>;
  readonly kinds: Kinds;
}

function changedPreset(document: YamlDocument, displayName: string, { presetName, changes, kinds }: ChangedPreset): ReadPolicy {
  const preset = presetNamed(presetName);
  if (preset === undefined) {
    const names = PRESETS.map(({ name }) => name);
    const place = document.placeOf(["policy"]);
    return { problems: [`${displayName}:${place}: unknown preset "${presetName}": ${suggestion(presetName, names)}`] };
  }
  // Values as an older version wrote them change the preset as that version had it.
  const before = keepsInOlderForm(changes) ? presetInOlderForm(preset) : preset;
  const base = { ...before, name: basename(displayName, extname(displayName)) };
  const unknown = Object.fromEntries(Object.entries(changes).filter(([key]) => !Object.hasOwn(base, key)));
  const known = Object.fromEntries(Object.entries(changes).filter(([key]) => Object.hasOwn(base, key)));
  const merged = mergePolicy(base, known);
  return checked(document, displayName, {
    data: { ...(isRecord(merged) ? merged : base), ...unknown },
    prefix: [],
    base: preset,
    kinds,
  });
}

interface PolicyData {
  readonly data: unknown;
  /** Where the policy is in the document. */
  readonly prefix: readonly string[];
  /** The preset that was changed; `null` for a whole policy. */
  readonly base: Policy | null;
  readonly kinds: Kinds;
}

function checked(document: YamlDocument, displayName: string, { data, prefix, base, kinds }: PolicyData): ReadPolicy {
  const result = policySchema(kinds).safeParse(policyInNewestForm(data, base));
  if (!result.success) {
    const problems = schemaProblems(result.error.issues, policyJsonSchema(kinds));
    return { problems: problems.map(({ path, text }) => `${displayName}:${document.placeOf([...prefix, ...path])}: ${text}`) };
  }
  const originOf = (path: readonly PropertyKey[]) => {
    // What an earlier version wrote in one place may be in another one now: then its key says where it comes from.
    const line = document.lineOf([...prefix, ...path]) ?? document.lineOf([...prefix, ...path.slice(0, 1)]);
    if (line !== null) return `${displayName}:${line}`;
    return path[0] === "name" || base === null ? "file name" : `preset ${base.name}`;
  };
  return { found: { policy: result.data, originOf } };
}

/** The schema of policies as JSON Schema (draft 2020-12), for editors and for looking up what a map may hold. */
export function policyJsonSchema(kinds: Kinds = BUILT_IN_KINDS): JsonSchema {
  return z.toJSONSchema(policySchema(kinds));
}
