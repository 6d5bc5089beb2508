import { describe, expect, test } from "vitest";
import { afterAnswer, afterRejection, type LearnedLimit, learnedWindowTokens, NOTHING_LEARNED } from "./learned-limit.ts";

type Event =
  | { readonly answered: number; readonly now?: number }
  | { readonly refused: number; readonly limit?: number; readonly counted?: number };

const RESERVE = 100;

function learnedFrom(events: readonly Event[]): LearnedLimit {
  return events.reduce(
    (learned, event) =>
      "answered" in event
        ? afterAnswer(learned, { expectedTokens: event.answered, nowTokens: event.now ?? event.answered })
        : afterRejection(
            learned,
            { limitTokens: event.limit ?? null, promptTokens: event.counted ?? null },
            { expectedTokens: event.refused, reserveTokens: RESERVE },
          ),
    NOTHING_LEARNED,
  );
}

describe("the window that is left to the next request", () => {
  test.each<[string, readonly Event[], number | null]>([
    ["nothing was sent", [], null],
    ["nothing was refused", [{ answered: 5_000 }], null],
    ["the provider named its limit", [{ refused: 9_000, limit: 8_000 }], 8_000],
    [
      "it named two",
      [
        { refused: 9_000, limit: 8_000 },
        { refused: 8_500, limit: 7_000 },
      ],
      7_000,
    ],
    ["it named one that smaller requests were above", [{ answered: 5_000 }, { refused: 6_000, limit: 4_000 }], 5_600],
    ["a size was refused, none answered", [{ refused: 10_000 }], 8_100],
    ["a size was refused above one that was answered", [{ answered: 6_000 }, { refused: 10_000 }], 8_100],
    ["the provider counted what it refused", [{ answered: 6_000 }, { refused: 9_000, counted: 12_000 }], 9_100],
    ["a size within the named limit was refused", [{ refused: 9_000, limit: 8_000 }, { refused: 5_000 }], 4_100],
    ["a larger size was answered later", [{ refused: 10_000 }, { answered: 4_000 }, { answered: 11_000 }], null],
    ["the answer after it moved the measure", [{ refused: 10_000 }, { answered: 4_000, now: 8_000 }], 14_100],
    ["a larger answer outweighs one refusal that names no limit", [{ answered: 42_800 }, { refused: 16_600 }], null],
    ["not a second one", [{ answered: 42_800 }, { refused: 16_600 }, { answered: 9_000 }, { refused: 16_600 }], 12_900],
    ["a larger answer refutes a limit that was named", [{ refused: 9_000, limit: 8_000 }, { answered: 8_001 }], null],
    ["what was answered is close to what was refused", [{ refused: 10_000 }, { answered: 9_900 }], 10_000],
    [
      "later ones move nothing",
      [{ refused: 10_000 }, { answered: 4_000, now: 8_000 }, { answered: 8_000, now: 9_000 }],
      14_600,
    ],
  ])("%s", (_, events, windowTokens) => {
    expect(learnedWindowTokens(learnedFrom(events), RESERVE)).toBe(windowTokens);
  });

  test("each refusal halves what is not known, so that few are needed", () => {
    const limitTokens = 10_000;
    let learned = NOTHING_LEARNED;
    let refusals = 0;
    for (let asked = 0; asked < 100; asked++) {
      const expectedTokens = Math.min(20_000, learnedWindowTokens(learned, 0) ?? 20_000);
      const isRefused = expectedTokens > limitTokens;
      refusals += isRefused ? 1 : 0;
      learned = isRefused
        ? afterRejection(learned, { limitTokens: null, promptTokens: null }, { expectedTokens, reserveTokens: 0 })
        : afterAnswer(learned, { expectedTokens, nowTokens: expectedTokens });
    }
    expect(refusals).toBeLessThan(6);
    expect(learned.answeredTokens).toBeGreaterThan(9_000);
  });
});
