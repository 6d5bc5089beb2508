import type { BenchParts } from "@plimsoll/bench";
import { findPolicy, withoutPeers } from "@plimsoll/bench/terminal";
import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { changesPreset, KNOBS, option } from "@plimsoll/core/extend";
import { policyOf, readDocument, readPolicySection, SESSION_KEYS, withoutSettings } from "@plimsoll/stores";
import { projectRefusal } from "./project-may.ts";
import type { ChosenPolicy, ConfigOwner, SetServer, Settings } from "./settings.ts";
import { fileSettingsSchema, settingsSchema } from "./settings.ts";

type YamlDocument = Parameters<typeof policyOf>[0];

/** The settings of one place. */
export interface ConfigLayer {
  readonly settings: Settings;
  sourceOf(key: string): string;
  readonly policy: ChosenPolicy | null;
  readonly mcpServers: ReadonlyMap<string, SetServer>;
}

/** A layer, or one line for each thing that is wrong. */
export type ReadLayer = { readonly layer: ConfigLayer } | { readonly problems: readonly string[] };

/** Keys that choose a policy: a preset or a whole policy, and the configuration sections of two other agents. */
const POLICY_KEYS: readonly string[] = ["policy", "extends", "agent", "compaction"];

/** Keys that change a preset: a policy's own, those that no preset has or only earlier versions had, and the knobs. */
const CHANGING_KEYS: readonly string[] = [
  ...Object.keys(PLIMSOLL_POLICY),
  "prepare",
  "idle",
  "idleAfter",
  ...KNOBS.map(({ key }) => key),
];

interface Problem {
  readonly path: readonly string[];
  readonly text: string;
}

type ReadFilePolicy = { readonly policy: ChosenPolicy | null } | { readonly problems: readonly string[] };

/** The layer in a file's text. Settings are read here; the rest of the text is the policy's. */
export function readFileLayer(
  text: string,
  { displayName, owner, parts }: { readonly displayName: string; readonly owner: ConfigOwner; readonly parts: BenchParts },
): ReadLayer {
  const read = readDocument(text.trim() === "" ? "{}" : text);
  if ("problems" in read) return { problems: read.problems.map(({ place, text: what }) => `${displayName}:${place}: ${what}`) };
  const { document } = read;
  const isPolicyGiven = POLICY_KEYS.some((key) => Object.hasOwn(document.content, key)) || turnsKnob(document);
  const own = Object.fromEntries(Object.entries(document.content).filter(([key]) => SESSION_KEYS.includes(key)));
  const parsed = fileSettingsSchema.safeParse(own);
  const problems = parsed.success ? [] : option.problems(parsed.error, fileSettingsSchema);
  const rest = withoutSettings(document);
  const unknown = unknownKeys(rest, isPolicyGiven);
  const policy = isPolicyGiven && unknown.length === 0 ? policyIn(rest, displayName, parts) : { policy: null };
  const refused = owner === "person" ? [] : refusedKeys(document, policy);
  const lines = [
    ...[...refused, ...problems, ...unknown].map(({ path, text: what }) => `${displayName}:${document.placeOf(path)}: ${what}`),
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

/** Finds keys in a project's file that only the person may set. */
function refusedKeys(document: YamlDocument, read: ReadFilePolicy): readonly Problem[] {
  const top = Object.keys(document.content).map((key) => ({ path: [key], text: projectRefusal(key) }));
  const path = REQUEST_PLACES.find((each) => document.lineOf(each) !== null) ?? ["policy"];
  const request = { path, text: projectRefusal("summary.request") };
  const found = [...top, ...(asksAnotherModel(read) ? [request] : [])];
  return found.flatMap(({ path, text }) => (text === null ? [] : [{ path, text }]));
}

const REQUEST_PLACES = [
  ["policy", "model"],
  ["policy", "summary", "request"],
  ["summary", "request"],
  ["agent"],
  ["compaction"],
] as const;

/** True for a policy whose own file has another model write the summaries, in any words: no preset does. */
function asksAnotherModel(read: ReadFilePolicy): boolean {
  return "policy" in read && read.policy !== null && typeof read.policy.value.summary.request !== "string";
}

/** True for a file that turns a knob without naming a preset: it turns the default policy's. The model at the top is the session's. */
function turnsKnob({ content }: YamlDocument): boolean {
  return changesPreset(Object.fromEntries(Object.entries(content).filter(([key]) => !SESSION_KEYS.includes(key))));
}

/** Keys that mean nothing at the top of a file. Next to a preset's name the policy's own keys change it. */
function unknownKeys(document: YamlDocument, isPolicyGiven: boolean): readonly Problem[] {
  const known = [...SESSION_KEYS, ...POLICY_KEYS, ...(isPolicyGiven ? CHANGING_KEYS : [])];
  return Object.keys(document.content)
    .filter((key) => !known.includes(key))
    .map((key) => ({ path: [key], text: `unknown key "${key}": ${option.keySuggestion(key, known)}` }));
}

function policyIn(
  document: YamlDocument,
  displayName: string,
  { kinds, peers }: BenchParts,
): { readonly policy: ChosenPolicy } | { readonly problems: readonly string[] } {
  const read = readPolicySection(document, displayName) ?? policyOf(document, displayName, kinds);
  if ("problems" in read) return { problems: read.problems.map(withoutPeers(peers)) };
  const line = POLICY_KEYS.map((key) => document.lineOf([key])).find((each) => each !== null);
  const chosen = document.content.policy ?? document.content.extends;
  // A preset that nothing changes keeps its name; a changed one goes by the file's.
  const isUnchanged = typeof chosen === "string" && Object.keys(document.content).length === 1;
  const value = isUnchanged ? { ...read.found.policy, name: chosen } : read.found.policy;
  return {
    policy: { value, source: `${displayName}:${line ?? 1}`, originOf: read.found.originOf, notes: read.found.notes ?? [] },
  };
}

/** The layer of values that are texts: the environment's variables, or the command line's flags. */
export function readTextLayer(
  texts: { readonly [key: string]: string | undefined },
  { nameOf, cwd, parts }: { readonly nameOf: (key: string) => string; readonly cwd: string; readonly parts: BenchParts },
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
      ? { value: found.found.policy, source: nameOf("policy"), originOf: found.found.originOf, notes: found.found.notes ?? [] }
      : null;
  return { layer: { settings: parsed.data, sourceOf: nameOf, policy, mcpServers: new Map() } };
}

const TEXT_KEYS: readonly string[] = ["model", "lint", "sessions", "pass_env"];

function valueIn(text: string | undefined): unknown {
  if (text === "true" || text === "false") return text === "true";
  return text !== undefined && /^\d{1,12}(\.\d{1,6})?$/.test(text) ? Number(text) : text;
}
