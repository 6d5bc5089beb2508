import { expect, test } from "vitest";
import { originOf } from "./origin.ts";

test.each([
  ["a file named by its owner", "a/b/own__repo__file.jsonl#2", { repository: "own/repo", owner: "own" }],
  ["a file of a project's folder", "work/project/s.jsonl", { repository: "work/project", owner: "work/project" }],
  ["one of a day's folder", "work/sessions/2026/01/31/s.jsonl", { repository: "work/sessions", owner: "work/sessions" }],
  [
    "a sub-agent's",
    "work/project/5d1f6cf2-53e7-4862-81ae-d0e013e3270b/subagents/s.jsonl",
    { repository: "work/project", owner: "work/project" },
  ],
  ["a file in no folder", "s.jsonl", { repository: "", owner: "" }],
  ["a log that names its project", "work/project/s.jsonl", { repository: "p", owner: "p" }, "p"],
  ["a file named by its owner, before its log", "own__repo__s.jsonl", { repository: "own/repo", owner: "own" }, "p"],
] as const)("the origin of %s", (_, name, origin, project?: string) => {
  expect(originOf(name, project)).toEqual(origin);
});
