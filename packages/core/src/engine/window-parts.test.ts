import { describe, expect, test } from "vitest";
import type { ToolSpec } from "../tool.ts";
import { windowParts } from "./window-parts.ts";

const tool = (name: string): ToolSpec => ({ name, description: "", parametersJson: "{}" });
const measure = { textTokens: (text: string) => text.length, toolsTokens: (tools: readonly ToolSpec[]) => tools.length * 100 };

/** The parts of a system text and tools, as `part name tokens`, with nothing that the log does not show. */
function named(system: string, tools: readonly string[] = [], reportedTokens?: number) {
  const overhead = { system, tools: tools.map(tool), dynamicContext: null, hiddenTokens: 0 };
  const parts = windowParts(overhead, measure, reportedTokens ?? system.length + tools.length * 100);
  return parts.map(({ what, name, toolCount }) => `${what} ${name ?? "-"}${toolCount === 0 ? "" : ` ${toolCount}`}`);
}

describe("tools by server", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["two underscores", ["mcp__github__search", "mcp__github__get", "Read"], ["tools github 2", "tools - 1"]],
    ["two underscores without a word before", ["github__search", "linear__list"], ["tools github 1", "tools linear 1"]],
    ["a dot, a slash, a colon", ["a.one", "a.two", "b/one", "c:one"], ["tools a 2", "tools b 1", "tools c 1"]],
    [
      "one underscore, many tools",
      ["playwright_click", "playwright_open", "playwright_type", "playwright_back", "read_file"],
      ["tools playwright_* 4", "tools - 1"],
    ],
    ["one underscore, few tools", ["read_file", "read_lints", "write_file"], ["tools - 3"]],
    ["a name that is a separator", ["__", ".", "_"], ["tools - 3"]],
  ])("%s", (_, tools, parts) => expect(named("", tools)).toEqual(parts));
});

describe("files of instructions", () => {
  const text = "Do as is said here. ".repeat(20);
  test.each<[string, string, readonly string[]]>([
    [
      "a label with a colon",
      `You help.\nContents of /home/me/CLAUDE.md:\n${text}`,
      ["instructions /home/me/CLAUDE.md", "system -"],
    ],
    ["a label in words", `You help.\nInstructions from: docs/AGENTS.md\n${text}`, ["instructions docs/AGENTS.md", "system -"]],
    ["a heading", `You help.\n# AGENTS.md instructions for /repo\n${text}`, ["instructions AGENTS.md", "system -"]],
    [
      "a tag",
      `<rules path="a/b.mdc">\n# Style of README.md:\n${text}\n</rules>\nYou help.`,
      ["instructions a/b.mdc", "system -"],
    ],
    ["two labels", `\n*x/A.md*\n${text}${text}\n*B.txt*\n${text}`, ["instructions x/A.md", "instructions B.txt"]],
    ["a heading that is a name", `You help.\n# CLAUDE.md\n${text}`, ["instructions CLAUDE.md", "system -"]],
    [
      "headings below another",
      `You help.\n# Project\n## AGENTS.md\n${text}\n### docs/style.md\n${text}${text}\n## \`SOUL.md\`\n${text}`,
      ["instructions AGENTS.md", "instructions SOUL.md", "system -"],
    ],
    ["a heading inside a file", `Contents of CLAUDE.md:\n${text}\n## README.md\n${text}`, ["instructions CLAUDE.md"]],
    ["a heading about a file", `You help.\n## Before CHANGELOG.md\n${text}`, ["system -"]],
    ["a mention in prose", `You help. Read README.md and docs/a.md before you begin.\n${text}`, ["system -"]],
    ["an empty element", `<include file="AGENTS.md"/>\n# CLAUDE.md\n${text}`, ["instructions CLAUDE.md", "system -"]],
    ["an address", `<https://example.com/AGENTS.md>\n${text}`, ["system -"]],
    [
      "a tag that nothing closes",
      `<file a.md>\n${text}\n</files>\n# CLAUDE.md\n`,
      ["instructions a.md", "instructions CLAUDE.md"],
    ],
    ["a site and a version", `# See example.com, version 1.2\n${text}`, ["system -"]],
  ])("%s", (_, system, parts) => expect(named(system)).toEqual(parts));
});

test("parts add up to what is sent, and what the log does not show is named", () => {
  const sumOf = (reportedTokens: number) => {
    const overhead = { system: "x".repeat(1000), tools: [tool("a__b"), tool("c")], dynamicContext: "now", hiddenTokens: 0 };
    const parts = windowParts(overhead, measure, reportedTokens);
    return {
      sum: parts.reduce((sum, { tokens }) => sum + tokens, 0),
      unseen: parts.find(({ what }) => what === "not-in-log")?.tokens,
    };
  };
  expect(sumOf(1203)).toEqual({ sum: 1203, unseen: undefined });
  expect(sumOf(5000)).toEqual({ sum: 5000, unseen: 3797 });
  const less = sumOf(600);
  expect(less.unseen).toBeUndefined();
  expect(Math.abs(less.sum - 600)).toBeLessThanOrEqual(2);
});
