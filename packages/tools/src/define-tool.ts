import type { OutputCategory, PathAccess } from "@plimsoll/core";
import { type AgentTool, option, type ToolEffect, type ToolOutput } from "@plimsoll/core/extend";
import { z } from "zod";
import type { Environment } from "./process/run-process.ts";
import type { Workspace } from "./workspace/workspace.ts";

/** A tool as its author writes it: its input is a zod schema, and `run` gets that schema's output. */
export interface ToolDefinition<Input> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** How its output may be shortened. */
  readonly category: OutputCategory;
  /** Whether a second run gives the same; not by default. */
  readonly isRerunnable?: boolean;
  /** Advice on how to see the rest of a cut output; one line. */
  readonly hint?: string;
  /** The paths that a call touches; none by default. */
  readonly paths?: (input: Input) => readonly PathAccess[];
  /** The largest effect that a call may have, for the decision whether it runs; rejects if the call itself would fail. */
  readonly effect: ToolEffect | ((input: Input) => ToolEffect | Promise<ToolEffect>);
  readonly run: (input: Input, call: Parameters<AgentTool["run"]>[1]) => Promise<ToolOutput>;
}

const DEFINITION = option.schema<ToolDefinition<unknown>>({
  name: option.text,
  description: option.text,
  input: option.having("safeParse"),
  category: option.text,
  effect: z.union([option.object, option.fn]),
  run: option.fn,
  isRerunnable: z.boolean().optional(),
  hint: option.text.optional(),
  paths: option.fn.optional(),
});

/** Makes a tool that an agent can run. Arguments that do not fit the schema give an error result that names the mistake. */
export function defineTool<Input>(definition: ToolDefinition<Input>): AgentTool {
  option.check("a tool", DEFINITION, definition);
  const { name, description, input, paths, effect, run } = definition;
  return {
    spec: { name, description, parametersJson: JSON.stringify(z.toJSONSchema(input, { io: "input" })) },
    category: definition.category,
    isRerunnable: definition.isRerunnable ?? false,
    hint: definition.hint ?? null,
    pathsOf: (args) => {
      const parsed = input.safeParse(args);
      return parsed.success && paths !== undefined ? paths(parsed.data) : [];
    },
    effectOf: (args) => {
      const parsed = input.safeParse(args);
      // A call whose arguments do not fit only says so.
      if (!parsed.success) return { kind: "read" };
      return typeof effect === "function" ? effect(parsed.data) : effect;
    },
    run: async (args, call) => {
      const parsed = input.safeParse(args);
      if (parsed.success) return await run(parsed.data, call);
      return { text: `The arguments do not fit ${name}:\n${z.prettifyError(parsed.error)}`, isError: true };
    },
  };
}

/** Makes the output of a call that worked. */
export function output(text: string): ToolOutput {
  return { text, isError: false };
}

/** Makes the output of a call that failed; `text` explains the failure to the model. */
export function failure(text: string): ToolOutput {
  return { text, isError: true };
}

/** Where the built-in tools work. */
export interface ToolSetting {
  readonly workspace: Workspace;
  /** The environment that programs see: all variables but those whose names look like credentials. */
  readonly env: Environment;
  /** Names of such variables that programs see all the same. */
  readonly passEnv?: readonly string[] | undefined;
  /** Time limit of a program if its call gives none. */
  readonly timeoutMs: number;
  /** The command that `read_lints` runs, for `sh`; `null` if the workspace has none. The tool appends paths to it. */
  readonly lintCommand: string | null;
}

/** A setting may be one of all tools. */
const SETTING = {
  workspace: option.having("place", "entryPlace", "nameOf"),
  env: option.object.optional(),
  passEnv: z.array(option.text).readonly().optional(),
  timeoutMs: option.count.optional(),
  lintCommand: option.text.nullable().optional(),
};
/** Settings of tools that need only the folder, of those that run programs, and of the linter's. */
export const IN_FOLDER: z.ZodType = z.strictObject(SETTING);
export const WITH_PROGRAMS: z.ZodType = z.strictObject({ ...SETTING, env: option.object });
export const WITH_LINTER: z.ZodType = z.strictObject({ ...SETTING, env: option.object, lintCommand: option.text.nullable() });

/** The maker of a tool that checks its setting first. */
export function checked<Setting, Made>(options: z.ZodType, make: (setting: Setting) => Made): (setting: Setting) => Made {
  return (setting) => {
    option.check("a tool", options, setting);
    return make(setting);
  };
}

/** Makes a tool that works in a folder. */
export type FolderTool = (setting: Pick<ToolSetting, "workspace">) => AgentTool;

/** Makes a tool that runs programs; a command's limit is two minutes if none is given. */
export type CommandTool = (
  setting: Pick<ToolSetting, "workspace" | "env" | "passEnv"> & Partial<Pick<ToolSetting, "timeoutMs">>,
) => AgentTool;

/** Two minutes, as most agents give a command; chosen. */
export const DEFAULT_TIMEOUT_MS = 120_000;

/** No call may ask for more; chosen. */
export const MAXIMUM_TIMEOUT_MS = 3_600_000;
