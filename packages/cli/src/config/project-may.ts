import type { Policy } from "@plimsoll/core";
import type { KNOBS } from "@plimsoll/core/extend";
import type { FileSettings } from "./settings.ts";

/**
 * Whose word a setting is. `project`: a file in the project's folder may set it. `asked`: it may, and the person is asked before it does anything.
 * `person`: only the file in the home folder, the environment and the command line may; a project's file that sets it is refused.
 */
type Word = "project" | "asked" | "person";

interface Decided {
  readonly word: Word;
  /** Why, to be put behind the setting's name. */
  readonly why: string;
}

/** Every possible key in a file of settings: a new key does not compile until it is decided here. */
type FileKey =
  | keyof FileSettings
  | keyof Policy
  | Exclude<(typeof KNOBS)[number]["key"], "model">
  | "policy"
  | "extends"
  | "agent"
  | "compaction"
  // Below the policy: which other model writes its summaries.
  | "summary.request";

const COMPACTION: Decided = { word: "project", why: "limits the conversation, and reaches nothing outside it" };

/**
 * Settings that a file in a project's folder may make: `plimsoll.yaml` and `.plimsoll/config.yaml`, which come with a clone and may be anyone's. Only
 * the person may set keys that send data, run code, spend or write elsewhere. No other file there sets anything: `AGENTS.md` is text for the model,
 * and neither `.env` nor a list of modules, permissions, hooks, addresses, headers, proxies or telemetry is read from the folder at all.
 */
export const PROJECT_MAY: { readonly [Key in FileKey]: Decided } = {
  model: { word: "person", why: "chooses the conversation's reader and its cost" },
  "summary.request": { word: "person", why: "names another model that reads the conversation at its own price" },
  pass_env: { word: "person", why: "hands credentials to programs" },
  sessions: { word: "person", why: "chooses the folder of conversations" },
  lint: { word: "person", why: "is a program that runs" },
  max_steps: { word: "person", why: "bounds what a run may cost" },
  mcpServers: { word: "asked", why: "starts programs and opens addresses: each after a question, or by --allow server:NAME" },
  context_window: {
    word: "project",
    why: "is a number to count by: a wrong one cuts too early, or is refused by the provider",
  },
  max_output_tokens: { word: "project", why: "is the length of one reply, which the provider bounds as well" },
  timeout_seconds: { word: "project", why: "is how long a command may take that the person has allowed" },
  hand_off: { word: "project", why: "lets the model ask for a compaction of its own conversation, and pin passages of it" },
  policy: COMPACTION,
  extends: COMPACTION,
  agent: COMPACTION,
  compaction: COMPACTION,
  name: COMPACTION,
  enabled: COMPACTION,
  estimator: COMPACTION,
  cutEstimator: COMPACTION,
  gates: COMPACTION,
  trigger: COMPACTION,
  afterPause: COMPACTION,
  minimumFreedRatio: COMPACTION,
  prepare: COMPACTION,
  emergency: COMPACTION,
  keep: COMPACTION,
  manualKeep: COMPACTION,
  strategies: COMPACTION,
  fallback: COMPACTION,
  truncation: COMPACTION,
  overflow: COMPACTION,
  unknownWindow: COMPACTION,
  subAgents: COMPACTION,
  summary: COMPACTION,
  progress: COMPACTION,
  facts: COMPACTION,
  actAt: COMPACTION,
  pays: COMPACTION,
  writer: COMPACTION,
  cap: COMPACTION,
  prepareAt: COMPACTION,
};

/** The person's own file of settings, as people write it. */
export const PERSONS_FILE = "~/.config/plimsoll/config.yaml";

/** Why a project's file may not set a key, and where the person may; `null` for a key that it may set, and for one that there is not. */
export function projectRefusal(key: string): string | null {
  const decided = Object.entries(PROJECT_MAY).find(([known]) => known === key)?.[1];
  if (decided?.word !== "person") return null;
  const variable = `PLIMSOLL_${key.toUpperCase()}`;
  const elsewhere = key.includes(".") ? "or a policy that you name by --policy" : `or ${variable}`;
  return `"${key}" ${decided.why}: a project's file may not set it; set it in ${PERSONS_FILE}, ${elsewhere}`;
}
