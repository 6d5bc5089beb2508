import { expect, test } from "vitest";
import type { ValidatedFigures } from "../metrics/validated.ts";
import { validatedWords } from "./report-tables.ts";

const figures = (verdict: ValidatedFigures["predictions"][number]["verdict"]): ValidatedFigures => ({
  date: "2026-01-31",
  sessions: 9,
  compactedSessions: 4,
  repositories: 3,
  owners: 2,
  predictions: [{ outcome: "the edit fails", measure: "replaced texts", cases: 9, area: 0.5, verdict }],
});

test.each([
  [
    "that nothing is shown to predict",
    "unknown",
    "no measure is shown to predict a second reading or a failed edit. Looked at",
  ],
  ["what is", "predicts", "Shown to predict: replaced texts (the edit fails). On public data"],
] as const)("the words name which measure has which evidence: %s", (_, verdict, words) => {
  expect(validatedWords(figures(verdict))).toContain(words);
  expect(validatedWords(figures(verdict))).toContain("no measure predicts that a run fails");
});
