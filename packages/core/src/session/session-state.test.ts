import { describe, expect, test } from "vitest";
import type { SessionEntry } from "../entry.ts";
import type { Message } from "../message/message.ts";
import { PI_POLICY } from "../policy/presets/pi.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import {
  compaction,
  human,
  logOf,
  replacedHistory,
  reply,
  revertOf,
  sessionStart,
  summarized,
  summaryMessage,
  usageEntry,
} from "../testing/builders.ts";
import { createEstimator, type EstimatorSpec } from "../tokens/built-in-estimators.ts";
import { EMPTY_LEDGER } from "../tokens/estimator.ts";
import { measuredIn } from "../tokens/ledger/ledger-estimator.ts";
import { createWorkCounter, type WorkCounter } from "../tokens/measure.ts";
import { anchoredIn } from "../tokens/usage-anchored.ts";
import { rejectedUsage, usageOf } from "../usage.ts";
import { EMPTY_STATE, foldLedger, foldState, type SessionState } from "./session-state.ts";
import { EMPTY_VIEW, foldEntry } from "./view.ts";

/** The ledger after a log, by sven's estimator or the one given, without any overhead. */
function ledgerOf(
  entries: readonly SessionEntry[],
  work: WorkCounter = createWorkCounter(),
  spec: EstimatorSpec = SVEN_POLICY.estimator,
) {
  const estimator = createEstimator(spec, work);
  const overhead = { system: "", tools: [], dynamicContext: null, hiddenTokens: 0 };
  return entries.reduce(
    ({ view, ledger }, entry) => {
      const next = foldEntry(view, entry);
      return { view: next, ledger: foldLedger(ledger, entry, { estimator, view: next, overhead }) };
    },
    { view: EMPTY_VIEW, ledger: EMPTY_LEDGER },
  ).ledger;
}

const eight = human("u", "12345678");
const four = reply("a", "1234");
const cut = compaction("cut", [summarized(summaryMessage("s", "1234"), ["u", "u"])]);

describe("foldLedger", () => {
  test.each<[string, readonly SessionEntry[], number]>([
    ["T-7: messages add up", logOf([eight, four]), 3],
    [
      "T-8: a new history is added up",
      [...logOf([eight, four]), compaction("c", [replacedHistory([reply("only", "only")])])],
      1,
    ],
    ["a summary in the place of a message", [...logOf([eight, four]), cut], 2],
    ["a revert", [...logOf([eight, four]), cut, revertOf("cut")], 3],
    ["a session's beginning", [sessionStart("system text is overhead")], 0],
  ])("%s", (_, entries, estimatedTokens) => {
    expect(ledgerOf(entries).estimatedTokens).toBe(estimatedTokens);
  });

  test("a report calibrates against the view that it measured", () => {
    expect(ledgerOf([...logOf([eight, four]), usageEntry("request", "a", 6)]).factor).toBeCloseTo(0.8 + 0.2 * 2, 12);
  });

  test.each([
    ["threshold", "engine"],
    ["recorded", "others"],
  ] as const)("a cut for the reason %s was made by the %s", (reason, by) => {
    const made = { ...cut, record: { ...cut.record, reason } };
    const entries = [...logOf([eight, four]), usageEntry("request", "a", 6), made];
    expect(measuredIn(ledgerOf(entries, createWorkCounter(), { kind: "ledger" })).base).toMatchObject({ kind: "cut", by });
  });

  test("edits do not change what was learned", () => {
    const entries = [...logOf([eight, four]), usageEntry("request", "a", 6)];
    expect(ledgerOf([...entries, cut]).factor).toBe(ledgerOf(entries).factor);
  });

  test("says how large the view was right after the latest compaction", () => {
    const entries = [...logOf([eight, four]), cut];
    expect(ledgerOf(entries).estimatedAtLastCutTokens).toBe(2);
    expect(ledgerOf([...entries, { type: "message", message: reply("b", "1234") }]).estimatedAtLastCutTokens).toBe(2);
    expect(ledgerOf(logOf([eight])).estimatedAtLastCutTokens).toBeNull();
  });

  test.each<[string, readonly SessionEntry[], number | null]>([
    ["a report anchors what follows it", [], 5000],
    ["a report from before a compaction does not measure what came after it", [cut], null],
    ["nor does it after an undo", [cut, revertOf("cut")], null],
    ["the next report does", [cut, usageEntry("next", "a", 700)], 700],
  ])("%s", (_, later, reportedTokens) => {
    const entries = [...logOf([eight, four]), usageEntry("request", "a", 5000), ...later];
    const { anchor } = anchoredIn(ledgerOf(entries, createWorkCounter(), PI_POLICY.estimator));
    expect(anchor?.reportedTokens ?? null).toBe(reportedTokens);
  });

  test("scans each message once, whatever happens to the view", () => {
    const work = createWorkCounter();
    ledgerOf([...logOf([eight, four]), cut, revertOf("cut")], work);
    expect(work.total().charactersScanned).toBe(8 + 4 + 4);
  });

  const usage = (id: string) => usageEntry(`request-${id}`, null, 5000);
  const text = (id: string, tokens: number): SessionEntry => ({ type: "message", message: human(id, "1234".repeat(tokens)) });

  // Four bytes are a token. The average goes on by a tenth of how far the newest step is from it.
  test.each<[string, readonly SessionEntry[], number, number | null]>([
    ["before the first call nothing is known", [text("a", 4)], 0, null],
    ["the first call begins the first step", [text("a", 4), usage("1")], 0, 4],
    ["a step of 6 tokens: 10 − 4", [text("a", 4), usage("1"), text("b", 6), usage("2")], 6, 10],
    ["one of 16: 6 + 0.1 × (16 − 6)", [text("a", 4), usage("1"), text("b", 6), usage("2"), text("c", 16), usage("3")], 7, 26],
    ["and one of nothing: 6 + 0.1 × (0 − 6)", [text("a", 4), usage("1"), text("b", 6), usage("2"), usage("3")], 5.4, 10],
    [
      "a cut is where the next step begins: 6, then 6 + 0.1 × (2 − 6)",
      [
        ...[text("a", 4), usage("1"), text("b", 6), usage("2")],
        compaction("c", [replacedHistory([human("k", "1234".repeat(3))])]),
        ...[text("d", 2), usage("3")],
      ],
      5.6,
      5,
    ],
    ["a cut before the first is no call", [text("a", 4), compaction("c", [replacedHistory([human("k", "1234")])])], 0, null],
  ])("growth a step: %s", (_, later, stepGrowthTokens, estimatedAtLastCallTokens) => {
    const ledger = ledgerOf([sessionStart(), ...later]);
    expect(ledger.stepGrowthTokens).toBeCloseTo(stepGrowthTokens, 12);
    expect(ledger.estimatedAtLastCallTokens).toBe(estimatedAtLastCallTokens);
  });

  test.each<[string, readonly SessionEntry[], number, string | null]>([
    ["the reply that the report counted is part of the anchor: 2 + 1", [], 3, null],
    ["what comes after it is not", [text("later", 5)], 3, null],
    ["nor is a second reply", [{ type: "message", message: { ...four, id: "again" } }], 3, null],
    ["nor is one without a request", [{ type: "message", message: { ...four, id: "again", requestId: null } }], 3, null],
  ])("%s", (_, later, estimatedTokens, coversReplyOf) => {
    const counted = { ...usageEntry("request-a", "u", 5000), usage: usageOf({ totalInputTokens: 5000, outputTokens: 9 }) };
    const entries = [...logOf([eight]), counted, { type: "message", message: four } as const, ...later];
    const { anchor } = anchoredIn(ledgerOf(entries, createWorkCounter(), PI_POLICY.estimator));
    expect(anchor).toEqual({ reportedTokens: 5009, estimatedTokens, coversReplyOf });
  });

  test.each<[string, Message]>([
    ["of another request", { ...four, requestId: "other" }],
    ["without a request", { ...four, requestId: null }],
    ["of a person", eight],
  ])("a message %s is not what the report counted", (_, message) => {
    const counted = { ...usageEntry("request-a", "u", 5000), usage: usageOf({ totalInputTokens: 5000, outputTokens: 9 }) };
    const entries = [
      ...logOf([human("u", "12345678")]),
      counted,
      { type: "message", message: { ...message, id: "m" } } as const,
    ];
    const { anchor } = anchoredIn(ledgerOf(entries, createWorkCounter(), PI_POLICY.estimator));
    expect(anchor).toEqual({ reportedTokens: 5009, estimatedTokens: 2, coversReplyOf: "request-a" });
  });

  test("another model is the estimator's matter", () => {
    const changed = { ...EMPTY_LEDGER, factor: 3 };
    const estimator = { ...createEstimator(SVEN_POLICY.estimator, createWorkCounter()), changeModel: () => changed };
    const overhead = { system: "", tools: [], dynamicContext: null, hiddenTokens: 0 };
    expect(foldLedger(EMPTY_LEDGER, otherModel, { estimator, view: EMPTY_VIEW, overhead })).toBe(changed);
  });

  test.each<[string, SessionEntry]>([
    ["a new setup", { type: "setup-change", id: "x", system: "new", tools: [], atMs: null }],
    [
      "an attempt",
      { type: "attempt", id: "x", reason: "manual", outcome: "failed", steps: [], estimatedTokens: 1, atMs: null },
    ],
  ])("%s measures nothing", (_, entry) => {
    expect(ledgerOf([...logOf([eight]), entry])).toEqual(ledgerOf(logOf([eight])));
  });
});

const otherModel: SessionEntry = { type: "model-change", id: "x", modelId: "other", limits: null, atMs: 5 };

function stateOf(entries: readonly SessionEntry[]): SessionState {
  const work = createWorkCounter();
  const fold = { estimator: createEstimator(SVEN_POLICY.estimator, work), hiddenTokens: 0, work, asking: ["summarize"] };
  return entries.reduce((state, entry) => foldState(state, entry, fold).state, EMPTY_STATE);
}

describe("what is known of a session", () => {
  const reported = (id: string, atMs: number | null): SessionEntry => ({ ...usageEntry(id, "u", 5), atMs });
  const rejected: SessionEntry = { ...usageEntry("rejected", "u", 5), usage: rejectedUsage(5) };

  test.each<[string, readonly SessionEntry[], number | null]>([
    ["none yet", logOf([eight]), null],
    ["that of the newest", [reported("q", 10), reported("r", 20)], 20],
    ["that of the one before, if the newest has none", [reported("q", 10), reported("r", null)], 10],
    ["what is no report has none", [reported("q", 10), otherModel], 10],
  ])("the time of the newest report: %s", (_, entries, atMs) => {
    expect(stateOf([sessionStart(), ...entries]).reportedAtMs).toBe(atMs);
  });

  test.each<[string, readonly SessionEntry[], string | null]>([
    ["none yet", [], null],
    ["the newest", logOf([eight, four]), "a"],
    ["also if an edit took it out", [...logOf([eight]), cut], "u"],
  ])("the message that was appended last: %s", (_, entries, id) => {
    expect(stateOf([sessionStart(), ...entries]).lastMessageId).toBe(id);
  });

  test.each<[string, readonly SessionEntry[], readonly string[]]>([
    ["none yet", [], []],
    ["each in turn", [reported("q", 1), reported("r", 2)], ["q", "r"]],
    ["not one that was rejected", [reported("q", 1), rejected], ["q"]],
    ["none from before a message", [reported("q", 1), ...logOf([four]).slice(1), reported("r", 2)], ["r"]],
    ["none right after a message", [reported("q", 1), ...logOf([four]).slice(1)], []],
    ["other entries leave them", [reported("q", 1), otherModel], ["q"]],
  ])("the requests that were answered since the last message: %s", (_, entries, ids) => {
    expect(stateOf([sessionStart(), ...entries]).answeredRequestIds).toEqual(ids);
  });
});

test("reports of no tokens say nothing of the prompt cache", () => {
  const work = createWorkCounter();
  const fold = { estimator: createEstimator(SVEN_POLICY.estimator, work), hiddenTokens: 0, work, asking: ["summarize"] };
  const usage = usageOf({ totalInputTokens: 0, cacheReadTokens: 0 });
  const reports = [0, 10_800_000].map((atMs) => ({ ...usageEntry(`q${atMs}`, null, 0), usage, atMs }));
  const { cacheSigns } = reports.reduce((state, entry) => foldState(state, entry, fold).state, EMPTY_STATE);
  expect(cacheSigns).toMatchObject({ warmMs: 0, coldMs: null, before: null });
});
