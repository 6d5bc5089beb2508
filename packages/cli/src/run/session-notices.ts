import type { Agent, SetupChange } from "@plimsoll/core/agent";
import { ruleText } from "../permission/allow-rule.ts";
import type { Permissions } from "../permission/permissions.ts";
import { printable } from "../terminal/printable.ts";

/** What the notices of a session are made of. */
export interface NoticeFacts {
  readonly agent: Agent;
  /** The model that a resumed session had; `null` for none. */
  readonly modelBefore: string | null;
  readonly policyLine: string;
  readonly windowLine: string;
  readonly serverLines: readonly string[];
  readonly permissions: Permissions;
}

/** What a person should know before the first message, a line each. */
export function sessionNotices(facts: NoticeFacts): readonly string[] {
  const { agent, permissions } = facts;
  const { sessionId, cutOff, setupChange } = agent;
  return [
    `session ${sessionId}; ${facts.policyLine}; ${agent.state().modelId}`,
    facts.windowLine,
    ...facts.serverLines,
    ...permissionLines(permissions),
    ...(cutOff === null ? [] : [`the log's last line had been cut off after ${cutOff.bytes} bytes; it was removed`]),
    ...(setupChange === null ? [] : [setupLine(setupChange)]),
    ...modelLine(facts.modelBefore, agent.state().modelId),
  ];
}

/** What holds from the command line on. */
function permissionLines(permissions: Permissions): readonly string[] {
  const isReadOnly = permissions.mode() === "read-only";
  const rules = permissions
    .rules()
    .filter(({ kind }) => !isReadOnly || kind === "tool")
    .map((rule) => printable(ruleText(rule)));
  return [
    ...(isReadOnly ? ["read-only: no commands, no changes of files"] : []),
    ...(rules.length === 0 ? [] : [`allowed without asking: ${rules.join(", ")}`]),
  ];
}

/** What a resumed session goes on with that its log did not have. */
function setupLine({ isSystemChanged, addedTools, removedTools, changedTools }: SetupChange): string {
  const named = (what: string, names: readonly string[]) => (names.length === 0 ? [] : [`${what} ${names.join(", ")}`]);
  const changes = [
    ...(isSystemChanged ? ["the system text"] : []),
    ...named("new tools:", addedTools),
    ...named("tools that are gone:", removedTools),
    ...named("changed tools:", changedTools),
  ];
  return `changed since the session was last used, and held from now on: ${changes.join("; ")}`;
}

/** The model that a resumed session had, if it goes on with another one. */
function modelLine(before: string | null, now: string): readonly string[] {
  if (before === null || before === now) return [];
  return [`the session's model was ${before}; it goes on with ${now} (--model takes another)`];
}
