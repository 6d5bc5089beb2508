import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PlimsollError } from "@plimsoll/core";
import type { Command } from "commander";
import { SETTING_KEYS } from "../config/settings.ts";
import type { CliIo } from "../io.ts";
import { EXIT_OK } from "../io.ts";

/** Adds `plimsoll init`: writes a plimsoll.yaml in which everything is a comment but the policy. */
export function defineInitCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  command.action(() => {
    const path = join(io.cwd, "plimsoll.yaml");
    try {
      writeFileSync(path, initialConfig(), { flag: "wx" });
    } catch (error) {
      const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
      throw new PlimsollError("bad-input", isThere ? "plimsoll.yaml is there already" : `cannot write ${path}`, {}, error);
    }
    io.stdout.write("Wrote plimsoll.yaml. `plimsoll config` shows what holds; `plimsoll chat --demo` needs no key.\n");
    onExit(EXIT_OK);
  });
}

/** A configuration that changes nothing: each setting is in it as a comment that can be removed. */
export function initialConfig(): string {
  const settings = SETTING_KEYS.flatMap(({ key, meaning, fallback, example }) => [
    `# ${meaning}; default: ${fallback}`,
    `# ${key}: ${example}`,
    "",
  ]);
  return [
    "# A preset's name; `plimsoll policy show plimsoll` prints its values. A key next to it here changes one, as",
    "# `keep: [{ kind: recent, messages: 12 }]` or `truncation: { capTokens: 2000 }`.",
    "policy: plimsoll",
    "",
    ...settings,
    `# MCP servers, under the keys that other agents use. \${NAME} is taken from the environment. What a tool's output is`,
    "# like (head-tail, match-list, file-content, generic) decides how it is cut.",
    "# mcpServers:",
    "#   files:",
    "#     command: npx",
    '#     args: ["-y", "@modelcontextprotocol/server-filesystem", "."]',
    "#     tools:",
    "#       read_text_file: { category: file-content, rerunnable: true }",
    "#   docs:",
    "#     url: https://example.com/mcp",
    `#     headers: { Authorization: "Bearer \${DOCS_KEY}" }`,
    "",
  ].join("\n");
}
