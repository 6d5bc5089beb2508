import type { Workspace } from "./workspace/workspace.ts";

/** Where the built-in tools work. */
export interface ToolSetting {
  readonly workspace: Workspace;
  /** What programs see of the environment. */
  readonly env: { readonly [name: string]: string | undefined };
  /** Limit of a program for which a call gives none. */
  readonly timeoutMs: number;
  /** The command that `read_lints` runs, for `sh`; `null` where the workspace has none. Paths are added to its end. */
  readonly lintCommand: string | null;
}

/** Two minutes, what most agents give a command; chosen. */
export const DEFAULT_TIMEOUT_MS = 120_000;

/** No call may ask for more; chosen. */
export const MAXIMUM_TIMEOUT_MS = 3_600_000;
