import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The workspace's root folder. */
export const root: string = fileURLToPath(new URL("../../..", import.meta.url));

/** Set in the process that runs inside a network namespace. */
const INSIDE = "PLIMSOLL_OBSERVATORY_INSIDE";

/** The place of programs inside the namespace, wherever they were installed: some give the model their path. */
const INSTALLED = join(tmpdir(), "plimsoll-observatory", "installed");

/** True in the process that has no network but loopback. */
export const isInside: boolean = process.env[INSIDE] === "1";

/** The folder that programs and packages are installed in. */
export const cache: string = isInside
  ? INSTALLED
  : (process.env.PLIMSOLL_OBSERVATORY_CACHE ?? join(root, "node_modules/.cache/plimsoll-observatory"));

/**
 * Goes on in a namespace that has no network but loopback, and the programs in a place that is the same everywhere; where none can be had, in this
 * one, with proxies that lead nowhere.
 */
export function enterNamespace(): boolean {
  mkdirSync(INSTALLED, { recursive: true });
  mkdirSync(cache, { recursive: true });
  const command = 'ip link set lo up && mount --bind "$1" "$2"';
  const apart = (then: readonly string[]) => [
    "-rnm",
    "sh",
    "-c",
    `${command} && shift 2 && "$@"`,
    "sh",
    cache,
    INSTALLED,
    ...then,
  ];
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const tried = spawnSync("unshare", apart(["true"]), { stdio: "ignore" });
  if (tried.status !== 0) return false;
  const { status } = spawnSync("unshare", apart(again), { stdio: "inherit", env: { ...process.env, [INSIDE]: "1" } });
  process.exitCode = status ?? 1;
  return true;
}
