import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PLIMSOLL_POLICY, PlimsollError, PRESETS } from "@plimsoll/core";
import { KNOBS } from "@plimsoll/core/internal";
import { suggestion } from "@plimsoll/core/node";
import type { Command } from "commander";
import { PERSONS_FILE, projectRefusal } from "../config/project-may.ts";
import { SETTING_KEYS } from "../config/settings.ts";
import type { CliIo } from "../io.ts";
import { EXIT_OK } from "../io.ts";
import { wrapped } from "../terminal/printable.ts";

interface InitOptions {
  readonly policy: string;
}

/** Adds `plimsoll init`: writes a plimsoll.yaml in which everything is a comment but the policy. */
export function defineInitCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  command
    .option("-p, --policy <preset>", "the preset to start from", PLIMSOLL_POLICY.name)
    .action(({ policy }: InitOptions) => {
      const path = join(io.cwd, "plimsoll.yaml");
      const names = PRESETS.map(({ name }) => name);
      if (!names.includes(policy))
        throw new PlimsollError("bad-input", `unknown preset "${policy}": ${suggestion(policy, names)}`);
      try {
        writeFileSync(path, initialConfig(policy), { flag: "wx" });
      } catch (error) {
        const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
        throw new PlimsollError(
          "bad-input",
          isThere ? "plimsoll.yaml is there already; rename it to have a new one" : `cannot write ${path}`,
          {},
          error,
        );
      }
      io.stdout.write("Wrote plimsoll.yaml. `plimsoll config` shows what holds.\n`plimsoll chat --demo` needs no key.\n");
      onExit(EXIT_OK);
    });
}

/** A configuration that changes nothing: each setting is in it as a comment that can be removed. */
export function initialConfig(policy: string = PLIMSOLL_POLICY.name): string {
  const mayStand = SETTING_KEYS.filter(({ key }) => projectRefusal(key) === null);
  const settings = mayStand.flatMap(({ key, meaning, fallback, example }) => [
    `# ${meaning}; default: ${fallback}`,
    `# ${key}: ${example}`,
    "",
  ]);
  const own = SETTING_KEYS.filter((each) => !mayStand.includes(each));
  return [
    "# The preset that is changed; `plimsoll policy list` lists them, `plimsoll policy show plimsoll.yaml` prints all values.",
    `extends: ${policy}`,
    "",
    ...KNOBS.filter(({ key }) => key !== "model").flatMap(({ key, meaning, examples }) => [
      ...wrapped(meaning, { first: "# ", further: "# " }),
      `# ${key}: ${examples[0] ?? ""}`,
      "",
    ]),
    ...settings,
    `# MCP servers, under the keys that other agents use; you are asked before one starts. \${NAME} is taken from the environment,`,
    "# but nothing that looks like a credential: such servers stand in your own file. What a tool's output is",
    "# like (head-tail, match-list, file-content, generic) decides how it is cut.",
    "# mcpServers:",
    "#   files:",
    "#     command: npx",
    '#     args: ["-y", "@modelcontextprotocol/server-filesystem", "."]',
    "#     tools:",
    "#       read_text_file: { category: file-content, rerunnable: true }",
    "#   docs:",
    "#     url: https://example.com/mcp",
    "",
    `# Yours alone, whatever the project: these stand in ${PERSONS_FILE}, or in the environment. Here they are refused.`,
    ...own.map(({ key, meaning, example }) => `## ${key}: ${example}    (${meaning}; PLIMSOLL_${key.toUpperCase()})`),
    "",
  ].join("\n");
}
