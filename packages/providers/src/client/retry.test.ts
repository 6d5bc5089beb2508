import { expect, test } from "vitest";
import { failureOf } from "./failure.ts";
import { DEFAULT_RETRY, waitAfter } from "./retry.ts";

const options = { maximumAttempts: 5, firstWaitMs: 1_000, maximumWaitMs: 10_000, jitterRatio: 0.5 };

test.each([
  ["the first wait, with no luck", 1, null, 0, 1_000],
  ["and with all of it", 1, null, 1, 500],
  ["waits double", 3, null, 0, 4_000],
  ["up to the longest", 4, null, 0, 8_000],
  ["which chance shortens, too", 4, null, 0.5, 6_000],
  ["what a provider asks for is never shortened", 1, 3_000, 1, 3_000],
  ["nor taken for more than it is", 3, 1_000, 0, 4_000],
  ["one that asks for too long is not asked again", 1, 10_001, 0, null],
  ["no attempt is left", 5, null, 0, null],
])("%s", (_, attempt, retryAfterMs, luck, expected) => {
  expect(waitAfter({ attempt, retryAfterMs, random: () => luck }, options)).toBe(expected);
});

test("without jitter every wait is exact", () => {
  const waits = [1, 2, 3].map((attempt) =>
    waitAfter({ attempt, retryAfterMs: null, random: () => 0.99 }, { ...options, jitterRatio: 0 }),
  );
  expect(waits).toEqual([1_000, 2_000, 4_000]);
});

test("the default shortens by a quarter at most", () => {
  expect(waitAfter({ attempt: 1, retryAfterMs: null, random: () => 1 }, DEFAULT_RETRY)).toBe(750);
});

test.each<[string, Record<string, string>, number | null]>([
  ["seconds", { "retry-after": "7" }, 7_000],
  ["milliseconds come first", { "retry-after-ms": "1500", "retry-after": "2" }, 1_500],
  ["no time at all", { "retry-after": "0" }, 0],
  [
    "a date, against the answer's own",
    { "retry-after": "Fri, 20 Nov 2026 10:00:30 GMT", date: "Fri, 20 Nov 2026 10:00:00 GMT" },
    30_000,
  ],
  ["a date without the answer's own", { "retry-after": "Fri, 20 Nov 2026 10:00:30 GMT" }, null],
  ["words", { "retry-after": "soon" }, null],
  ["nothing", {}, null],
])("retry-after: %s", (_, headers, retryAfterMs) => {
  const thrown = Object.assign(new Error("429"), { status: 429, headers: new Headers(headers) });
  expect(failureOf(thrown, { provider: "any", key: "key" }).retryAfterMs).toBe(retryAfterMs);
});
