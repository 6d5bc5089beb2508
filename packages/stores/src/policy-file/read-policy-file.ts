import { basename, extname } from "node:path";
import { fileURLToPath } from "node:url";
import { isPlimsollError, PlimsollError, type Policy, PRESETS, presetNamed } from "@plimsoll/core";
import {
  BUILT_IN_KINDS,
  changesPreset,
  isRecord,
  type Kinds,
  KNOBS,
  keepsByRule,
  option,
  POLICY_OVERLAYS,
  policySchema,
  readWritten,
  retired,
  suggestion,
} from "@plimsoll/core/extend";
import { z } from "zod";
import { readSmallFile } from "../files/regular-file.ts";
import { type ReadPolicy, readDocument, type YamlDocument } from "./yaml-document.ts";

/**
 * Reads a policy from a YAML file: a preset's name (`extends: sven`, or `policy: sven`) with knobs and changed values next to it, the same under
 * `policy:`, or a whole policy. Or a section of another system's configuration (`agent:`, `compaction:`), which changes that system's preset. A changed preset has the
 * file's name unless `name` gives another. It ignores settings of a session in the same file. Problems are lines with file, line and column.
 */
export function readPolicyFile(path: string, displayName: string, kinds: Kinds = BUILT_IN_KINDS): ReadPolicy {
  const file = readSmallFile(path);
  if (file.kind === "absent") return { problems: [`${displayName}: cannot be read; give a preset's name or a YAML file`] };
  if (file.kind === "refused") return { problems: [`${displayName} ${file.why}; give a preset's name or a YAML file`] };
  const read = readDocument(file.text);
  if ("problems" in read)
    return { problems: read.problems.map((problem) => `${displayName}:${problem.place}: ${problem.text}`) };
  const document = withoutSettings(read.document);
  return readPolicySection(document, displayName) ?? policyOf(document, displayName, kinds);
}

/** A policy that was read from a file, with the origin of each value. */
export interface LoadedPolicy {
  readonly policy: Policy;
  /** Lines about words of earlier versions, with their replacements. */
  readonly notes: readonly string[];
  /** Where the value at a path comes from, as `preset sven` or `plimsoll.yaml:3`. */
  explain(path: string): string;
}

const isPath = (file: unknown) => typeof file === "string" || file instanceof URL;

/**
 * Reads the policy in a YAML file: a preset's name with changes, or a whole policy. `kinds` are the kinds that it may name; the built-in ones by default.
 *
 * @throws PlimsollError `bad-policy` with file, line and column of the mistake, and all such lines in its details.
 */
export function loadPolicy(file: string | URL, kinds?: Kinds): LoadedPolicy {
  option.check("a policy's file", option.kind(isPath, "a path or a file's URL"), file ?? null);
  const path = typeof file === "string" ? file : fileURLToPath(file);
  const read = readPolicyFile(path, basename(path), kinds);
  if ("found" in read) {
    const { policy, originOf, notes = [] } = read.found;
    return { policy, notes, explain: (at) => originOf(at.split(".")) };
  }
  const [first = "no policy", ...others] = read.problems;
  const more = others.length === 0 ? "" : ` (and ${others.length} more: ${others.join("; ")})`;
  throw new PlimsollError("bad-policy", `${first}${more}`, { problems: read.problems });
}

/** Keys that plimsoll.yaml may hold for a session of the command line, next to the policy; a whole policy has none of them. */
export const SESSION_KEYS: readonly string[] = [
  "model",
  "context_window",
  "max_output_tokens",
  "max_steps",
  "timeout_seconds",
  "lint",
  "sessions",
  "hand_off",
  "pass_env",
  "mcpServers",
];

/** Returns the document without the keys of {@link SESSION_KEYS}; `context_window` stays next to a section `compaction`, which uses it. */
export function withoutSettings(document: YamlDocument): YamlDocument {
  const keepsWindow = Object.hasOwn(document.content, "compaction");
  const isPolicyKey = (key: string) => !SESSION_KEYS.includes(key) || (key === "context_window" && keepsWindow);
  return { ...document, content: Object.fromEntries(Object.entries(document.content).filter(([key]) => isPolicyKey(key))) };
}

/** Reads the policy in a YAML document, or lists the problems, one line each. */
export function policyOf(document: YamlDocument, displayName: string, kinds: Kinds = BUILT_IN_KINDS): ReadPolicy {
  const { policy: chosen, ...changes } = document.content;
  const at = (place: readonly string[], text: string) => ({ problems: [`${displayName}:${document.placeOf(place)}: ${text}`] });
  if (typeof chosen === "string") {
    if (Object.hasOwn(changes, "extends")) return at(["extends"], "policy and extends both name a preset; keep one");
    return fromPreset(document, displayName, { presetName: chosen, place: ["policy"], changes, prefix: [], kinds });
  }
  if (chosen === undefined) return written(document, displayName, { data: document.content, prefix: [], kinds });
  const [extra] = Object.keys(changes);
  if (isRecord(chosen) && extra === undefined)
    return written(document, displayName, { data: chosen, prefix: ["policy"], kinds });
  return extra === undefined
    ? at(["policy"], "policy: give a preset's name or a whole policy")
    : at([extra], `"${extra}" is next to a whole policy; put it under policy`);
}

/** A map of keys: a preset with changes if it says so, else a whole policy. */
function written(
  document: YamlDocument,
  displayName: string,
  { data, prefix, kinds }: Pick<PolicyData, "prefix" | "kinds"> & { readonly data: Readonly<Record<string, unknown>> },
): ReadPolicy {
  if (!changesPreset(data)) return checked(document, displayName, { data, prefix, base: null, gone: [], kinds });
  const { extends: chosen = "plimsoll", ...changes } = data;
  const place = [...prefix, "extends"];
  return fromPreset(document, displayName, { presetName: String(chosen), place, changes, prefix, kinds });
}

interface ChangedPreset extends Pick<PolicyData, "prefix" | "kinds"> {
  readonly presetName: string;
  /** Where the preset is named. */
  readonly place: readonly string[];
  readonly changes: Readonly<Record<string, unknown>>;
}

function fromPreset(document: YamlDocument, displayName: string, given: ChangedPreset): ReadPolicy {
  const { presetName, place, changes, prefix, kinds } = given;
  const successor = retired.presets.get(presetName);
  const preset = presetNamed(successor ?? presetName);
  if (preset === undefined) {
    const names = PRESETS.map(({ name }) => name);
    const why = `unknown preset "${presetName}": ${suggestion(presetName, names)}`;
    return { problems: [`${displayName}:${document.placeOf(place)}: ${why}`] };
  }
  const data = { name: nameIn(displayName, preset), ...changes };
  const gone = successor === undefined ? [] : [{ path: place.slice(prefix.length), text: retired.text(presetName, successor) }];
  return checked(document, displayName, { data, prefix, base: preset, gone, kinds });
}

/** A changed preset goes by the file's name; by both if that is a preset's, too, as plimsoll.yaml. */
function nameIn(displayName: string, preset: Policy): string {
  const name = basename(displayName, extname(displayName));
  return presetNamed(name) === undefined ? name : `${preset.name} (${basename(displayName)})`;
}

interface PolicyData {
  readonly data: Readonly<Record<string, unknown>>;
  /** Where the policy is in the document. */
  readonly prefix: readonly string[];
  /** The preset that was changed; `null` for a whole policy. */
  readonly base: Policy | null;
  /** Says that the preset named is gone, if it is. */
  readonly gone: readonly ReturnType<typeof readWritten>["retired"][number][];
  readonly kinds: Kinds;
}

function checked(document: YamlDocument, displayName: string, given: PolicyData): ReadPolicy {
  const { data, prefix, base, gone, kinds } = given;
  const { result, problems, retired } = readWritten(data, { preset: base, kinds });
  const knobs = base === null ? [] : KNOBS.map(({ key }) => key);
  const found = result.success ? [] : option.problems(result.error, policySchema(kinds), knobs);
  const line = ({ path, text }: { readonly path: readonly PropertyKey[]; readonly text: string }) =>
    `${displayName}:${document.placeOf([...prefix, ...path])}: ${text}`;
  if (!result.success || problems.length > 0) return { problems: [...problems, ...found].map(line) };
  const policy = result.data;
  const lineOf = (path: readonly PropertyKey[]) => document.lineOf([...prefix, ...path]);
  const originOf = (path: readonly PropertyKey[]) => {
    // A knob's values are at the knob, and a text that an earlier version wrote in one place may be in another one now.
    const line =
      lineOf(path) ??
      lineOf(knobOf(path, policy)) ??
      // A list of rules is that of refused requests, too.
      (path[0] === "overflow" && path[1] === "keep" ? lineOf(path.slice(1)) : null) ??
      (isKeptByRule(path, document, prefix) ? null : lineOf(path.slice(0, 1)));
    if (line !== null) return `${displayName}:${line}`;
    return path[0] === "name" || base === null ? "file name" : `preset ${base.name}`;
  };
  return { found: { policy, originOf, notes: [...gone, ...retired, ...replacedRules(policy, given)].map(line) } };
}

/** The rules of the preset that a list of rules does without. */
function replacedRules(policy: Policy, { data, base }: PolicyData): PolicyData["gone"] {
  const kinds = policy.keep.map(({ kind }) => kind);
  const left = Array.isArray(data.keep) ? (base?.keep ?? []).flatMap(({ kind }) => (kinds.includes(kind) ? [] : [kind])) : [];
  const text = `this list leaves out the preset's ${left.join(", ")}; a map (keep: { recent: 5% }) would keep them`;
  return left.length === 0 ? [] : [{ path: ["keep"], text }];
}

/** The knob that sets the value at a path. */
function knobOf(path: readonly PropertyKey[], policy: Policy): readonly PropertyKey[] {
  const [key, index] = path;
  if (key === "trigger" && index === "pays") return [index];
  const rules = key === "overflow" ? policy.overflow.keep : policy.keep;
  if (key === "keep") return ["keep", rules[Number(index)]?.kind ?? ""];
  if (key === "overflow" && index === "keep") return ["keep", rules[Number(path[2])]?.kind ?? ""];
  const knobs: ReadonlyMap<PropertyKey | undefined, string> = new Map([
    ["trigger", "actAt"],
    ["strategies", "writer"],
    ["truncation", "cap"],
  ]);
  return key === "summary" && index === "request" ? ["model"] : [knobs.get(key) ?? ""];
}

/** True for values of `keep` in a file that turns rules one by one: rules that it does not name are the preset's. */
function isKeptByRule([key]: readonly PropertyKey[], document: YamlDocument, prefix: readonly string[]): boolean {
  const own = prefix.reduce<unknown>((at, step) => (isRecord(at) ? at[step] : undefined), document.content);
  return key === "keep" && isRecord(own) && keepsByRule(own.keep);
}

/** A JSON Schema (draft 2020-12) as data. */
type JsonSchema = Readonly<Record<string, unknown>>;

/** The schema of policies as JSON Schema (draft 2020-12), for editors and for looking up a map's allowed keys. */
export function policyJsonSchema(kinds: Kinds = BUILT_IN_KINDS): JsonSchema {
  return z.toJSONSchema(policySchema(kinds));
}

const EXTENDS = "The preset to change; plimsoll if omitted and another key changes something.";

/** The schema of a policy file as JSON Schema (draft 2020-12), for editors: the preset that it changes, knobs, and any part of a policy. */
export function policyFileJsonSchema(kinds: Kinds = BUILT_IN_KINDS): JsonSchema {
  const schema = withoutRequired(policyJsonSchema(kinds));
  const parts = isRecord(schema.properties) ? schema.properties : {};
  const rules = { type: "object", additionalProperties: { type: ["string", "number"] } };
  const knobs = KNOBS.map(({ key, meaning, examples }): [string, JsonSchema] => [
    key,
    key === "keep"
      ? { description: meaning, anyOf: [rules, parts.keep ?? {}] }
      : { description: meaning, type: ["string", "number"], examples },
  ]);
  const chosen = { description: EXTENDS, enum: PRESETS.map(({ name }) => name) };
  return { ...schema, properties: { extends: chosen, ...parts, ...Object.fromEntries(knobs) } };
}

/** A file may change a single value of a part. */
function withoutRequired(schema: unknown): JsonSchema {
  const strip = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(strip);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, inner]) => (key === "required" ? [] : [[key, strip(inner)]])),
    );
  };
  const stripped = strip(schema);
  return isRecord(stripped) ? stripped : {};
}

/** Keys of a file that each choose a policy; two of them contradict each other. */
const CHOOSING_KEYS: readonly string[] = ["policy", ...POLICY_OVERLAYS.map(({ key }) => key)];

/** Keys allowed next to a section: a name, and the Go agent's window for all of its parts. */
const KEYS_BESIDE: Readonly<Record<(typeof POLICY_OVERLAYS)[number]["key"], readonly string[]>> = {
  agent: ["name"],
  compaction: ["name", "context_window"],
};

/**
 * Reads the policy of a file with another system's configuration section, under that system's documented keys; `null` for a file
 * without one. A section next to a policy, or to another section, is a problem that names both lines.
 */
export function readPolicySection(document: YamlDocument, displayName: string): ReadPolicy | null {
  const chosen = CHOOSING_KEYS.filter((key) => Object.hasOwn(document.content, key));
  const overlay = POLICY_OVERLAYS.find(({ key }) => chosen.includes(key));
  if (overlay === undefined) return null;
  const [first, second] = chosen;
  if (first !== undefined && second !== undefined) {
    const [one, other] = [first, second].map((key) => `${key} (line ${lineOf(document, key)})`);
    return { problems: [`${displayName}:${document.placeOf([second])}: ${one} and ${other} both choose a policy; keep one`] };
  }
  const beside = Object.keys(document.content).filter((key) => key !== overlay.key && !KEYS_BESIDE[overlay.key].includes(key));
  if (beside.length > 0) {
    const says = `cannot be next to ${overlay.key}; the file may hold ${KEYS_BESIDE[overlay.key].join(", ")} there`;
    return { problems: beside.map((key) => `${displayName}:${document.placeOf([key])}: "${key}" ${says}`) };
  }
  return fromSection(document, displayName, overlay);
}

function fromSection(document: YamlDocument, displayName: string, overlay: (typeof POLICY_OVERLAYS)[number]): ReadPolicy {
  const values = overlay.valuesIn(document.content);
  const parsed = overlay.schema.safeParse(values);
  if (!parsed.success) {
    const problems = option.problems(parsed.error, overlay.schema);
    const at = (path: readonly PropertyKey[]) => document.placeOf([overlay.key, ...path]);
    return { problems: problems.map(({ path, text }) => `${displayName}:${at(path)}: ${text}`) };
  }
  const given = document.content.name;
  const name = typeof given === "string" && given !== "" ? given : basename(displayName, extname(displayName));
  try {
    const policy = { ...overlay.policyOf(values), name };
    return { found: { policy, originOf: (path) => originOf(path, { document, displayName, overlay, policy }) } };
  } catch (error) {
    // Values that are right one by one may contradict each other; anything else is a bug.
    if (!isPlimsollError(error, "bad-policy")) throw error;
    return { problems: [`${displayName}:${document.placeOf([overlay.key])}: ${error.message}`] };
  }
}

interface SectionOrigin {
  readonly document: YamlDocument;
  readonly displayName: string;
  readonly overlay: (typeof POLICY_OVERLAYS)[number];
  readonly policy: Policy;
}

/** The line of the first key of the section that changes this value by itself, else the preset. */
function originOf(path: readonly PropertyKey[], { document, displayName, overlay, policy }: SectionOrigin): string {
  if (path[0] === "name") return lineOf(document, "name") === null ? "file name" : `${displayName}:${lineOf(document, "name")}`;
  const preset = presetNamed(overlay.presetName);
  if (sameAt(path, preset, policy)) return `preset ${overlay.presetName}`;
  const section = document.content[overlay.key];
  const keys = isRecord(section) ? Object.entries(section) : [];
  const causing = keys.find(([key, value]) => !sameAt(path, preset, changedBy(overlay, key, value)));
  const place = causing === undefined ? [overlay.key] : [overlay.key, causing[0]];
  return `${displayName}:${document.lineOf(place) ?? document.lineOf([overlay.key]) ?? 1}`;
}

/** The policy with only one key set; the preset if that is no policy. */
function changedBy(overlay: (typeof POLICY_OVERLAYS)[number], key: string, value: unknown): unknown {
  try {
    return overlay.policyOf({ [key]: value });
  } catch {
    // A value that holds only together with others explains nothing by itself.
    return presetNamed(overlay.presetName);
  }
}

/** True if two values have the same at a path. */
export function sameAt(path: readonly PropertyKey[], one: unknown, other: unknown): boolean {
  return JSON.stringify(valueAt(one, path)) === JSON.stringify(valueAt(other, path));
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => {
    if (Array.isArray(at)) return at[Number(key)];
    return isRecord(at) ? at[String(key)] : undefined;
  }, value);
}

function lineOf(document: YamlDocument, key: string): number | null {
  return Object.hasOwn(document.content, key) ? Number(document.placeOf([key]).split(":")[0]) : null;
}
