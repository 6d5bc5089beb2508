import { benchReportJsonSchema } from "@plimsoll/bench";
import { addExtensionOption, type CliIo, type ExtensionOptions, openExtensions } from "@plimsoll/bench/terminal";
import { policyFileJsonSchema } from "@plimsoll/stores";
import { Argument, type Command } from "commander";

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
