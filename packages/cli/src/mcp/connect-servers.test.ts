import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { createMemoryArtifactStore } from "@plimsoll/core";
import type { AgentTool } from "@plimsoll/core/extend";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { connectServers, expandVariables } from "./connect-servers.ts";
import type { McpServer } from "./mcp-server.ts";

const sdk = (path: string) => pathToFileURL(createRequire(import.meta.url).resolve(`@modelcontextprotocol/sdk/${path}`)).href;

/** A server with one tool that prints its environment. */
const SERVER = `
import { McpServer } from ${JSON.stringify(sdk("server/mcp.js"))};
import { StdioServerTransport } from ${JSON.stringify(sdk("server/stdio.js"))};
const server = new McpServer({ name: "test", version: "1" });
const names = Object.keys(process.env).filter((name) => /KEY|TOKEN|SECRET/.test(name));
const TEXT = (process.env.SECRET ?? "none") + " " + JSON.stringify(names);
server.registerTool("secret", { description: "tells" }, async () => ({ content: [{ type: "text", text: TEXT }] }));
await server.connect(new StdioServerTransport());
`;

const folder = freshFolder(beforeEach);
beforeEach(() => {
  writeFileSync(folder("server.mjs"), SERVER);
});

const connect = (servers: { readonly [name: string]: McpServer }) =>
  connectServers(
    new Map(Object.entries(servers).map(([name, value]) => [name, { value, source: "here:1", owner: "person" }])),
    {
      cwd: folder(),
      environment: { KEY: "told" },
      authorize: () => Promise.reject(new Error("nobody is asked about the person's own")),
    },
  );
const context: Parameters<AgentTool["run"]>[1] = {
  sessionId: "test",
  callId: "c",
  signal: new AbortController().signal,
  artifacts: createMemoryArtifactStore(),
  contextCall: async () => "",
  runSubAgent: () => Promise.reject(new Error("none")),
};

describe("MCP servers", { timeout: 60_000 }, () => {
  test("the tools of those that answer are offered under the server's name; those that fail are a line each", async () => {
    const command = process.execPath;
    const servers = await connect({
      works: {
        command,
        args: ["server.mjs"],
        env: { SECRET: `\${KEY}` },
        tools: { secret: { category: "match-list", rerunnable: true, hint: "ask again" }, secrets: {} },
      },
      off: { command, disabled: true },
      missing: { command: "no-such-program" },
      dies: { command, args: ["-e", "console.error('no config'); process.exit(3)"] },
      unset: { command, env: { A: `\${NOBODY_SETS_THIS}` } },
      neither: {},
    });
    const [tool] = servers.tools;
    expect(await tool?.run({}, context)).toEqual({ text: 'told ["SECRET"]', isError: false });
    await servers.close();
    expect(servers.tools).toMatchObject([
      { spec: { name: "works_secret" }, category: "match-list", isRerunnable: true, hint: "ask again" },
    ]);
    expect(servers.lines).toEqual([
      "mcp works: 1 tool (here:1)",
      "mcp works: it has no tool secrets: did you mean secret? (here:1)",
      "mcp missing: cannot be used: there is no program no-such-program; the session continues without it (here:1)",
      expect.stringMatching(/^mcp dies: cannot be used: .*no config; the session continues without it \(here:1\)$/),
      "mcp unset: cannot be used: the environment variable NOBODY_SETS_THIS is not set; the session continues without it (here:1)",
      "mcp neither: cannot be used: give either a command or a url; the session continues without it (here:1)",
    ]);
    await expect(tool?.run({}, context)).rejects.toThrow();
  });
});

test("a server's program sees what its setting states, and no other key", async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", "planted");
  vi.stubEnv("GITHUB_TOKEN", "planted");
  const told = (server: McpServer) =>
    connect({ works: { command: process.execPath, args: ["server.mjs"], ...server } }).then(async (servers) => {
      const output = await servers.tools[0]?.run({}, context);
      await servers.close();
      return output;
    });
  expect(await told({ env: { SECRET: `\${KEY}` } })).toMatchObject({ text: 'told ["SECRET"]' });
  expect(await told({})).toMatchObject({ text: "none []" });
  vi.unstubAllEnvs();
}, 60_000);

test.each([
  ["plain", "plain"],
  [`a \${ONE} b \${TWO:-two}`, "a 1 b two"],
  [`\${TWO:-}`, ""],
  [`left \${open`, `left \${open`],
])("%s is %s", (text, expected) => {
  expect(expandVariables(text, { ONE: "1" })).toBe(expected);
});
