import { describe, expect, test } from "vitest";
import { human, result } from "../testing/builders.ts";
import { createWorkCounter } from "../tokens/work.ts";
import { excerptWriter } from "./excerpt-writer.ts";

const budget = { windowTokens: 10_000, inputBudgetTokens: 8000 };
const lines = Array.from({ length: 60 }, (_, index) => `line of name_${index}`).join("\n");

function writer(atMost: { tokens: number } | null, roomTokens = 8000) {
  const work = createWorkCounter();
  const excerpts = atMost === null ? null : { atMost };
  return { work, ...excerptWriter({ excerpts }, { budget, roomTokens, charsPerToken: 3, work }) };
}

describe("excerpt writer", () => {
  test("a policy without excerpts writes none and reads nothing", () => {
    const { work, atMostTokens, write } = writer(null);
    expect([atMostTokens, write([result("r", "c", lines)], [])]).toEqual([0, null]);
    expect(work.total().charactersScanned).toBe(0);
  });

  test.each<[string, number, number, number]>([
    ["what the policy says", 100, 8000, 100],
    ["a quarter of the room at most", 4000, 8000, 2000],
    ["nothing without room", 4000, 0, 0],
  ])("takes %s", (_, tokens, roomTokens, atMostTokens) => {
    expect(writer({ tokens }, roomTokens).atMostTokens).toBe(atMostTokens);
  });

  test("writes no more than half of what goes, and counts what it read", () => {
    const { work, write } = writer({ tokens: 4000 });
    const kept = [human("u", "go on")];
    const text = write([result("r", "c", lines)], kept) ?? "";
    expect(text.length).toBeGreaterThan(lines.length / 4);
    expect(text.length).toBeLessThanOrEqual(lines.length / 2 + "<excerpts>\n\n</excerpts>".length);
    expect(work.total()).toMatchObject({ charactersScanned: lines.length + "go on".length, messagesVisited: 2 });
  });
});
