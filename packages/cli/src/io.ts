/** Where a command writes to. */
export interface Output {
  write(text: string): unknown;
  /** True where a person looks at it live. */
  readonly isTTY?: boolean | undefined;
}

/** What a command has of the world around it. */
export interface CliIo {
  readonly stdout: Output;
  readonly stderr: NodeJS.WritableStream & Output;
  /** Where relative paths start. */
  readonly cwd: string;
}

/** The process's own streams and folder. */
export function processIo(): CliIo {
  const { stdout, stderr } = process;
  return { stdout, stderr, cwd: process.cwd() };
}
