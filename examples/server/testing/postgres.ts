import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A PostgreSQL server for a test, with an empty database. */
export interface Postgres {
  /** Its address for clients of `pg`. */
  readonly connection: { readonly host: string; readonly user: string; readonly database: string };
  stop(): void;
}

const ROOT = "/usr/lib/postgresql";
const [newest] = (existsSync(ROOT) ? readdirSync(ROOT) : []).sort((a, b) => Number(b) - Number(a));
const BIN = newest === undefined ? "" : join(ROOT, newest, "bin");

/** True if PostgreSQL's server is installed where Debian's package has it. */
export const hasPostgres: boolean = existsSync(join(BIN, "initdb"));

/** Runs a program of the server as a user that it accepts: it refuses root. */
function run(program: string, args: readonly string[]): void {
  const command = [join(BIN, program), ...args];
  const [file = "", ...rest] = process.getuid?.() === 0 ? ["runuser", "-u", "postgres", "--", ...command] : command;
  execFileSync(file, rest, { stdio: "ignore" });
}

/** Starts a server on a socket in a folder of its own. */
export function startPostgres(): Postgres {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-server-"));
  if (process.getuid?.() === 0) execFileSync("chown", ["postgres", folder]);
  const data = join(folder, "data");
  run("initdb", ["-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C"]);
  const settings = `-c listen_addresses='' -c unix_socket_directories='${folder}' -c fsync=off`;
  run("pg_ctl", ["-D", data, "-w", "-l", join(folder, "log"), "-o", settings, "start"]);
  const stop = () => {
    run("pg_ctl", ["-D", data, "-w", "-m", "immediate", "stop"]);
    rmSync(folder, { recursive: true, force: true });
  };
  return { connection: { host: folder, user: "postgres", database: "postgres" }, stop };
}
