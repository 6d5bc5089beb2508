import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderOf, installed, installedProject, newestInstalled, node22In, preparedNode22 } from "../install.ts";
import { cache, enterNamespace, isInside, root } from "../namespace.ts";
import { play } from "../play.ts";
import type { AcceptanceCase } from "./case.ts";
import { ACCEPTANCE_CASES } from "./cases.ts";
import { type AcceptanceFacts, acceptanceFactsSchema, problemsOf } from "./facts.ts";
import { acceptancePage } from "./page.ts";
import { runCase } from "./run-case.ts";

const factsFolder = join(root, "lab/observatory/acceptance");

const USAGE = `pnpm acceptance [ROW…] [--latest] [--print] [--within SECONDS] [--date YYYY-MM-DD] [--jobs N] [--page]
Packs our packages, installs them in an empty project for each row, plays a session with each against the simulator, and writes lab/observatory/acceptance.
Ends with 1 if a row is not accepted. Rows: ${ACCEPTANCE_CASES.map(({ name }) => name).join(", ")}
--latest  runs each program in the newest version that can be installed, as --print
--print   writes nothing, and prints a line of JSON for each row: its version, and what is wrong or why it was skipped
--within  begins no row after so many seconds
--page    only prints the page that the facts make
PLIMSOLL_POLICY names the policy of proxies; plimsoll if it is not set.
`;

/** The options of the command line. */
interface Asked {
  readonly rows: readonly AcceptanceCase[];
  readonly date: string;
  readonly jobs: number;
  readonly isPage: boolean;
  readonly isLatest: boolean;
  readonly isPrinted: boolean;
  /** The time, by a clock, after which no row is begun. */
  readonly endMs: number;
  /** The folder of our packed packages. */
  readonly tarballs: string;
}

const WITH_VALUE = ["--date", "--jobs", "--tarballs", "--within"];

/** Passes the end of the time to the process inside the namespace. */
const END_MS = "PLIMSOLL_ACCEPTANCE_END_MS";

const MS_PER_SECOND = 1_000;

/** Reads the arguments; `null` for a name that is no row's and for an unknown option. */
function asked(args: readonly string[]): Asked | null {
  const names: string[] = [];
  const values = new Map<string, string>();
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (["--page", "--latest", "--print"].includes(arg)) values.set(arg, "yes");
    else if (WITH_VALUE.includes(arg)) values.set(arg, args[++index] ?? "");
    else names.push(arg);
  }
  const date = values.get("--date") ?? new Date().toISOString().slice(0, "2026-01-01".length);
  const jobs = Number(values.get("--jobs") ?? "1");
  const rows = ACCEPTANCE_CASES.filter(({ name }) => names.length === 0 || names.includes(name));
  const isKnown = names.every((name) => rows.some((row) => row.name === name));
  if (!isKnown || !/^\d{4}-\d{2}-\d{2}$/.test(date) || !(jobs >= 1)) return null;
  const endMs = Number(process.env[END_MS] ?? Date.now() + MS_PER_SECOND * Number(values.get("--within") ?? "Infinity"));
  const isLatest = values.has("--latest");
  const isPrinted = isLatest || values.has("--print");
  return {
    rows,
    date,
    jobs,
    isPage: values.has("--page"),
    isLatest,
    isPrinted,
    endMs,
    tarballs: values.get("--tarballs") ?? "",
  };
}

const say = (line: string) => void process.stderr.write(`${line}\n`);

const print = (line: object) => void process.stdout.write(`${JSON.stringify(line)}\n`);

/** Rows that need the same packages have one project. */
const projectOf = ({ ours, libraries }: AcceptanceCase) =>
  join(cache, `project-${[...ours, ...libraries].join("+").replaceAll(/[^a-z0-9.+-]+/gi, "-")}`);

/** Installs a row's packages; gives the problem if they cannot be had, `null` if they are there. `made` holds the projects of rows before it. */
async function prepared(row: AcceptanceCase, tarballs: string, made: Map<string, string | null>): Promise<string | null> {
  const project = projectOf(row);
  const problem = made.get(project) ?? (made.has(project) ? null : await madeProject(row, tarballs));
  made.set(project, problem);
  if (problem !== null) return problem;
  return (await preparedNode22(cache)) ?? (isPublished(row) ? await installed(cache, row.program(project)) : null);
}

async function madeProject(row: AcceptanceCase, tarballs: string): Promise<string | null> {
  const project = projectOf(row);
  const names = readdirSync(tarballs).filter((name) => name.endsWith(".tgz"));
  const own = row.ours.flatMap((each) =>
    names.filter((name) => name.startsWith(each === "cli" ? "plimsoll-0" : `plimsoll-${each}-`)),
  );
  const packages = own.map((name) => join(tarballs, name));
  const problem = await installedProject(project, [...packages, ...row.libraries]);
  if (problem !== null) return problem;
  cpSync(join(root, "packages/providers/examples"), join(project, "examples"), { recursive: true });
  return null;
}

/** Whether the row's program comes from the registry by itself. */
function isPublished(row: AcceptanceCase): boolean {
  return row.libraries.length === 0 && row.program(projectOf(row)).ownFile === undefined;
}

/** The row with its program in this version. */
function inVersion(row: AcceptanceCase, version: string | undefined): AcceptanceCase {
  return version === undefined ? row : { ...row, program: (project) => ({ ...row.program(project), version }) };
}

/** The rows with each published program in the newest version that can be had: it is looked for once a package. */
async function inNewestVersions(rows: readonly AcceptanceCase[]): Promise<readonly AcceptanceCase[]> {
  const found = new Map<string, string | undefined>();
  for (const row of rows.filter(isPublished)) {
    const program = row.program(projectOf(row));
    if (found.has(program.packageName)) continue;
    const version = await newestInstalled(cache, program, say);
    found.set(program.packageName, version ?? undefined);
    say(`${program.packageName}: ${version ?? "no newer version can be had"}`);
  }
  return rows.map((row) => (isPublished(row) ? inVersion(row, found.get(row.program(projectOf(row)).packageName)) : row));
}

async function playAll({ rows, jobs, ...asked }: Asked): Promise<void> {
  const waiting = [...rows];
  const work = async () => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) await playOne(row, asked);
  };
  await Promise.all(Array.from({ length: jobs }, work));
}

async function playOne(row: AcceptanceCase, { date, isPrinted, endMs }: Omit<Asked, "rows" | "jobs">): Promise<void> {
  if (Date.now() > endMs) return print({ row: row.name, skipped: "the time was over" });
  const project = projectOf(row);
  const installedIn = row.libraries.length > 0 ? project : folderOf(cache, row.program(project));
  const places = {
    project,
    installed: installedIn,
    node22: node22In(cache),
    folder: join(tmpdir(), "plimsoll-observatory", row.name),
    processes: isInside ? "apart" : "together",
  } as const;
  const facts = await runCase(row, places, {
    recorded: date,
    play: async (...args) => {
      const played = await play(...args);
      for (const refusal of new Set(played.refusals)) say(`${row.name}: refused: ${refusal}`);
      if (played.endedBy === "time") say(`${row.name}: was ended after too long a time`);
      return played;
    },
  });
  say(JSON.stringify(facts));
  const problems = problemsOf(facts);
  for (const problem of problems) say(`${row.name}: not accepted: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
  if (isPrinted) print({ row: row.name, version: facts.version, modelId: facts.modelId, problems });
  else {
    mkdirSync(factsFolder, { recursive: true });
    const text = `${JSON.stringify(acceptanceFactsSchema.parse(facts), null, 2)}\n`;
    writeFileSync(join(factsFolder, `${row.name}.json`), text);
  }
  rmSync(places.folder, { recursive: true, force: true });
}

/** The facts that are kept, in the order of the rows. */
function keptFacts(): readonly AcceptanceFacts[] {
  return ACCEPTANCE_CASES.flatMap(({ name }) => {
    const file = join(factsFolder, `${name}.json`);
    return existsSync(file) ? [acceptanceFactsSchema.parse(JSON.parse(readFileSync(file, "utf8")))] : [];
  });
}

function printPage(): void {
  process.stdout.write(acceptancePage(keptFacts()));
}

function judge(): void {
  const facts = keptFacts();
  if (facts.some((each) => problemsOf(each).length > 0)) process.exitCode = 1;
}

async function main(): Promise<void> {
  const options = asked(process.argv.slice(2));
  if (options === null) {
    process.stderr.write(USAGE);
    process.exitCode = 2;
    return;
  }
  if (options.isPage) return printPage();
  const end = options.isPrinted ? () => undefined : judge;
  if (isInside) return await playAll({ ...options, rows: rowsIn(process.env[ROWS] ?? "", options.rows) });
  const ready: AcceptanceCase[] = [];
  const made = new Map<string, string | null>();
  for (const row of options.isLatest ? await inNewestVersions(options.rows) : options.rows) {
    const problem = Date.now() > options.endMs ? "the time was over" : await prepared(row, options.tarballs, made);
    if (problem === null) ready.push(row);
    else if (options.isPrinted) print({ row: row.name, skipped: problem });
    else throw new Error(`${row.name}: ${problem}`);
  }
  process.env[END_MS] = String(options.endMs);
  process.env[ROWS] = ready.map((row) => `${row.name}=${row.program(projectOf(row)).version}`).join(",");
  if (enterNamespace()) return end();
  say("no network namespace can be had here: proxies that lead nowhere keep programs from the network");
  await playAll({ ...options, rows: ready });
  end();
}

/** Passes the ready rows, and their versions, to the process inside the namespace. */
const ROWS = "PLIMSOLL_ACCEPTANCE_ROWS";

function rowsIn(text: string, rows: readonly AcceptanceCase[]): readonly AcceptanceCase[] {
  const versions = new Map(
    text.split(",").map((pair): [string, string] => [pair.split("=")[0] ?? "", pair.split("=")[1] ?? ""]),
  );
  return rows.filter(({ name }) => versions.has(name)).map((row) => inVersion(row, versions.get(row.name)));
}

await main();
