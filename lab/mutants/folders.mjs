/**
 * Sources of core that are mutated together, and the fast tests nearest to them, which must notice. Globs are below packages/core/src; a
 * glob with `!` in front takes files out again.
 * @typedef {{ readonly name: string, readonly sources: readonly string[], readonly tests: readonly string[] }} MutatedFolder
 */

/** @type {readonly MutatedFolder[]} */
export const folders = [
  { name: "cut-point", sources: ["cut-point.ts"], tests: ["cut-point.test.ts"] },
  { name: "edit", sources: ["edit/*.ts", "entry.ts"], tests: ["edit/*.test.ts", "entry.test.ts"] },
  { name: "ledger", sources: ["tokens/ledger/*.ts"], tests: ["tokens/ledger/*.test.ts"] },
  {
    name: "fold",
    sources: ["session/{recall,usage-watch,session-state,view}.ts"],
    tests: ["session/{breaker,message-index,prompt-watch,recall,session-state,usage-watch,view}.test.ts"],
  },
  { name: "keep", sources: ["keep/*.ts"], tests: ["keep/*.test.ts"] },
  {
    name: "engine",
    sources: ["engine/*.ts"],
    // Properties over whole sessions take seconds a run, and minutes to shrink.
    tests: [
      "engine/*.test.ts",
      "session/{acting-at-once,breaker-in-a-session,session,keep-rules-in-a-session,prepared-summary,settles}.test.ts",
      "!engine/{engine.property,hostile-plans.property,one-measure}.test.ts",
    ],
  },
  // Figures fitted by a regression are data: a figure's sign is as much a figure as the figure.
  { name: "memory", sources: ["memory/*.ts", "!memory/use-weights.ts"], tests: ["memory/*.test.ts", "keep/rules.test.ts"] },
];
