import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createMemoryArtifactStore, createRedactor } from "@plimsoll/core";
import type { AgentTool } from "@plimsoll/core/extend";
import { createFileArtifactStore } from "@plimsoll/stores";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { call } from "../testing/call.ts";
import { type TemporaryFolder, temporaryFolder } from "../testing/temporary-folder.ts";
import { createBuiltinTools } from "./builtin.ts";
import { defineTool } from "./define-tool.ts";
import { redactedTools } from "./redact-secrets.ts";

const VALUE = "sk-planted-0123456789abcdef";
const SECRET = { name: "A_KEY", value: VALUE };

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder({ ".env": `A_KEY=${VALUE}\nOTHER=1\n` });
});
afterEach(() => folder.remove());

test.each([
  ["each place", [SECRET], `a ${VALUE} b ${VALUE}`, "a [A_KEY] b [A_KEY]"],
  ["the longer one if one begins with another", [SECRET, { name: "B", value: `${VALUE}-more` }], `${VALUE}-more`, "[B]"],
  ["nothing that is too short to be a key", [{ name: "SHORT", value: "password" }], "the password", "the password"],
])("a redactor hides %s", (_what, secrets, text, expected) => {
  expect(createRedactor(secrets).text(text)).toBe(expected);
});

test.each([
  ["read_file", { path: ".env" }],
  ["fs", { op: "read", path: ".env" }],
  ["grep", { pattern: "KEY", path: ".env" }],
  ["search_codebase", { query: "A_KEY" }],
  ["shell", { command: ["cat", ".env"] }],
  ["run_terminal_command", { command: "cat .env" }],
])("the secret in a file does not come back from %s", async (name, args) => {
  const builtin = await createBuiltinTools({ workspaceFolder: folder.path, env: { PATH: process.env.PATH } });
  const tools = redactedTools(builtin.tools, createRedactor([SECRET]));
  const { text } = await call(tools.find(({ spec }) => spec.name === name) ?? expect.fail(name), args);
  builtin.close();
  expect(text).toContain("A_KEY=[A_KEY]");
  expect(text).not.toContain(VALUE);
});

test("nor in what is stored of an output that is too large for memory, wherever its pieces end", async () => {
  const builtin = await createBuiltinTools({ workspaceFolder: folder.path, env: { PATH: process.env.PATH } });
  const tools = redactedTools(builtin.tools, createRedactor([SECRET]));
  const artifacts = createFileArtifactStore(join(folder.path, "artifacts"));
  const command = `yes ${VALUE} | head -n 100000`;
  await call(
    tools.find(({ spec }) => spec.name === "run_terminal_command") ?? expect.fail("no tool"),
    { command },
    { artifacts },
  );
  builtin.close();
  const [name = ""] = readdirSync(join(folder.path, "artifacts"));
  const stored = readFileSync(join(folder.path, "artifacts", name), "utf8");
  expect(stored.trimEnd().split("\n")).toEqual(Array(100_000).fill("[A_KEY]"));
});

const tell = (run: AgentTool["run"]) =>
  defineTool({
    name: "tell",
    description: `knows ${VALUE}`,
    category: "generic",
    input: z.unknown(),
    effect: { kind: "write", what: `write ${VALUE}`, files: [VALUE], before: VALUE, after: null },
    run,
  });
const hidden = (run: AgentTool["run"]) => redactedTools([tell(run)], createRedactor([SECRET]))[0] ?? expect.fail("no tool");

test("nor in a hint, a description, an effect, an artifact or an error", async () => {
  const artifacts = createMemoryArtifactStore();
  const tool = hidden(async (_, { artifacts: store }) => ({
    text: await store.put(`kept ${VALUE}`),
    isError: false,
    hint: `see ${VALUE}`,
  }));
  const { text, hint } = await call(tool, {}, { artifacts });
  expect([await artifacts.get(text), hint, tool.spec.description]).toEqual(["kept [A_KEY]", "see [A_KEY]", "knows [A_KEY]"]);
  expect(await tool.effectOf({})).toEqual({
    kind: "write",
    what: "write [A_KEY]",
    files: ["[A_KEY]"],
    before: "[A_KEY]",
    after: null,
  });
  await expect(
    call(
      hidden(() => Promise.reject(new Error(`bad ${VALUE}`))),
      {},
    ),
  ).rejects.toThrow("bad [A_KEY]");
});
