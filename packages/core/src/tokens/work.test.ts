import { expect, test } from "vitest";
import { createWorkCounter, workBetween } from "./measure.ts";

test("a counter adds up, and two readings give the work between them", () => {
  const work = createWorkCounter();
  work.scanned(10);
  const before = work.total();
  work.scanned(5);
  work.visited(2);
  work.tokenized(1);
  work.folded(3);
  expect(before).toEqual({ charactersScanned: 10, messagesVisited: 0, tokenizerCalls: 0 });
  expect(workBetween(before, work.total())).toEqual({ charactersScanned: 5, messagesVisited: 2, tokenizerCalls: 1 });
  expect(work.foldedEntries()).toBe(3);
});
