import { expect, test } from "vitest";
import { transcriptOf } from "../formats/log-builder.ts";
import { gradeTable } from "./grade-table.ts";

const transcript = (name: string) =>
  transcriptOf({
    name,
    file: name,
    format: "f",
    start: { id: "s" },
    items: [],
    notes: [],
    outcome: { grades: [{ name: "own", value: 1 }] },
  });

test.each<[string, string, string]>([
  ["by the session's name", "logs/a.json#2,0.5", "logs/a.json#2"],
  ["by its file", "logs/a.json,0.5", "logs/a.json#2"],
  ["by its file's name", "a.traj,0.5", "logs/a.traj"],
  ["by its file's name without its ending", "a,0.5", "logs/a.traj.json"],
  ["with the header, quotes and a byte order mark", '\uFEFFsession,grade\r\n"a, b","0.5"\r\n', "a, b.json"],
])("a session is graded %s, before its own grades", (_, text, name) => {
  const table = gradeTable(text, "grades.csv");
  expect(table.graded(transcript(name)).outcome?.grades.map(({ value }) => value)).toEqual([0.5, 1]);
  expect(table.unused([name])).toEqual([]);
});

test.each<[string, number]>([
  ["pass", 1],
  ["False", 0],
  ["1", 1],
  ["0.25", 0.25],
])("%s is a grade", (word, value) => {
  expect(gradeTable(`a,${word}`, "g.csv").graded(transcript("a")).outcome?.grades[0]).toEqual({ name: "grade", value });
});

test("what has no line is left as it is, and a line without a session is told by its place", () => {
  const table = gradeTable("session,grade\nb,1\na,0", "g.csv");
  const other = transcript("c");
  expect(table.graded(other)).toBe(other);
  expect(table.unused(["a", "c"])).toEqual(["g.csv:2: b"]);
});

test.each<[string, string, string]>([
  ["a line without a comma", "session,grade\na", "g.csv:2: give a session and its grade, with a comma between"],
  ["a word that is no grade", "a,good", 'g.csv:1: "good" is no grade; give a number from 0 to 1, pass or fail'],
  ["no grade at all", "a,", 'g.csv:1: "" is no grade; give a number from 0 to 1, pass or fail'],
  ["a number above 1", "a,2", 'g.csv:1: "2" is no grade; give a number from 0 to 1, pass or fail'],
  ["a session that is graded twice", "a,1\n\na,0", "g.csv:3: a is graded twice; keep one of its lines"],
  ["an empty table", "session,grade\n", "g.csv: no grade in it; give lines of session,grade"],
])("%s is refused in one line", (_, text, message) => {
  expect(() => gradeTable(text, "g.csv")).toThrow(message);
});
