import { spawn } from "node:child_process";
import { join } from "node:path";

/** A proxy of ours that runs as a process of its own. */
export interface ProxyProcess {
  /** With the token: what programs are given as their base address. */
  readonly url: string;
  /** What it printed: what to export first, then a line for each compaction and each problem. */
  lines(): readonly string[];
  close(): Promise<void>;
}

/** What a proxy is started with. */
export interface ProxyStart {
  readonly upstream: string;
  readonly windowTokens: number;
  /** An empty folder: its home, and where it keeps its state. */
  readonly folder: string;
  /** Where the command is installed. */
  readonly project: string;
}

/** Starts `plimsoll proxy` as it is installed; resolves when it listens. */
export async function startProxy({ upstream, windowTokens, folder, project }: ProxyStart): Promise<ProxyProcess> {
  const command = join(project, "node_modules/plimsoll/bin/plimsoll.js");
  const args = ["proxy", "--upstream", upstream, "--window", String(windowTokens), "--port", "0", "--state", folder];
  const child = spawn(process.execPath, [command, ...args], { cwd: folder, env: { ...process.env, HOME: folder } });
  let output = "";
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const found = /ANTHROPIC_BASE_URL=(\S+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.on("error", reject);
    child.once("close", () => reject(new Error(`the proxy ended: ${output}`)));
  });
  return {
    url,
    lines: () => output.split("\n").filter((line) => line !== ""),
    close: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
