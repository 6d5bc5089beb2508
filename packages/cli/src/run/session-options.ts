import type { Command } from "commander";

/** What `chat`, `run` and `serve` take alike. */
export interface SessionOptions {
  readonly demo?: boolean;
  readonly resume?: string | true;
  readonly continue?: boolean;
  readonly model?: string;
  readonly policy?: string;
  readonly contextWindow?: string;
  readonly maxSteps?: string;
}

/** Adds the options that a session takes to a command. */
export function withSessionOptions(command: Command): Command {
  return command
    .option("--demo", "use a simulated model on this machine; needs no key")
    .option("--resume [session]", "go on with a session; without an id the last one")
    .option("--continue", "go on with the last session")
    .option("--model <model>", "model, as `model` or `host/model`")
    .option("--policy <policy>", "a preset's name or a YAML file")
    .option("--context-window <tokens>", "the model's context window")
    .option("--max-steps <count>", "most model calls of one run");
}
