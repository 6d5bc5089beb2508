import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createServer, request } from "node:http";
import { join } from "node:path";

/** A proxy of ours that runs as a process of its own. */
export interface ProxyProcess {
  /** With the token: what programs are given as their base address. */
  readonly url: string;
  /** Its output: first the variables to export, then a line for each compaction and each problem. */
  lines(): readonly string[];
  close(): Promise<void>;
}

/** The options of a proxy. */
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

/** A proxy that is ended after so many requests and started anew without its state, behind an address that stays. */
export async function startForgetfulProxy(start: ProxyStart, afterRequests: number): Promise<ProxyProcess> {
  const first = await startProxy(start);
  const said: string[] = [];
  let proxy = first;
  let count = 0;
  const server = createServer((asked, answer) => {
    const pass = async () => {
      count += 1;
      if (count === afterRequests + 1) {
        said.push(...proxy.lines());
        await proxy.close();
        const folder = join(start.folder, "anew");
        mkdirSync(folder);
        proxy = await startProxy({ ...start, folder });
      }
      const { host: _, ...headers } = asked.headers;
      const passed = request(`${proxy.url}${asked.url ?? ""}`, { method: asked.method, headers }, (reply) => {
        answer.writeHead(reply.statusCode ?? 500, reply.headers);
        reply.pipe(answer);
      });
      passed.on("error", () => answer.destroy());
      asked.pipe(passed);
    };
    void pass().catch(() => answer.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    lines: () => [...said, ...proxy.lines()],
    close: async () => {
      server.close();
      server.closeAllConnections();
      await proxy.close();
    },
  };
}
