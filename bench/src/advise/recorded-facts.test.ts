import type { SessionEntry } from "@plimsoll/core";
import { expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import { lineages } from "../lineage.ts";
import { sessionFacts } from "../open/session-facts.ts";
import { CLEARED, type Transcript } from "../transcript.ts";
import { countedSessions, factsText, habitSentences } from "./recorded-facts.ts";

const MADE = { turns: 4, toolCallsPerTurn: 2, resultChars: 40_000, overheadTokens: 2_000 };
const MINUTE_MS = 60_000;
const ONE_TIER = { inputUsdPerMillion: 1, outputUsdPerMillion: 10, cacheReadUsdPerMillion: 0.1, cacheWriteUsdPerMillion: 1.25 };
const PRICES = { tiers: [{ abovePromptTokens: 0, ...ONE_TIER, cacheWriteOneHourUsdPerMillion: 2 }] } as const;

/** A session whose requests come so many minutes after each other, and read all or nothing from the cache. */
function session(minutes: number, boundaries: readonly number[] = []): Transcript {
  const made = madeTranscript({ ...MADE, boundaries });
  let atMs = Date.UTC(2026, 0, 1);
  const entries = made.entries.map((entry): SessionEntry => {
    if (entry.type !== "usage") return entry;
    atMs += minutes * MINUTE_MS;
    const { usage } = entry;
    const read = minutes > 5 ? 0 : usage.input.totalTokens;
    return { ...entry, atMs, modelId: "m", usage: { ...usage, input: { ...usage.input, cacheReadTokens: read } } };
  });
  return { ...made, entries };
}

const counted = (transcripts: readonly Transcript[], pays: "tokens" | "plan" = "tokens", unpriced = "") => {
  const corpus = { lineages: lineages(transcripts), facts: transcripts.map(sessionFacts) };
  const rules = { minimumTokens: 0, stepTokens: 1, timeToLiveMs: 5 * MINUTE_MS };
  return countedSessions([{ title: "Agent", corpus, summaries: "anew" }], {
    pricesOf: (id, atMs) => (id === unpriced || atMs === null || atMs < Date.UTC(2026, 0, 1) ? null : PRICES),
    cacheRulesOf: () => rules,
    pays,
  });
};

const LOGS = { read: 1, found: 1 };
const SHOWN = { pays: "tokens", logs: LOGS, program: "npx plimsoll" } as const;

test("answers and compactions that stand in two logs count once", () => {
  const one = session(1, [1, 2]);
  const sums = (transcripts: readonly Transcript[]) => {
    const all = counted(transcripts);
    const sum = (of: (each: (typeof all)[number]) => number) => all.reduce((total, each) => total + of(each), 0);
    return [sum(({ requests }) => requests), sum(({ compactions }) => compactions)];
  };
  expect(sums([one])).toEqual([12, 2]);
  expect(sums([one, { ...one, name: "fork", file: "fork" }])).toEqual([12, 2]);
});

test("the text says who spent what, what was cut, what fills the requests and which sessions are long, in 80 columns", () => {
  const text = factsText(counted([session(1, [1, 2])]), SHOWN, 80);
  expect(text.split("\n").filter((line) => [...line].length > 80)).toEqual([]);
  expect(text).toMatch(/^Recorded in 1 session, before any replay:\n\nagent and model .* dollars\n─+\nAgent, m +1 +12 /);
  expect(text).toMatch(
    /\n2 compactions in 1 session: \S+k\s+tokens\s+were\s+removed\. Summaries\s+cost\s+about\s+\$0\.\d+ .*\$\d\.\d+\.\s+Newest:\s+npx plimsoll inspect\s+\w+\.\n/s,
  );
  expect(text).toMatch(/\ncontent +share of the logged text\*.*\n─+\nresults of \w+ +9\d\.\d%\n/);
  expect(text).toMatch(/\ndearest sessions .*\n─+\nPlease look at src\/modu… made +\S+ +\S+ +2 +\S*\$0\.\d+/);
});

test("clearings of old results are counted apart from compactions", () => {
  const { entries, ...made } = session(1, [1, 2]);
  const steps = [{ strategy: CLEARED, outcome: "applied" as const, detail: null }];
  const isFirst = (place: number) => place === entries.findIndex(({ type }) => type === "compaction");
  const cleared = entries.map((entry, place) =>
    entry.type === "compaction" && isFirst(place) ? { ...entry, record: { ...entry.record, steps } } : entry,
  );
  const text = factsText(counted([{ ...made, entries: cleared }]), SHOWN, 80);
  expect(text.replace(/\s+/g, " ")).toMatch(
    /1 compaction and 1 clearing of old tool results in 1 session: .*\. Summaries cost about \S+ \(estimated: Agent's at full input price; most logs, and the table's dollars, lack them\), the lost prompt cache \S+\. Newest/,
  );
});

test.each([
  ["4w", " of the last 4w (--since)"],
  ["2026-01-31", " since 2026-01-31 (--since)"],
  [undefined, ""],
])("logs that were left out are counted, and those since %s said", (since, words) => {
  const text = factsText(counted([session(1)]), { ...SHOWN, logs: { read: 1, found: 3, since } }, 80);
  expect(text.replace(/\s+/g, " ")).toContain(`Recorded in 1 session${words}, the newest 1 of 3 logs, before any replay:`);
});

test("compactions without a price are named", () => {
  const text = factsText(counted([session(1, [1, 2])], "tokens", "m"), SHOWN, 80);
  expect(text.replace(/\s+/g, " ")).toMatch(/2 compactions in 1 session: .*\. They have no price\. Newest/);
});

test("a subscription that the logs name is pointed to, unless a plan is given", () => {
  const paid = [{ ...session(1), plan: "pro" }];
  const note = "The logs of 1 session name a subscription (pro): add --plan if you pay by";
  expect(factsText(counted(paid), SHOWN, 80)).toContain(note);
  expect(factsText(counted(paid, "plan"), { ...SHOWN, pays: "plan" }, 80)).not.toContain("by subscription");
});

test("a plan has its compactions first, and dollars as a worth", () => {
  const text = factsText(counted([session(1, [1])], "plan"), { ...SHOWN, pays: "plan" }, 80).replace(/\s+/g, " ");
  expect(text).toMatch(
    /^Recorded .* not your bill: 1 compaction .* Summaries cost about \$.*, at list prices\. .* agent and model .* list price /,
  );
});

const FILLS = [
  { kind: "overhead", tokens: 4_000, percent: 40, usd: 4 },
  { kind: "results of Read", tokens: 3_000, percent: 30, usd: 3 },
  { kind: "assistant", tokens: 3_000, percent: 30, usd: 3 },
];

test.each([
  [
    "large parts of all requests, with their share of the dollars",
    session(1),
    FILLS,
    ["results of Read: 30.0% of the tokens sent, about $3.00 in all. Ask for", "system prompt and tools: 40.0%"],
  ],
  ["a session that is cut often", session(1, [1, 2, 3]), [], ["1 session was compacted 3 times or more"]],
  ["pauses behind which the cache is cold", session(10), [], ["k tokens of prompts sent again after pauses"]],
])("a habit is %s", (_, transcript, fills, named) => {
  const habits = habitSentences(counted([transcript]), fills, "tokens");
  expect(habits).toHaveLength(named.length);
  for (const each of named) expect(habits.some((habit) => habit.includes(each))).toBe(true);
});
