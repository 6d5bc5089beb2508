import { describe, expect, test } from "vitest";
import { madeFindings } from "../../testing/made-findings.ts";
import { validationOf } from "./validation.ts";
import { validationMarkdown } from "./validation-markdown.ts";

describe("validationOf", async () => {
  const validation = validationOf(await madeFindings(8), "2026-01-31");
  const few = validationOf(await madeFindings(2), "2026-01-31");

  test("says what came about more often after compactions", () => {
    const again = validation.rates.find(({ rate, of }) => rate === "re-reads a call" && of === "all");
    expect(again).toMatchObject({ compactions: 8, before: { happened: 0, of: 72 }, after: { happened: 32, of: 64 } });
  });

  test("says of each measure how often the outcome came about with and without it", () => {
    const named = validation.predictions.find(
      ({ outcome, measure }) => outcome === "the file is read again" && measure === "path named",
    );
    expect(named).toMatchObject({
      cases: 72,
      held: { cases: 8, happened: 8 },
      missing: { cases: 64, happened: 0 },
      area: { value: 0 },
      verdict: "predicts nothing",
    });
  });

  test("asks of edits what the context held of their text, be it in an edit before", () => {
    const grounded = validation.predictions.find(({ measure, of }) => measure === "replaced texts" && of === "all");
    expect(grounded).toMatchObject({
      cases: 32,
      held: { cases: 24, happened: 16 },
      missing: { cases: 8, happened: 8 },
      riskRatio: { value: 1.5 },
      verdict: "predicts",
    });
  });

  test("sets each recorded summary against the digest", () => {
    const of = (kind: string) => validation.summaries.find((each) => each.kind === kind && each.of === "all");
    expect(of("instructions")).toMatchObject({ sessions: 8, mean: { recorded: 1, digest: 1, "digest and facts": 1 } });
  });

  test("names what predicts nothing, and gives rows in place of intervals from few owners", () => {
    const page = validationMarkdown(validation);
    expect(page).toContain("Predict nothing here: file in hand, path named, the file's lines.");
    expect(page).not.toContain("The same by repository\n\nToo few owners");
    const rows = validationMarkdown(few);
    expect(rows).toContain("Too few owners to say: file in hand, path named, the file's lines.");
    expect(rows).toContain("| · own1/repo | 1 | 0/9 | 4/8 | – |");
  });
});

test("sessions of one lineage are of one owner, wherever their copies lie", async () => {
  const findings = (await madeFindings(8)).map((each) => {
    const unit = { lineage: "owner__repository__first" };
    const of = <Each>(items: readonly Each[]) => items.map((item) => ({ ...item, ...unit }));
    const { experiments, cases, summaries } = each;
    return { ...each, ...unit, experiments: of(experiments), cases: of(cases), summaries: of(summaries) };
  });
  const { owners, repositories, sessions, rates, predictions, summaries } = validationOf(findings, "2026-01-31");
  expect({ owners, repositories, sessions }).toEqual({ owners: 1, repositories: 1, sessions: 8 });
  expect(new Set([...rates.map(({ ratio }) => ratio.owners), ...predictions.map(({ area }) => area.owners)])).toEqual(
    new Set([1]),
  );
  expect(new Set(summaries.map((each) => each.sessions))).toEqual(new Set([1]));
});
