import { expect, test } from "vitest";
import { foldFacts, NO_FACTS } from "../facts/facts.ts";
import { human, logOf } from "../testing/builders.ts";
import { mendedSummary } from "./mended.ts";

const { said } = logOf([
  human("a", "Never use semicolons in scripts."),
  human("b", "Always answer in French."),
  human("c", "Forget the semicolons in scripts."),
]).reduce(foldFacts, NO_FACTS);

test.each([
  ["stays as it is if it has what is in force alone", "- Always answer in French.", "- Always answer in French.", []],
  [
    "gets the later words where it tells an order that was taken back",
    "- Always answer in French.\n- Scripts never use semicolons",
    "- Always answer in French.\n- Scripts never use semicolons [no longer in force; the person said later: Forget the semicolons in scripts.]",
    ["ended-order-marked"],
  ],
  [
    "stays as it is if it tells that the order is over",
    "- Always answer in French.\n- Semicolons in scripts: the rule was dropped",
    "- Always answer in French.\n- Semicolons in scripts: the rule was dropped",
    [],
  ],
  ["leaves what it lost to the record, which is said", "- The parser is done", "- The parser is done", ["order-restored"]],
])("a summary %s", (_, summary, text, repairs) => {
  expect(mendedSummary(summary, said)).toEqual({ text, repairs });
});
