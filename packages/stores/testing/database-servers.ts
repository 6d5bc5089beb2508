import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A server that runs for a test, on a socket in a folder of its own. */
export interface DatabaseServer {
  /** Where clients connect to: PostgreSQL takes the folder as its host, Redis the socket's path. */
  readonly socket: string;
  /** The path of the socket that takes connections. */
  readonly socketFile: string;
  /** Kills the server and starts it again, with its kept data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const POSTGRES_ROOT = "/usr/lib/postgresql";

function postgresFolder(): string | null {
  const versions = existsSync(POSTGRES_ROOT) ? readdirSync(POSTGRES_ROOT).sort((a, b) => Number(b) - Number(a)) : [];
  return (
    versions.map((version) => join(POSTGRES_ROOT, version, "bin")).find((folder) => existsSync(join(folder, "initdb"))) ?? null
  );
}

/** True if PostgreSQL's server is installed where Debian's package has it. */
export const hasPostgres: boolean = postgresFolder() !== null;

/** True if Redis' server is installed where Debian's package has it. */
export const hasRedis: boolean = existsSync("/usr/bin/redis-server");

/** Runs a program as a user that PostgreSQL accepts: it refuses root. */
function asPostgres(program: string, args: readonly string[]): readonly [string, readonly string[]] {
  return process.getuid?.() === 0 ? ["runuser", ["-u", "postgres", "--", program, ...args]] : [program, args];
}

function run([program, args]: readonly [string, readonly string[]]): void {
  execFileSync(program, args, { stdio: "ignore" });
}

/** A PostgreSQL server with an empty database `postgres`, for the user `postgres`. */
export async function startPostgres(): Promise<DatabaseServer> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-postgres-"));
  if (process.getuid?.() === 0) execFileSync("chown", ["postgres", folder]);
  const bin = postgresFolder() ?? "";
  const data = join(folder, "data");
  run(asPostgres(join(bin, "initdb"), ["-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C"]));
  const settings = `-c listen_addresses='' -c unix_socket_directories='${folder}' -c fsync=off -c max_connections=100`;
  const control = (...args: readonly string[]) => asPostgres(join(bin, "pg_ctl"), ["-D", data, "-w", ...args]);
  const start = ["-l", join(folder, "log"), "-o", settings];
  run(control(...start, "start"));
  return {
    socket: folder,
    socketFile: join(folder, ".s.PGSQL.5432"),
    restart: async () => {
      const [program, args] = control(...start, "-m", "immediate", "restart");
      await once(spawn(program, args, { stdio: "ignore" }), "exit");
    },
    stop: async () => {
      run(control("-m", "immediate", "stop"));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** An empty Redis server that keeps its data. */
export async function startRedis(): Promise<DatabaseServer> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-redis-"));
  chmodSync(folder, 0o700);
  const socket = join(folder, "redis.sock");
  const args = [
    "--port",
    "0",
    "--unixsocket",
    socket,
    "--dir",
    folder,
    "--save",
    "",
    "--appendonly",
    "yes",
    "--daemonize",
    "no",
  ];
  const start = async () => {
    const server = spawn("/usr/bin/redis-server", args, { stdio: ["ignore", "pipe", "ignore"] });
    for await (const line of createInterface(server.stdout)) if (line.includes("eady to accept connections")) break;
    return server;
  };
  let server = await start();
  const kill = async () => {
    const exited = once(server, "exit");
    server.kill("SIGKILL");
    await exited;
  };
  return {
    socket,
    socketFile: socket,
    restart: async () => {
      await kill();
      server = await start();
    },
    stop: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
