import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./tool.mjs";

const STAMP = join(root, "node_modules/.installed-from");

/**
 * Installs missing packages: for the command only those of its bundle, a tenth of all, unless all are there already. Does nothing if the lock file is
 * the one that was installed from.
 * @param {"all" | "command"} what
 */
export function installed(what) {
  const isWhole = what === "all" || existsSync(join(root, "node_modules/typescript"));
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "pnpm-lock.yaml")))
    .digest("hex");
  const wanted = `${isWhole ? "all" : "command"} ${lock}`;
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === wanted) return;
  const part = isWhole ? [] : ["--prod", "--filter=@plimsoll/bundle..."];
  pnpm(["install", "--frozen-lockfile", "--prefer-offline", ...part]);
  writeFileSync(STAMP, wanted);
}

/** @param {readonly string[]} args */
function pnpm(args) {
  const program = process.env.npm_execpath ?? "";
  const [command, ...before] = !/pnpm/.test(program)
    ? ["npx", "-y", "pnpm@12"]
    : /\.[cm]?js$/.test(program)
      ? [process.execPath, program]
      : [program];
  const { status } = spawnSync(command ?? "npx", [...before, ...args], { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}
