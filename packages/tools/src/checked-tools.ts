import { option } from "@plimsoll/core/extend";
import { z } from "zod";
import { editFileTool as editFile } from "./edit-file.ts";
import { fsTool as fs } from "./fs.ts";
import { createGdbTools as gdb } from "./gdb/gdb-tools.ts";
import { globTool as glob } from "./glob.ts";
import { grepTool as grep } from "./grep.ts";
import { readFileTool as readFile } from "./read-file.ts";
import { readLintsTool as readLints } from "./read-lints.ts";
import { runTerminalCommandTool as runTerminalCommand } from "./run-terminal-command.ts";
import { searchCodebaseTool as searchCodebase } from "./search-codebase.ts";
import { shellTool as shell } from "./shell.ts";
import { writeFileTool as writeFile } from "./write-file.ts";

/** A setting may be one of all tools. */
const SETTING = {
  workspace: option.having("place", "entryPlace", "nameOf"),
  env: option.object.optional(),
  passEnv: z.array(option.text).readonly().optional(),
  timeoutMs: option.count.optional(),
  lintCommand: option.text.nullable().optional(),
};
const IN_FOLDER = z.strictObject(SETTING);
const WITH_PROGRAMS = z.strictObject({ ...SETTING, env: option.object });
const WITH_LINTER = z.strictObject({ ...SETTING, env: option.object, lintCommand: option.text.nullable() });

/** The maker of a tool that checks its setting first. */
function checked<Setting, Made>(make: (setting: Setting) => Made, options: z.ZodType): (setting: Setting) => Made {
  return (setting) => {
    option.check("a tool", options, setting);
    return make(setting);
  };
}

export const editFileTool: typeof editFile = checked(editFile, IN_FOLDER);
export const fsTool: typeof fs = checked(fs, IN_FOLDER);
export const globTool: typeof glob = checked(glob, IN_FOLDER);
export const readFileTool: typeof readFile = checked(readFile, IN_FOLDER);
export const searchCodebaseTool: typeof searchCodebase = checked(searchCodebase, IN_FOLDER);
export const writeFileTool: typeof writeFile = checked(writeFile, IN_FOLDER);
export const createGdbTools: typeof gdb = checked(gdb, WITH_PROGRAMS);
export const grepTool: typeof grep = checked(grep, WITH_PROGRAMS);
export const runTerminalCommandTool: typeof runTerminalCommand = checked(runTerminalCommand, WITH_PROGRAMS);
export const shellTool: typeof shell = checked(shell, WITH_PROGRAMS);
export const readLintsTool: typeof readLints = checked(readLints, WITH_LINTER);
