import process from "node:process";
import { pathToFileURL } from "node:url";
import { commandFile, root, runNode } from "./tool.mjs";

/**
 * One thing that has to hold before a release. `asks` names what the machine needs for it.
 * @typedef {{ readonly name: string, readonly says: string, readonly asks: "registry" | "repository" | null, readonly args: readonly string[] }} Step
 */

const vitest = [commandFile("vitest", "vitest"), "run"];

/** What is checked, in this order: what is told first costs least. @type {readonly Step[]} */
export const RELEASE_STEPS = [
  {
    name: "changes",
    says: "every change that is not released yet is told in a changeset",
    asks: "repository",
    args: [commandFile("@changesets/cli", "changeset"), "status"],
  },
  {
    name: "manifests",
    says: "each package has what is published, and a changelog of its version",
    asks: null,
    args: ["scripts/publish-check.mjs"],
  },
  {
    name: "logs",
    says: "what each version so far wrote opens, and gives what it gave",
    asks: null,
    args: [
      ...vitest,
      "packages/core/src/node/landed-logs.test.ts",
      "packages/cli/src/policy/landed-policies.test.ts",
      "bench/src/summaries/landed-cassette.test.ts",
    ],
  },
  {
    name: "pages",
    says: "every block of code on a page compiles, loads or parses",
    asks: null,
    args: [...vitest, "scripts/documents"],
  },
  {
    name: "install",
    says: "the packed packages work in empty folders",
    asks: "registry",
    args: [...vitest, "packages/cli/bundle"],
  },
  { name: "peers", says: "SDKs work at both ends of their ranges", asks: "registry", args: ["lab/peers.mjs"] },
];

/**
 * The steps that are asked for by name; all if none is.
 * @param {readonly string[]} names
 * @returns {readonly Step[]}
 */
export function stepsNamed(names) {
  const known = RELEASE_STEPS.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`${unknown} is no step of a release; give some of ${known.join(", ")}`);
  return names.length === 0 ? RELEASE_STEPS : RELEASE_STEPS.filter(({ name }) => names.includes(name));
}

/** Runs the steps, all of them even if one fails, and ends with a line for each. @param {readonly Step[]} steps @returns {Promise<number>} the exit code */
async function checkRelease(steps) {
  /** @type {string[]} */
  const lines = [];
  for (const { name, says, args } of steps) {
    console.log(`\n${name}: ${says}`);
    const { code } = await runNode(args, { output: "show", cwd: root });
    lines.push(`${code === 0 ? "ok    " : "FAILED"} ${name.padEnd(9)} ${says}`);
  }
  console.log(`\n${lines.join("\n")}`);
  return lines.some((line) => line.startsWith("FAILED")) ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  try {
    process.exitCode = await checkRelease(stepsNamed(process.argv.slice(2)));
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
