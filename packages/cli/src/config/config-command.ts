import process from "node:process";
import type { Command } from "commander";
import { EXIT_OK } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import { printable } from "../terminal/printable.ts";
import { drawTable } from "../terminal/text-table.ts";
import { readConfig } from "./read-config.ts";
import { SETTING_KEYS } from "./settings.ts";

/** Adds `plimsoll config`: what holds, and where each value was set. */
export function addConfigCommand(program: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  program
    .command("config")
    .description("show the effective settings, each with where it was set")
    .action(() => {
      const { cwd, homeFolder } = io;
      const config = readConfig({ cwd, homeFolder, environment: process.env, flags: {} });
      const rows = SETTING_KEYS.map(({ key, meaning, fallback }) => {
        const set = config.settings[key];
        return [key, printable(String(set?.value ?? fallback)), set?.source ?? "default", meaning];
      });
      rows.push(["policy", config.policy.value.name, config.policy.source, "plimsoll policy show prints all of it"]);
      for (const [name, { value, source }] of config.mcpServers) {
        const what = value.disabled === true ? "disabled" : (value.command ?? value.url ?? "neither command nor url");
        rows.push([`mcp ${name}`, printable(what), source, "an MCP server; its tools are offered to the model"]);
      }
      const head = [["key", "value", "source", "meaning"].map((content) => ({ content, align: "left" }) as const)];
      io.stdout.write(`${drawTable({ head, rows, leftColumns: [0, 1, 2, 3] })}\n`);
      onExit(EXIT_OK);
    });
}
