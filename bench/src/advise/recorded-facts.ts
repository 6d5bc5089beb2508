import { type CacheRules, createSpending, type ModelPrices, promptUsd } from "@plimsoll/providers";
import type { Corpus } from "../open/corpus.ts";
import type { ReportedAnswer, SessionFacts } from "../open/session-facts.ts";
import { formatCount, formatNumberOf, formatPercent, formatTokens, formatUsd, NO_FIGURE } from "../show/figures.ts";
import { beginningOf, printable, wrapped } from "../terminal/printable.ts";
import { drawTable } from "../terminal/text-table.ts";
import { fillName, minutesText } from "./advice-words.ts";
import { compactionSpend } from "./recorded-cost.ts";

/** The logs of an agent, opened and not replayed yet. */
export interface AgentFacts {
  readonly title: string;
  readonly corpus: Pick<Corpus, "lineages" | "facts">;
  /** Whether the agent asks for a summary behind its cached conversation. */
  readonly isCached: boolean;
}

/** Prices and the way of showing them; a person with a plan pays no tokens. */
export interface FactsPricing {
  readonly pricesOf: (modelId: string, atMs: number | null) => ModelPrices | null;
  readonly cacheRulesOf: (modelId: string) => CacheRules;
  readonly pays: "tokens" | "plan";
}

interface Sums {
  requests: number;
  promptTokens: number;
  readonly spending: ReturnType<typeof createSpending>;
}

/** One session's answers that count in it, and their sums. */
interface CountedSession extends Sums {
  readonly facts: SessionFacts;
  readonly title: string;
  readonly models: Map<string, Sums>;
  largestTokens: number;
  compactions: number;
  takenTokens: number;
  compactionUsd: number;
  /** US dollars of prompts that were written to the cache once more after a pause. */
  pausedUsd: number;
}

function countedSession(facts: SessionFacts, agent: AgentFacts, { pricesOf, cacheRulesOf }: FactsPricing): CountedSession {
  const sums = (): Sums => ({ requests: 0, promptTokens: 0, spending: createSpending(pricesOf) });
  const counted: CountedSession = {
    ...{ facts, title: agent.title, models: new Map(), ...sums() },
    ...{ largestTokens: 0, compactions: 0, takenTokens: 0, compactionUsd: 0, pausedUsd: 0 },
  };
  const copied = agent.corpus.lineages.in(facts.file).find(({ session }) => session === facts.session)?.copied ?? [];
  const isOwn = (place: number) => !copied.some(([from, through]) => place >= from && place < through);
  let last: ReportedAnswer | null = null;
  let cutTokens: number | null = null;
  for (const [place, answer] of facts.answers.entries()) {
    const before: ReportedAnswer | null = last;
    if (answer === "compaction" && isOwn(place)) {
      counted.compactions += 1;
      cutTokens = before?.usage.input.totalTokens ?? null;
    }
    if (answer === null || answer === "compaction") continue;
    last = answer;
    if (!isOwn(place)) continue;
    const { usage, modelId, atMs } = answer;
    const tokens = usage.input.totalTokens ?? 0;
    const model = counted.models.get(modelId) ?? sums();
    counted.models.set(modelId, model);
    for (const each of [counted, model]) {
      each.requests += 1;
      each.promptTokens += tokens;
      each.spending.add(answer);
    }
    counted.largestTokens = Math.max(counted.largestTokens, tokens);
    const [prices, rules] = [pricesOf(modelId, atMs), cacheRulesOf(modelId)];
    if (cutTokens !== null) {
      counted.takenTokens += Math.max(0, cutTokens - tokens);
      counted.compactionUsd += compactionSpend(cutTokens, tokens, { prices, rules, isCached: agent.isCached }).usd;
    } else if (
      prices !== null &&
      before !== null &&
      (atMs ?? 0) - (before.atMs ?? Number.POSITIVE_INFINITY) > rules.timeToLiveMs
    ) {
      const again = Math.min(before.usage.input.totalTokens ?? 0, tokens - (usage.input.cacheReadTokens ?? tokens));
      const [written, read] = [
        { readTokens: 0, writeTokens: again, uncachedTokens: 0, state: "broken" } as const,
        { readTokens: again, writeTokens: 0, uncachedTokens: 0, state: "warm" } as const,
      ];
      counted.pausedUsd += promptUsd(written, prices, rules) - promptUsd(read, prices, rules);
    }
    cutTokens = null;
  }
  return counted;
}

/** Counts the answers of all agents' sessions, each once. */
export function countedSessions(agents: readonly AgentFacts[], pricing: FactsPricing): readonly CountedSession[] {
  return agents.flatMap((agent) => agent.corpus.facts.map((facts) => countedSession(facts, agent, pricing)));
}

const usdOf = ({ spending }: Pick<Sums, "spending">) => spending.now().usd ?? 0;
const sum = <Each>(all: readonly Each[], of: (each: Each) => number) => all.reduce((total, each) => total + of(each), 0);

function usdCell({ spending }: Pick<Sums, "spending">): string {
  const { usd, usdIs } = spending.now();
  return usd === null ? NO_FIGURE : `${usdIs === "whole" ? "" : "≥ "}$${formatUsd(usd)}`;
}

/** Shares of the requests' content by kind: of its characters in the logs, the largest first. System text and tools are not in all logs. */
function fillsOf(sessions: readonly CountedSession[]): readonly (readonly [kind: string, ratio: number])[] {
  const chars = new Map<string, number>();
  for (const { facts } of sessions) for (const [kind, more] of facts.sentChars) chars.set(kind, (chars.get(kind) ?? 0) + more);
  const total = sum([...chars.values()], (each) => each);
  return [...chars].map(([kind, each]) => [kind, each / total] as const).toSorted(([, a], [, b]) => b - a);
}

const prose = (text: string) => wrapped(text, { first: "", further: "  " });
const SHOWN_ROWS = 5;

/** Writes the facts of the logs: spending by agent and model, compactions, the requests' content, the longest sessions. Lines fit so many columns. */
export function factsText(sessions: readonly CountedSession[], { pays }: Pick<FactsPricing, "pays">, columns: number): string {
  const cell = (content: string) => ({ content: printable(content) });
  const table = (heads: readonly string[], rows: readonly (readonly string[])[], leftColumns: readonly number[] = [0]) =>
    drawTable({ head: [heads.map(cell)], rows: rows.map((row) => row.map(printable)), leftColumns }, columns);
  const dollars = pays === "tokens" ? "dollars" : "worth";
  const models = new Map<string, { title: string; modelId: string; all: Sums[]; sessions: number }>();
  for (const { title, facts, models: own } of sessions)
    for (const [modelId, sums] of own) {
      const row = models.get(`${title} ${modelId}`) ?? { title, modelId, all: [], sessions: 0 };
      models.set(`${title} ${modelId}`, {
        ...row,
        all: [...row.all, sums],
        sessions: row.sessions + (facts.isSubAgent ? 0 : 1),
      });
    }
  const rows = [...models.values()].toSorted((a, b) => sum(b.all, usdOf) - sum(a.all, usdOf));
  const spent = rows.map(({ title, modelId, all, sessions: count }) => [
    `${title}, ${modelId}`,
    formatCount(count),
    formatCount(sum(all, ({ requests }) => requests)),
    formatTokens(sum(all, ({ promptTokens }) => promptTokens)),
    all.some(({ spending }) => spending.now().usd !== null)
      ? `${all.every(({ spending }) => spending.now().usdIs === "whole") ? "" : "≥ "}$${formatUsd(sum(all, usdOf))}`
      : NO_FIGURE,
  ]);
  const longest = sessions
    .toSorted((a, b) => b.promptTokens - a.promptTokens)
    .slice(0, SHOWN_ROWS)
    .map((session) => [
      beginningOf(session.facts.firstWords ?? session.facts.session, WORDS_CHARS),
      session.facts.startedMs === null ? "" : new Date(session.facts.startedMs).toISOString().slice(0, "2026-01-31".length),
      formatCount(session.requests),
      formatTokens(session.largestTokens),
      formatCount(session.compactions),
      usdCell(session),
    ]);
  const spending = table(["agent and model", "sessions", "requests", "prompt tokens", dollars], spent);
  const compacted = prose(compactionSentence(sessions, pays)).join("\n");
  const fills = fillsOf(sessions).slice(0, SHOWN_ROWS);
  return [
    prose(
      `Recorded in ${formatNumberOf(sessions.filter(({ facts }) => !facts.isSubAgent).length, "session")}, before any replay${pays === "plan" ? "; dollars show the value at list prices, not your bill" : ""}:`,
    ).join("\n"),
    ...(pays === "plan" ? [compacted, spending] : [spending, compacted]),
    table(
      ["logged contents of the requests", "share"],
      fills.map(([kind, ratio]) => [fillName(kind), `${formatPercent(100 * ratio)}%`]),
    ),
    table(["longest sessions", "began", "requests", "largest prompt", "cuts", dollars], longest),
  ].join("\n\n");
}

const WORDS_CHARS = 30;

function compactionSentence(sessions: readonly CountedSession[], pays: FactsPricing["pays"]): string {
  const compactions = sum(sessions, (each) => each.compactions);
  if (compactions === 0) return "Nothing was compacted.";
  const cut = sessions.filter((each) => each.compactions > 0).length;
  const waits = sessions.flatMap(({ facts }) => facts.waitsMs);
  const waited = waits.length === 0 ? "" : `, ${minutesText(sum(waits, (ms) => ms))} of waiting`;
  const usd = sum(sessions, ({ compactionUsd }) => compactionUsd);
  const cost = `${pays === "plan" ? "were worth" : "cost"} about $${formatUsd(usd)}`;
  return `${formatNumberOf(compactions, "compaction")} in ${formatNumberOf(cut, "session")}${waited}: ${formatTokens(sum(sessions, ({ takenTokens }) => takenTokens))} tokens left the context; summaries and the cold cache behind them ${cost}.`;
}

/** A session that is cut so often is too long for its window; chosen. */
const MANY_CUTS = 3;
/** The share of all requests from which on one tool's results are a habit; chosen. */
const LARGE_RATIO = 0.15;

/** The most expensive habits that the logs show, at most three, each with a remedy. */
export function habitSentences(sessions: readonly CountedSession[]): readonly string[] {
  const usd = sum(sessions, usdOf);
  const often = sessions.filter(({ compactions }) => compactions >= MANY_CUTS);
  const oftenUsd = sum(often, ({ compactionUsd }) => compactionUsd);
  const pausedUsd = sum(sessions, (each) => each.pausedUsd);
  const tool = fillsOf(sessions).find(([kind]) => kind.startsWith("results of "));
  const habits = [
    tool === undefined || tool[1] < LARGE_RATIO
      ? null
      : {
          usd: tool[1] * usd,
          text: `${tool[0]} are ${formatPercent(100 * tool[1])}% of the tokens sent: ask for parts of files and shorter outputs`,
        },
    often.length === 0
      ? null
      : {
          usd: oftenUsd,
          text: `${formatNumberOf(often.length, "session")} ${often.length === 1 ? "was" : "were"} compacted ${MANY_CUTS} times or more: begin a new session for a new task`,
        },
    pausedUsd === 0
      ? null
      : {
          usd: pausedUsd,
          text: "prompts were written to the cache again after pauses: finish a long session in one go, or begin a new one after a break",
        },
  ].filter((habit) => habit !== null);
  return habits
    .toSorted((a, b) => b.usd - a.usd)
    .map(({ usd, text }) => (usd === 0 ? `${text}.` : `about $${formatUsd(usd)}: ${text}.`));
}
