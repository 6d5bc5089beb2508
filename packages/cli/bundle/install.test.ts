import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PUBLISHED } from "../../../scripts/publish-check.mjs";
import { commandFile, root as ROOT } from "../../../scripts/tool.mjs";
import { type Ended, emptyPlace, packAll, runProgram } from "./installed.mjs";

/** The registry's answer: the libraries' own dependencies need it; without one they are not tested, and counted as skipped. */
const registry = runProgram("npm", ["view", "zod", "version", "--fetch-retries=0", "--fetch-timeout=10000"], { cwd: ROOT });
const SESSIONS = "node_modules/plimsoll/sessions";

/** SDKs of majors that are not supported, each with a drop-in that is written for later ones. */
const OLDER: readonly (readonly [name: string, version: string, entry: string, create: string])[] = [
  ["ai", "4", "ai-sdk", "createCompactionMiddleware"],
  ["openai", "5", "openai-chat", "createChatCompactor"],
  ["@anthropic-ai/sdk", "0.70", "anthropic", "createMessagesCompactor"],
  ["@google/genai", "1", "google-genai", "createContentsCompactor"],
  ["langchain", "0.1", "langchain", "createLangChainMiddleware"],
];

let tarballs: readonly string[] = [];
beforeAll(() => {
  tarballs = packAll();
}, 300_000);
afterAll(() => rmSync(dirname(tarballs[0] ?? ""), { recursive: true, force: true }));

const tarballOf = (folder: string): string => tarballs[PUBLISHED.indexOf(folder)] ?? expect.fail(folder);

describe("the command, installed alone into an empty folder with an empty home and no network", () => {
  const { folder, env } = emptyPlace();
  const program = join(folder, "node_modules/plimsoll/bin/plimsoll.js");
  const plimsoll = (...args: readonly string[]): Ended =>
    runProgram(process.execPath, [program, ...args], { cwd: folder, env });
  beforeAll(() => {
    const options = ["--offline", "--no-audit", "--no-fund", "--loglevel=error"];
    const ended = runProgram("npm", ["install", ...options, tarballOf("packages/cli")], { cwd: folder, env });
    if (ended.code !== 0) throw new Error(ended.stderr);
  }, 120_000);
  afterAll(() => rmSync(dirname(folder), { recursive: true, force: true }));

  test("is the only package", () => {
    expect(readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["plimsoll"]);
    expect(existsSync(join(folder, "node_modules/.bin/plimsoll"))).toBe(true);
    expect(readFileSync(join(folder, "node_modules/plimsoll/LICENSE"), "utf8")).toContain("MIT License");
  });

  test.each<[string, readonly string[], RegExp]>([
    ["its version", ["--version"], /^\d+\.\d+\.\d+\n$/],
    ["its help", ["--help"], /bench .*replay recorded sessions/],
    ["the bench's help, with examples", ["bench", "--help"], /Examples:\n {2}plimsoll bench/],
    ["the folder of its plugin", ["hook", "plugin"], /claude-code\n$/],
    ["the policies", ["policy", "list"], /sven[\s\S]*plimsoll/],
    ["one policy", ["policy", "show", "sven"], /name: sven # preset sven/],
    ["the story of a bundled session", ["inspect", `${SESSIONS}/bug-hunt.jsonl`], /compaction/],
    ["a compaction", ["compact", `${SESSIONS}/bug-hunt.jsonl`, "--dry-run", "--window", "16k"], /messages/],
    ["what holds, and what is known of the model", ["policy", "show"], /claude-sonnet[\s\S]*context window \d+/],
    ["a task with a simulated model, over a vendor's own SDK", ["run", "--demo", "look at the logs"], /prompt/],
  ])("says %s", (_, args, expected) => {
    const { code, stdout, stderr } = plimsoll(...args);
    expect(stderr).not.toMatch(/unexpected|Warning/);
    expect(code).toBe(0);
    expect(stdout).toMatch(expected);
  });

  test.each(["1", "2"])("replays the bundled sessions, %s at a time, and writes a whole page", (jobs) => {
    const report = join(folder, `report-${jobs}.html`);
    const { code, stdout } = plimsoll(
      "bench",
      SESSIONS,
      "-p",
      "none",
      "-p",
      "sven",
      "-w",
      "32k",
      "--jobs",
      jobs,
      "--html",
      report,
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/sven\*? .*[\d.]+k +3\/3/);
    expect(readFileSync(report, "utf8")).toMatch(/uPlot[\s\S]*chart-theme|uPlot/);
  });

  test.each([["--version"], ["--help"], ["hook --help"], ["help bench"]])("loads two files for %s", (line) => {
    const loads = join(folder, `loads ${line}`);
    const counter = pathToFileURL(join(ROOT, "packages/cli/bundle/count-loads.mjs")).href;
    const counted = { cwd: folder, env: { ...env, PLIMSOLL_LOADS: loads } };
    expect(runProgram(process.execPath, ["--import", counter, program, ...line.split(" ")], counted).code).toBe(0);
    const files = readFileSync(loads, "utf8").trim().split("\n");
    expect(files.filter((file) => file.includes("/node_modules/plimsoll/dist/"))).toHaveLength(2);
  });

  test("a module that imports what the one file has inside is told what to do", () => {
    const parts = join(folder, "parts");
    mkdirSync(parts);
    writeFileSync(
      join(parts, "own.mjs"),
      'import { toolCallsOf } from "@plimsoll/core";\nexport default { metrics: [toolCallsOf] };\n',
    );
    const { code, stderr } = plimsoll("bench", SESSIONS, "-p", "none", "--with", join(parts, "own.mjs"));
    expect([code, stderr.match(/^\S/gm)?.length, /^ {4}at /m.test(stderr)]).toEqual([2, 1, false]);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain(
      "it needs @plimsoll/core, which is not published yet: put the file into examples/extension",
    );
  });

  test("an older Node is told so in a line", () => {
    const old = join(folder, "old-node.mjs");
    writeFileSync(old, 'Object.defineProperty(process.versions, "node", { value: "18.20.4" });\n');
    const { code, stderr } = runProgram(process.execPath, ["--import", pathToFileURL(old).href, program, "--version"], {
      cwd: folder,
      env,
    });
    expect([code, stderr]).toEqual([2, "plimsoll: needs Node 20.19 or newer; this is 18.20.4\n"]);
  });
});

describe("what is packed", () => {
  test.each(PUBLISHED)("%s has no fault that publint knows", async (from) => {
    const bytes = readFileSync(tarballOf(from));
    const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const { messages, pkg } = await publint({ pack: { tarball: data }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  // The command has nothing that could be imported.
  test.each(PUBLISHED.filter((from) => from !== "packages/cli"))("the types of %s are found as they are run", (from) => {
    const attw = commandFile("@arethetypeswrong/cli", "attw");
    const { code, stdout } = runProgram(process.execPath, [attw, tarballOf(from), "--profile", "esm-only", "--no-color"], {
      cwd: ROOT,
    });
    expect(code, stdout).toBe(0);
  });
});

describe.skipIf(registry.code !== 0)("the libraries, installed from their tarballs", () => {
  const { folder, env } = emptyPlace();
  const libraries = PUBLISHED.filter((each) => each !== "packages/cli");
  beforeAll(() => {
    const options = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
    const own = libraries.map(tarballOf);
    const ended = runProgram("npm", ["install", ...options, ...own, "@anthropic-ai/sdk@1"], { cwd: folder, env });
    if (ended.code !== 0) throw new Error(ended.stderr);
  }, 300_000);
  afterAll(() => rmSync(dirname(folder), { recursive: true, force: true }));

  const run = (text: string): Ended => {
    const file = join(folder, "program.mjs");
    writeFileSync(file, text);
    return runProgram(process.execPath, [file], { cwd: folder, env });
  };

  test("each of their entries loads, without what is optional", () => {
    const entries = libraries.flatMap((from) => {
      const { name, exports } = JSON.parse(readFileSync(join(folder, "node_modules", nameOf(from), "package.json"), "utf8"));
      return Object.keys(exports)
        .filter((path) => !path.endsWith(".json"))
        .map((path) => `${name}${path.slice(1)}`);
    });
    expect(entries.length).toBeGreaterThan(15);
    const load = entries.map(
      (entry) =>
        `await import(${JSON.stringify(entry)}).catch((error) => missing.push([${JSON.stringify(entry)}, /'([^']+)'/.exec(error.message)?.[1]]));`,
    );
    const { stdout } = run(["const missing = [];", ...load, "console.log(JSON.stringify(missing));"].join("\n"));
    // A package that something else brings is no loss.
    expect(ENTRIES_OF_A_PEER).toMatchObject(Object.fromEntries(JSON.parse(stdout)));
  });

  test("an agent made of them works on a task", () => {
    const { code, stdout, stderr } = run(AGENT);
    expect([code, stderr, stdout]).toEqual([0, "", "Reply 1 to a prompt.\n"]);
  });
});

describe.skipIf(registry.code !== 0)("the drop-ins, installed beside older SDKs", () => {
  const { folder, env } = emptyPlace();
  beforeAll(() => {
    const options = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
    const own = ["packages/core", "packages/providers"].map(tarballOf);
    // Ours last, as into an existing project: packages that it installed are not moved for ours.
    for (const packages of [OLDER.map(([name, version]) => `${name}@${version}`), own]) {
      const ended = runProgram("npm", ["install", ...options, ...packages], { cwd: folder, env });
      if (ended.code !== 0) throw new Error(ended.stderr);
    }
  }, 300_000);
  afterAll(() => rmSync(dirname(folder), { recursive: true, force: true }));

  const created = (entry: string, name: string): Ended => {
    const file = join(folder, "program.mjs");
    const lines = [
      'import { PLIMSOLL_POLICY as policy } from "@plimsoll/core";',
      `import { ${name} as create } from "@plimsoll/providers/drop-in/${entry}";`,
      "try {",
      "  create({ policy, limits: { contextWindowTokens: 100_000, maxOutputTokens: 4_000 } });",
      '  console.log("created");',
      "} catch ({ name, code, message }) {",
      '  console.log(name + " " + code + ": " + message);',
      "}",
    ];
    writeFileSync(file, lines.join("\n"));
    return runProgram(process.execPath, [file], { cwd: folder, env });
  };

  test.each(OLDER)("%s %s is refused in one line by its own drop-in", (name, _, entry, create) => {
    const { code, stdout, stderr } = created(entry, create);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /^PlimsollError bad-input: (\S+) \d+\.\d+\.\d+ is not supported, but >=\S+ <\d+ is: npm install \1@\d+\n$/,
    );
    expect(stdout).toContain(` ${name} `);
  });

  test("another drop-in works", () => {
    expect(created("openai-agents", "createAgentItemsCompactor")).toMatchObject({ code: 0, stderr: "", stdout: "created\n" });
  });
});

/** The entries that are only of use with the named package installed. */
const ENTRIES_OF_A_PEER = {
  "@plimsoll/agent/telemetry": "@opentelemetry/api",
  "@plimsoll/core/testing": "fast-check",
  "@plimsoll/providers/drop-in/langchain": "@langchain/core",
  "@plimsoll/stores/testing": "fast-check",
};

const nameOf = (folder: string): string => JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8")).name;

const AGENT = `
import { startAgent } from "@plimsoll/agent";
import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { createFileArtifactStore, createFileSessionStore } from "@plimsoll/stores";
import { createAnthropicClient } from "@plimsoll/providers/anthropic";
import { startSimulator } from "@plimsoll/simulator";
import { openWorkspace, readFileTool } from "@plimsoll/tools";

const simulator = await startSimulator({
  replies: ({ replyIndex }) => ({ parts: [{ type: "text", text: \`Reply \${replyIndex + 1} to a prompt.\` }] }),
  contextWindowTokens: 100_000,
});
const agent = await startAgent({
  session: { kind: "new", sessionId: "work", system: "You are a coding agent." },
  sessions: createFileSessionStore({ folder: ".plimsoll/sessions" }),
  artifacts: createFileArtifactStore(".plimsoll/artifacts"),
  model: {
    client: createAnthropicClient({ baseUrl: simulator.url, keyVariable: null }),
    modelId: "claude-sonnet-5-5",
    limits: { contextWindowTokens: 100_000, maxOutputTokens: 4_000 },
  },
  policy: PLIMSOLL_POLICY,
  tools: [readFileTool({ workspace: await openWorkspace(".") })],
  nowMs: Date.now,
});
console.log((await agent.submit("Say something.")).text);
await agent.close();
await simulator.close();
`;
