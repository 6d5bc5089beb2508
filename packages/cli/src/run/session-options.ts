import { addExtensionOption, type ExtensionOptions } from "@plimsoll/bench/terminal";
import type { Command } from "commander";
import { RULE_WORDS } from "../permission/allow-rule.ts";

/** Options that `chat`, `run` and `serve` share. */
export interface SessionOptions extends ExtensionOptions {
  readonly demo?: boolean;
  readonly resume?: string | true;
  readonly model?: string;
  readonly policy?: string;
  readonly window?: string;
  readonly allow?: readonly string[];
  readonly readOnly?: boolean;
}

/** Adds the options that a session takes to a command. */
export function withSessionOptions(command: Command): Command {
  const withOwn = command
    .option("--demo", "play a script with a simulated model, regardless of your input; needs no key")
    .option("--resume [session]", "resume a session; without an id the last one")
    .option("--model <model>", "model, as `model` or `host/model`")
    .option("--policy <policy>", "a preset's name or a YAML file")
    .option("--window <tokens>", "the model's context window")
    .option("--allow <rule>", `run without asking: ${RULE_WORDS}; repeatable`, (rule, rules: readonly string[] = []) => [
      ...rules,
      rule,
    ])
    .option("--read-only", "no commands, no file changes");
  return addExtensionOption(withOwn);
}
