import { markdownTable } from "@plimsoll/bench/extend";
import { z } from "zod";
import { protocolLine } from "./figures.ts";
import type { GitFolder } from "./git-folder.ts";
import { grouped } from "./resample.ts";

/** One billed call of a published arm, with the characters that its prompt had before anything was compressed. */
export interface BilledCall {
  readonly phase: string;
  readonly chars: number;
  readonly inputTokens: number;
  /** Dollars as the log states them, and what the whole prompt costs without a cache; 0 where a provider bills none. */
  readonly usd: number;
  readonly uncachedUsd: number;
  readonly outputUsd: number;
}

/** The runs of tokbench that a replay can redo: without a product, and behind a proxy that shortens requests on their way. */
const PLAIN = [
  "a0-T-fix-r1",
  "a0v-T-fix-base1.0",
  "a0-T-fix-r2",
  "a0-T-fix-r3",
  "a0-T-fix-r4",
  "a0-T-fix-r5",
  "a0-T-fix-r6",
  "a0-T-fix-r6b",
];
const PROXIED = ["a2-T-fix-r1", "a2-T-fix-r2", "a2-T-fix-r3", "a2-T-fix-r3b", "a2-T-fix-r3c", "a2-T-fix-r4"];
const CACHED = "a0c-T-fix-r1";

/** Arms that no replay can redo, with the reason. */
export const NOT_REDONE: readonly (readonly [arms: string, reason: string])[] = [
  [
    "tokbench: lean-ctx, rtk",
    "the model was given other tools or shorter results, and did other things: the run without them is not recorded",
  ],
  ["code-compression-bench: all six arms", "tokens and bills of each task, no dialogue"],
  ["context-guru: all four arms", "tokens and bills of each task, no dialogue"],
  ["a compaction without a model against one with", "the table ($0.523, $0.168) stands in none of the named repositories"],
];

const part = z.looseObject({
  type: z.string(),
  text: z.string().default(""),
  thinking: z.string().default(""),
  name: z.string().default(""),
  arguments: z.unknown().optional(),
});
const money = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  total: z.number(),
});
const usage = z.object({
  input: z.number(),
  cacheRead: z.number().default(0),
  cacheWrite: z.number().default(0),
  cost: money.optional(),
});
const transcript = z.object({
  prompt: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.union([z.string(), z.array(part)]), usage: usage.optional() })),
});
const removed = z.object({ summary: z.object({ compression: z.object({ total_tokens_removed: z.number() }) }) });

/** The calls of one run, phase by phase. */
export function billedCalls(folder: GitFolder, run: string): readonly BilledCall[] {
  const paths = folder.paths(`results/${run}/transcripts`).filter((path) => path.endsWith(".json"));
  return paths.flatMap((path) => {
    const phase = path.slice(path.lastIndexOf("__") + 2, -".json".length);
    const { prompt, messages } = transcript.parse(JSON.parse(folder.text(path)));
    let chars = prompt.length;
    return messages.flatMap(({ role, content, usage: reported }) => {
      const before = chars;
      chars += charsOf(content);
      if (role !== "assistant" || reported === undefined) return [];
      const { input, cacheRead, cacheWrite, cost } = reported;
      const inputTokens = input + cacheRead + cacheWrite;
      const price = cost === undefined || input === 0 ? 0 : cost.input / input;
      const call = {
        phase,
        chars: before,
        inputTokens,
        usd: cost?.total ?? 0,
        uncachedUsd: price * inputTokens,
        outputUsd: cost?.output ?? 0,
      };
      return inputTokens > 0 ? [call] : [];
    });
  });
}

function charsOf(content: string | readonly z.infer<typeof part>[]): number {
  if (typeof content === "string") return content.length;
  return content.reduce((sum, { type, text, thinking, name, arguments: args }) => {
    return sum + (type === "toolCall" ? name.length + JSON.stringify(args ?? {}).length : text.length + thinking.length);
  }, 0);
}

/** Tokens of a prompt from its characters, for each phase: least squares over the calls of runs without a product. */
export function sizesOf(calls: readonly BilledCall[]): (call: BilledCall) => number {
  const lines = new Map(
    [...grouped(calls, ({ phase }) => phase)].map(([phase, own]) => {
      const [x, y] = [meanOf(own, ({ chars }) => chars), meanOf(own, ({ inputTokens }) => inputTokens)];
      const spread = own.reduce((sum, { chars }) => sum + (chars - x) ** 2, 0);
      const slope = own.reduce((sum, { chars, inputTokens }) => sum + (chars - x) * (inputTokens - y), 0) / Math.max(1, spread);
      return [phase, { slope, start: y - slope * x }] as const;
    }),
  );
  return ({ phase, chars }) => {
    const line = lines.get(phase);
    return line === undefined ? 0 : line.start + line.slope * chars;
  };
}

function meanOf(calls: readonly BilledCall[], numberOf: (call: BilledCall) => number): number {
  return calls.reduce((sum, call) => sum + numberOf(call), 0) / calls.length;
}

/** One published change of a bill, and what a replay says of it, in percent of the bill without it. */
export interface BillChange {
  readonly arm: string;
  readonly published: number;
  readonly replayed: number;
}

/** The changes that a replay can redo: the proxy's, on the path that each run took, and the cache's. Runs without a product are told from each other. */
export function billChanges(folder: GitFolder): {
  readonly changes: readonly BillChange[];
  readonly controls: readonly BillChange[];
} {
  const plain = new Map(PLAIN.map((run) => [run, billedCalls(folder, run)]));
  const all = [...plain.values()].flat();
  const sizes = sizesOf(all);
  const proxied = PROXIED.map((run): BillChange => {
    const calls = billedCalls(folder, run);
    const { summary } = removed.parse(JSON.parse(folder.text(`results/${run}/headroom-stats.json`)));
    const billed = sum(calls, ({ inputTokens }) => inputTokens);
    const before = billed + summary.compression.total_tokens_removed;
    return { arm: `proxy, ${run}`, published: change(billed, before), replayed: change(billed, sum(calls, sizes)) };
  });
  const cached = [...grouped(billedCalls(folder, CACHED), ({ phase }) => phase)].map(([phase, calls]): BillChange => {
    const uncached = sum(calls, ({ uncachedUsd }) => uncachedUsd) + sum(calls, ({ outputUsd }) => outputUsd);
    return {
      arm: `cache, ${phase}`,
      published: change(
        sum(calls, ({ usd }) => usd),
        uncached,
      ),
      replayed: change(sum(calls, ({ outputUsd }) => outputUsd) + cachedUsd(calls), uncached),
    };
  });
  const controls = PLAIN.map((run): BillChange => {
    const own = plain.get(run) ?? [];
    const others = sizesOf([...plain].flatMap(([name, calls]) => (name === run ? [] : calls)));
    return {
      arm: run,
      published: 0,
      replayed: change(
        sum(own, ({ inputTokens }) => inputTokens),
        sum(own, others),
      ),
    };
  });
  return { changes: [...proxied, ...cached], controls };
}

/** A write into the cache by what an uncached token costs (the vendor's price list, five minutes). */
const WRITE_FACTOR = 1.25;
const READ_FACTOR = 0.1;

/** Dollars of prompts by the cache's rule alone: what the call before sent is read, what came since is written. */
function cachedUsd(calls: readonly BilledCall[]): number {
  const price = Math.max(...calls.map(({ uncachedUsd, inputTokens }) => uncachedUsd / inputTokens));
  let before = 0;
  let usd = 0;
  for (const { inputTokens } of calls) {
    const read = Math.min(before, inputTokens);
    usd += price * (READ_FACTOR * read + WRITE_FACTOR * (inputTokens - read));
    before = inputTokens;
  }
  return usd;
}

function sum(calls: readonly BilledCall[], numberOf: (call: BilledCall) => number): number {
  return calls.reduce((total, call) => total + numberOf(call), 0);
}

function change(now: number, before: number): number {
  return 100 * (now / before - 1);
}

/** The tables: what cannot be redone first, then each change, and runs without a product told from each other as the control. */
export function billsPage(folder: GitFolder): string {
  const { changes, controls } = billChanges(folder);
  const right = changes.filter(({ published, replayed }) => Math.sign(published) === Math.sign(replayed)).length;
  const row = ({ arm, published, replayed }: BillChange) => [arm, published.toFixed(1), replayed.toFixed(1)];
  const head = ["arm", "published, %", "replayed, %"];
  return [
    protocolLine(),
    "",
    markdownTable({ head: ["not redone", "why"], rows: NOT_REDONE }),
    "",
    `Sign right in ${right} of ${changes.length}.`,
    "",
    markdownTable({ head, rows: changes.map(row) }),
    "",
    markdownTable({ head: ["control", ...head.slice(1)], rows: controls.map(row) }),
  ].join("\n");
}
