import { defineConfig, mergeConfig } from "vitest/config";
import whole from "../../vitest.config.ts";

/** Globs of the tests that must notice, split by spaces; those with `!` in front are left out. Set by main.mjs. */
const globs = (process.env.PLIMSOLL_MUTANTS_TESTS ?? "").split(" ");

export default mergeConfig(
  { ...whole, test: { ...whole.test, include: [] } },
  defineConfig({
    test: {
      pool: "threads",
      include: globs.filter((glob) => !glob.startsWith("!")),
      exclude: globs.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1)),
      setupFiles: ["lab/mutants/each-run.ts"],
      // A mutant that waits for ever fails by itself before Stryker starts a new process for it.
      testTimeout: 30_000,
    },
  }),
);
