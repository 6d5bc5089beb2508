import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ExchangeFacts } from "@plimsoll/simulator";
import { describe, expect, test } from "vitest";
import { PLAIN_EXCHANGE } from "../../testing/plain-exchange.ts";
import { root } from "../namespace.ts";
import { OPENCODE, OPENCODE_ANTHROPIC } from "../programs/opencode.ts";
import { ACCEPTANCE_CASES } from "./cases.ts";
import type { AcceptanceFacts } from "./facts.ts";
import { acceptanceFactsSchema, problemsOf, SUB_AGENT_PROBE, totalsOf } from "./facts.ts";
import { acceptancePage } from "./page.ts";
import { wholeResults } from "./run-case.ts";

const EXCHANGE: ExchangeFacts = { ...PLAIN_EXCHANGE, promptTokens: 10_000, toldPromptTokens: 10_000, cacheReadTokens: 9_500 };
const OTHER_TOOLS = "111111111111";

const totals = (...exchanges: readonly Partial<ExchangeFacts>[]) =>
  totalsOf(exchanges.map((each, index) => ({ ...EXCHANGE, index, ...each })));

test.each<[string, readonly Partial<ExchangeFacts>[], Partial<ReturnType<typeof totalsOf>>]>([
  [
    "a compaction is a smaller request, a break one that reads less",
    [{}, {}, { promptTokens: 3_000, cacheReadTokens: 0 }, { promptTokens: 3_500, cacheReadTokens: 2_900 }],
    { requests: 4, refused: 0, compactions: 1, breaks: 1, largestTokens: 10_000, cachedRatio: 0.826 },
  ],
  [
    "side requests are apart",
    [{}, { kind: "title", outcome: "overflow" }, { outcome: "rejected" }],
    { requests: 2, refused: 1, refusedAside: 1 },
  ],
  ["a summary is the program's own compaction", [{}, { kind: "summary" }], { requests: 1, nativeCompactions: 1 }],
  ["the person's words are counted", [{}, { person: [] }], { requests: 2, personKept: 1 }],
  [
    "the model is the first's, and what was not shown is counted",
    [{}, { modelId: "other", dropCount: 2 }, { dropCount: 1 }],
    { modelId: "m", drops: 3 },
  ],
  [
    "what is declared is kept if no system text and no system message is missing",
    [{}, { roles: { user: 10, system: 1 } }, { systemHash: OTHER_TOOLS }, { roles: { user: 1 } }, { roles: { system: 1 } }],
    { declaredKept: 3 },
  ],
  ["from a second on, both", [{}, { person: [0, 1] }, { person: [1] }, { person: [0] }, { person: [0, 1] }], { personKept: 3 }],
  [
    "a sub-agent's requests are compared with its own alone, and hold its own first message",
    [
      {},
      { toolsHash: OTHER_TOOLS, person: [], probes: [SUB_AGENT_PROBE], promptTokens: 4_000, cacheReadTokens: 0 },
      { toolsHash: OTHER_TOOLS, person: [], probes: [], promptTokens: 4_500, cacheReadTokens: 3_900 },
      { promptTokens: 10_500, cacheReadTokens: 9_900 },
    ],
    { requests: 4, subAgentRequests: 2, personKept: 3, compactions: 0, breaks: 0 },
  ],
])("%s", (_, exchanges, expected) => {
  expect(totals(...exchanges)).toMatchObject(expected);
});

const ACCEPTED: AcceptanceFacts = {
  name: "opencode-plugin",
  title: "OpenCode plugin",
  kind: "plugin",
  version: "1.0.0",
  wire: "openai-chat",
  recorded: "2026-11-22",
  windowTokens: 32_000,
  steps: 100,
  requests: 101,
  subAgentRequests: 0,
  refused: 0,
  refusedAside: 3,
  nativeCompactions: 0,
  cachedRatio: 0.9,
  largestTokens: 31_000,
  compactions: 4,
  breaks: 4,
  resumes: 0,
  personKept: 101,
  modelId: "m",
  declaredKept: 101,
  drops: 0,
  storedWhole: 100,
  putBack: null,
  told: "answer",
};
const HOOKS = { kind: "hooks", nativeCompactions: 3, cachedRatio: 0.5, putBack: { whole: 3, ratio: 0.001 } } as const;

test.each<[string, Partial<AcceptanceFacts>, readonly string[]]>([
  ["as it has to be", {}, []],
  ["a main request was refused", { refused: 1 }, ["requests were refused"]],
  ["it ended early", { requests: 100, personKept: 100, declaredKept: 100 }, ["it ended early"]],
  ["too little came from the cache", { cachedRatio: 0.84 }, ["too little came from the cache"]],
  ["a prompt filled the window", { largestTokens: 32_000 }, ["a prompt filled the window"]],
  ["a compaction broke the prefix twice", { breaks: 5 }, ["the cache broke more often than it was compacted"]],
  ["a new process compacts anew once", { breaks: 5, resumes: 1 }, []],
  ["nothing was compacted", { compactions: 0, breaks: 0 }, ["nothing was compacted"]],
  ["the program compacted", { nativeCompactions: 1 }, ["the program compacted by itself"]],
  ["the person's words were lost once", { personKept: 100 }, ["the person's words were lost"]],
  ["what is declared was lost once", { declaredKept: 100 }, ["something that the program declares was lost"]],
  ["thinking was dropped", { drops: 1 }, ["thinking was dropped"]],
  ["the stored session has lost a result", { storedWhole: 99 }, ["the stored session was changed"]],
  ["a broken session that was mended is not compacted", { kind: "doctor", compactions: 0, breaks: 1, cachedRatio: 0.5 }, []],
  ["a broken session was refused again", { kind: "doctor", refused: 1 }, ["requests were refused"]],
  ["every question was answered", { asked: { right: 9, of: 9 } }, []],
  ["a question was not", { asked: { right: 8, of: 9 } }, ["the proxy answered a question about itself wrongly"]],
  ["hooks leave compaction to the program", HOOKS, []],
  ["hooks had nothing to do", { ...HOOKS, nativeCompactions: 0, putBack: null }, ["nothing was put back"]],
  ["hooks put back too little", { ...HOOKS, putBack: { whole: 2, ratio: 0.001 } }, ["something was not put back"]],
  ["hooks put back too much", { ...HOOKS, putBack: { whole: 3, ratio: 0.006 } }, ["too much was put back"]],
])("%s", (_, changed, problems) => {
  expect(problemsOf({ ...ACCEPTED, ...changed })).toEqual(problems);
});

describe("the page", () => {
  test("shows what was not accepted first, and why", () => {
    const page = acceptancePage([ACCEPTED, { ...ACCEPTED, title: "Other", breaks: 5 }]);
    expect(page.indexOf("| Other |")).toBeLessThan(page.indexOf("| OpenCode plugin |"));
    expect(page).toContain("**not accepted**: the cache broke more often");
  });

  test("has each of the facts accepted, which are of rows that there are, and hold no text", () => {
    const folder = join(root, "lab/observatory/acceptance");
    const names = existsSync(folder) ? readdirSync(folder) : [];
    const known = ACCEPTANCE_CASES.map(({ name }) => `${name}.json`);
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
    const kept = known
      .filter((name) => names.includes(name))
      .map((name) => acceptanceFactsSchema.parse(JSON.parse(readFileSync(join(folder, name), "utf8"))));
    const accepted = acceptancePage(kept).match(/\| accepted \|$/gm) ?? [];
    expect(accepted).toHaveLength(kept.length);
    expect(kept.length).toBeGreaterThan(30);
  });
});

test("a stored result counts if all of it is there", () => {
  const result = (call: number, lines: number) => JSON.stringify({ output: `line of call ${call}\n`.repeat(lines) });
  expect(wholeResults([result(1, 200), result(2, 5), result(3, 200)], 10)).toBe(2);
});

test("each row is one, and OpenCode is one program on two wires", () => {
  expect(new Set(ACCEPTANCE_CASES.map(({ name }) => name)).size).toBe(ACCEPTANCE_CASES.length);
  expect(OPENCODE_ANTHROPIC).toMatchObject({ packageName: OPENCODE.packageName, version: OPENCODE.version });
});
