import type { Command } from "commander";
import { type CliIo, EXIT_OK, EXIT_USAGE } from "../io.ts";
import { findPolicy } from "../option/policy-option.ts";
import { addExtensionOption, type ExtensionOptions, openExtensions } from "../option/replay-options.ts";
import { policyYaml } from "../policy/policy-yaml.ts";
import { policyJsonSchema } from "../policy/read-policy-file.ts";
import { printable } from "../terminal/printable.ts";

/** Adds `plimsoll policy show` and `plimsoll policy schema`. */
export function definePolicyCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  const shown = command
    .command("show")
    .description("print the effective policy as YAML, with the origin of each value")
    .argument("<policy>", "a preset's name or a YAML file")
    .action(async (name: string, options: ExtensionOptions) => onExit(await show(name, options, io)));
  const schema = command
    .command("schema")
    .description("print the JSON Schema of policies, for editors")
    .action(async (options: ExtensionOptions) => {
      const { kinds } = await openExtensions(options, io);
      io.stdout.write(`${JSON.stringify(policyJsonSchema(kinds), null, 2)}\n`);
    });
  addExtensionOption(shown);
  addExtensionOption(schema);
}

async function show(name: string, options: ExtensionOptions, io: CliIo): Promise<number> {
  const read = findPolicy(name, io.cwd, await openExtensions(options, io));
  if ("found" in read) {
    io.stdout.write(policyYaml(read.found));
    return EXIT_OK;
  }
  for (const problem of read.problems) io.stderr.write(`plimsoll: ${printable(problem)}\n`);
  return EXIT_USAGE;
}
