import type { AgentTool } from "@plimsoll/core/extend";
import { z } from "zod";
import { DEFAULT_TIMEOUT_MS, defineTool, failure, output } from "./define-tool.ts";
import { processOutput, runProcess } from "./process/run-process.ts";
import type { CommandSetting } from "./run-terminal-command.ts";

/** Folders that are never searched: they hold no source of the workspace. */
const SKIPPED_FOLDERS = [".git", "node_modules"] as const;

/** Longest line that is shown; what is longer is data. Chosen. */
const MAXIMUM_LINE_CHARS = 400;

/** The exit code of grep if nothing matched. */
const NOTHING_FOUND = 1;

/** `grep`: finds the lines that match an extended regular expression, by the system's grep, whose matching does not backtrack. */
export function grepTool({ workspace, env, passEnv, timeoutMs = DEFAULT_TIMEOUT_MS }: CommandSetting): AgentTool {
  return defineTool({
    name: "grep",
    description:
      "Searches files for a POSIX extended regular expression. Gives lines as path:line:text. Binary files are passed over.",
    category: "match-list",
    isRerunnable: true,
    hint: "narrow pattern, path or include to see other matches",
    effect: { kind: "read" },
    input: z.strictObject({
      pattern: z.string().min(1),
      path: z.string().optional().describe("file or folder; default: the workspace"),
      include: z.string().optional().describe("only files of this name, e.g. *.ts"),
      ignore_case: z.boolean().optional(),
      literal: z.boolean().optional().describe("take the pattern as plain text"),
    }),
    run: async (input, { signal, artifacts }) => {
      const place = workspace.nameOf(await workspace.place(input.path ?? "."));
      const args = [
        "-rnIH",
        input.literal === true ? "-F" : "-E",
        ...(input.ignore_case === true ? ["-i"] : []),
        ...SKIPPED_FOLDERS.map((folder) => `--exclude-dir=${folder}`),
        ...(input.include === undefined ? [] : [`--include=${input.include}`]),
        "-e",
        input.pattern,
        "--",
        place,
      ];
      const result = await runProcess({
        command: "grep",
        args,
        cwd: workspace.root,
        env: { ...env, LC_ALL: "C.UTF-8" },
        passEnv,
        timeoutMs,
        signal,
        artifacts,
      });
      if (result.end !== "exited") return processOutput(result, timeoutMs);
      if (result.exitCode === NOTHING_FOUND) return output("No matches.");
      const isComplaint =
        result.exitCode !== 0 && result.text.split("\n").every((line) => line === "" || line.startsWith("grep:"));
      if (isComplaint) return failure(result.text.trim());
      return { ...processOutput(result, timeoutMs), text: shortLines(result.text), isError: false };
    },
  });
}

function shortLines(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => (line.startsWith("./") ? line.slice(2) : line))
    .map((line) => (line.length > MAXIMUM_LINE_CHARS ? `${line.slice(0, MAXIMUM_LINE_CHARS)} …` : line))
    .join("\n");
}
