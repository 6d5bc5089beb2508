import type { Command } from "commander";
import { addExtensionOption, type ExtensionOptions } from "../option/replay-options.ts";
import { RULE_WORDS } from "../permission/allow-rule.ts";

/** What `chat`, `run` and `serve` take alike. */
export interface SessionOptions extends ExtensionOptions {
  readonly demo?: boolean;
  readonly resume?: string | true;
  readonly continue?: boolean;
  readonly model?: string;
  readonly policy?: string;
  readonly contextWindow?: string;
  readonly maxSteps?: string;
  /** What runs without a question, a rule each. */
  readonly allow?: readonly string[];
  readonly readOnly?: boolean;
  /** Names of variables that look like credentials and that tools see all the same. */
  readonly passEnv?: readonly string[];
}

/** Adds the options that a session takes to a command. */
export function withSessionOptions(command: Command): Command {
  const withOwn = command
    .option("--demo", "use a simulated model on this machine; needs no key")
    .option("--resume [session]", "go on with a session; without an id the last one")
    .option("--continue", "go on with the last session")
    .option("--model <model>", "model, as `model` or `host/model`")
    .option("--policy <policy>", "a preset's name or a YAML file")
    .option("--context-window <tokens>", "the model's context window")
    .option("--max-steps <count>", "most model calls of one run")
    .option("--allow <rule>", `run without asking: ${RULE_WORDS}; again for more`, collect)
    .option("--read-only", "no commands, no changes of files")
    .option("--pass-env <name>", "let tools see a variable that looks like a credential; again for more", collect);
  return addExtensionOption(withOwn);
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
