import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { readConfig } from "../../packages/cli/src/config/read-config.ts";
import { lineProblem } from "../../packages/cli/testing/parsed-line.ts";
import { recordedIo } from "../../packages/cli/testing/recorded-io.ts";
import { keepFitting } from "../../packages/core/examples/keep-fitting.ts";
import { programsOf, typeProblems } from "../testing/programs.mjs";
import { shellCommands, startedBy } from "../testing/shell-lines.mjs";
import { root } from "../tool.mjs";
import { blocksOf, documentPages, pageText } from "./pages.mjs";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const blocks = documentPages().flatMap((page) => blocksOf(page, pageText(page)));

/** Blocks of one language, as rows of a table. */
function rowsOf(...languages: readonly string[]) {
  const found = blocks.filter(({ language, fragment }) => languages.includes(language) && fragment === null);
  return found.map((block) => ({ ...block, at: `${block.page}:${block.line}`, text: `${block.code.join("\n")}\n` }));
}

test("decisions are at most fifteen pages of at most 300 words", () => {
  const pages = readdirSync(join(root, "docs/decisions")).filter((name) => name !== "README.md");
  expect(pages.length).toBeLessThanOrEqual(15);
  expect(pages.filter((name) => read(`docs/decisions/${name}`).split(/\s+/).filter(Boolean).length > 300)).toEqual([]);
});

test.each(documentPages())("each link on %s leads to something that is there", (page) => {
  const prose = pageText(page).replaceAll(/^ *```[\s\S]*?^ *```[^\n]*$|^<!--[\s\S]*?-->|`[^`\n]*`(?!\])/gm, "");
  const targets = [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = ""]) => target.split("#")[0] ?? "");
  const local = targets.filter((target) => target !== "" && !/^(https?:|mailto:)/.test(target));
  expect(local.filter((target) => !existsSync(join(root, dirname(page), target)))).toEqual([]);
});

test("each page of docs says first for whom it is", () => {
  const firstOf = (page: string) =>
    pageText(page)
      .split("\n")
      .find((line) => line !== "" && !line.startsWith("#")) ?? "";
  const pages = documentPages().filter((page) => page.startsWith("docs/"));
  expect(pages.length).toBeGreaterThan(20);
  expect(pages.filter((page) => !firstOf(page).startsWith("For "))).toEqual([]);
});

const LANGUAGES = ["", "json", "jsonl", "sh", "text", "ts", "yaml"];

test("no block is in a language that nothing here checks", () => {
  expect(blocks.filter(({ language }) => !LANGUAGES.includes(language))).toEqual([]);
});

/** How many blocks may be left unchecked. The number only goes down. */
const FRAGMENTS = 0;

test("hardly a block is a fragment, and each says why", () => {
  const fragments = blocks.filter(({ fragment }) => fragment !== null);
  expect(fragments.length).toBeLessThanOrEqual(FRAGMENTS);
  expect(fragments.filter(({ fragment }) => fragment === "")).toEqual([]);
});

test.each(rowsOf("ts", "yaml").filter(({ file }) => file !== null))("$at is the tested file $file", ({ file, text }) => {
  expect(text).toBe(read(file ?? ""));
});

/** One run of the compiler over everything that the programs import. */
const COMPILE_MS = 600_000;

test("every program in a document compiles against the sources, and one that does not is told by its page and line", {
  timeout: COMPILE_MS,
}, async () => {
  const programs = rowsOf("ts").filter(({ file }) => file === null);
  const wrong = ["Text.", "```ts", "const size: string = 1;", "```"].join("\n");
  expect(programs.length).toBeGreaterThan(15);
  expect(await typeProblems([...programs, ...blocksOf("docs/wrong.md", wrong)])).toEqual([
    "docs/wrong.md:3: error TS2322: Type 'number' is not assignable to type 'string'.",
  ]);
});

describe("a program", () => {
  const page = [
    "```ts",
    "const one = 1;",
    "```",
    "<!-- given",
    "declare const two: 2;",
    "-->",
    "",
    "```ts",
    "one + two;",
    "```",
  ];

  test("has the lines of its page, and what is given where the comment stands", () => {
    const [, program] = programsOf(blocksOf("page.md", page.join("\n")));
    expect(program?.text).toBe("\n\n\n\ndeclare const two: 2;\n\n\n\none + two;");
  });

  test("goes on where a comment says so", () => {
    const joined = page.with(3, "<!-- continues -->").toSpliced(4, 2);
    const programs = programsOf(blocksOf("page.md", joined.join("\n")));
    expect(programs.map(({ text }) => text)).toEqual(["\nconst one = 1;\n\n\n\n\none + two;"]);
  });
});

test.each(rowsOf("json", "jsonl"))("$at is JSON", ({ language, text }) => {
  for (const each of language === "json" ? [text] : text.trim().split("\n")) expect(() => JSON.parse(each)).not.toThrow();
});

/** A person's own settings begin with the name of their file: they may hold more than a project's. */
const OWN_FILE = ".config/plimsoll/config.yaml";

test.each(rowsOf("yaml"))("$at can be a plimsoll.yaml, or the person's own", ({ text }) => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-documents-"));
  const file = text.startsWith(`# ~/${OWN_FILE}`) ? OWN_FILE : "plimsoll.yaml";
  try {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), text);
    const { settings, policy, mcpServers } = readConfig({ cwd: folder, homeFolder: folder, environment: {}, flags: {} });
    expect(Object.keys(settings).length + mcpServers.size + (policy.source === "default" ? 0 : 1)).toBeGreaterThan(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** The scripts of the workspace, or of one package in it. */
function scriptsOf(workspace: string | null): Readonly<Record<string, string>> {
  return JSON.parse(read(workspace === null ? "package.json" : `${workspace.replace("@plimsoll/", "")}/package.json`)).scripts;
}

/** Commands of pnpm's own that pages name. */
const OF_PNPM = ["vitest", "install"];

describe("what a reader types", () => {
  const commands = rowsOf("sh").flatMap(({ at, text }) =>
    shellCommands(text).map((words) => ({ at, words, line: words.join(" ") })),
  );

  test.each(commands)("$at: $line", async ({ words }) => {
    const started = startedBy(words);
    if (started.kind === "plimsoll") expect(await lineProblem(started.args, recordedIo(root).io)).toBeNull();
    if (started.kind !== "script") return;
    expect([...OF_PNPM, ...Object.keys(scriptsOf(started.workspace))]).toContain(started.name);
  });
});

describe("a command line", () => {
  test.each([
    ["an option that is none", "bench --polcy none", "error: unknown option '--polcy'\n(Did you mean --policy?)"],
    ["a command that is none", "bensh", "plimsoll has no command bensh"],
    ["a value that is missing", "compact", "error: missing required argument 'session'"],
    ["what can be run", "bench a.jsonl --policy none", null],
  ])("%s", async (_, line, problem) => {
    expect(await lineProblem(line.split(" "), recordedIo(root).io)).toBe(problem);
  });

  test.each([
    [
      "A=1 npx plimsoll run 'a b' | jq .x # c",
      [
        ["npx", "plimsoll", "run", "a b"],
        ["jq", ".x"],
      ],
    ],
    ["one \\\n  two && three", [["one", "two"], ["three"]]],
  ])("%s", (text, commands) => {
    expect(shellCommands(text)).toEqual(commands);
  });
});

test("the program of the README prints what the README shows", async () => {
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line: string) => void printed.push(line));
  await import("../../packages/providers/examples/fit-an-array.ts");
  log.mockRestore();
  const shown = blocks.filter(({ page, language }) => page === "README.md" && language === "text").map(({ code }) => code);
  expect(shown).toContainEqual(printed);
});

test("the program of core's README keeps a long session short", async () => {
  const messages = Array.from({ length: 60 }, (_, index): Parameters<typeof keepFitting>[0][number] => ({
    role: "user",
    id: `m${index}`,
    origin: "human",
    parts: [{ type: "text", text: `request ${index} ${"word ".repeat(200)}` }],
    atMs: null,
  }));
  const sizes = await keepFitting(messages);
  expect(Math.max(...sizes)).toBeLessThan(40);
  expect(sizes.at(-1)).toBeGreaterThan(1);
});
