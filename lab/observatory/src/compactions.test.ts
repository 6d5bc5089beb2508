import type { ExchangeFacts } from "@plimsoll/simulator";
import { describe, expect, test } from "vitest";
import { PLAIN_EXCHANGE } from "../testing/plain-exchange.ts";
import { compactionFacts, compactionsIn, rounded } from "./compactions.ts";

const SINCE = {
  sameSystem: true,
  sameTools: true,
  sameModel: true,
  sharedItems: 10,
  sharedTokens: 900,
  kept: { user: 10 },
  itemCount: 10,
};

/** Exchanges with numbers of their own. */
const listOf = (...exchanges: readonly Partial<ExchangeFacts>[]): readonly ExchangeFacts[] =>
  exchanges.map((exchange, index) => ({ ...PLAIN_EXCHANGE, index, sinceMain: SINCE, ...exchange }));

const SUM = { kind: "summary" };
const CUT = { sinceMain: { ...SINCE, kept: { user: 3 } } };

describe("a compaction is found", () => {
  test.each<[string, readonly Partial<ExchangeFacts>[], readonly (readonly [number, number, number | null])[]]>([
    ["not between requests that only grow", [{}, {}, {}], []],
    ["between two main requests with a summary", [{}, SUM, {}], [[0, 1, 2]]],
    ["with several summaries", [{}, SUM, SUM, {}], [[0, 2, 3]]],
    ["at the end of a session", [{}, {}, SUM], [[1, 1, null]]],
    ["if the program loses items by itself", [{}, CUT, {}], [[0, 0, 1]]],
    ["not if a few items change", [{}, { sinceMain: { ...SINCE, kept: { user: 7 } } }], []],
    ["not by requests of other kinds", [{}, { kind: "title" }, {}], []],
    ["not by a request that was refused as malformed", [{}, { ...CUT, outcome: "rejected" }, {}], []],
  ])("%s", (_, exchanges, expected) => {
    const found = compactionsIn(listOf(...exchanges));
    expect(found.map(({ before, summaries, after }) => [before.index, summaries.length, after?.index ?? null])).toEqual(
      expected,
    );
  });
});

describe("the facts of a compaction", () => {
  const summary = { ...SUM, toolCount: 0, itemCount: 11, cacheReadTokens: 640, sinceMain: { ...SINCE, sameTools: false } };
  const after = { person: [1], probes: ["person 1", "read 2"], itemCount: 4, sinceMain: { ...SINCE, kept: { result: 2 } } };
  const [facts] = compactionFacts(listOf({}, { person: [0, 1] }, summary, after));

  test("say what the summary's request has of the request before", () => {
    expect(facts?.summaries).toEqual([
      { tokens: 1_000, tools: "dropped", system: "kept", model: "same", items: 11, equalItems: 10, cacheReadTokens: 600 },
    ]);
  });

  test("say what is in the request after it", () => {
    expect(facts?.after).toMatchObject({
      items: 4,
      person: [1],
      personCount: 2,
      resultsKept: 2,
      filesPutBack: 1,
      constraints: ["person 1", "read 2"],
    });
  });

  test.each([
    ["kept", { sinceMain: SINCE }],
    ["changed", { sinceMain: { ...SINCE, sameTools: false } }],
    ["dropped", { sinceMain: { ...SINCE, sameTools: false }, toolCount: 0 }],
  ])("tell tools that are %s", (tools, request) => {
    expect(compactionFacts(listOf({}, { ...SUM, ...request }, {}))[0]?.summaries[0]?.tools).toBe(tools);
  });
});

test.each([
  [149, 100],
  [150, 200],
  [null, 0],
])("%j tokens are told as %i", (tokens, expected) => {
  expect(rounded(tokens)).toBe(expected);
});
