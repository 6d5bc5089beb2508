import type { PendingCall } from "@plimsoll/agent";
import type { ToolEffect } from "@plimsoll/core/extend";
import { describe, expect, test } from "vitest";
import { type AllowRule, alwaysRule, isAllowedBy, parseRule, ruleText, startCall } from "./allow-rule.ts";

const callOf = (effect: ToolEffect, toolName = "a_tool"): PendingCall => {
  return { sessionId: "s", callId: "c", toolName, argumentsJson: "{}", effect };
};
const command = (line: string, folder = ".") => callOf({ kind: "execute", command: line, folder });
const changing = (...files: readonly string[]) => callOf({ kind: "write", what: "edit", files, before: null, after: "x" });
const WRITE = changing("a.ts");
const UNKNOWN = callOf({ kind: "unknown" }, "server_search");
const SERVER = startCall("github", { value: { command: "npx" }, source: "plimsoll.yaml:1", owner: "project" });

describe("a rule", () => {
  test.each([
    "all",
    "commands",
    "writes",
    "command:git status",
    "command: git  status ",
    "tool:server_search",
    "server:github",
  ])("%s reads back as it was typed", (text) => {
    expect(ruleText(parseRule(text))).toBe(text);
  });

  test.each([
    ["command", "did you mean commands?"],
    ["write", "did you mean writes?"],
    ["command:", "did you mean command"],
    ["command:  ", "is nothing that can be allowed"],
    ["tool:", "is nothing that can be allowed"],
    ["server:", "is nothing that can be allowed"],
    ["", "known: commands, writes, command:LINE, tool:NAME, server:NAME, all"],
    ["Commands", "did you mean commands?"],
  ])("%j is none", (text, said) => {
    expect(() => parseRule(text)).toThrow(said);
  });

  test.each<readonly [string, string, PendingCall, boolean]>([
    ["all allows commands", "all", command("rm -rf x"), true],
    ["all allows changes of files", "all", WRITE, true],
    ["all allows unknown tools", "all", UNKNOWN, true],
    ["commands allows any command", "commands", command("rm -rf x", "a"), true],
    ["commands allows no change of a file", "commands", WRITE, false],
    ["commands allows no unknown tool", "commands", UNKNOWN, false],
    ["writes allows changes of files", "writes", WRITE, true],
    ["writes allows no change of a hook", "writes", changing(".git/hooks/pre-commit"), false],
    ["writes allows no change of a module's hook", "writes", changing("vendor/x/.GIT/config"), false],
    ["writes allows no change of settings", "writes", changing("plimsoll.yaml"), false],
    ["writes does not allow settings to be moved into place", "writes", changing("a.yaml", ".plimsoll/config.yaml"), false],
    ["writes does not allow a copy over the workspace", "writes", changing("."), false],
    ["writes allows changes of files with such names", "writes", changing(".gitignore", "docs/plimsoll.yaml.md"), true],
    ["all allows changes of settings", "all", changing("plimsoll.yaml"), true],
    ["writes allows no command", "writes", command("touch a"), false],
    ["a command is the same line", "command:git status", command("git status"), true],
    ["a command is no longer line", "command:git status", command("git status; rm -rf x"), false],
    ["a command is no line with other blanks", "command:git status", command("git  status"), false],
    ["a command is no line with a break", "command:git status", command("git status\nrm -rf x"), false],
    ["a command is no shorter line", "command:git status", command("git"), false],
    ["a command is not the same line elsewhere", "command:git status", command("git status", "vendor"), false],
    ["a tool is the one of that name", "tool:server_search", UNKNOWN, true],
    ["a tool is no other one", "tool:server_sear", UNKNOWN, false],
    ["a server is the one of that name", "server:github", SERVER, true],
    ["a server is no other one", "server:git", SERVER, false],
    ["commands starts no server", "commands", SERVER, false],
  ])("%s", (_what, text, call, expected) => {
    expect(isAllowedBy(parseRule(text), call)).toBe(expected);
  });
});

test.each<readonly [string, PendingCall, AllowRule]>([
  ["a command is that line in that folder", command("ls", "a"), { kind: "command", command: "ls", folder: "a" }],
  ["a change of files is every change", WRITE, { kind: "writes" }],
  ["an unknown tool is that tool", UNKNOWN, { kind: "tool", toolName: "server_search" }],
  ["a server is that server", SERVER, { kind: "server", name: "github" }],
])("always for %s", (_what, call, rule) => {
  expect(alwaysRule(call)).toEqual(rule);
  expect(isAllowedBy(rule, call)).toBe(true);
});

test("the text of a rule names a folder that is not the workspace's own", () => {
  expect(ruleText({ kind: "command", command: "ls", folder: "a" })).toBe("command:ls (in a)");
});
