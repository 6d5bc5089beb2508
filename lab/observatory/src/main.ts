import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Lab } from "./experiments/setting.ts";
import { programFactsSchema } from "./facts.ts";
import { folderOf, installed, node22In } from "./install.ts";
import { cache, enterNamespace, isInside, root } from "./namespace.ts";
import { type PlayRequest, play } from "./play.ts";
import { playedWhole } from "./played-whole.ts";
import { buildProxy, pricedLine, pricedProgram } from "./priced.ts";
import type { Program } from "./program.ts";
import { PROGRAMS } from "./programs/programs.ts";
import { watch } from "./watch.ts";

/**
 * Runs published programs against the simulator and writes lab/observatory/facts: `pnpm observatory [PROGRAM[@VERSION]…] [--date YYYY-MM-DD] [--jobs N]`. A
 * program that cannot be installed or watched is named and left out. `--priced WINDOW` prints prices of prompts instead, by those of `--model`.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    date: { type: "string", default: new Date().toISOString().slice(0, "2026-01-01".length) },
    jobs: { type: "string", default: "2" },
    priced: { type: "string" },
    model: { type: "string", default: "gpt-5.5" },
  },
});

const say = (line: string) => void process.stderr.write(`${line}\n`);

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

/** Watches programs until none waits. Facts are written in the order of the schema, and refused if a text has got into them. */
async function watchAll(waiting: Program[]): Promise<void> {
  for (let program = waiting.shift(); program !== undefined; program = waiting.shift()) {
    const file = join(root, "lab/observatory/facts", `${program.name}.json`);
    try {
      if (values.priced !== undefined) {
        process.stdout.write(`${await pricedLine(labOf(pricedProgram(program, values.model)), Number(values.priced))}\n`);
        continue;
      }
      const facts = programFactsSchema.parse(await watch(labOf(program), values.date));
      writeFileSync(file, `${JSON.stringify(facts, null, 2)}\n`);
    } catch (error) {
      say(`${program.name}: failed: ${String(error)}`);
    }
  }
}

const versions = new Map(positionals.map((each) => [each.split("@")[0], each.split("@")[1]]));
const asked = PROGRAMS.filter(({ name }) => versions.size === 0 || versions.has(name)).map((program) => ({
  ...program,
  version: versions.get(program.name) ?? program.version,
}));
let ready = asked;
if (!isInside) {
  if (values.priced !== undefined) buildProxy();
  const problems = new Map<Program, string | null>();
  for (const program of asked) problems.set(program, await installed(cache, program));
  for (const [{ name, version }, problem] of problems) if (problem !== null) say(`${name} ${version}: skipped: ${problem}`);
  ready = asked.filter((program) => problems.get(program) === null);
  process.env.PLIMSOLL_OBSERVATORY_PROGRAMS = ready.map(({ name }) => name).join(",");
}
if (isInside || !enterNamespace()) {
  if (!isInside) say("no network namespace can be had here: proxies that lead nowhere keep programs from the network");
  const installedNames = new Set((process.env.PLIMSOLL_OBSERVATORY_PROGRAMS ?? "").split(","));
  const waiting = ready.filter(({ name }) => installedNames.has(name));
  await Promise.all(Array.from({ length: Number(values.jobs) }, () => watchAll(waiting)));
}
