import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";

/** A proxy of ours that runs as a process of its own. */
export interface ProxyProcess {
  /** With the token: the base address for programs. */
  readonly url: string;
  /** Its output: first the variables to export, then a line for each compaction and each problem. */
  lines(): readonly string[];
  close(): Promise<void>;
}

/** The options of a proxy. */
export interface ProxyStart {
  readonly upstream: string;
  /** `null` for the windows of the catalogue. */
  readonly windowTokens: number | null;
  /** A preset's name; that of `PLIMSOLL_POLICY`, else plimsoll, if it is left out. */
  readonly policy?: string | undefined;
  /** An empty folder: its home, and where it keeps its state. */
  readonly folder: string;
  /** Where the command is installed. */
  readonly project: string;
}

/** Starts `plimsoll proxy` as it is installed; resolves when it listens. */
export async function startProxy({ upstream, windowTokens, folder, project, ...given }: ProxyStart): Promise<ProxyProcess> {
  const command = join(project, "node_modules/plimsoll/bin/plimsoll.js");
  const window = windowTokens === null ? [] : ["--window", String(windowTokens)];
  const { policy = process.env.PLIMSOLL_POLICY ?? "plimsoll" } = given;
  const args = ["proxy", "--upstream", upstream, "--policy", policy, ...window, "--port", "0", "--state", folder];
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

/** A request of a program as it came. */
export interface Taken {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Headers of one connection, which the next one has anew. */
const OF_CONNECTION = ["host", "connection", "content-length", "transfer-encoding", "expect"];

/** Sends a request on to a server of ours. */
export function sentOn(url: string, { path, headers, body }: Taken): Promise<Response> {
  const own = Object.entries(headers).flatMap(([name, value]) =>
    OF_CONNECTION.includes(name) ? [] : [[name, String(value)] as const],
  );
  const asked = body === "" ? { method: "GET" } : { method: "POST", body };
  return fetch(`${url}${path}`, { ...asked, headers: Object.fromEntries(own) });
}

/** An address that stays: `answer` answers its requests. */
export async function startRelay(
  answer: (taken: Taken) => Promise<Response>,
): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    const pass = async () => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(Buffer.from(piece));
      const body = Buffer.concat(pieces).toString("utf8");
      const given = await answer({ path: request.url ?? "", headers: request.headers, body });
      const type = given.headers.get("content-type") ?? "application/json";
      response.writeHead(given.status, { "content-type": type }).end(await given.text());
    };
    void pass().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A proxy that is ended after so many requests and started anew without its state, behind an address that stays. */
export async function startForgetfulProxy(start: ProxyStart, afterRequests: number): Promise<ProxyProcess> {
  const said: string[] = [];
  let proxy = await startProxy(start);
  let count = 0;
  const relay = await startRelay(async (taken) => {
    count += 1;
    if (count === afterRequests + 1) {
      said.push(...proxy.lines());
      await proxy.close();
      const folder = join(start.folder, "anew");
      mkdirSync(folder);
      proxy = await startProxy({ ...start, folder });
    }
    return sentOn(proxy.url, taken);
  });
  return {
    url: relay.url,
    lines: () => [...said, ...proxy.lines()],
    close: async () => {
      relay.close();
      await proxy.close();
    },
  };
}
