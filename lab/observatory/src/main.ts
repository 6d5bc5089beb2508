import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { changesBetween } from "./changes.ts";
import type { Lab } from "./experiments/setting.ts";
import { type ProgramFacts, programFactsSchema } from "./facts.ts";
import { folderOf, installed, newestVersion, node22In } from "./install.ts";
import { cache, enterNamespace, isInside, root } from "./namespace.ts";
import { page } from "./page.ts";
import { type PlayRequest, play } from "./play.ts";
import { playedWhole } from "./played-whole.ts";
import type { Program } from "./program.ts";
import { PROGRAMS } from "./programs/programs.ts";
import { watch } from "./watch.ts";

const factsFolder = join(root, "lab/observatory/facts");

const USAGE = `pnpm observatory [PROGRAM…] [--newest] [--date YYYY-MM-DD] [--jobs N] [--fresh] [--page]
Runs published programs (${PROGRAMS.map(({ name }) => name).join(", ")}) against the simulator and writes lab/observatory/facts.
--newest   runs the newest versions in the registry and prints what changed, without writing
--fresh    looks for every size anew, in the place of trying what is kept first
--page     only prints the page that the facts make
`;

/** The options of the command line. */
interface Asked {
  readonly names: readonly string[];
  readonly isNewest: boolean;
  readonly isPage: boolean;
  /** Whether nothing that is kept is tried first. */
  readonly isFresh: boolean;
  readonly date: string;
  readonly jobs: number;
}

function asked(args: readonly string[]): Asked | null {
  const names: string[] = [];
  let [isNewest, isPage, isFresh, date, jobs] = [
    false,
    false,
    false,
    new Date().toISOString().slice(0, "2026-01-01".length),
    2,
  ];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (arg === "--newest") isNewest = true;
    else if (arg === "--page") isPage = true;
    else if (arg === "--fresh") isFresh = true;
    else if (arg === "--date") date = args[++index] ?? "";
    else if (arg === "--jobs") jobs = Number(args[++index]);
    else names.push(arg);
  }
  const isKnown = names.every((name) => PROGRAMS.some((program) => program.name === name));
  return isKnown && /^\d{4}-\d{2}-\d{2}$/.test(date) && jobs >= 1 ? { names, isNewest, isPage, isFresh, date, jobs } : null;
}

const say = (line: string) => void process.stderr.write(`${line}\n`);

/** The facts that are kept, by program. */
function keptFacts(): readonly ProgramFacts[] {
  const files = existsSync(factsFolder) ? readdirSync(factsFolder).filter((name) => name.endsWith(".json")) : [];
  return files.map((name) => programFactsSchema.parse(JSON.parse(readFileSync(join(factsFolder, name), "utf8"))));
}

/** Runs the experiments of the programs, some at a time; a failure is printed and left out. */
async function watchAll(
  programs: readonly Program[],
  { date, jobs, isFresh }: Asked,
  onFacts: (facts: ProgramFacts) => void,
): Promise<void> {
  const waiting = [...programs];
  const known = isFresh ? [] : keptFacts();
  const work = async () => {
    for (let program = waiting.shift(); program !== undefined; program = waiting.shift()) {
      const facts = await watchOne(program, date, known.find((each) => each.program === program?.name) ?? null).catch(
        (error: unknown) => {
          say(`${program?.name}: failed: ${String(error)}`);
          return null;
        },
      );
      if (facts !== null) onFacts(facts);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
}

function watchOne(program: Program, date: string, known: ProgramFacts | null): Promise<ProgramFacts> {
  return watch(labOf(program), date, known);
}

function labOf(program: Program): Lab {
  const folder = join(tmpdir(), "plimsoll-observatory", program.name);
  const processes = isInside ? "apart" : "together";
  const places = { installed: folderOf(cache, program), node22: node22In(cache), folder, processes } as const;
  const once = async (name: string, request: PlayRequest) => {
    const startMs = performance.now();
    const played = await play(program, request, places);
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
    say(`${program.name} ${program.version}: ${name}: ${played.exchanges.length} requests, ${played.told}, ${seconds} s`);
    if (played.endedBy === "time") say(`${program.name}: was ended after too long a time`);
    if (program.outputs !== undefined && played.lostOutputs.length > 0)
      say(`${program.name}: lost the output of call ${played.lostOutputs.join(", ")}: played again`);
    for (const refusal of new Set(played.refusals)) say(`${program.name}: refused: ${refusal}`);
    return played;
  };
  return {
    program,
    play: (name, request) =>
      program.outputs === undefined ? once(name, request) : playedWhole(name, () => once(name, request)),
  };
}

/** Installs missing packages; a program that cannot be had is left out and counted. */
async function prepared(programs: readonly Program[]): Promise<readonly Program[]> {
  const ready: Program[] = [];
  for (const program of programs) {
    const problem = await installed(cache, program);
    if (problem === null) ready.push(program);
    else say(`${program.name} ${program.version}: skipped: ${problem}`);
  }
  if (ready.length < programs.length) say(`${programs.length - ready.length} of ${programs.length} programs skipped`);
  return ready;
}

async function newest(programs: readonly Program[]): Promise<readonly Program[]> {
  const versions = await Promise.all(programs.map(newestVersion));
  return programs.map((program, index) => ({ ...program, version: versions[index] ?? program.version }));
}

async function main(): Promise<void> {
  const options = asked(process.argv.slice(2));
  if (options === null) {
    process.stderr.write(USAGE);
    process.exitCode = 2;
    return;
  }
  if (options.isPage) return void process.stdout.write(page(keptFacts()));
  const chosen = PROGRAMS.filter(({ name }) => options.names.length === 0 || options.names.includes(name));
  const inside = process.env.PLIMSOLL_OBSERVATORY_PROGRAMS;
  if (!isInside) {
    const ready = await prepared(options.isNewest ? await newest(chosen) : chosen);
    process.env.PLIMSOLL_OBSERVATORY_PROGRAMS = ready.map(({ name, version }) => `${name}=${version}`).join(",");
    if (enterNamespace()) return;
    say("no network namespace can be had here: proxies that lead nowhere keep programs from the network");
  }
  const versions = new Map((inside ?? process.env.PLIMSOLL_OBSERVATORY_PROGRAMS ?? "").split(",").map(pair));
  const programs = chosen.flatMap((program) => {
    const version = versions.get(program.name);
    return version === undefined ? [] : [{ ...program, version }];
  });
  const before = keptFacts();
  await watchAll(programs, options, (made) => {
    // Written in the order of the schema, and refused if a text has got into it.
    const facts = programFactsSchema.parse(made);
    const known = before.find(({ program }) => program === facts.program) ?? null;
    for (const line of known === null ? [] : changesBetween(known, facts)) process.stdout.write(`${facts.program}: ${line}\n`);
    if (!options.isNewest) writeFileSync(join(factsFolder, `${facts.program}.json`), `${JSON.stringify(facts, null, 2)}\n`);
  });
}

function pair(text: string): readonly [string, string] {
  const [name = "", version = ""] = text.split("=");
  return [name, version];
}

await main();
