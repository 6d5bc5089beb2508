import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { importFile } from "@plimsoll/bench";
import { prepareSession } from "@plimsoll/bench/extend";
import { isPlimsollError, PlimsollError } from "@plimsoll/core";
import { gitFolder } from "../git-folder.ts";
import { type ActionCase, cutCase, lotOf, summaryCase } from "./actions.ts";
import { factCases, factPrompts, isHeldOut } from "./facts.ts";
import { type JudgedRow, judgeReport, rowSchema } from "./figures.ts";
import { judged, openLlama, type TokenModel } from "./model.ts";

const USAGE = `node main.ts --rows FILE --runtime FOLDER --model FILE.gguf [--facts FOLDER] [--sessions FOLDER] [--compactions FOLDER] [--minutes N]
node main.ts --rows FILE --figures

Judges contexts by the bits of what was answered or done next (protocol.md) and adds a row to FILE for each case. A case that FILE has is not judged again.
  --runtime FOLDER      a folder with node-llama-cpp 3.21.1 installed
  --facts FOLDER        git folder of profff/lost-in-compaction
  --sessions FOLDER     recorded sessions, a folder for each format
  --compactions FOLDER  recorded sessions with compactions, a folder for each format
  --minutes N           starts no case after so many minutes (default 60)
  --figures             prints the figures of FILE`;

/** Tokens that a model is opened for: SmolLM2 was trained on 8,192. */
const CONTEXT_TOKENS = 8_192;
const MOST_CUTS = 16;
const MOST_SUMMARIES = 12;
const DEFAULT_MINUTES = 60;

/** The hash of the protocol, which each row carries. */
const PROTOCOL = createHash("sha256")
  .update(readFileSync(new URL("protocol.md", import.meta.url)))
  .digest("hex")
  .slice(0, 16);

interface Run {
  readonly model: TokenModel;
  readonly protocol: string;
  readonly has: (key: string) => boolean;
  readonly add: (row: JudgedRow) => void;
  readonly isOver: () => boolean;
}

async function judgeFacts(folder: string, { model, protocol, has, add, isOver }: Run): Promise<void> {
  for (const each of factCases(gitFolder(folder))) {
    const key = `facts ${model.name} ${each.level} ${each.fact}`;
    if (has(key) || isOver()) continue;
    const prompts = [...factPrompts(each)].map(([name, text]): [string, readonly number[]] => [name, model.tokensOf(text)]);
    const { fact, level, answered, inContext, inPassages, stands } = each;
    const start = process.cpuUsage();
    const result = await judged(model, new Map(prompts), model.tokensOf(` ${each.answer}`));
    const truth = { fact, level, answered, inContext, inPassages, stands, heldOut: isHeldOut(fact) };
    add({ key, protocol, model: model.name, kind: "facts", ...result, cpuMs: since(start), truth });
  }
}

/** Cases of each sample take turns, each sample in the order of its hashes. */
async function judgeActions(samples: readonly Sample[], run: Run): Promise<void> {
  const open = samples.map(({ kind, files, most, caseOf }) => ({ kind, files: files[Symbol.iterator](), left: most, caseOf }));
  for (let turn = open; turn.length > 0 && !run.isOver(); ) {
    for (const sample of turn) {
      const found = await nextCase(sample, run);
      sample.left = found ? sample.left - 1 : 0;
    }
    turn = turn.filter(({ left }) => left > 0);
  }
}

interface Sample {
  readonly kind: "actions" | "summaries";
  readonly files: readonly string[];
  readonly most: number;
  readonly caseOf: (file: string) => Promise<ActionCase | null>;
}

async function nextCase(
  { kind, files, caseOf }: Pick<Sample, "kind" | "caseOf"> & { readonly files: Iterator<string> },
  { model, protocol, has, add, isOver }: Run,
): Promise<boolean> {
  for (let next = files.next(); next.done !== true && !isOver(); next = files.next()) {
    const key = `${kind} ${model.name} ${basename(next.value)}`;
    if (has(key)) return true;
    const found = await caseOf(next.value);
    if (found === null) continue;
    const start = process.cpuUsage();
    const result = await judged(model, found.prompts, found.scored);
    add({ key, protocol, model: model.name, kind, ...result, cpuMs: since(start), session: found.session });
    return true;
  }
  return false;
}

function since(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return Math.round((user + system) / 1000);
}

/** The files of a folder that has a folder for each format, in the order of the hashes of their names. */
function filesIn(folder: string): readonly string[] {
  const formats = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const files = formats.flatMap(({ name }) => readdirSync(join(folder, name)).map((file) => join(folder, name, file)));
  return files.toSorted((a, b) => lotOf(basename(a)) - lotOf(basename(b)));
}

async function firstTranscript(file: string) {
  const [transcript] = await importFile(file, basename(file)).catch(() => []);
  return transcript ?? null;
}

function rowsIn(file: string): readonly JudgedRow[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => rowSchema.parse(JSON.parse(line)));
}

async function main(): Promise<void> {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    options: {
      rows: text,
      runtime: text,
      model: text,
      facts: text,
      sessions: text,
      compactions: text,
      minutes: text,
      figures: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  const { rows: file, runtime, model: modelFile, facts, sessions, compactions } = values;
  if (values.help === true || file === undefined) return void process.stdout.write(`${USAGE}\n`);
  const rows = rowsIn(file);
  if (values.figures === true) return void process.stdout.write(judgeReport(rows));
  if (runtime === undefined || modelFile === undefined)
    throw new PlimsollError("bad-input", "give --runtime and --model (--help)");
  const model = await openLlama(modelFile, { runtimeFolder: runtime, contextTokens: CONTEXT_TOKENS });
  const known = new Set(rows.map(({ key }) => key));
  const end = Date.now() + Number(values.minutes ?? DEFAULT_MINUTES) * 60_000;
  const run: Run = {
    model,
    protocol: PROTOCOL,
    has: (key) => known.has(key),
    add: (row) => appendFileSync(file, `${JSON.stringify(row)}\n`),
    isOver: () => Date.now() > end,
  };
  if (facts !== undefined) await judgeFacts(facts, run);
  const samples: Sample[] = [];
  if (sessions !== undefined) {
    const caseOf = async (path: string) => {
      const transcript = await firstTranscript(path);
      return transcript === null ? null : await cutCase(prepareSession(transcript), model);
    };
    samples.push({ kind: "actions", files: filesIn(sessions), most: MOST_CUTS, caseOf });
  }
  if (compactions !== undefined) {
    const caseOf = async (path: string) => {
      const transcript = await firstTranscript(path);
      return transcript === null ? null : await summaryCase(transcript, model);
    };
    samples.push({ kind: "summaries", files: filesIn(compactions), most: MOST_SUMMARIES, caseOf });
  }
  await judgeActions(samples, run);
  await model.close();
}

await main().catch((error: unknown) => {
  process.stderr.write(`${isPlimsollError(error) ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
