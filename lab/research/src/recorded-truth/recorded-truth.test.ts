import { PEERS, type Peer, type Transcript } from "@plimsoll/bench";
import { prepareSession } from "@plimsoll/bench/extend";
import { madeTranscript } from "@plimsoll/bench/testing";
import { isHuman, type SessionEntry, usageOf } from "@plimsoll/core";
import { human, usageEntry } from "@plimsoll/core/testing";
import { describe, expect, test } from "vitest";
import { followedAgent } from "./agents.ts";
import { filesPutBack, leftAt } from "./left.ts";
import { predictionOf, withEarlierReasoning } from "./prediction.ts";
import { createKnownFiles } from "./read-files.ts";
import { type Stretch, stretchesOf } from "./stretches.ts";
import { metOf, scored } from "./truth.ts";
import { truthPage } from "./truth-page.ts";

/** Six turns of four calls; the agent compacts before the third turn and before the fifth. */
const MADE = madeTranscript({ turns: 6, toolCallsPerTurn: 3, resultChars: 8000, overheadTokens: 5000, boundaries: [2, 4] });

function firstOf(transcript: Transcript): Stretch {
  const [first] = stretchesOf(transcript);
  if (first === undefined) throw new Error("no compaction");
  return first;
}

describe("a recorded compaction has the history since the one before", () => {
  test.each([
    [0, 8, 8],
    [1, 8, 8],
  ])("%i: %i calls before it, and as many as come up to the next one", (ordinal, callsBefore, callsAfter) => {
    const stretch = stretchesOf(MADE)[ordinal];
    const usages = stretch?.transcript.entries.filter(({ type }) => type === "usage") ?? [];
    expect(stretch?.callsBefore).toBe(callsBefore);
    expect(usages.length).toBe(callsBefore + callsAfter);
  });

  test("the second begins with the summary of the first", () => {
    const [, second] = stretchesOf(MADE);
    const [message] = second?.transcript.entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : [])) ?? [];
    expect(message).toMatchObject({ role: "user", origin: "summary" });
  });

  test("one that no prompt follows is passed over", () => {
    const last = MADE.entries.findLastIndex(({ type }) => type === "compaction");
    expect(stretchesOf({ ...MADE, entries: MADE.entries.slice(0, last + 1) })).toHaveLength(1);
  });
});

describe("who made it", () => {
  const boundary = MADE.entries.findIndex(({ type }) => type === "compaction");
  const id = MADE.entries.flatMap((entry) => (entry.type === "compaction" ? [entry.id] : []))[0] ?? "";
  /** The same compaction, three messages earlier: behind a result. */
  const inTurn = [
    ...MADE.entries.slice(0, boundary - 2),
    ...MADE.entries.slice(boundary, boundary + 1),
    ...MADE.entries.slice(boundary - 2, boundary),
    ...MADE.entries.slice(boundary + 1),
  ];

  test.each<[string, Transcript, Stretch["madeBy"]]>([
    ["the log says automatic", { ...MADE, automaticCompactionIds: [id] }, "automatic"],
    ["a log that names triggers does not say automatic", { ...MADE, format: "claude-code" }, "manual"],
    ["nothing is said, between turns", MADE, "untold"],
    ["nothing is said, behind a result", { ...MADE, entries: inTurn }, "automatic"],
  ])("%s: %#", (_, transcript, expected) => {
    expect(firstOf(transcript).madeBy).toBe(expected);
  });
});

describe("the likeness is replayed over that history", () => {
  const codex = PEERS.find(({ policy }) => policy.name === "codex");
  const agentOf = (peer: Peer | undefined, contextWindowTokens: number) => ({
    agent: "made",
    version: "1",
    peer: peer ?? { policy: PEERS[0]?.policy ?? never() },
    limits: { contextWindowTokens, maxOutputTokens: 0 },
  });

  test.each([
    // 5,000 tokens, and some 2,000 for each of three results a turn: six of them before the agent's own compaction at its eighth call.
    ["behind the sixth result, a call before the agent", 17_000, 7],
    ["behind the fifth", 15_000, 6],
    ["later than the agent", 24_000, 13],
  ])("%s", async (_, lineTokens, calls) => {
    const found = await predictionOf(firstOf(MADE), agentOf(codex, Math.round(lineTokens / 0.9)));
    expect(found?.callsBefore).toBe(calls);
    expect(found?.afterTokens).toBeLessThan(found?.beforeTokens ?? 0);
  });

  test("one that never gets so far is not predicted", async () => {
    expect(await predictionOf(firstOf(MADE), agentOf(codex, 200_000))).toBeNull();
  });
});

test("reasoning counts once more from the next turn on", () => {
  const call = (id: string, reasoningTokens: number): SessionEntry => ({
    ...usageEntry(id, null, 100),
    usage: usageOf({ totalInputTokens: 100, outputTokens: 50, reasoningTokens }),
  });
  const says = (id: string): SessionEntry => ({ type: "message", message: human(id, "go on") });
  const counted = withEarlierReasoning([
    says("a"),
    call("1", 30),
    call("2", 10),
    says("b"),
    call("3", 5),
    says("c"),
    call("4", 0),
  ]);
  expect(counted.flatMap((entry) => (entry.type === "usage" ? [entry.usage.output.totalTokens] : []))).toEqual([
    50, 50, 90, 95,
  ]);
});

describe("files that are read again", () => {
  const rule = { newest: 2, eachTokens: 100 };
  const file = (chars: number) => ({ path: `${chars}`, chars, lines: 0 });

  test.each([
    ["the newest touched, as many as the rule says", [file(40), file(80), file(20)], [10, 20]],
    ["one that is too long is left out, and no other takes its place", [file(404), file(80), file(20)], [20]],
    ["none, if none was touched", [], []],
  ])("%s", (_, files, tokens) => {
    expect(filesPutBack(files, { rule, charsPerToken: 4 })).toEqual(tokens);
  });

  const use = (id: string, path: string, more: object = {}) => ({
    message: { content: [{ type: "tool_use", id, input: { file_path: path, ...more } }] },
  });
  const result = (id: string, toolUseResult: object, more: object = {}) => ({
    toolUseResult,
    message: { content: [{ type: "tool_result", tool_use_id: id, ...more }] },
  });

  test.each<[string, readonly object[], readonly object[]]>([
    [
      "a part that was read tells the whole",
      [use("1", "a"), result("1", { file: { content: "12345", numLines: 1, totalLines: 4 } })],
      [{ path: "a", chars: 20, lines: 4 }],
    ],
    [
      "a change tells the file before it, and what it adds",
      [use("1", "a", { old_string: "x", new_string: "xyz" }), result("1", { originalFile: "x\ny" })],
      [{ path: "a", chars: 5, lines: 2 }],
    ],
    [
      "the newest touched stands first",
      [
        use("1", "a"),
        use("2", "b"),
        result("1", { content: "1" }),
        result("2", { content: "2" }),
        result("1", { content: "3" }),
      ],
      [
        { path: "a", chars: 1, lines: 1 },
        { path: "b", chars: 1, lines: 1 },
      ],
    ],
    ["a call that failed tells nothing", [use("1", "a"), result("1", { content: "1" }, { is_error: true })], []],
    ["rules and plans of the agent are no files", [use("1", "/w/CLAUDE.md"), result("1", { content: "1" })], []],
  ])("%s", (_, lines, expected) => {
    const known = createKnownFiles();
    for (const line of lines) known.take({ ...line });
    expect(known.newestFirst()).toEqual(expected);
  });
});

describe("what is left by description", () => {
  const session = prepareSession(MADE);
  const leaves = { personTokens: 0, answers: false, initialContext: false, files: null, source: "made" };
  const entries = MADE.entries.slice(0, firstOf(MADE).position);
  const sizeOf = (isWanted: (entry: SessionEntry) => boolean) =>
    entries
      .filter(isWanted)
      .reduce((sum, entry) => sum + (entry.type === "message" ? session.sizeJudge.messageTokens(entry.message, 8) : 0), 0);
  const came = leftAt(firstOf(MADE), { leaves, session, files: [] }).messageTokens;

  test.each([
    ["nothing", {}, 0],
    ["the person's messages", { personTokens: 10_000 }, sizeOf((entry) => entry.type === "message" && isHuman(entry.message))],
    ["none that do not fit", { personTokens: 1 }, 0],
  ])("%s", (_, changed, tokens) => {
    const left = leftAt(firstOf(MADE), { leaves: { ...leaves, ...changed }, session, files: [] });
    expect(left.messageTokens - came).toBeCloseTo(tokens);
    expect(left.overheadTokens).toBe(session.sizeJudge.firstOverheadTokens);
  });
});

describe("scores", () => {
  const one = (file: string, afterTokens: number, leftTokens: number | null, callsBefore = 10) => ({
    agent: "made",
    version: "1",
    file,
    madeBy: "automatic" as const,
    callsBefore,
    beforeTokens: 1000,
    afterTokens,
    predicted: { callsBefore: 12, beforeTokens: 1100, afterTokens: 150 },
    leftTokens,
  });

  test("the usual summary is of other sessions", () => {
    const [first, second] = scored([one("a", 120, 100), one("b", 100, 50)]);
    // The rest of b is 50, that of a 20.
    expect(first?.leftOffRatio).toBeCloseTo(150 / 120 - 1);
    expect(second?.leftOffRatio).toBeCloseTo(70 / 100 - 1);
  });

  test("without a description the policy's own result counts", () => {
    expect(scored([one("a", 100, null)])[0]).toMatchObject({ leftOffRatio: 0.5, policyOffRatio: 0.5, callsOff: 2 });
  });

  test.each([
    ["two calls and a tenth are met", 10, 150, 1, 1],
    ["three calls are not", 9, 150, 0, 1],
    ["more than a tenth is not", 10, 136, 1, 0],
  ])("%s", (_, callsBefore, afterTokens, calls, left) => {
    expect(metOf(scored([one("a", afterTokens, null, callsBefore)]))).toMatchObject({ count: 1, calls, left });
  });

  test("what misses a goal stands before the whole table", () => {
    const page = truthPage(scored([one("x__lost", 100, null, 3), one("x__met", 150, null)]), {
      unreadFiles: 1,
      unfollowedSessions: 0,
    });
    const misses = page.slice(page.indexOf("## What misses"), page.indexOf("## All"));
    expect(misses).toContain("| lost |");
    expect(misses).not.toContain("| met |");
    expect(page).toContain("Within 2 calls: 1 of 2 (50 %)");
  });
});

test.each([
  ["claude-code", "2.1.20", "claude-code-2.1.20"],
  ["claude-code", "2.1.25", "claude-code"],
  ["codex", "0.142.0", "codex"],
  ["pi", "", "pi"],
  ["openhands", "1", undefined],
])("%s %s is followed by %s", (format, version, name) => {
  const start = { ...MADE.entries[0], agent: { name: format, version } };
  const entries = MADE.entries.map((entry, place) =>
    place === 0 && entry.type === "session" ? { ...entry, agent: start.agent } : entry,
  );
  expect(followedAgent({ ...MADE, format, entries })?.peer.policy.name).toBe(name);
});

function never(): never {
  throw new Error("no peer");
}
