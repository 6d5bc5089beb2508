import type { Agent, PendingCall } from "@plimsoll/agent";
import { printable, shortened } from "@plimsoll/bench/terminal";
import { alwaysRule, RULE_WORDS, ruleText } from "../permission/allow-rule.ts";
import { headlineOf } from "../permission/call-rows.ts";
import type { Permissions } from "../permission/permissions.ts";

interface OpeningLines {
  readonly policy: string;
  /** Lines about parts of the policy's file that only earlier versions knew. */
  readonly retired: readonly string[];
  readonly window: string;
  readonly servers: readonly string[];
  readonly modelBefore: string | null;
}

/** Lists the lines that a person should read before the first message. */
export function sessionNotices(agent: Agent, permissions: Permissions, lines: OpeningLines): readonly string[] {
  const { sessionId, cutOff, setupChange } = agent;
  const { modelId } = agent.state();
  return [
    `session ${sessionId}; ${lines.policy}; ${modelId}`,
    ...lines.retired.map(printable),
    lines.window,
    ...lines.servers,
    ...permissionLines(permissions),
    ...(cutOff === null ? [] : [`the log's last line had been cut off after ${cutOff.bytes} bytes; it was removed`]),
    ...(setupChange === null ? [] : [setupLine(setupChange)]),
    ...(lines.modelBefore === null || lines.modelBefore === modelId
      ? []
      : [`the session's model was ${lines.modelBefore}; it continues with ${modelId} (--model chooses another)`]),
  ];
}

function permissionLines(permissions: Permissions): readonly string[] {
  const isReadOnly = permissions.mode() === "read-only";
  const rules = permissions
    .rules()
    .filter(({ kind }) => !isReadOnly || kind === "tool")
    .map((rule) => printable(ruleText(rule)));
  return [
    ...(isReadOnly ? ["read-only: no commands, no file changes"] : []),
    ...(rules.length === 0 ? [] : [`allowed without asking: ${rules.join(", ")}`]),
  ];
}

/** Says which parts of its set-up a resumed session has that its log did not have. */
function setupLine({ isSystemChanged, addedTools, removedTools, changedTools }: NonNullable<Agent["setupChange"]>): string {
  const named = (what: string, names: readonly string[]) => (names.length === 0 ? [] : [`${what} ${names.join(", ")}`]);
  const changes = [
    ...(isSystemChanged ? ["the system text"] : []),
    ...named("new tools:", addedTools),
    ...named("tools that are gone:", removedTools),
    ...named("changed tools:", changedTools),
  ];
  return `changed since the session was last used, and valid from now on: ${changes.join("; ")}`;
}

const CALL_CHARS = 72;

/** Lists the calls that were refused without a question, and the rule that would have allowed each; nothing if there were none. */
export function refusalLines(permissions: Permissions): readonly string[] {
  const counts = new Map<string, number>();
  for (const call of permissions.refused()) counts.set(lineOf(call), (counts.get(lineOf(call)) ?? 0) + 1);
  if (counts.size === 0) return [];
  const why =
    permissions.mode() === "read-only" ? "refused (read-only session):" : `refused (not allowed; --allow ${RULE_WORDS}):`;
  return [why, ...[...counts].map(([line, count]) => `  ${line}${count === 1 ? "" : ` (${count} times)`}`)];
}

function lineOf(call: PendingCall): string {
  const rule = call.effect.kind === "write" ? null : alwaysRule(call);
  return shortened(rule === null ? headlineOf(call) : ruleText(rule), CALL_CHARS);
}
