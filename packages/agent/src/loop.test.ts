import { describe, expect, test } from "vitest";
import { createSignals } from "./loop.ts";

describe("the signals of calls", () => {
  test("all of them abort with the run's, those that come later too", () => {
    const signals = createSignals();
    const before = signals.of("c1");
    signals.abort("stop");
    expect([signals.run, before, signals.of("c2")].map(({ aborted, reason }) => [aborted, reason])).toEqual([
      [true, "stop"],
      [true, "stop"],
      [true, "stop"],
    ]);
  });

  test("what was released is not aborted", () => {
    const signals = createSignals();
    const call = signals.of("c1");
    signals.release("c1");
    signals.abort("stop");
    expect(call.aborted).toBe(false);
  });

  test("a call has one signal until it is released", () => {
    const signals = createSignals();
    expect(signals.of("c1")).toBe(signals.of("c1"));
  });
});
