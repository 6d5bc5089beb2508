import type { PendingCall } from "@plimsoll/agent";
import { PlimsollError } from "@plimsoll/core";
import { suggestion } from "@plimsoll/core/extend";
import type { SetServer } from "../config/settings.ts";

/**
 * A rule for calls that run without a question. Reading needs no rule.
 *
 * - `all`: every call
 * - `commands`: every program that a tool starts
 * - `writes`: every change of files of the workspace, but of those by which a program is started later
 * - `command`: one command line, to the letter, in one folder, relative to the workspace
 * - `tool`: one tool, with any effect
 * - `server`: one MCP server of a project's file, with any definition there
 */
export type AllowRule =
  | { readonly kind: "all" | "commands" | "writes" }
  | { readonly kind: "command"; readonly command: string; readonly folder: string }
  | { readonly kind: "tool"; readonly toolName: string }
  | { readonly kind: "server"; readonly name: string };

const WIDE_KINDS = ["all", "commands", "writes"] as const;
const COMMAND_PREFIX = "command:";
const TOOL_PREFIX = "tool:";
const SERVER_PREFIX = "server:";
const WORKSPACE = ".";

/** The forms of a rule, as a person types them. */
export const RULE_FORMS: readonly string[] = ["commands", "writes", "command:LINE", "tool:NAME", "server:NAME", "all"];

/** The forms of a rule in words. */
export const RULE_WORDS: string = `${RULE_FORMS.slice(0, -1).join(", ")} or ${RULE_FORMS.at(-1)}`;

/**
 * A rule as it is typed. `command:LINE` is for the workspace's own folder.
 *
 * @throws PlimsollError `bad-input` for any other text.
 */
export function parseRule(text: string): AllowRule {
  const wide = WIDE_KINDS.find((kind) => kind === text);
  if (wide !== undefined) return { kind: wide };
  const command = text.slice(COMMAND_PREFIX.length);
  if (text.startsWith(COMMAND_PREFIX) && command.trim() !== "") return { kind: "command", command, folder: WORKSPACE };
  const toolName = text.slice(TOOL_PREFIX.length);
  if (text.startsWith(TOOL_PREFIX) && toolName !== "") return { kind: "tool", toolName };
  const name = text.slice(SERVER_PREFIX.length);
  if (text.startsWith(SERVER_PREFIX) && name !== "") return { kind: "server", name };
  throw new PlimsollError("bad-input", `"${text}" is nothing that can be allowed: ${suggestion(text, RULE_FORMS)}`, { text });
}

/** A rule as it is typed, with the folder if that is not the workspace's own. */
export function ruleText(rule: AllowRule): string {
  switch (rule.kind) {
    case "all":
    case "commands":
    case "writes":
      return rule.kind;
    case "command":
      return `${COMMAND_PREFIX}${rule.command}${rule.folder === WORKSPACE ? "" : ` (in ${rule.folder})`}`;
    case "tool":
      return `${TOOL_PREFIX}${rule.toolName}`;
    case "server":
      return `${SERVER_PREFIX}${rule.name}`;
    default:
      return rule satisfies never;
  }
}

/** True if the rule allows the call. */
export function isAllowedBy(rule: AllowRule, { toolName, effect }: PendingCall): boolean {
  switch (rule.kind) {
    case "all":
      return true;
    case "commands":
      return effect.kind === "execute";
    case "writes":
      return effect.kind === "write" && !effect.files.some(startsPrograms);
    case "command":
      return effect.kind === "execute" && effect.command === rule.command && effect.folder === rule.folder;
    case "tool":
      return rule.toolName === toolName;
    case "server":
      return serverOf(toolName) === rule.name;
    default:
      return rule satisfies never;
  }
}

/** The start of a server as something that is decided about. No tool has such a name: models take no colon in one. */
export function startCall(name: string, { value, source }: SetServer): PendingCall {
  const toolName = `${SERVER_PREFIX}${name}`;
  const { command, args, env, url, headers } = value;
  const argumentsJson = JSON.stringify({ source, command, args, env, url, headers });
  return { sessionId: "", callId: toolName, toolName, argumentsJson, effect: { kind: "unknown" } };
}

/** The server that a call starts; `null` for a tool's call. */
export function serverOf(toolName: string): string | null {
  return toolName.startsWith(SERVER_PREFIX) ? toolName.slice(SERVER_PREFIX.length) : null;
}

/** Names of files and folders whose content starts programs without a question: the next session's servers, the next commit's hooks. */
const STARTING_NAMES: readonly string[] = [".git", ".plimsoll", "plimsoll.yaml"];

/** A copy into the workspace's own folder can bring any of them. */
function startsPrograms(file: string): boolean {
  return file === WORKSPACE || file.split("/").some((name) => STARTING_NAMES.includes(name.toLowerCase()));
}

/**
 * Makes the rule for the answer "always": the same command line in the same folder, changes of files, or the same tool if its effect is unknown.
 * `null` for a change by which a program is started later: it is asked about each time.
 */
export function alwaysRule({ toolName, effect }: PendingCall): AllowRule | null {
  const name = serverOf(toolName);
  if (name !== null) return { kind: "server", name };
  switch (effect.kind) {
    case "execute":
      return { kind: "command", command: effect.command, folder: effect.folder };
    case "write":
      return effect.files.some(startsPrograms) ? null : { kind: "writes" };
    case "read":
    case "unknown":
      return { kind: "tool", toolName };
    default:
      return effect satisfies never;
  }
}
