import { describe, expect, test } from "vitest";
import { checkPackage } from "./check.mjs";
import { packageRules, rowTables } from "./rules.mjs";

const manifests = {
  "@plimsoll/core": { dependencies: ["zod", "fast-check"], devDependencies: [] },
  "@plimsoll/agent": { dependencies: ["@plimsoll/core", "zod"], devDependencies: [] },
  "@plimsoll/tools": { dependencies: ["@plimsoll/core"], devDependencies: [] },
  "@plimsoll/providers": { dependencies: ["@plimsoll/core", "js-tiktoken"], devDependencies: [] },
  "@plimsoll/bench": { dependencies: ["@plimsoll/core", "@plimsoll/providers"], devDependencies: ["tinybench"] },
  plimsoll: { dependencies: ["commander"], devDependencies: [] },
  "@plimsoll/fixtures": { dependencies: [], devDependencies: [] },
  "@plimsoll/research": { dependencies: ["@plimsoll/bench"], devDependencies: [] },
};

type PackageName = keyof typeof manifests;
type Files = Readonly<Record<string, string>>;

const ruleOf = (name: PackageName) => packageRules.find((one) => one.name === name) ?? expect.fail(`no rule for ${name}`);

function check(name: PackageName, files: Files): string[] {
  return checkPackage(ruleOf(name), manifests[name], new Map(Object.entries(files))).map(
    ({ file, line, message }) => `${file}:${line}: ${message}`,
  );
}

const [CORE, BENCH, RESEARCH] = ["@plimsoll/core", "@plimsoll/bench", "@plimsoll/research"] as const;
const [PROVIDERS, TOOLS, REPLAY] = ["@plimsoll/providers", "@plimsoll/tools", "src/replay/replay.ts"] as const;
const [PUBLIC, TESTS] = ["a list of public names; allowed: files of row 1", "allowed: *.test.ts and testing/"];

const [OF_BENCH, OF_RESEARCH] = [
  ["core", "stores", "providers"],
  ["core", "agent", "stores", "tools", "simulator", "providers", "bench", "fixtures"],
].map((names) => names.map((name) => `@plimsoll/${name}`).join(", "));
const noArrow = (from: string, to: string, allowed = "none") => `no arrow leads from ${from} to ${to}; allowed: ${allowed}`;

describe("an import is caught", () => {
  test.each<[rule: string, name: PackageName, file: string, imported: string, why: string]>([
    ["upward", CORE, "src/message/message.ts", "../engine/plan.ts", "row 8 from row 2; allowed: rows 1–2"],
    ["up the rows of bench", BENCH, "src/metrics/cost.ts", "../replay/replay.ts", "row 10 from row 7; allowed: rows 1–7"],
    [
      "of a builder of tests in a list",
      CORE,
      "src/index.ts",
      "./testing/builders.ts",
      "row 11 from row 10; allowed: rows 1–10",
    ],
    ["of core's own index", CORE, "src/json.ts", CORE, PUBLIC],
    ["of core's own list", CORE, "src/text.ts", "./index.ts", PUBLIC],
    ["of node in a pure row", "@plimsoll/agent", "src/loop.ts", "node:fs/promises", "a node module; allowed: none"],
    ["of node in testing", CORE, "src/testing/builders.ts", "node:fs", "a node module; allowed: none"],
    ["of npm in a pure row", CORE, "src/tokens/bpe.ts", "fast-check", "an npm package; allowed in row 3: zod, @noble/hashes"],
    ["of an undeclared package", BENCH, REPLAY, "tinybench", `not a dependency of ${BENCH}; allowed: ${CORE}, ${PROVIDERS}`],
    ["bench → tools", BENCH, REPLAY, TOOLS, noArrow(BENCH, TOOLS, OF_BENCH)],
    ["bench → research", BENCH, REPLAY, RESEARCH, noArrow(BENCH, RESEARCH, OF_BENCH)],
    ["core → tools, from a test too", CORE, "src/json.test.ts", TOOLS, noArrow(CORE, TOOLS)],
    ["research → cli", RESEARCH, "src/a.ts", "plimsoll", noArrow(RESEARCH, "plimsoll", OF_RESEARCH)],
    ["of test support in shipped code", BENCH, REPLAY, "@plimsoll/core/testing", `is for tests; ${TESTS}`],
    ["of tests beside the source", BENCH, REPLAY, "../../testing/a.ts", `outside of src/ nothing is shipped; ${TESTS}`],
    [
      "round the package's name",
      TOOLS,
      "src/grep.ts",
      "../../core/src/json.ts",
      "leaves the package; allowed: the package's name, if an arrow leads there",
    ],
  ])("%s", (_, name, file, imported, why) => {
    expect(check(name, { [file]: `\nimport "${imported}";` })).toEqual([
      `${ruleOf(name).folder}/${file}:2: imports ${imported}: ${why}`,
    ]);
  });
});

describe("what else is caught", () => {
  test.each<{ readonly rule: string; readonly name: PackageName; readonly files: Files; readonly expected: readonly string[] }>(
    [
      {
        rule: "a type-only upward import",
        name: "@plimsoll/core",
        files: { "src/budget.ts": 'import type { Policy } from "./policy/policy.ts";' },
        expected: ["packages/core/src/budget.ts:1: imports ./policy/policy.ts: row 7 from row 4; allowed: rows 1–4"],
      },
      {
        rule: "an import inside a type",
        name: "@plimsoll/core",
        files: { "src/json.ts": 'export type A =\n  | import("./entry.ts").Entry;' },
        expected: ["packages/core/src/json.ts:2: imports ./entry.ts: row 2 from row 1; allowed: row 1"],
      },
      {
        rule: "an upward re-export",
        name: "@plimsoll/core",
        files: { "src/json.ts": 'export { a } from "./entry.ts";' },
        expected: ["packages/core/src/json.ts:1: imports ./entry.ts: row 2 from row 1; allowed: row 1"],
      },
      {
        rule: "a cycle within a row",
        name: "@plimsoll/core",
        files: {
          "src/engine/execute.ts": 'import type { B } from "./record.ts";',
          "src/engine/plan.ts": '\nimport { a } from "./execute.ts";',
          "src/engine/record.ts": 'import { c } from "./plan.ts";',
        },
        expected: [
          "packages/core/src/engine/execute.ts:1: is part of a cycle: src/engine/execute.ts → src/engine/record.ts → " +
            "src/engine/plan.ts → src/engine/execute.ts; allowed: none",
        ],
      },
      {
        rule: "a cycle in another package",
        name: "@plimsoll/tools",
        files: { "src/a.ts": 'import "./b.ts";', "src/b.ts": '\nimport "./a.ts";' },
        expected: ["packages/tools/src/a.ts:1: is part of a cycle: src/a.ts → src/b.ts → src/a.ts; allowed: none"],
      },
      {
        rule: "node's types by a reference directive",
        name: "@plimsoll/core",
        files: { "src/json.ts": '/// <reference types="node" />\nexport const a = 1;' },
        expected: ["packages/core/src/json.ts:1: imports node: not a dependency of @plimsoll/core; allowed: zod, fast-check"],
      },
      {
        rule: "a computed import in core",
        name: "@plimsoll/core",
        files: { "src/json.ts": "export const load = (name: string) => import(name);" },
        expected: ["packages/core/src/json.ts:1: imports a module whose name is computed; allowed: a literal name"],
      },
      {
        rule: "a file in no row",
        name: "@plimsoll/core",
        files: { "src/helpers.ts": "export const a = 1;", "src/misc/thing.ts": "export const b = 1;" },
        expected: [
          "packages/core/src/helpers.ts:1: is in no row of core; add it to the row table in scripts/arrows/rules.mjs",
          "packages/core/src/misc/thing.ts:1: is in no row of core; add it to the row table in scripts/arrows/rules.mjs",
        ],
      },
      {
        rule: "a way into memory/ past its port",
        name: "@plimsoll/core",
        files: { "src/keep/recent.ts": 'import type { Facts } from "../memory/facts.ts";\nimport "../memory.ts";' },
        expected: [
          "packages/core/src/keep/recent.ts:1: imports ../memory/facts.ts: inside memory/; open to: memory.ts, " +
            "keep/built-in-keep-rules.ts",
        ],
      },
      {
        rule: "a command of bench that another one imports",
        name: "@plimsoll/bench",
        files: {
          "src/command/tune-command.ts":
            'import "./bench-command.ts";\nimport "../advise/decide.ts";\nimport "./find-inputs.ts";',
          "src/commands.ts": 'import "./command/tune-command.ts";',
        },
        expected: [
          "bench/src/command/tune-command.ts:1: imports ./bench-command.ts: inside command/bench-command.ts; open to: lists of public names",
          "bench/src/command/tune-command.ts:2: imports ../advise/decide.ts: inside advise/; open to: lists of public names",
        ],
      },
      {
        rule: "providers → simulator outside of tests",
        name: "@plimsoll/providers",
        files: {
          "src/a.ts": 'import { x } from "@plimsoll/simulator";',
          "src/a.test.ts": 'import { x } from "@plimsoll/simulator";',
        },
        expected: [
          "packages/providers/src/a.ts:1: imports @plimsoll/simulator: no arrow leads from @plimsoll/providers to " +
            "@plimsoll/simulator; allowed: @plimsoll/core",
        ],
      },
      {
        rule: "the agent in shipped code of a package whose tests run one",
        name: "@plimsoll/providers",
        files: { "src/a.ts": 'import "@plimsoll/agent";', "src/a.test.ts": 'import "@plimsoll/agent";' },
        expected: [
          "packages/providers/src/a.ts:1: imports @plimsoll/agent: no arrow leads from @plimsoll/providers to @plimsoll/agent; " +
            "allowed: @plimsoll/core",
        ],
      },
      {
        rule: "a new folder of bench",
        name: "@plimsoll/bench",
        files: { "src/extra/a.ts": "" },
        expected: ["bench/src/extra/a.ts:1: is in no row of bench; add it to the row table in scripts/arrows/rules.mjs"],
      },
      {
        rule: "what does not parse",
        name: "@plimsoll/tools",
        files: { "src/a.ts": "\nexport const = 1;" },
        expected: ["packages/tools/src/a.ts:2: does not parse: Unexpected token"],
      },
    ],
  )("$rule", ({ name, files, expected }) => {
    expect(check(name, files)).toEqual(expected);
  });
});

describe("what is allowed", () => {
  test.each<{ readonly rule: string; readonly name: PackageName; readonly files: Files }>([
    {
      rule: "the own row, rows above and zod",
      name: "@plimsoll/core",
      files: { "src/engine/plan.ts": 'import "./record.ts";\nimport "../json.ts";\nimport type { z } from "zod/v4";' },
    },
    {
      rule: "the port, the registry, the public names and a test of memory/",
      name: "@plimsoll/core",
      files: {
        "src/extend.ts": 'export { planIn } from "./memory/plan.ts";',
        "src/keep/built-in-keep-rules.ts": 'import "../memory/plan.ts";',
        "src/memory.ts": 'import "./memory/plan.ts";',
        "src/memory/plan.ts": 'import "./facts.ts";',
        "src/keep/rules.test.ts": 'import "../memory/plan.ts";',
      },
    },
    {
      rule: "a sibling that only tests may import",
      name: "@plimsoll/providers",
      files: { "src/a.test.ts": 'import "@plimsoll/stores";' },
    },
    { rule: "fast-check in testing", name: "@plimsoll/core", files: { "src/testing/a.ts": 'import "fast-check";' } },
    {
      rule: "a test may look anywhere in its package",
      name: "@plimsoll/core",
      files: {
        "src/json.test.ts":
          'import "vitest";\nimport "fast-check";\nimport "node:fs";\nimport "./engine/plan.ts";\nimport "@plimsoll/core/testing";',
      },
    },
    {
      rule: "test support in tests and in testing/",
      name: "@plimsoll/providers",
      files: { "src/a.test.ts": 'import "@plimsoll/core/testing";', "src/testing/b.ts": 'import "@plimsoll/core/testing";' },
    },
    {
      rule: "development tools in a folder of tests beside the source, and that folder in a test",
      name: "@plimsoll/bench",
      files: {
        "testing/a.ts": 'import "tinybench";\nimport "../src/replay/replay.ts";',
        "micro/a.ts": 'import "tinybench";',
        "src/b.test.ts": 'import "../testing/a.ts";',
      },
    },
    { rule: "an arrow", name: "plimsoll", files: { "src/a.ts": 'import "@plimsoll/bench";\nimport "commander";' } },
    {
      rule: "words in strings and comments",
      name: "@plimsoll/core",
      files: { "src/json.ts": '// import "node:fs"\nexport const a = "import x from \'y\'";' },
    },
  ])("$rule", ({ name, files }) => {
    expect(check(name, files)).toEqual([]);
  });
});

test.each(rowTables)("every member of $called stands in one row", ({ rows }) => {
  const members = rows.flatMap((row) => row.members);
  expect(new Set(members).size).toBe(members.length);
});
