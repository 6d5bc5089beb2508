/** A stream that a command writes text to. */
export interface Output {
  write(text: string): unknown;
  /** True for a terminal, where a person reads it live. */
  readonly isTTY?: boolean | undefined;
  /** The terminal's width, in characters. */
  readonly columns?: number | undefined;
}

/** Streams, folders, environment and clock that a command uses. */
export interface CliIo {
  /** The program's version. */
  readonly version: string;
  readonly stdout: Output;
  readonly stderr: NodeJS.WritableStream & Output;
  /** Where relative paths start. */
  readonly cwd: string;
  /** The user's home folder, below which agents keep their logs. */
  readonly homeFolder: string;
  /** Variables of the environment; none if they are left out. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The time, in milliseconds since 1970: for "the last seven days". */
  readonly nowMs: () => number;
  /** Asks the person a yes-or-no question about the last text on `stdout`; left out if no person is there. */
  readonly confirm?: (question: string, about?: string) => Promise<boolean>;
  /** Registers a function that Ctrl-C calls, the newest first, in place of the system's reaction. Returns a function that removes it. */
  readonly onInterrupt?: (act: () => void) => () => void;
  /** Ends the process at once. */
  readonly exit?: (exitCode: number) => void;
  /** The sessions that come with the program. */
  readonly demoSessions: () => Promise<readonly { readonly name: string; readonly path: string }[]>;
}

/** The words that start this program again. `npx` and `pnpm` show in the environment that they are running: without them it would not be found. */
export function programOf({ environment = {} }: Pick<CliIo, "environment">): string {
  if (environment.npm_command === "exec") return "npx plimsoll";
  return environment.npm_lifecycle_event === "plimsoll" ? "pnpm plimsoll" : "plimsoll";
}

/** The words of something that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The exit code of a command that succeeded. */
export const EXIT_OK = 0;
/** The exit code of a command that failed, for example because no input could be read. */
export const EXIT_FAILED = 1;
/** The exit code for a wrong command line (an unknown option, policy or value), or for an input that is refused as wrong. */
export const EXIT_USAGE = 2;
