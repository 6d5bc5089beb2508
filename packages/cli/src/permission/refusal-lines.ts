import type { PendingCall } from "@plimsoll/core/agent";
import { shortened } from "../terminal/printable.ts";
import { alwaysRule, RULE_WORDS, ruleText } from "./allow-rule.ts";
import { headlineOf } from "./call-rows.ts";
import type { Permissions } from "./permissions.ts";

/** Longest piece of a call that a line shows; chosen. */
const CALL_CHARS = 72;

/** What was refused without asking anybody, a line each, and how it would have been allowed; nothing where nothing was. */
export function refusalLines(permissions: Permissions): readonly string[] {
  const counts = new Map<string, number>();
  for (const call of permissions.refused()) counts.set(lineOf(call), (counts.get(lineOf(call)) ?? 0) + 1);
  if (counts.size === 0) return [];
  const why =
    permissions.mode() === "read-only"
      ? "refused, since the session is read-only:"
      : `refused, since it was not allowed (--allow ${RULE_WORDS}):`;
  return [why, ...[...counts].map(([line, count]) => `  ${line}${count === 1 ? "" : ` (${count} times)`}`)];
}

function lineOf(call: PendingCall): string {
  const rule = call.effect.kind === "write" ? null : alwaysRule(call);
  return shortened(rule === null ? headlineOf(call) : ruleText(rule), CALL_CHARS);
}
