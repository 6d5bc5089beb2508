import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { z } from "zod";
import { SIDE } from "./experiments/setting.ts";
import { folderOf, newestInstalled, node22In, preparedNode22 } from "./install.ts";
import { cache, enterNamespace, isInside, root } from "./namespace.ts";
import { play } from "./play.ts";
import { type MainStep, type Program, withDefaultModel } from "./program.ts";
import { CLINE } from "./programs/cline.ts";
import { CODEX } from "./programs/codex.ts";
import { GEMINI } from "./programs/gemini.ts";
import { OPENCODE } from "./programs/opencode.ts";
import { PI_NEW } from "./programs/pi.ts";
import { QWEN } from "./programs/qwen.ts";

/**
 * Plays ten steps with the newest published programs, at their own settings and models, and prints the parts of their files that plimsoll does not know:
 * `pnpm formats [AGENT…]`, before a release.
 */
const PROGRAMS: { readonly [agent: string]: Program } = {
  codex: withDefaultModel(CODEX),
  opencode: withDefaultModel(OPENCODE),
  gemini: withDefaultModel(GEMINI),
  "qwen-code": withDefaultModel(QWEN),
  pi: withDefaultModel(PI_NEW),
  // It has no model of its own without an account.
  cline: CLINE,
};

const say = (line: string) => void process.stdout.write(`${line}\n`);

const LIMITS = { windowTokens: 200_000, outputTokens: 32_000 };

const READ = { call: { outputTokens: 50, use: "read", text: "I begin with the notes." }, usage: "counted", repeat: 2 } as const;
const RUN = { call: { outputTokens: 500 }, usage: "counted" } as const;
const SAY = { say: { text: "The first of them are read." }, usage: "counted" } as const;

/** Ten steps in two turns, whose last is the simulator's own: files are read, commands run, and words said; in the second play a report says that the window is full. */
const PLAYS: { readonly [name: string]: readonly MainStep[] } = {
  plain: [READ, { ...RUN, repeat: 4 }, SAY, { ...RUN, repeat: 2 }],
  full: [READ, { ...RUN, repeat: 3 }, { call: { outputTokens: 500 } }, SAY, { ...RUN, repeat: 2 }],
};
/** More than any window, so that a program compacts. */
const FULL_TOKENS = 1_100_000;

const PROMPTS = ["Read the notes and the logs of the harbour, please.", "Go on with the others."] as const;

const reportSchema = z.object({
  sessions: z.array(z.object({ file: z.string(), calls: z.number(), firstWords: z.string().nullable() })),
  problems: z.array(z.object({ text: z.string() })),
});

async function playTen(agent: string, program: Program, name: string): Promise<void> {
  const folder = join(tmpdir(), "plimsoll-observatory", `formats-${agent}-${name}`);
  const [home, report] = [join(folder, "home"), join(folder, "report.json")];
  const processes = isInside ? "apart" : "together";
  const places = { installed: folderOf(cache, program), node22: node22In(cache), folder, processes } as const;
  const steps = PLAYS[name] ?? [];
  // A program that takes one prompt plays them in one turn.
  const main = program.messages === "one" ? steps.map((step) => (step === SAY ? RUN : step)) : steps;
  const { exchanges, told } = await play(
    program,
    {
      scenario: { name, main, side: SIDE, usage: { atLeastTokens: FULL_TOKENS } },
      atMostRequests: 40,
      limits: LIMITS,
      prompts: program.messages === "one" ? PROMPTS.slice(0, 1) : PROMPTS,
      files: { "notes-1.txt": "Notes on anchors.\n", "notes-2.txt": "Notes on lamps.\n" },
    },
    places,
  );
  say(`${program.title} ${program.version}, ${name}: ${exchanges.length} requests, ${told}`);
  const command = [join(root, "scripts/plimsoll.mjs"), "bench", "--from", agent, "--policy", "none", "--json", report];
  const options = { cwd: home, env: { PATH: process.env.PATH, HOME: home, INIT_CWD: home }, encoding: "utf8" } as const;
  const { status, stderr } = spawnSync(places.node22, command, options);
  const { sessions, problems } = reportSchema.parse(
    status === 0 ? JSON.parse(readFileSync(report, "utf8")) : { sessions: [], problems: [{ text: stderr.trim() }] },
  );
  for (const { calls, file, firstWords } of sessions)
    say(`  read: ${calls} calls, ${JSON.stringify(firstWords?.slice(0, 50))}, ${file}`);
  for (const { text } of problems) say(`  ${text}`);
  const read = new Set(sessions.map(({ file }) => file.replace("~", home).split("#")[0]));
  const wordsIn = (path: string) => PROMPTS.filter((words) => readFileSync(path).includes(words));
  const known = new Set([...read].flatMap((path) => wordsIn(path ?? "")));
  const kinds = filesIn(home).flatMap((path): readonly string[] => {
    const words = wordsIn(path);
    // A file beside a database holds its last writes.
    const name = path.replace(/-wal$/, "");
    if (words.length === 0 || read.has(name)) return [];
    const kind = words.every((each) => known.has(each)) ? "a copy of words in the log" : "not read, with the person's words";
    return [`  ${kind}: ${relative(home, name)}`];
  });
  for (const line of new Set(kinds)) say(line);
}

function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
}

const asked = process.argv.slice(2);
const chosen = Object.entries(PROGRAMS).filter(([agent]) => asked.length === 0 || asked.includes(agent));
if (!isInside) {
  await preparedNode22(cache);
  // Builds the command where there is a network.
  spawnSync(process.execPath, [join(root, "scripts/plimsoll.mjs"), "--version"], { cwd: root });
  const found = chosen.map(async ([agent, program]) => [agent, await newestInstalled(cache, program, say)] as const);
  const versions = (await Promise.all(found)).flatMap(([agent, version]) => (version === null ? [] : [`${agent}=${version}`]));
  process.env.PLIMSOLL_OBSERVATORY_PROGRAMS = versions.join(",");
}
if (isInside || !enterNamespace()) {
  const versions = new Map(
    process.env.PLIMSOLL_OBSERVATORY_PROGRAMS?.split(",").map((pair) => [pair.split("=")[0], pair.split("=")[1]]),
  );
  for (const [agent, program] of chosen) {
    const version = versions.get(agent);
    for (const played of version === undefined ? [] : Object.keys(PLAYS))
      await playTen(agent, { ...program, version: version ?? "" }, played);
  }
}
