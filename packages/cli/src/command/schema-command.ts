import { benchReportJsonSchema } from "@plimsoll/bench";
import { policyFileJsonSchema } from "@plimsoll/stores";
import { Argument, type Command } from "commander";
import type { CliIo } from "../io.ts";
import { addExtensionOption, type ExtensionOptions, openExtensions } from "../option/replay-options.ts";

/** Adds `plimsoll schema`: prints a JSON Schema, with the parts of a person's own modules in it. */
export function defineSchemaCommand(command: Command, io: CliIo): void {
  addExtensionOption(command)
    .addArgument(new Argument("<of>", "the JSON report of bench, or policy files").choices(["report", "policy"]))
    .action(async (of: "report" | "policy", options: ExtensionOptions) => {
      const { metrics, kinds } = await openExtensions(options, io);
      const schema = of === "report" ? benchReportJsonSchema(metrics) : policyFileJsonSchema(kinds);
      io.stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
    });
}
