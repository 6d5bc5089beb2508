import { serverOf } from "@plimsoll/core/extend";
import type { BenchReport } from "../results.ts";
import { sumOf } from "../statistics.ts";

/** The part that one kind of content takes in the recorded prompts. */
export interface WindowFill {
  /** As the replay names it: `results of Read`, `MCP server linear`, `AGENTS.md`. */
  readonly kind: string;
  readonly tokens: number;
  /** Share of the tokens of all recorded prompts, in percent. */
  readonly percent: number;
  /** The same share of the prompts' cost in US dollars, and of the model's replies the cost of writing them too; `null` without prices. */
  readonly usd: number | null;
}

const OVERHEAD = "overhead";
/** Text of requests that no log has, beside the least overhead of its session: the system prompt and tools are in every request. */
const UNLOGGED = "unlogged";
const RESULTS_OF = "results of ";

/** Results of tools under their server's name, everything else as the replay names it. */
function kindOf(name: string): string {
  const server = name.startsWith(RESULTS_OF) ? serverOf(name.slice(RESULTS_OF.length)) : null;
  return server === null ? name : `MCP server ${server}`;
}

/**
 * Splits the recorded prompts by kind of content, the largest first; estimates each session by sampled calls, weighted by its number of calls and its dollars. The
 * dollars of writing replies are by session, and count for the model's replies.
 */
export function windowFills(
  { rows, sessions }: Pick<BenchReport, "rows" | "sessions">,
  replyUsds: ReadonlyMap<string, number>,
): readonly WindowFill[] {
  const isPriced = sessions.some(({ recordedUsd }) => recordedUsd !== null);
  const described = new Map(sessions.map((each) => [each.session, each]));
  // A fork without a call of its own has no sample.
  const sampled = rows.filter(({ composition }) => composition.samples.length > 0);
  const parts = sampled.flatMap(({ policy, session, composition: { kinds, samples } }) => {
    const { calls = 0, recordedUsd = null } = policy === "recorded" ? (described.get(session) ?? {}) : {};
    const totals = kinds.map((_, place) => sumOf(samples, ({ tokens }) => tokens[place] ?? 0));
    const overheads = samples.map(({ tokens }) => tokens[kinds.indexOf(OVERHEAD)] ?? 0);
    const leastTotal = Math.min(...overheads) * samples.length;
    const replyUsd = Math.min(replyUsds.get(session) ?? 0, recordedUsd ?? 0);
    const named = kinds.map((name, place) => [name, name === OVERHEAD ? leastTotal : (totals[place] ?? 0)] as const);
    return [...named, [UNLOGGED, sumOf(overheads, Number) - leastTotal] as const].map(([name, total]) => {
      const share = total / Math.max(1, sumOf(totals, Number));
      return {
        kind: kindOf(name),
        tokens: (total * calls) / samples.length,
        usd: share * ((recordedUsd ?? 0) - replyUsd) + (name === "assistant" ? replyUsd : 0),
      };
    });
  });
  const whole = sumOf(parts, ({ tokens }) => tokens);
  const calls = sumOf(sessions, (session) => session.calls);
  return [...new Set(parts.map(({ kind }) => kind))]
    .map((kind) => {
      const of = parts.filter((part) => part.kind === kind);
      const tokens = sumOf(of, (part) => part.tokens);
      return {
        kind,
        tokens: tokens / calls,
        percent: (100 * tokens) / whole,
        usd: isPriced ? sumOf(of, ({ usd }) => usd) : null,
      };
    })
    .filter(({ tokens }) => tokens > 0)
    .toSorted((a, b) => b.tokens - a.tokens);
}

/** Adds up the contents of several groups of requests, each with all its tokens. */
export function joinedFills(
  groups: readonly { readonly fills: readonly WindowFill[]; readonly promptTokens: number }[],
): readonly WindowFill[] {
  const whole = sumOf(groups, ({ promptTokens }) => promptTokens) || 1;
  const joined = new Map<string, WindowFill>();
  for (const { fills, promptTokens } of groups)
    for (const { kind, ...fill } of fills) {
      const { tokens, percent, usd } = joined.get(kind) ?? { tokens: 0, percent: 0, usd: null };
      const ratio = promptTokens / whole;
      const sums = { tokens: tokens + fill.tokens * ratio, percent: percent + fill.percent * ratio };
      joined.set(kind, { kind, ...sums, usd: fill.usd === null ? usd : (usd ?? 0) + fill.usd });
    }
  return [...joined.values()];
}
