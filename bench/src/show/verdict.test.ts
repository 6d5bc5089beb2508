import { describe, expect, test } from "vitest";
import { exampleReport, withMetrics } from "../../testing/example-report.ts";
import { madeSession } from "../../testing/made-standing.ts";
import { standingOf } from "../judge/standing.ts";
import type { BenchReport } from "../results.ts";
import { shownReport } from "./report-tables.ts";
import { choiceWords, isAdvised } from "./verdict.ts";

/** Behind two spaces on a terminal of 80 columns. */
const LINE_CHARS = 78;

const linesOf = (report: BenchReport) => shownReport(report).windows.map(({ judged, lines }) => ({ ...judged, lines }));

const NOBODY = { digest: 0, recorded: 0, recordedAndDigest: 0, model: 0, failed: 0 };

/** A report of so many projects, with a second policy that acts. */
const projects = (count: number) =>
  exampleReport({
    sessions: Array.from({ length: count }, (_, index) => `o${index}__r__s.jsonl`),
    calls: 120,
    sweptRatios: [0.9],
  });

describe("verdicts", () => {
  test("say in six lines which policy, what it costs, keeps and loses, and how sure that is", () => {
    const [verdict] = linesOf(exampleReport());
    expect(verdict?.lines).toEqual([
      "No answer yet. Closest: sven*.",
      expect.stringMatching(/^Costs [\d.]+% of the cost without compaction; recorded [\d.]+%\.$/),
      expect.stringMatching(/^Keeps [\d.]+% of the text later replies needed, word for word; recorded [\d.]+%\.$/),
      expect.stringMatching(
        /^Worse on [a-z ]+: [\d.]+ points below keeping only the newest messages \([\d,]+ cases\), and on \d other measures\.$/,
      ),
      expect.stringMatching(/^Compacts at 39\.\dk of 64\.\dk\.$/),
      "How sure: too little data: 2 sessions of 1 project; 8 sessions are needed.",
    ]);
  });

  test.each([
    [
      "lost requests of an agent that compacted",
      1,
      1,
      ["100% is the run without compaction up to the window, and beyond it the log's own requests, which the agent compacted."],
    ],
    ["lost requests of one that didn't", 1, 0, []],
    ["no lost request", 0, 1, []],
  ])("say where 100% is from the log: %s", (_, unrecoveredRequests, recordedBoundaries, lines) => {
    const report = exampleReport({ sessions: ["a", "b"] });
    const sessions = report.sessions.map((each) => ({ ...each, recordedBoundaries }));
    const lost = withMetrics({ ...report, sessions }, ({ safety }, { policy, session }) =>
      policy === "none" && session === "a" ? { safety: { ...safety, unrecoveredRequests } } : {},
    );
    expect(linesOf(lost)[0]?.lines.filter((line) => line.startsWith("100% is "))).toEqual(lines);
  });

  test("say that the answer is for several agents together, if the person's sessions are of several", () => {
    const report = exampleReport({ sessions: ["a", "b"] });
    const sessions = report.sessions.map((each, at) => ({ ...each, format: `agent-${at}` }));
    const together = "For agent-0 and agent-1 together; --from AGENT judges one.";
    expect([report, { ...report, sessions }].map((each) => linesOf(each)[0]?.lines.includes(together))).toEqual([false, true]);
  });

  test("fit a terminal of 80 columns", () => {
    const reports = [exampleReport({ workingRoomsTokens: [16_000, 128_000] }), projects(3), projects(9)];
    const lines = reports.flatMap((report) => linesOf(report).flatMap((verdict) => verdict.lines));
    expect(lines.length).toBeGreaterThan(15);
    expect(lines.filter((line) => line.length > LINE_CHARS && !line.startsWith("Worse on"))).toEqual([]);
  });

  test("there is one for each window, whoever writes the summaries", () => {
    const windows = linesOf(exampleReport({ workingRoomsTokens: [16_000, 128_000] })).map(({ windowLabel }) => windowLabel);
    expect(windows).toEqual(["16k for messages and reply", "128k for messages and reply"]);
    const [both] = linesOf(withMetrics(projects(3), (_, { policy }) => (policy === "sven" ? {} : { summaries: NOBODY })));
    expect(both?.answers.filter(({ choice }) => choice.pick !== null)).toHaveLength(2);
    expect(both?.lines).toHaveLength(6);
    expect(both?.lines[0]).toMatch(/ (No policy with model summaries beats it|With model summaries.*: sven\*)/);
  });

  test("recommend no policy that never compacted", () => {
    const report = exampleReport();
    const nothing = new Map(report.rows.flatMap((row) => (row.policy === "none" ? [[row.session, row.metrics] as const] : [])));
    const rows = report.rows.map((row) => ({ ...row, metrics: nothing.get(row.session) ?? null }));
    const [verdict] = linesOf({ ...report, rows });
    expect(verdict?.lines[0]).toBe("No compaction looks best here: sven, the closest policy, never compacted.");
    expect(verdict?.lines[4]).toMatch(/^sven would compact at /);
  });

  test("name the largest loss against the other policies, after the choice", () => {
    const report = withMetrics(projects(3), ({ cost, passages, summaries }, { policy }) => {
      if (policy === "none" || policy === "recorded") return {};
      const isSven = policy === "sven";
      const own = { ...passages, all: { ...passages.all, held: passages.all.uses * (isSven ? 1 : 0.95) } };
      return { cost: { ...cost, withCacheUsd: isSven ? 1.082 : 1 }, passages: own, summaries: isSven ? summaries : NOBODY };
    });
    expect(linesOf(report)[0]?.lines[1]).toBe("sven* costs 8.2% more and keeps 5.0 points more of passages (2,160 cases).");
  });

  test("name no policy with summaries by a model that costs as much and keeps no more", () => {
    const report = withMetrics(projects(3), ({ cost }, { policy }) => {
      if (policy === "sven") return {};
      const isCheap = policy !== "none" && policy !== "recorded";
      return { cost: isCheap ? { ...cost, withCacheUsd: 0.01 } : cost, summaries: NOBODY };
    });
    expect(linesOf(report)[0]?.lines[0]).toMatch(/ No policy with model summaries beats it\.$/);
  });

  test.each([
    [9, "keep a: 8 of 8 kept", "Of 3 policies, use sven trigger.ratio=0.9*.", "surely more"],
    [9, "keep a: 8 of 9 kept, no room for 1", "No policy is clearly better. Closest: sven trigger.ratio=0.9*.", "surely more"],
    [7, "keep a: 8 of 8 kept", "No answer yet. Best trade-off so far: sven trigger.ratio=0.9*.", "a point more"],
  ])("of %i projects praise no policy whose own keep rule took all of its room: %s", (count, step, first, more) => {
    const report = projects(count);
    const rows = report.rows.map((row) => ({
      ...row,
      compactions: row.compactions.map((each) => ({ ...each, steps: [step] })),
    }));
    const filled = withMetrics({ ...report, rows }, ({ replacedTexts, passages, fileInHand }, { policy }) => {
      if (policy === "none" || policy === "recorded") return {};
      const whole = (held: typeof passages) => ({
        ...held,
        all: { ...held.all, held: held.all.uses },
        far: { ...held.far, held: held.far.uses },
      });
      return { replacedTexts: whole(replacedTexts), passages: whole(passages), fileInHand: whole(fileInHand) };
    });
    const lines = linesOf(filled)[0]?.lines;
    expect(lines?.[0]).toBe(first);
    expect(lines).toContain(`With model summaries, no policy of similar cost keeps ${more}.`);
  });

  test("say how sure it is from eight projects on", () => {
    const [verdict] = linesOf(projects(9));
    expect(verdict?.lines[5]).toMatch(/^How sure: came first in 100% of resamples of 9 projects; cost [\d.]+ to [\d.]+%\.$/);
  });

  test.each([
    ["too few sessions", null, "No answer yet. Best trade-off so far: ours."],
    [
      "chance, if it came first in under half of the resamples",
      { again: 0.49 },
      "No difference that these sessions show. Closest: ours.",
    ],
    [
      "few resamples in which it came first",
      { again: 0.79 },
      "No policy is clearly better than the others: ours looks best here.",
    ],
    ["most resamples", { again: 0.8 }, "Of 2 policies, use ours."],
  ])("begin by %s", (_, sureness, line) => {
    const ours = standingOf("ours", [madeSession("a", 0.5, { held: 80 })]);
    const answer = { choice: { recommended: [ours] }, sureness };
    expect(choiceWords(answer, ours, { nameOf: String, compared: 2 })).toBe(line);
    expect(isAdvised(answer, ours, null)).toBe(line.includes("use ours"));
  });

  test.each([
    ["surely saves 5% and loses nothing", 0.9, 80, "Of 2 policies, use ours."],
    ["saves less", 0.83, 80, "Of 2 policies, ours looks best here."],
    ["loses a point", 0.9, 81, "Of 2 policies, ours looks best here."],
  ])("say to change the person's own compaction only for a policy that %s, as advise does", (_, costRatio, held, line) => {
    const over = (name: string, ratio: number, share: number) => {
      const sessions = Array.from({ length: 8 }, (_, at) => madeSession(`${name}${at}`, ratio, { held: share }));
      return standingOf(
        name,
        sessions.map((each, at) => ({ ...each, session: `s${at}`, file: `s${at}` })),
      );
    };
    const [ours, now] = [over("ours", 0.8, 80), over("recorded", costRatio, held)];
    expect(
      choiceWords({ choice: { recommended: [ours] }, sureness: { again: 1 } }, ours, { nameOf: String, now, compared: 2 }),
    ).toBe(line);
  });

  test("give the line of a share of the room by the room, whatever lies beside it", () => {
    const report = exampleReport();
    const trigger = { atLeast: { ratio: 0.25, of: "room" }, pays: 12 } as const;
    const policies = report.policies.map((each) => ({ ...each, policy: { ...each.policy, trigger } }));
    const rows = report.rows.map((row) => ({ ...row, overheadTokens: row.contextWindowTokens - 64_000 }));
    expect(linesOf({ ...report, policies, rows })[0]?.lines).toContain(
      "Compacts from 14.0k if it saves money, at 56.0k of 64.0k at the latest.",
    );
  });

  test("say what a policy does to sessions that fit without it, and recommend none that only costs text", () => {
    const report = exampleReport({ sessions: ["a", "b"] });
    const linesIf = (fits: (session: string) => boolean) =>
      linesOf(
        withMetrics(report, ({ safety }, { session }) =>
          fits(session) ? { safety: { ...safety, overflowingRequests: 0 } } : {},
        ),
      )[0]?.lines;
    expect(linesIf((session) => session === "b")?.[3]).toMatch(
      /^Also acts in 1 session that never fills its window: keeps [\d.]+% and costs [\d.]+%\.$/,
    );
    const whole = linesIf(() => true);
    expect(whole?.[0]).toBe("No answer yet. Closest: sven*.");
    expect(whole?.[2]).toMatch(/; without compaction [\d.]+%\.$/);
  });

  test("show what the person runs now once: as recorded, else the one policy that is like it", () => {
    const report = exampleReport();
    expect(linesOf(report)[0]?.now?.policy).toBe("recorded");
    const without = { ...report, rows: report.rows.filter(({ policy }) => policy !== "recorded") };
    expect(linesOf(without)[0]?.now).toBeNull();
  });

  test.each([
    ["without `none` say what is missing", "none", false, "Nothing to compare with: add --policy none."],
    [
      "in which nothing acted say that",
      "none",
      true,
      "No policy that compacts at known prices was replayed in every session: add --policy.",
    ],
  ])("of a report %s", (_, name, isKept, line) => {
    const report = exampleReport();
    const [verdict] = linesOf({ ...report, rows: report.rows.filter(({ policy }) => (policy === name) === isKept) });
    expect(verdict?.lines).toEqual([line]);
  });
});
