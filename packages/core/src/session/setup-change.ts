import { loggedLimits, type ModelChangeEntry, type ModelLimits, type SetupChangeEntry } from "../entry.ts";
import { shortHash } from "../hash.ts";
import { canonicalJson } from "../json.ts";
import type { BoundReasoning } from "../message/bound-reasoning.ts";
import type { ToolSpec } from "../tool.ts";
import type { SessionView } from "./view.ts";

/** How the system text and tools of a resumed session differ from those in its log. The lists have names of tools. */
export interface SetupChange {
  readonly isSystemChanged: boolean;
  readonly addedTools: readonly string[];
  readonly removedTools: readonly string[];
  /** Tools that kept their name and have another description or other parameters. */
  readonly changedTools: readonly string[];
}

/** The texts and tools that are sent before the messages from now on. */
export interface Setup {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
}

/** The model that a session goes on with. */
export interface ModelSwitch {
  readonly modelId: string;
  readonly limits: ModelLimits;
}

/** Compares the system text and tools of a log with new ones; `null` if both are the same. */
export function setupChange({ system, tools }: Setup, to: Setup): SetupChange | null {
  const before = textByName(tools);
  const after = textByName(to.tools);
  const change: SetupChange = {
    isSystemChanged: system !== to.system,
    addedTools: [...after.keys()].filter((name) => !before.has(name)),
    removedTools: [...before.keys()].filter((name) => !after.has(name)),
    changedTools: [...after].filter(([name, text]) => before.has(name) && before.get(name) !== text).map(([name]) => name),
  };
  const toolCount = change.addedTools.length + change.removedTools.length + change.changedTools.length;
  return change.isSystemChanged || toolCount > 0 ? change : null;
}

/** Makes the log entry that records new system text and tools, and how bound reasoning is treated if that changes. */
export function setupChangeEntry(
  view: SessionView,
  { system, tools, boundReasoning }: Setup & { readonly boundReasoning?: BoundReasoning },
  nowMs: number | null,
): SetupChangeEntry {
  const choice = boundReasoning === undefined || boundReasoning === view.boundReasoning ? {} : { boundReasoning };
  const hashed = { type: "setup-change", after: view.lastEntryId, system, tools: tools.map(textOf), ...choice };
  return { type: "setup-change", id: shortHash(canonicalJson(hashed)), system, tools, atMs: nowMs, ...choice };
}

/** Makes the log entry of a switch to another model, or to other limits of the same one. */
export function modelChangeEntry(
  { lastEntryId }: SessionView,
  { modelId, limits }: ModelSwitch,
  atMs: number | null,
): ModelChangeEntry {
  const id = shortHash(`model-change\n${modelId}\n${lastEntryId ?? ""}`);
  return { type: "model-change", id, modelId, limits: loggedLimits(limits), atMs };
}

function textByName(tools: readonly ToolSpec[]): ReadonlyMap<string, string> {
  return new Map(tools.map((tool) => [tool.name, textOf(tool)]));
}

function textOf({ name, description, parametersJson }: ToolSpec): string {
  return `${name}\n${description}\n${parametersJson}`;
}
