import { describe, expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { windowAnswers } from "./answer.ts";
import { answerWords } from "./answer-words.ts";
import { summarizePolicies } from "./policy-summary.ts";
import { triggerWords } from "./trigger.ts";

describe("windowAnswers", () => {
  const answersOf = (sessions: number) => {
    const names = Array.from({ length: sessions }, (_, index) => `o${index}__r__s.jsonl`);
    const report = exampleReport({ sessions: names, calls: 120, sweptRatios: [0.9] });
    return windowAnswers(report, summarizePolicies(report));
  };

  test("cannot know with few owners, and knows with owners that agree", () => {
    expect(answersOf(7).map(({ sureness }) => sureness)).toEqual([null]);
    const [answer] = answersOf(12);
    expect(answer?.sureness).toMatchObject({ repositories: 12, resamples: 500 });
    expect(answer?.sureness?.chosen.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
    expect(answersOf(12)).toEqual(answersOf(12));
  });

  test("says of one policy alone between what its cost lies", () => {
    const report = exampleReport({ sessions: Array.from({ length: 9 }, (_, index) => `o${index}__r__s.jsonl`), calls: 120 });
    const [words] = windowAnswers(report, summarizePolicies(report)).map((answer) => answerWords(answer, () => null));
    expect(words?.sure).toMatch(/^Of 9 projects drawn anew 500 times, its cost lies between [\d.]+ and [\d.]+ % \(95 %\)\.$/);
  });

  test("says of one session what is said of one", () => {
    const [words] = answersOf(1).map((answer) => answerWords(answer, () => null));
    expect(words?.without).toMatch(/^Without compaction 1 of 1 session outgrows it: /);
    expect(words?.figures).toMatch(/^Over the 1 session that outgrows it, /);
    expect(words?.sure).toContain("It cannot be known: the 1 session is of 1 project, at least 8 are needed.");
  });

  test("puts what happens, what to use and how sure that is into words", () => {
    const [words] = answersOf(3).map((answer) => answerWords(answer, () => "at 75 % of the input budget"));
    expect(words?.without).toMatch(
      /^Without compaction \d of 3 sessions outgrow it: [\d,]+ of [\d,]+ requests would have been rejected\.$/,
    );
    expect(words?.verdict).toMatch(/^Nearest to best: sven/);
    expect(words?.losses).toMatch(/^Of 3 sessions that it changed, it costs more than doing nothing in 0 %/);
    expect(words?.figures).toContain("It compacts at 75 % of the input budget.");
    expect(words?.sure).toContain("It cannot be known: the 3 sessions are of 3 projects, at least 8 are needed.");
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
