import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { expect, test } from "vitest";
import { z } from "zod";
import { call } from "../testing/call.ts";
import { mcpTools } from "./mcp.ts";

async function connected(): Promise<Client> {
  const server = new McpServer({ name: "test", version: "1" });
  server.registerTool("add", { description: "adds", inputSchema: { a: z.number(), b: z.number() } }, async ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
  }));
  server.registerTool("fail", { description: "fails" }, async () => ({
    content: [
      { type: "text", text: "no" },
      { type: "image", data: "AA==", mimeType: "image/png" },
    ],
    isError: true,
  }));
  server.registerTool("deep", { description: "nests" }, async () => ({
    content: [],
    structuredContent: { a: JSON.parse("[".repeat(100_000) + "]".repeat(100_000)) },
  }));
  const [there, here] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([server.connect(there), client.connect(here)]);
  return client;
}

test("a server's tools run as generic ones, with an override for each", async () => {
  const client = await connected();
  const [add, fail, deep] = await mcpTools(client, {
    prefix: "math",
    overrides: { add: { category: "match-list", isRerunnable: true } },
  });
  expect([add?.spec.name, add?.category, add?.isRerunnable]).toEqual(["math_add", "match-list", true]);
  expect([fail?.spec.name, fail?.category, fail?.isRerunnable]).toEqual(["math_fail", "generic", false]);
  expect(JSON.parse(add?.spec.parametersJson ?? "")).toMatchObject({ type: "object", required: ["a", "b"] });
  expect(await call(add ?? expect.fail(), { a: 1, b: 2 })).toEqual({ text: "3", isError: false });
  expect(await call(fail ?? expect.fail(), {})).toEqual({ text: "no\n[image content, not shown]", isError: true });
  expect(await call(deep ?? expect.fail(), {})).toEqual({
    text: "(JSON that is nested too deep to be written)",
    isError: false,
  });
  await client.close();
});
