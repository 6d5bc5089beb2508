import { expect, test } from "vitest";
import { signalsLike } from "./signals-like.ts";

test("all of them abort with the one they were made for, those that come later too", () => {
  const run = new AbortController();
  const signals = signalsLike(run.signal);
  const before = signals.next();
  run.abort("stop");
  expect([before, signals.next()].map(({ aborted, reason }) => [aborted, reason])).toEqual([
    [true, "stop"],
    [true, "stop"],
  ]);
});

test("what was released is not aborted", () => {
  const run = new AbortController();
  const signals = signalsLike(run.signal);
  const call = signals.next();
  signals.release();
  run.abort();
  expect(call.aborted).toBe(false);
});
