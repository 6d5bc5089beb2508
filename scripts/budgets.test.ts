import { expect, test } from "vitest";
import { budgets, unbudgeted } from "./budgets.mjs";

test("no folder has more lines, and the documents no more words, than their budget", () => {
  expect(budgets().flatMap(({ name, now, most }) => (now > most ? [`${name}: ${now} of ${most}`] : []))).toEqual([]);
});

test("each folder with sources has a budget", () => {
  expect(unbudgeted()).toEqual([]);
});
