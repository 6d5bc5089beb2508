import type { Environment } from "./process/tool-environment.ts";
import type { Workspace } from "./workspace/workspace.ts";

/** Where the built-in tools work. */
export interface ToolSetting {
  readonly workspace: Workspace;
  /** What programs see of the environment, but for variables whose names look like credentials. */
  readonly env: Environment;
  /** Names of such variables that programs see all the same. */
  readonly passEnv?: readonly string[] | undefined;
  /** Limit of a program for which a call gives none. */
  readonly timeoutMs: number;
  /** The command that `read_lints` runs, for `sh`; `null` where the workspace has none. Paths are added to its end. */
  readonly lintCommand: string | null;
}

/** Two minutes, what most agents give a command; chosen. */
export const DEFAULT_TIMEOUT_MS = 120_000;

/** No call may ask for more; chosen. */
export const MAXIMUM_TIMEOUT_MS = 3_600_000;
