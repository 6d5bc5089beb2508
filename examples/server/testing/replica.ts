import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A replica of the service, in a process of its own. */
export interface Replica {
  readonly url: string;
  /** Ends it as a machine that loses its power does. Resolves when it is gone. */
  kill(): Promise<void>;
}

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const LOADER = new URL("../../../scripts/typescript-loader.mjs", import.meta.url).href;

/** Starts a replica from the sources. Its errors are printed here, too. */
export async function startReplica(environment: Readonly<Record<string, string>>): Promise<Replica> {
  const process_ = spawn(process.execPath, ["--conditions=source", "--import", LOADER, MAIN], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<void>((resolve) => process_.once("exit", () => resolve()));
  const url = await urlOf(process_);
  return {
    url,
    kill: async () => {
      process_.kill("SIGKILL");
      await exited;
    },
  };
}

async function urlOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("the replica has no output");
  for await (const line of createInterface(stdout)) {
    const [, url] = /^listening on (\S+)$/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error("the replica ended before it listened");
}
