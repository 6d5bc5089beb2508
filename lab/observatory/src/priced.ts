import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { modelCosts } from "@plimsoll/providers";
import type { Lab } from "./experiments/setting.ts";
import { SIDE } from "./experiments/setting.ts";
import { root } from "./namespace.ts";
import type { PlayRequest } from "./play.ts";
import { PRINT_COMMAND, type Program } from "./program.ts";
import { startProxy } from "./proxy-process.ts";

/** Steps that each print so many tokens of a file: several windows. Chosen. */
const STEPS = 100;
const STEP_TOKENS = 2_000;
const FILE = "all.txt";

/** The program as it is priced: its model is named, and its commands print real text, a new part each. */
export function pricedProgram(program: Program, modelId: string): Program {
  const command = `head -c $(( {n} * {chars} )) ${FILE} | tail -c {chars}`;
  const tools: Program["tools"] = (work) =>
    JSON.parse(JSON.stringify(program.tools(work)).replaceAll(JSON.stringify(PRINT_COMMAND).slice(1, -1), () => command));
  return { ...program, modelId, tools };
}

/** Core's sources in one text. */
function sources(): string {
  const folder = join(root, "packages/core/src");
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return names
    .toSorted()
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n");
}

/**
 * Plays a hundred steps twice in a window of this size, the program with its own compaction and then under the proxy, and says in a line how the prompts' price changes.
 * The unit is a token at the price of a cache write, by the catalogue's prices of the model. The least has no history: in each step it reads system text and tools, and writes the new text.
 */
export async function pricedLine({ program, play }: Lab, windowTokens: number): Promise<string> {
  const costs = modelCosts(program.modelId);
  if (costs === null) throw new Error(`no price of ${program.modelId} is known`);
  const readRatio = costs.read / costs.write;
  const priced = async (name: string, request: Partial<PlayRequest>) => {
    const { exchanges, told } = await play(name, {
      scenario: { name, windowTokens, main: [{ call: { outputTokens: STEP_TOKENS }, repeat: STEPS }], side: SIDE },
      limits: { windowTokens, outputTokens: 4_000 },
      prompts: ["Read the sources from their beginning to their end, please."],
      files: { [FILE]: sources() },
      ...request,
    });
    const answered = exchanges.filter(({ outcome }) => outcome === "answered");
    const tokens = answered.reduce((sum, { promptTokens, cacheReadTokens }) => {
      const readTokens = cacheReadTokens ?? 0;
      return sum + (promptTokens ?? 0) - readTokens + readRatio * readTokens;
    }, 0);
    const [first = 0, second = 0] = exchanges.flatMap(({ kind, promptTokens }) => (kind === "main" ? [promptTokens ?? 0] : []));
    if (told !== "answer") throw new Error(`${name}: ended with ${told}`);
    return { tokens, first, step: second - first, summaries: answered.filter(({ kind }) => kind === "summary").length };
  };
  const alone = await priced("alone", {});
  const under = await priced("under the proxy", {
    limits: { windowTokens: 1_000_000, outputTokens: 4_000 },
    between: (upstream, folder) => startProxy({ upstream, windowTokens, folder, project: join(root, "examples/extension") }),
  });
  const least = alone.first + STEPS * (readRatio * alone.first + alone.step);
  const by = (tokens: number) => `${Math.round(tokens / 1_000)}k (${(tokens / alone.tokens).toFixed(2)})`;
  return `${program.title} ${program.version}, ${windowTokens} tokens, prices of ${program.modelId}: alone ${by(alone.tokens)}, ${alone.summaries} summaries; under the proxy ${by(under.tokens)}; the least, with ${alone.first} tokens of overhead, ${by(least)}`;
}

/** Builds the command where there is a network. */
export function buildProxy(): void {
  spawnSync(process.execPath, [join(root, "scripts/plimsoll.mjs"), "--version"], { cwd: root });
}
