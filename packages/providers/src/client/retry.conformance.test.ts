import { expect, test } from "vitest";
import { classifyProviderError } from "../overflow.ts";
import { waitAfter } from "./retry.ts";

/** opal's waits: two seconds, doubled each time, a minute at most. */
const OPAL_RETRY = { maximumAttempts: 20, firstWaitMs: 2000, maximumWaitMs: 60_000 };

test.each([
  ["O-r1: first", 1, 2000],
  ["O-r1: second", 2, 4000],
  ["O-r1: third", 3, 8000],
  ["O-r1: fourth", 4, 16_000],
  ["O-r1: tenth", 10, 60_000],
])("%s", (_, attempt, expected) => {
  expect(waitAfter({ attempt, retryAfterMs: null, random: () => 0.9 }, OPAL_RETRY)).toBe(expected);
});

test("O-r1: an overflow is shrunk, not sent again", () => {
  expect(classifyProviderError({ status: null, message: "500: context_length_exceeded" }).class).toBe("context-overflow");
});
