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

function check(name: PackageName, files: Files): string[] {
  const rule = packageRules.find((one) => one.name === name);
  if (rule === undefined) throw new Error(`no rule for ${name}`);
  return checkPackage(rule, manifests[name], new Map(Object.entries(files))).map(
    ({ file, line, message }) => `${file}:${line}: ${message}`,
  );
}

describe("what is caught", () => {
  test.each<{ readonly rule: string; readonly name: PackageName; readonly files: Files; readonly expected: readonly string[] }>(
    [
      {
        rule: "an upward import",
        name: "@plimsoll/core",
        files: { "src/message/message.ts": 'import { a } from "../json.ts";\nimport { plan } from "../engine/plan.ts";' },
        expected: ["packages/core/src/message/message.ts:2: imports ../engine/plan.ts: row 8 from row 2; allowed: rows 1–2"],
      },
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
        rule: "a node module in a pure row",
        name: "@plimsoll/agent",
        files: { "src/loop.ts": 'import { readFile } from "node:fs/promises";' },
        expected: ["packages/agent/src/loop.ts:1: imports node:fs/promises: a node module; allowed: none"],
      },
      {
        rule: "a node module in testing",
        name: "@plimsoll/core",
        files: { "src/testing/builders.ts": 'import "node:fs";' },
        expected: ["packages/core/src/testing/builders.ts:1: imports node:fs: a node module; allowed: none"],
      },
      {
        rule: "node's types by a reference directive",
        name: "@plimsoll/core",
        files: { "src/json.ts": '/// <reference types="node" />\nexport const a = 1;' },
        expected: ["packages/core/src/json.ts:1: imports node: not a dependency of @plimsoll/core; allowed: zod, fast-check"],
      },
      {
        rule: "an npm package besides zod in a pure row",
        name: "@plimsoll/core",
        files: { "src/tokens/estimator.ts": 'import fc from "fast-check";' },
        expected: [
          "packages/core/src/tokens/estimator.ts:1: imports fast-check: an npm package; allowed in row 3: zod, @noble/hashes",
        ],
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
        rule: "core's own index as a short cut",
        name: "@plimsoll/core",
        files: { "src/json.ts": 'import { a } from "@plimsoll/core";', "src/text.ts": 'import { a } from "./index.ts";' },
        expected: [
          "packages/core/src/json.ts:1: imports @plimsoll/core: a list of public names; allowed: files of row 1",
          "packages/core/src/text.ts:1: imports ./index.ts: a list of public names; allowed: files of row 1",
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
        rule: "a builder of tests in core's main list",
        name: "@plimsoll/core",
        files: { "src/index.ts": 'export { human } from "./testing/builders.ts";' },
        expected: ["packages/core/src/index.ts:1: imports ./testing/builders.ts: row 11 from row 10; allowed: rows 1–10"],
      },
      {
        rule: "bench → tools",
        name: "@plimsoll/bench",
        files: { "src/replay/replay.ts": '\n\nimport type { Tool } from "@plimsoll/tools";' },
        expected: [
          "bench/src/replay/replay.ts:3: imports @plimsoll/tools: no arrow leads from @plimsoll/bench to @plimsoll/tools; " +
            "allowed: @plimsoll/core, @plimsoll/stores, @plimsoll/providers",
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
        rule: "core → tools, from a test too",
        name: "@plimsoll/core",
        files: { "src/json.test.ts": 'import { x } from "@plimsoll/tools";' },
        expected: [
          "packages/core/src/json.test.ts:1: imports @plimsoll/tools: no arrow leads from @plimsoll/core to " +
            "@plimsoll/tools; allowed: none",
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
        rule: "a way round the package's name",
        name: "@plimsoll/tools",
        files: { "src/grep.ts": 'import { x } from "../../core/src/json.ts";' },
        expected: [
          "packages/tools/src/grep.ts:1: imports ../../core/src/json.ts: leaves the package; " +
            "allowed: the package's name, if an arrow leads there",
        ],
      },
      {
        rule: "test support in shipped code",
        name: "@plimsoll/bench",
        files: { "src/replay/replay.ts": 'import { x } from "@plimsoll/core/testing";' },
        expected: [
          "bench/src/replay/replay.ts:1: imports @plimsoll/core/testing: is for tests; allowed: *.test.ts and testing/",
        ],
      },
      {
        rule: "the folder of tests beside the source",
        name: "@plimsoll/bench",
        files: { "src/replay/replay.ts": 'import { x } from "../../testing/made-session.ts";' },
        expected: [
          "bench/src/replay/replay.ts:1: imports ../../testing/made-session.ts: outside of src/ nothing is shipped; " +
            "allowed: *.test.ts and testing/",
        ],
      },
      {
        rule: "an arrow up the rows of bench",
        name: "@plimsoll/bench",
        files: { "src/metrics/cost.ts": 'import { x } from "../replay/replay.ts";' },
        expected: ["bench/src/metrics/cost.ts:1: imports ../replay/replay.ts: row 10 from row 7; allowed: rows 1–7"],
      },
      {
        rule: "a new folder of bench",
        name: "@plimsoll/bench",
        files: { "src/extra/a.ts": "" },
        expected: ["bench/src/extra/a.ts:1: is in no row of bench; add it to the row table in scripts/arrows/rules.mjs"],
      },
      {
        rule: "bench → research",
        name: "@plimsoll/bench",
        files: { "src/replay/replay.ts": 'import { x } from "@plimsoll/research";' },
        expected: [
          "bench/src/replay/replay.ts:1: imports @plimsoll/research: no arrow leads from @plimsoll/bench to @plimsoll/research; " +
            "allowed: @plimsoll/core, @plimsoll/stores, @plimsoll/providers",
        ],
      },
      {
        rule: "research → cli",
        name: "@plimsoll/research",
        files: { "src/a.ts": 'import { x } from "plimsoll";' },
        expected: [
          "lab/research/src/a.ts:1: imports plimsoll: no arrow leads from @plimsoll/research to plimsoll; " +
            "allowed: @plimsoll/core, @plimsoll/agent, @plimsoll/stores, @plimsoll/tools, @plimsoll/simulator, @plimsoll/providers, @plimsoll/bench, @plimsoll/fixtures",
        ],
      },
      {
        rule: "an undeclared dependency",
        name: "@plimsoll/bench",
        files: { "src/replay/replay.ts": 'import { Bench } from "tinybench";' },
        expected: [
          "bench/src/replay/replay.ts:1: imports tinybench: not a dependency of @plimsoll/bench; " +
            "allowed: @plimsoll/core, @plimsoll/providers",
        ],
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
