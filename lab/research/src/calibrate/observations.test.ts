import { expect, test } from "vitest";
import { repositoryOf } from "./observations.ts";

test.each([
  ["pi-session/owner__repo__session.jsonl", "owner/repo"],
  ["plain.jsonl", "plain.jsonl"],
])("the repository of %s is %s", (file, repository) => {
  expect(repositoryOf(file)).toBe(repository);
});
