import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type BenchParts, loadParts } from "@plimsoll/bench";
import type { Command } from "commander";
import type { CliIo } from "../io.ts";

/** Options of every command that a person's own parts can be handed to. */
export interface ExtensionOptions {
  readonly with?: readonly string[];
}

const collect = (value: string, previous: readonly string[] = []): readonly string[] => [...previous, value];

/** Adds `--with`. */
export function addExtensionOption(command: Command): Command {
  return command.option(
    "--with <module>",
    "add what a JavaScript module exports (default: a BenchExtension); runs its code, so name your own alone; repeatable",
    collect,
  );
}

/** Loads the modules that were named. Throws `bad-input` with a line that says what is wrong with one. */
export function openExtensions({ with: modules = [] }: ExtensionOptions, { cwd }: Pick<CliIo, "cwd">): Promise<BenchParts> {
  return loadParts(modules.map((file) => pathToFileURL(resolve(cwd, file)).href));
}
