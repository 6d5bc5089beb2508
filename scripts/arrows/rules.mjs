/**
 * One package and its allowed imports. `mayImport` names workspace packages, `testsMayImport` those that only its tests may import; npm packages come
 * from the package's own manifest. One that is bundled ships its imports inside itself, and depends on nothing.
 * @typedef {{
 *   readonly name: string,
 *   readonly folder: string,
 *   readonly source: string,
 *   readonly mayImport: readonly string[],
 *   readonly testsMayImport?: readonly string[],
 *   readonly isBundled?: boolean,
 * }} PackageRule
 */

/** The packages that are published for programs. */
const LIBRARIES = ["core", "agent", "stores", "tools", "simulator", "providers", "bench"].map((name) => `@plimsoll/${name}`);

/** @type {readonly PackageRule[]} */
export const packageRules = [
  { name: "@plimsoll/core", folder: "packages/core", source: "src", mayImport: [] },
  { name: "@plimsoll/stores", folder: "packages/stores", source: "src", mayImport: ["@plimsoll/core"] },
  {
    name: "@plimsoll/agent",
    folder: "packages/agent",
    source: "src",
    mayImport: ["@plimsoll/core"],
    testsMayImport: ["@plimsoll/stores"],
  },
  {
    name: "@plimsoll/tools",
    folder: "packages/tools",
    source: "src",
    mayImport: ["@plimsoll/core", "@plimsoll/stores"],
    testsMayImport: ["@plimsoll/agent"],
  },
  { name: "@plimsoll/simulator", folder: "packages/simulator", source: "src", mayImport: [] },
  {
    name: "@plimsoll/providers",
    folder: "packages/providers",
    source: "src",
    mayImport: ["@plimsoll/core"],
    testsMayImport: ["@plimsoll/agent", "@plimsoll/simulator", "@plimsoll/stores"],
  },
  {
    name: "@plimsoll/bench",
    folder: "bench",
    source: "src",
    mayImport: ["@plimsoll/core", "@plimsoll/stores", "@plimsoll/providers"],
    testsMayImport: ["@plimsoll/simulator"],
  },
  {
    name: "plimsoll",
    folder: "packages/cli",
    source: "src",
    mayImport: [...LIBRARIES, "@plimsoll/fixtures"],
    isBundled: true,
  },
  {
    name: "@plimsoll/fixtures",
    folder: "fixtures",
    source: "src",
    mayImport: ["@plimsoll/core"],
  },
  {
    name: "@plimsoll/extension",
    folder: "examples/extension",
    source: "src",
    mayImport: [...LIBRARIES, "plimsoll"],
  },
  {
    name: "@plimsoll/observatory",
    folder: "lab/observatory",
    source: "src",
    mayImport: ["@plimsoll/core", "@plimsoll/simulator", "@plimsoll/providers"],
  },
  {
    name: "@plimsoll/example-server",
    folder: "examples/server",
    source: "src",
    mayImport: ["@plimsoll/core", "@plimsoll/stores", "@plimsoll/simulator", "@plimsoll/providers"],
  },
  {
    name: "@plimsoll/research",
    folder: "lab/research",
    source: "src",
    mayImport: [...LIBRARIES, "@plimsoll/fixtures"],
  },
];

/**
 * One row of a package: the files and folders (with a slash) of its source on one level. A file imports from its own row and from rows with a smaller
 * number. `npm` and `node` are the other allowed imports; those of the manifest if they are left out.
 * @typedef {{
 *   readonly row: number,
 *   readonly members: readonly string[],
 *   readonly npm?: readonly string[],
 *   readonly node?: boolean,
 * }} Row
 */

/**
 * The rows of a package, and the lists of its public names: these take them from the rows up to `lastRow`, and no file of the package imports them.
 * `namesComputed` allows imports of modules whose name is computed. A `closed` folder or file is imported only by itself, by the files of `openTo` and by the
 * lists of public names.
 * @typedef {{
 *   readonly name: string,
 *   readonly called: string,
 *   readonly rows: readonly Row[],
 *   readonly index: { readonly files: readonly string[], readonly lastRow: number, readonly may: Pick<Row, "npm" | "node"> },
 *   readonly namesComputed: boolean,
 *   readonly closed?: readonly { readonly folder: string, readonly openTo: readonly string[] }[],
 * }} RowTable
 */

const pure = { npm: ["zod", "@noble/hashes"], node: false };

/** @type {readonly Row[]} */
const coreRows = [
  { row: 1, members: ["json.ts", "error.ts", "kind.ts", "text.ts", "sequence.ts", "schema-problems.ts"], ...pure },
  { row: 2, members: ["message/", "usage.ts", "tool.ts", "entry.ts"], ...pure },
  { row: 3, members: ["tokens/", "ports.ts", "port-door.ts", "option.ts"], ...pure },
  { row: 4, members: ["budget.ts", "cut-point.ts", "truncation/"], ...pure },
  { row: 5, members: ["edit/", "prompts/"], ...pure },
  { row: 6, members: ["summarizer/", "keep/", "memory/", "memory.ts", "strategy/"], ...pure },
  { row: 7, members: ["policy/"], ...pure },
  { row: 8, members: ["engine/"], ...pure },
  { row: 9, members: ["session/"], ...pure },
  { row: 10, members: ["agent-tool.ts"], ...pure },
  { row: 11, members: ["testing/"], npm: ["zod", "fast-check"], node: false },
];

/** @type {readonly Row[]} */
const agentRows = [
  { row: 1, members: ["agent.ts", "events.ts", "loop-state.ts"], ...pure },
  { row: 2, members: ["request-reply.ts", "run-phases.ts", "carry-out.ts", "loop.ts", "start-agent.ts"], ...pure },
  { row: 3, members: ["telemetry/"], npm: ["@opentelemetry/api"], node: false },
];

/** @type {readonly Row[]} */
const benchRows = [
  { row: 1, members: ["transcript.ts", "origin.ts", "boundary-views.ts", "statistics.ts", "terminal/"] },
  { row: 2, members: ["formats/", "repair/"] },
  { row: 3, members: ["size-judge/", "needs/", "lineage.ts", "testing/"] },
  { row: 4, members: ["open/"] },
  { row: 5, members: ["drive/"] },
  { row: 6, members: ["economics/"] },
  { row: 7, members: ["summaries/", "metrics/", "calibrate/"] },
  { row: 8, members: ["results.ts", "results/", "peers/", "sweep/"] },
  { row: 9, members: ["extension.ts"] },
  { row: 10, members: ["replay/"] },
  { row: 11, members: ["judge/"] },
  { row: 12, members: ["tune/"] },
  { row: 13, members: ["show/"] },
  { row: 14, members: ["command/", "advise/"] },
];

/** @type {readonly RowTable[]} */
export const rowTables = [
  {
    name: "@plimsoll/core",
    called: "core",
    rows: coreRows,
    index: { files: ["index.ts", "extend.ts"], lastRow: 10, may: { npm: [], node: false } },
    namesComputed: false,
    // The port, and the row of the registry of kinds.
    closed: [{ folder: "memory/", openTo: ["memory.ts", "keep/built-in-keep-rules.ts"] }],
  },
  {
    name: "@plimsoll/agent",
    called: "agent",
    rows: agentRows,
    index: { files: ["index.ts"], lastRow: 2, may: { npm: [], node: false } },
    namesComputed: false,
  },
  {
    name: "@plimsoll/bench",
    called: "bench",
    rows: benchRows,
    index: { files: ["index.ts", "extend.ts", "terminal.ts", "commands.ts"], lastRow: 14, may: { npm: ["commander"] } },
    namesComputed: true,
    // Commands share the same modules: none imports another.
    closed: ["advise/", "command/bench-command.ts", "command/tune-command.ts", "command/calibrate-command.ts"].map(
      (folder) => ({
        folder,
        openTo: [],
      }),
    ),
  },
];
