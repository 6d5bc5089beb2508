import { PlimsollError } from "@plimsoll/core";
import type { RunOutcome } from "@plimsoll/core/agent";
import { expect, test } from "vitest";
import { type RunEndFacts, runEnd } from "./run-command.ts";

const DONE: RunOutcome = { reason: "done", steps: 2, text: "All is well.", error: null };
const TEXT: RunEndFacts = { form: "text", sessionId: "main", status: "~940", isDemo: false, refusals: [] };
const GO_ON = 'go on with: plimsoll run --resume main "…"';

test.each<readonly [string, Partial<RunOutcome>, Partial<RunEndFacts>, ReturnType<typeof runEnd>]>([
  ["the answer is the output", {}, {}, { output: "All is well.\n", lines: ["done after 2 steps: ~940"], exitCode: 0 }],
  [
    "the output of events has no answer behind them",
    {},
    { form: "json" },
    { output: "", lines: ["done after 2 steps: ~940"], exitCode: 0 },
  ],
  [
    "without an answer there is no output",
    { text: "", steps: 1 },
    {},
    { output: "", lines: ["done after 1 step: ~940"], exitCode: 0 },
  ],
  [
    "what was refused is told",
    {},
    { refusals: ["refused:", "  ls"] },
    { output: "All is well.\n", lines: ["done after 2 steps: ~940", "refused:", "  ls"], exitCode: 0 },
  ],
  [
    "a run that is not done says how to go on, and exits with 1",
    { reason: "cancelled", text: "" },
    {},
    { output: "", lines: ["cancelled after 2 steps: ~940", GO_ON], exitCode: 1 },
  ],
  [
    "an error is one line that a terminal can show",
    { reason: "failed", text: "", error: new PlimsollError("bad-input", "no\u001b[31m") },
    {},
    { output: "", lines: ["failed after 2 steps: ~940", "plimsoll: no\ufffd[31m", GO_ON], exitCode: 1 },
  ],
])("%s", (_rule, outcome, facts, expected) => {
  expect(runEnd({ ...DONE, ...outcome }, { ...TEXT, ...facts })).toEqual(expected);
});
