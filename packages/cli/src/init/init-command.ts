import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PlimsollError } from "@plimsoll/core";
import type { Command } from "commander";
import { SETTING_KEYS } from "../config/settings.ts";
import { EXIT_OK } from "../exit-code.ts";
import type { CliIo } from "../io.ts";

/** Adds `plimsoll init`: writes a plimsoll.yaml in which everything is a comment but the policy. */
export function addInitCommand(program: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  program
    .command("init")
    .description("write a plimsoll.yaml with every setting and its meaning")
    .action(() => {
      const path = join(io.cwd, "plimsoll.yaml");
      const lines = SETTING_KEYS.map(({ key, meaning, fallback }) => `# ${key}: …   # ${meaning}; default: ${fallback}`);
      const text = [
        "policy: plimsoll   # a preset's name; `plimsoll policy show plimsoll` prints what can be changed here",
        ...lines,
        "",
      ];
      try {
        writeFileSync(path, text.join("\n"), { flag: "wx" });
      } catch (error) {
        const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
        throw new PlimsollError("bad-input", isThere ? "plimsoll.yaml is there already" : `cannot write ${path}`, {}, error);
      }
      io.stdout.write("Wrote plimsoll.yaml. Next: plimsoll chat --demo\n");
      onExit(EXIT_OK);
    });
}
