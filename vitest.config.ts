import { defineConfig } from "vitest/config";

/**
 * Workspace packages resolve to their sources, so that a test never sees an old build. Node is given these, too: with "import" among them,
 * a `require` inside a package would be given a module.
 */
const conditions = ["source", "module", "node"];

/** Set by .ci/run: where to write the counts. */
const jsonReport = process.env.PLIMSOLL_TEST_JSON;

export default defineConfig({
  resolve: { conditions },
  // Node itself does not know "module": with it a package that Node loads would get files that only bundlers can resolve.
  ssr: { resolve: { conditions, externalConditions: ["source", "node"] } },
  test: {
    include: [
      "packages/*/{src,testing,bundle,examples}/**/*.test.ts",
      "{bench,lab/*}/src/**/*.test.ts",
      "fixtures/src/**/*.test.ts",
      "examples/extension/src/**/*.test.ts",
      "examples/*/testing/**/*.test.ts",
      "scripts/**/*.test.ts",
    ],
    environment: "node",
    globalSetup: "scripts/testing/one-folder.ts",
    // Nothing here measures time; a machine busy with other work must not fail a test.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "threads",
    maxWorkers: 2,
    // Modules hold no mutable state, so the files of a worker can share them.
    isolate: false,
    // It brings TypeScript sources under the condition that our own packages use; Node cannot load those.
    server: { deps: { inline: ["ai", /@ai-sdk/, "eventsource", "eventsource-parser"] } },
    reporters: jsonReport === undefined ? ["default"] : ["default", ["json", { outputFile: jsonReport }]],
  },
});
