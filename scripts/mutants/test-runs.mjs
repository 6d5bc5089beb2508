import process from "node:process";
import { createVitest } from "vitest/node";

/**
 * A process that runs the same tests again and again: one start of vitest for many mutants. It is told a file that changed, and answers
 * whether all tests passed. Arguments: the root, then the test files.
 */
const [root = "", ...files] = process.argv.slice(2);
const vitest = await createVitest("test", {
  root,
  watch: false,
  bail: 1,
  maxWorkers: 1,
  reporters: [{}],
  silent: true,
});
await vitest.standalone();
const specifications = await vitest.globTestSpecifications(files);

process.on("message", async (/** @type {readonly string[]} */ changed) => {
  for (const file of changed) vitest.invalidateFile(file);
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications, true);
  const passed = unhandledErrors.length === 0 && testModules.length > 0 && testModules.every((each) => each.ok());
  process.send?.({ passed });
});
process.send?.({ ready: specifications.length });
