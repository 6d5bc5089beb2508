import { PLIMSOLL_POLICY } from "@plimsoll/core";
import type { Kinds } from "@plimsoll/core/build";
import { z } from "zod";
import { suggestion } from "../option/nearest-name.ts";
import type { PolicyParts } from "../option/policy-option.ts";
import { findPolicy } from "../option/policy-option.ts";
import { readPolicySection } from "../policy/policy-section.ts";
import { policyOf } from "../policy/read-policy-file.ts";
import { schemaProblems } from "../yaml/schema-problems.ts";
import { readDocument, type YamlDocument } from "../yaml/yaml-document.ts";
import type { ChosenPolicy, ConfigOwner, SetServer, Settings } from "./settings.ts";
import { fileSettingsSchema, SETTING_KEYS, settingsSchema } from "./settings.ts";

/** What one place sets. */
export interface ConfigLayer {
  readonly settings: Settings;
  sourceOf(key: string): string;
  readonly policy: ChosenPolicy | null;
  readonly mcpServers: ReadonlyMap<string, SetServer>;
}

/** A layer, or one line for each thing that is wrong. */
export type ReadLayer = { readonly layer: ConfigLayer } | { readonly problems: readonly string[] };

/** Keys that choose a policy: a preset or a whole policy, and the configuration sections of two other agents. */
const POLICY_KEYS: readonly string[] = ["policy", "agent", "compaction"];

const KNOWN_SETTINGS: readonly string[] = [...SETTING_KEYS.map(({ key }) => key), "mcpServers"];

/** A file of settings: whose it is, and what its policy may name. */
interface FilePlace {
  readonly displayName: string;
  readonly owner: ConfigOwner;
  readonly kinds: Kinds;
}

/** The layer in a file's text. Settings are read here; what else is in it is the policy's. */
export function readFileLayer(text: string, { displayName, owner, kinds }: FilePlace): ReadLayer {
  const read = readDocument(text.trim() === "" ? "{}" : text);
  if ("problems" in read) return { problems: read.problems.map(({ place, text: what }) => `${displayName}:${place}: ${what}`) };
  const { document } = read;
  const isPolicyGiven = POLICY_KEYS.some((key) => Object.hasOwn(document.content, key));
  const own = Object.fromEntries(Object.entries(document.content).filter(([key]) => KNOWN_SETTINGS.includes(key)));
  const parsed = fileSettingsSchema.safeParse(own);
  const problems = parsed.success ? [] : schemaProblems(parsed.error.issues, z.toJSONSchema(fileSettingsSchema));
  const rest = withoutSettings(document);
  const unknown = unknownKeys(rest, isPolicyGiven);
  const policy = isPolicyGiven && unknown.length === 0 ? policyIn(rest, displayName, kinds) : { policy: null };
  const lines = [
    ...[...problems, ...unknown].map(({ path, text: what }) => `${displayName}:${document.placeOf(path)}: ${what}`),
    ...("problems" in policy ? policy.problems : []),
  ];
  if (lines.length > 0 || !parsed.success || "problems" in policy) return { problems: lines };
  const sourceOf = (key: string) => `${displayName}:${document.lineOf([key]) ?? 1}`;
  const { mcpServers: servers = {}, ...settings } = parsed.data;
  const mcpServers = new Map(
    Object.entries(servers).map(([name, value]): readonly [string, SetServer] => {
      const [line] = document.placeOf(["mcpServers", name]).split(":", 1);
      return [name, { value, source: `${displayName}:${line}`, owner }];
    }),
  );
  return { layer: { settings, sourceOf, policy: policy.policy, mcpServers } };
}

/** The document without settings; the Go agent's window stays next to its section, which knows it. */
function withoutSettings(document: YamlDocument): YamlDocument {
  const keepsWindow = Object.hasOwn(document.content, "compaction");
  const isPolicyKey = (key: string) => !KNOWN_SETTINGS.includes(key) || (key === "context_window" && keepsWindow);
  return { ...document, content: Object.fromEntries(Object.entries(document.content).filter(([key]) => isPolicyKey(key))) };
}

/** Keys that mean nothing at the top of a file. Next to a preset's name the policy's own keys change it. */
function unknownKeys(
  document: YamlDocument,
  isPolicyGiven: boolean,
): readonly { readonly path: readonly string[]; readonly text: string }[] {
  const known = [...KNOWN_SETTINGS, ...POLICY_KEYS, ...(isPolicyGiven ? Object.keys(PLIMSOLL_POLICY) : [])];
  return Object.keys(document.content)
    .filter((key) => !known.includes(key))
    .map((key) => ({ path: [key], text: `unknown key "${key}": ${suggestion(key, known)}` }));
}

function policyIn(
  document: YamlDocument,
  displayName: string,
  kinds: Kinds,
): { readonly policy: ChosenPolicy } | { readonly problems: readonly string[] } {
  const read = readPolicySection(document, displayName) ?? policyOf(document, displayName, kinds);
  if ("problems" in read) return read;
  const line = POLICY_KEYS.map((key) => document.lineOf([key])).find((each) => each !== null);
  const chosen = document.content.policy;
  // A preset that nothing changes keeps its name; a changed one goes by the file's.
  const isUnchanged = typeof chosen === "string" && Object.keys(document.content).length === 1;
  const value = isUnchanged ? { ...read.found.policy, name: chosen } : read.found.policy;
  return { policy: { value, source: `${displayName}:${line ?? 1}`, originOf: read.found.originOf } };
}

/** Where values are texts: what a key is called there, and what a policy may name. */
interface TextPlace {
  readonly nameOf: (key: string) => string;
  readonly cwd: string;
  readonly parts: PolicyParts;
}

/** The layer of values that are texts: the environment's variables, or the command line's flags. */
export function readTextLayer(
  texts: { readonly [key: string]: string | undefined },
  { nameOf, cwd, parts }: TextPlace,
): ReadLayer {
  const given = Object.entries(texts).filter(([, text]) => text !== undefined && text !== "");
  const { policy: policyName, ...values } = Object.fromEntries(given);
  const typed = Object.fromEntries(
    Object.entries(values).map(([key, text]) => [key, TEXT_KEYS.includes(key) ? text : valueIn(text)]),
  );
  const parsed = settingsSchema.safeParse(typed);
  const problems = parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => `${nameOf(String(path[0]))}: ${message}`);
  const found = policyName === undefined ? null : findPolicy(policyName, cwd, parts);
  const policyProblems =
    found !== null && "problems" in found ? found.problems.map((each) => `${nameOf("policy")}: ${each}`) : [];
  if (!parsed.success || policyProblems.length > 0) return { problems: [...problems, ...policyProblems] };
  const policy =
    found !== null && "found" in found
      ? { value: found.found.policy, source: nameOf("policy"), originOf: found.found.originOf }
      : null;
  return { layer: { settings: parsed.data, sourceOf: nameOf, policy, mcpServers: new Map() } };
}

const TEXT_KEYS: readonly string[] = ["model", "lint", "sessions", "pass_env"];

function valueIn(text: string | undefined): unknown {
  if (text === "true" || text === "false") return text === "true";
  return text !== undefined && /^\d{1,12}(\.\d{1,6})?$/.test(text) ? Number(text) : text;
}
