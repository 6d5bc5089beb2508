import { join } from "node:path";
import process from "node:process";
import { beforeAll, expect, test } from "vitest";
import { runProgram } from "../packages/cli/bundle/installed.mjs";
import { root } from "./tool.mjs";

/** Rows of docs/evidence.md that are played whenever the tests run: real programs with their own models, and servers and models with rules of their own. */
const ROWS = [
  "proxy-codex",
  "proxy-pi-new",
  "proxy-pi-turns",
  "pi-new-extension-turns",
  "langchain-turns",
  "proxy-anthropic-thinking",
] as const;

/** After these no row is begun; those that were not are skipped, and counted. */
const MOST_SECONDS = 240;

const registry = runProgram("npm", ["view", "zod", "version", "--fetch-retries=0", "--fetch-timeout=10000"], { cwd: root });
const NO_REGISTRY = registry.code === 0 ? undefined : "the registry does not answer";

let printed = "";
beforeAll(() => {
  const args = ["--print", "--within", String(MOST_SECONDS), ...(NO_REGISTRY === undefined ? ROWS : ["--help"])];
  const { stdout, stderr } = runProgram(process.execPath, [join(root, "lab/acceptance.mjs"), ...args], { cwd: root });
  printed = `${stdout}\n${stderr}`;
}, 900_000);

/** The output about a row. */
function outcomeOf(row: string): { readonly problems?: readonly string[]; readonly skipped?: string } {
  const line = printed.split("\n").find((each) => each.startsWith(`{"row":"${row}"`)) ?? `{"problems":["was not played"]}`;
  return JSON.parse(line);
}

test.for(ROWS)("%s is accepted in the version that is recorded", (row, { skip }) => {
  const { problems, skipped = NO_REGISTRY } = outcomeOf(row);
  skip(skipped !== undefined, skipped);
  expect(problems, printed).toEqual([]);
});
