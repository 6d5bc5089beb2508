import { describe, expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { windowAnswers } from "./answer.ts";
import { summarizePolicies } from "./policy-summary.ts";
import { triggerWords } from "./trigger.ts";

describe("windowAnswers", () => {
  const answersOf = (sessions: number) => {
    const names = Array.from({ length: sessions }, (_, index) => `o${index}__r__s.jsonl`);
    const report = exampleReport({ sessions: names, calls: 120, sweptRatios: [0.9] });
    return windowAnswers(report, summarizePolicies(report));
  };

  test("cannot know with few projects, and knows with projects that agree", () => {
    expect(answersOf(7).map(({ sureness }) => sureness)).toEqual([null]);
    const [answer] = answersOf(12);
    expect(answer?.sureness).toMatchObject({ repositories: 12, resamples: 500 });
    expect(answer?.sureness?.chosen.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
    expect(answersOf(12)).toEqual(answersOf(12));
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
      "above the window less 16,384 tokens (at least 10 % of the window)",
    );
  });
});
