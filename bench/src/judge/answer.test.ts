import { expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { judge } from "./judge.ts";

const answersOf = (sessions: number) => {
  const names = Array.from({ length: sessions }, (_, index) => `o${index}__r__s.jsonl`);
  return judge(exampleReport({ sessions: names, calls: 120, sweptRatios: [0.9] })).windows.flatMap(({ answers }) => answers);
};

test("an answer cannot be sure with few projects, and is with projects that agree", () => {
  expect(answersOf(7).map(({ sureness }) => sureness)).toEqual([null]);
  const [answer] = answersOf(12);
  expect(answer?.sureness).toMatchObject({ drawn: "projects", count: 12 });
  expect(answer?.sureness?.again).toBeGreaterThan(0.9);
  expect(answersOf(12)).toEqual(answersOf(12));
});
