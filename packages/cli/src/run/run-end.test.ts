import { PlimsollError, type RunOutcome } from "@plimsoll/core";
import { expect, test } from "vitest";
import { type RunEndFacts, runEnd, shownAnswer } from "./run-command.ts";

const DONE: RunOutcome = { reason: "done", steps: 2, text: "All is well.", error: null };
const TEXT: RunEndFacts = { form: "text", sessionId: "main", isDemo: false, refusals: [] };
const GO_ON = 'go on with: plimsoll run --resume main "…"';

test.each<readonly [string, Partial<RunOutcome>, Partial<RunEndFacts>, ReturnType<typeof runEnd>]>([
  ["the answer is the output", {}, {}, { output: "All is well.\n", headline: "done after 2 steps:", lines: [], exitCode: 0 }],
  [
    "the output of events has no answer behind them",
    {},
    { form: "json" },
    { output: "", headline: "done after 2 steps:", lines: [], exitCode: 0 },
  ],
  [
    "without an answer there is no output",
    { text: "", steps: 1 },
    {},
    { output: "", headline: "done after 1 step:", lines: [], exitCode: 0 },
  ],
  [
    "what was refused is told",
    {},
    { refusals: ["refused:", "  ls"] },
    { output: "All is well.\n", headline: "done after 2 steps:", lines: ["refused:", "  ls"], exitCode: 0 },
  ],
  [
    "a run that is not done says how to go on, and exits with 1",
    { reason: "cancelled", text: "" },
    {},
    { output: "", headline: "cancelled after 2 steps:", lines: [GO_ON], exitCode: 1 },
  ],
  [
    "an error is one line that a terminal can show",
    { reason: "failed", text: "", error: new PlimsollError("bad-input", "no\u001b[31m") },
    {},
    { output: "", headline: "failed after 2 steps:", lines: ["plimsoll: no\ufffd[31m", GO_ON], exitCode: 1 },
  ],
])("%s", (_rule, outcome, facts, expected) => {
  expect(runEnd({ ...DONE, ...outcome }, { ...TEXT, ...facts })).toEqual(expected);
});

const SENTENCES = `${"All is well with it. ".repeat(5)}\n  second line`;

test.each([
  ["a terminal breaks it between words", { isTTY: true, columns: 80 }, 80],
  ["a wider one has longer lines", { isTTY: true, columns: 100 }, 100],
  ["a file or pipe has it as it was said", {}, SENTENCES.indexOf("\n")],
])("an answer: %s", (_rule, output, longest) => {
  const shown = shownAnswer({ write: () => true, ...output }, SENTENCES);
  expect(Math.max(...shown.split("\n").map((line) => line.length))).toBe(longest);
  expect(shown.split(/\s+/)).toEqual(SENTENCES.split(/\s+/));
});
