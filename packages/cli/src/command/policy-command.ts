import type { Command } from "commander";
import { type CliIo, EXIT_OK, EXIT_USAGE } from "../io.ts";
import { findPolicy } from "../option/policy-option.ts";
import { policyYaml } from "../policy/policy-yaml.ts";
import { policyJsonSchema } from "../policy/read-policy-file.ts";
import { printable } from "../terminal/printable.ts";

/** Adds `plimsoll policy show` and `plimsoll policy schema`. */
export function addPolicyCommand(program: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  const policy = program.command("policy").description("look at policies");
  policy
    .command("show")
    .description("print the effective policy as YAML, with the origin of each value")
    .argument("<policy>", "a preset's name or a YAML file")
    .action((name: string) => onExit(show(name, io)));
  policy
    .command("schema")
    .description("print the JSON Schema of policies, for editors")
    .action(() => void io.stdout.write(`${JSON.stringify(policyJsonSchema(), null, 2)}\n`));
}

function show(name: string, io: CliIo): number {
  const read = findPolicy(name, io.cwd);
  if ("found" in read) {
    io.stdout.write(policyYaml(read.found));
    return EXIT_OK;
  }
  for (const problem of read.problems) io.stderr.write(`plimsoll: ${printable(problem)}\n`);
  return EXIT_USAGE;
}
