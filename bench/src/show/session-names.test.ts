import { expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { sessionNames } from "./session-names.ts";

const DAY_MS = Date.UTC(2026, 2, 5, 7, 52);

test.each([
  ["day and first words", [{ startedMs: DAY_MS, firstWords: "Mend it" }], ["2026-03-05 Mend it"]],
  ["no time", [{ startedMs: null, firstWords: "Mend it" }], ["Mend it"]],
  ["no words: the file", [{ startedMs: DAY_MS, firstWords: null }], ["0.jsonl"]],
  ["data: the file", [{ startedMs: DAY_MS, firstWords: '{"type":"task' }], ["0.jsonl"]],
  ["markup: the file", [{ startedMs: DAY_MS, firstWords: "02:00</now> # Task" }], ["0.jsonl"]],
  ["a sub-agent says so", [{ startedMs: DAY_MS, firstWords: "Look", parentSession: "a" }], ["2026-03-05 sub-agent: Look"]],
  [
    "the same twice: told apart by file",
    [
      { startedMs: DAY_MS, firstWords: "go on" },
      { startedMs: DAY_MS, firstWords: "go on" },
    ],
    ["2026-03-05 go on (0.jsonl)", "2026-03-05 go on (1.jsonl)"],
  ],
])("%s", (_, openings, expected) => {
  const { sessions } = exampleReport({ sessions: openings.map((_, index) => `logs/${index}.jsonl`) });
  const named = sessions.map((session, index) => ({ ...session, ...openings[index] }));
  const nameOf = sessionNames({ sessions: named });
  expect(named.map(({ session }) => nameOf(session))).toEqual(expected);
  expect(nameOf("another")).toBe("another");
});
