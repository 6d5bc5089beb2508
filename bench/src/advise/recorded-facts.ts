import { type CacheRules, createSpending, type ModelPrices, outputUsd, promptUsd } from "@plimsoll/providers";
import { shortId } from "../command/find-inputs.ts";
import type { SummaryRequestKind } from "../formats/summary-requests.ts";
import { addTo } from "../needs/statements.ts";
import type { Corpus } from "../open/corpus.ts";
import type { ReportedAnswer, SessionFacts } from "../open/session-facts.ts";
import { formatCount, formatNumberOf, formatPercent, formatTokens, formatUsd, NO_FIGURE, shareTexts } from "../show/figures.ts";
import { sumOf } from "../statistics.ts";
import { beginningOf, printable, wrapped } from "../terminal/printable.ts";
import { drawTable } from "../terminal/text-table.ts";
import { fillName, pricedText, waitedText } from "./advice-words.ts";
import { compactionSpend, summaryPrice } from "./recorded-cost.ts";
import type { WindowFill } from "./window-fill.ts";

/** The logs of an agent, opened and not replayed yet. */
export interface AgentFacts {
  readonly title: string;
  readonly corpus: Pick<Corpus, "lineages" | "facts">;
  readonly summaries: SummaryRequestKind;
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
interface CountedSession extends Sums, Pick<AgentFacts, "title" | "summaries"> {
  readonly facts: SessionFacts;
  readonly models: Map<string, Sums>;
  compactions: number;
  clearings: number;
  readonly waitsMs: number[];
  takenTokens: number;
  summariesUsd: number;
  lostCacheUsd: number;
  pricedCompactions: number;
  /** US dollars of the replies. */
  replyUsd: number;
  /** US dollars of prompts that were written to the cache once more after a pause. */
  pausedUsd: number;
  /** The tokens of these prompts. */
  pausedTokens: number;
}

/** Adds up the answers that count in a session; `null` if all of it counts in another. */
function countedSession(
  facts: SessionFacts,
  agent: AgentFacts,
  { pricesOf, cacheRulesOf }: FactsPricing,
): CountedSession | null {
  const sums = (): Sums => ({ requests: 0, promptTokens: 0, spending: createSpending(pricesOf) });
  const counted: CountedSession = {
    ...{ facts, title: agent.title, summaries: agent.summaries, models: new Map(), ...sums() },
    ...{ compactions: 0, clearings: 0, waitsMs: [], takenTokens: 0 },
    ...{ summariesUsd: 0, lostCacheUsd: 0, pricedCompactions: 0, replyUsd: 0, pausedUsd: 0, pausedTokens: 0 },
  };
  const lineages = agent.corpus.lineages.in(facts.file);
  const { copied = [], isCopy = false } = lineages.find(({ session }) => session === facts.session) ?? {};
  if (isCopy) return null;
  const isOwn = (place: number) => !copied.some(([from, through]) => place >= from && place < through);
  let last: ReportedAnswer | null = null;
  let cutTokens: number | null = null;
  let isAsked = false;
  for (const [place, answer] of facts.answers.entries()) {
    const before: ReportedAnswer | null = last;
    if (answer?.type === "compaction" && isOwn(place)) {
      counted[answer.isClearing ? "clearings" : "compactions"] += 1;
      isAsked ||= !answer.isClearing;
      if (answer.waitMs !== null) counted.waitsMs.push(answer.waitMs);
      cutTokens = before?.usage.input.totalTokens ?? null;
    }
    if (answer === null || answer.type === "compaction") continue;
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
    const [prices, rules] = [pricesOf(modelId, atMs), cacheRulesOf(modelId)];
    const replied = Math.max(usage.output.totalTokens ?? 0, usage.billed.outputTokens ?? 0);
    counted.replyUsd += prices === null ? 0 : outputUsd(replied, tokens, prices);
    if (cutTokens !== null) {
      counted.takenTokens += Math.max(0, cutTokens - tokens);
      const isCached = isAsked ? agent.summaries === "cached" : null;
      const { summaryUsd, lostCacheUsd } = compactionSpend(cutTokens, usage.input, { prices, rules, isCached });
      counted.summariesUsd += summaryUsd;
      counted.lostCacheUsd += lostCacheUsd;
      counted.pricedCompactions += prices === null || !isAsked ? 0 : 1;
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
      counted.pausedTokens += again;
      counted.pausedUsd += promptUsd(written, prices, rules) - promptUsd(read, prices, rules);
    }
    cutTokens = null;
    isAsked = false;
  }
  return counted;
}

/** Counts the answers of all agents' sessions, each once. */
export function countedSessions(agents: readonly AgentFacts[], pricing: FactsPricing): readonly CountedSession[] {
  return agents.flatMap((agent) => agent.corpus.facts.flatMap((facts) => countedSession(facts, agent, pricing) ?? []));
}

const usdOf = ({ spending }: Pick<Sums, "spending">) => spending.now().usd ?? 0;

function usdCell(all: readonly Pick<Sums, "spending">[]): string {
  const spent = all.map(({ spending }) => spending.now());
  if (spent.every(({ usd }) => usd === null)) return NO_FIGURE;
  return `${spent.every(({ usdIs }) => usdIs === "whole") ? "" : "≥ "}$${formatUsd(sumOf(all, usdOf))}`;
}

/** Characters of the requests' content in the logs by kind, the largest first. System text and tools are not in all logs. */
function fillsOf(sessions: readonly CountedSession[]): readonly (readonly [kind: string, chars: number])[] {
  const chars = new Map<string, number>();
  for (const { facts } of sessions) for (const [kind, more] of facts.sentChars) chars.set(kind, (chars.get(kind) ?? 0) + more);
  return [...chars].toSorted(([, a], [, b]) => b - a);
}

const prose = (text: string) => wrapped(text, { first: "", further: "  " });
const SHOWN_ROWS = 5;

interface FactsShown extends Pick<FactsPricing, "pays"> {
  readonly logs: { readonly read: number; readonly found: number; readonly since?: string | undefined };
  /** The words that start this program. */
  readonly program: string;
}

/** Writes the facts of the logs: spending by agent and model, compactions, the requests' content, the dearest sessions (without prices, the longest). Lines fit so many columns. */
export function factsText(sessions: readonly CountedSession[], { pays, logs, program }: FactsShown, columns: number): string {
  const cell = (content: string) => ({ content: printable(content) });
  const table = (heads: readonly string[], rows: readonly (readonly string[])[], leftColumns: readonly number[] = [0]) =>
    drawTable({ head: [heads.map(cell)], rows: rows.map((row) => row.map(printable)), leftColumns }, columns);
  const dollars = pays === "tokens" ? "dollars" : "list price";
  const models = new Map<string, { sums: Sums; sessions: number }[]>();
  for (const { title, facts, models: own } of sessions)
    for (const [modelId, sums] of own) addTo(models, `${title}, ${modelId}`, { sums, sessions: facts.isSubAgent ? 0 : 1 });
  const rows = [...models]
    .map(([name, parts]) => ({ name, all: parts.map(({ sums }) => sums), count: sumOf(parts, (part) => part.sessions) }))
    .toSorted((a, b) => sumOf(b.all, usdOf) - sumOf(a.all, usdOf));
  const spent = rows.map(({ name, all, count }) => [
    name,
    formatCount(count),
    formatCount(sumOf(all, ({ requests }) => requests)),
    formatTokens(sumOf(all, ({ promptTokens }) => promptTokens)),
    usdCell(all),
  ]);
  const isPriced = pays === "tokens" && rows.some(({ all }) => sumOf(all, usdOf) > 0);
  const longest = sessions
    .toSorted((a, b) => (isPriced ? usdOf(b) - usdOf(a) : 0) || b.promptTokens - a.promptTokens)
    .slice(0, SHOWN_ROWS)
    .map((session) => [
      beginningOf(session.facts.firstWords ?? session.facts.session, WORDS_CHARS),
      shortId(session.facts.file),
      session.facts.startedMs === null ? "" : new Date(session.facts.startedMs).toISOString().slice(0, "2026-01-31".length),
      formatTokens(session.promptTokens),
      formatCount(session.compactions),
      usdCell([session]),
    ]);
  const spending = table(["agent and model", "sessions", "requests", "prompt tokens", dollars], spent);
  const compacted = prose(compactionSentence(sessions, pays, program)).join("\n");
  const fills = fillsOf(sessions);
  const others = fills.slice(SHOWN_ROWS);
  const rest = [formatNumberOf(others.length, "other kind"), sumOf(others, ([, chars]) => chars)] as const;
  const shown = others.length < 2 ? fills : [...fills.slice(0, SHOWN_ROWS), rest];
  const shares = shareTexts(shown, ([, chars]) => chars);
  const newest = logs.read === logs.found ? "" : `, the newest ${formatCount(logs.read)} of ${formatCount(logs.found)} logs`;
  const last = /^\d+[hdw]$/.test(logs.since ?? "") ? "of the last" : "since";
  const since = logs.since === undefined ? "" : ` ${last} ${printable(logs.since)} (--since)`;
  return [
    prose(
      `Recorded in ${formatNumberOf(sessions.filter(({ facts }) => !facts.isSubAgent).length, "session")}${since}${newest}, before any replay${pays === "plan" ? "; dollars are list prices, not your bill" : ""}:`,
    ).join("\n"),
    ...(pays === "plan" ? [compacted, spending] : [spending, ...planNote(sessions), compacted]),
    table(
      ["content", "share of the logged text*"],
      shown.map(([kind], place) => [fillName(kind), shares[place] ?? ""]),
    ),
    prose(
      "* in characters, without the system prompt and tools, which most logs lack; shares of tokens sent have both, and are smaller",
    ).join("\n"),
    table([isPriced ? "dearest sessions" : "longest sessions", "id", "began", "tokens sent", "compactions", dollars], longest),
    `${program} inspect ID shows one of them.`,
  ].join("\n\n");
}

const WORDS_CHARS = 24;

/** Says that a subscription paid for sessions, by their logs; nothing if none did. */
function planNote(sessions: readonly CountedSession[]): readonly string[] {
  const plans = sessions.flatMap(({ facts }) => facts.plan ?? []);
  if (plans.length === 0) return [];
  const named = `The logs of ${formatNumberOf(plans.length, "session")} name a subscription (${[...new Set(plans)].join(", ")})`;
  return [prose(printable(`${named}: add --plan if you pay by subscription; else ignore this line.`)).join("\n")];
}

function compactionSentence(sessions: readonly CountedSession[], pays: FactsPricing["pays"], program: string): string {
  const compactions = sumOf(sessions, (each) => each.compactions);
  const clearings = sumOf(sessions, (each) => each.clearings);
  if (compactions + clearings === 0) return "Nothing was compacted.";
  const compacted = sessions.filter((each) => each.compactions + each.clearings > 0);
  const clearing = clearings === 0 ? "" : `${formatNumberOf(clearings, "clearing")} of old tool results`;
  const cuts = [compactions === 0 ? "" : formatNumberOf(compactions, "compaction"), clearing].filter((text) => text !== "");
  const [newest] = compacted.toSorted((a, b) => (b.facts.startedMs ?? 0) - (a.facts.startedMs ?? 0));
  const waitsMs = sessions.flatMap((each) => each.waitsMs);
  const priced = sumOf(sessions, ({ pricedCompactions }) => pricedCompactions);
  const [summariesUsd, lostUsd] = [sumOf(sessions, (each) => each.summariesUsd), sumOf(sessions, (each) => each.lostCacheUsd)];
  const list = pays === "plan" ? ", at list prices" : "";
  const asked = [...new Set(compacted.map(({ title, summaries }) => `${title}'s ${summaryPrice(summaries)}`))].join(", ");
  const cost =
    priced === 0
      ? "They have no price"
      : `Summaries cost about $${formatUsd(summariesUsd)} (estimated: ${asked}; most logs, and the table's dollars, lack them), the lost prompt cache $${formatUsd(lostUsd)}${list}${pricedText(priced, compactions)}`;
  return `${cuts.join(" and ")} in ${formatNumberOf(compacted.length, "session")}${waitedText(waitsMs, compactions)}: ${formatTokens(sumOf(sessions, ({ takenTokens }) => takenTokens))} tokens were removed. ${cost}. Newest: ${program} inspect ${shortId(newest?.facts.file ?? "")}.`;
}

/** A session that is cut so often is too long for its window; chosen. */
const MANY_CUTS = 3;
/** The share of the tokens from which on one kind of content is a habit; chosen. */
const LARGE_PERCENT = 15;
const MOST_HABITS = 3;

/** The most expensive habits that the logs show, at most three, each with a remedy. `fills` are the contents of the replayed requests, of each decision. */
export function habitSentences(
  sessions: readonly CountedSession[],
  fills: readonly WindowFill[],
  pays: FactsPricing["pays"],
): readonly string[] {
  const often = sessions.filter(({ compactions }) => compactions >= MANY_CUTS);
  const large = fills
    .filter(({ kind, percent }) => percent >= LARGE_PERCENT && /^(?:overhead$|results of |MCP server )/.test(kind))
    .map(({ kind, percent, usd }) => ({
      usd: usd ?? 0,
      text: `${fillName(kind)}: ${formatPercent(percent)}% of the tokens sent`,
      remedy:
        kind === "overhead"
          ? "Turn off unused MCP servers and plugins, and shorten instruction files"
          : "Ask for parts of files and shorter outputs",
    }));
  const pausedUsd = sumOf(sessions, (each) => each.pausedUsd);
  const habits = [
    ...large,
    ...often.slice(0, 1).map(() => ({
      usd: sumOf(often, ({ summariesUsd, lostCacheUsd }) => summariesUsd + lostCacheUsd),
      text: `${formatNumberOf(often.length, "session")} ${often.length === 1 ? "was" : "were"} compacted ${MANY_CUTS} times or more`,
      remedy: "Begin a new session for a new task",
    })),
    {
      usd: pausedUsd,
      text: `${formatTokens(sumOf(sessions, ({ pausedTokens }) => pausedTokens))} tokens of prompts sent again after pauses, at full price, as the cache had expired`,
      remedy: "Finish a long session in one go, or begin a new one after a break",
    },
  ];
  return habits
    .slice(0, pausedUsd === 0 ? -1 : habits.length)
    .toSorted((a, b) => b.usd - a.usd)
    .slice(0, MOST_HABITS)
    .map(
      ({ usd, text, remedy }) =>
        `${text}${usd === 0 || pays === "plan" ? "" : `, about $${formatUsd(usd)} in all`}. ${remedy}.`,
    );
}
