import { describe, expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { VECTOR } from "../metrics/vector.ts";
import { windowAnswers } from "./answer.ts";
import { answerWords } from "./answer-words.ts";
import { choosePolicy } from "./policy-choice.ts";
import { summarizePolicies } from "./policy-summary.ts";
import type { SessionOutcome } from "./session-outcomes.ts";
import { triggerWords } from "./trigger.ts";

/** An outcome with the same share on every measure; its tail holds as much. */
const outcome = (costRatio: number, share: number, lostRequests = 0): SessionOutcome => ({
  session: "a",
  costRatio,
  vector: VECTOR.map(() => ({ own: share, tail: share })),
  lostRequests,
  compactions: 1,
});

/** The same with other figures on the first measure. */
const withEdits = (each: SessionOutcome, own: number, tail: number): SessionOutcome => ({
  ...each,
  vector: [{ own, tail }, ...each.vector.slice(1)],
});

const chosen = (policies: Readonly<Record<string, SessionOutcome>>) =>
  choosePolicy({ byPolicy: new Map(Object.entries(policies).map(([name, each]) => [name, [each]])) }, [0]);

describe("choosePolicy", () => {
  test.each([
    ["the knee of the front", { cheap: outcome(0.5, 60), bend: outcome(0.55, 85), dear: outcome(1, 90) }, "bend"],
    ["the cheapest if there is no knee", { cheap: outcome(0.5, 60), dear: outcome(1, 90) }, "cheap"],
    [
      "the cheapest if the others keep hardly more",
      { cheap: outcome(0.5, 90), bend: outcome(0.65, 90.4), dear: outcome(1.5, 91) },
      "cheap",
    ],
    ["none that lost a request", { cheap: outcome(0.5, 90, 1), dear: outcome(1, 80) }, "dear"],
    ["nothing if all lost one", { cheap: outcome(0.5, 90, 1), dear: outcome(1, 80, 2) }, null],
    ["the one that beats all", { best: outcome(0.5, 90), other: outcome(0.6, 80) }, "best"],
  ] as const)("takes %s", (_, policies, expected) => {
    expect(chosen(policies).pick?.policy ?? null).toBe(expected);
  });

  test.each<[string, Readonly<Record<string, SessionOutcome>>, readonly string[]]>([
    ["nothing if it is worse on none", { own: outcome(0.5, 80), other: outcome(0.5, 80) }, []],
    [
      "a policy of its cost that holds more",
      { own: withEdits(outcome(0.5, 80), 70, 70), other: outcome(0.5, 80) },
      ["edit grounding other 10"],
    ],
    [
      "one of five per cent more",
      { own: withEdits(outcome(0.5, 80), 70, 70), other: outcome(0.525, 80) },
      ["edit grounding other 10"],
    ],
    ["none of six per cent more", { own: withEdits(outcome(0.5, 80), 70, 70), other: outcome(0.53, 80) }, []],
    ["the tail of its own size", { own: withEdits(outcome(0.5, 80), 70, 85) }, ["edit grounding tail 15"]],
    ["no difference below a point", { own: withEdits(outcome(0.5, 80), 79.5, 80) }, []],
  ])("names %s", (_, policies, worse) => {
    const [own] = chosen(policies).placed;
    expect(own?.worse.map(({ measure, than, points }) => `${measure} ${than ?? "tail"} ${points}`)).toEqual(worse);
  });

  test("takes a policy that loses on nothing before one that does, and never a cheat", () => {
    const { pick } = chosen({
      "all-excerpts": outcome(0.4, 99),
      loses: withEdits(outcome(0.5, 80), 60, 90),
      holds: outcome(0.6, 81),
    });
    expect(pick?.policy).toBe("holds");
  });

  test("leaves what is beaten in both out of the front", () => {
    const { front } = chosen({ cheap: outcome(0.5, 60), beaten: outcome(0.6, 50), dear: outcome(1, 90) });
    expect(front.map(({ policy }) => policy)).toEqual(["cheap", "dear"]);
  });
});

describe("windowAnswers", () => {
  const answersOf = (sessions: number) => {
    const names = Array.from({ length: sessions }, (_, index) => `${index}.jsonl`);
    const report = exampleReport({ sessions: names, calls: 120, sweptRatios: [0.9] });
    return windowAnswers(report, summarizePolicies(report));
  };

  test("cannot know with few sessions, and knows with sessions that agree", () => {
    expect(answersOf(7).map(({ sureness }) => sureness)).toEqual([null]);
    const [answer] = answersOf(12);
    expect(answer?.sureness).toMatchObject({ sessions: 12, resamples: 500 });
    expect(answer?.sureness?.chosen.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
    expect(answersOf(12)).toEqual(answersOf(12));
  });

  test("says of one policy alone between what its cost lies", () => {
    const report = exampleReport({ sessions: Array.from({ length: 9 }, (_, index) => `${index}.jsonl`), calls: 120 });
    const [words] = windowAnswers(report, summarizePolicies(report)).map((answer) => answerWords(answer, () => null));
    expect(words?.sure).toMatch(
      /^Of 500 resamples of the 9 sessions, its cost lies between [\d.]+ and [\d.]+ % in nine of ten\.$/,
    );
  });

  test("puts what happens, what to use and how sure that is into words", () => {
    const [words] = answersOf(3).map((answer) => answerWords(answer, () => "at 75 % of the input budget"));
    expect(words?.without).toMatch(
      /^Without compaction \d of 3 sessions outgrow it: [\d,]+ of [\d,]+ requests would have been rejected\.$/,
    );
    expect(words?.pick).toMatch(/^sven/);
    expect(words?.figures).toContain("It acts at 75 % of the input budget.");
    expect(words?.sure).toContain("It cannot be known: 3 sessions");
  });
});

describe("triggerWords", () => {
  const [, none, sven] = exampleReport().policies;

  test.each([
    ["a share", sven?.policy, "at 75 % of the input budget"],
    ["never", none?.policy, null],
    ["what is no policy", { name: "x" }, null],
  ])("says %s", (_, policy, expected) => {
    expect(triggerWords(policy)).toBe(expected);
  });

  test("says amounts made of others", () => {
    const amounts = { minus: [{ ratio: 1, of: "window" }, { max: [{ tokens: 16_384 }, { ratio: 0.1, of: "window" }] }] };
    expect(triggerWords({ ...Object(sven?.policy), trigger: { above: amounts } })).toBe(
      "above the window less the larger of 16,384 tokens and 10 % of the window",
    );
  });
});
