import { describe, expect, test } from "vitest";
import { failureText, PlimsollError } from "../error.ts";
import { askHook } from "./compact.ts";
import type { BeforeCompaction } from "./fit-input.ts";

const notice = { reason: "threshold", tokensBefore: 9, budgetTokens: 8, messages: [] } as const;
const deadline = { afterMs: 9, timer: () => () => undefined };
const ask = (beforeCompaction: BeforeCompaction | null, signal = new AbortController().signal) =>
  askHook({ beforeCompaction, deadline }, notice, signal);

describe("a hook that is asked before a compaction", () => {
  test("is none: the engine goes on", async () => {
    expect(await ask(null)).toEqual({ decision: { kind: "go" }, steps: [] });
  });

  test("decides", async () => {
    expect(await ask(async () => ({ kind: "cancel", why: "later" }))).toEqual({
      decision: { kind: "cancel", why: "later" },
      steps: [],
    });
  });

  test("and fails: the engine goes on, and the record says why", async () => {
    const steps = [{ strategy: "before-compaction", outcome: "failed", detail: "broken" }];
    expect(await ask(() => Promise.reject(new Error("broken")))).toEqual({ decision: { kind: "go" }, steps });
  });

  test("and is given up by the caller: nobody goes on", async () => {
    const controller = new AbortController();
    const hook: BeforeCompaction = () => {
      controller.abort(new Error("given up"));
      return Promise.reject(new Error("broken"));
    };
    await expect(ask(hook, controller.signal)).rejects.toThrow("given up");
  });
});

test.each<[string, unknown, string]>([
  ["an error's message", new Error("broken"), "broken"],
  ["the code of one of ours, too", new PlimsollError("bad-edit", "no such part"), "bad-edit: no such part"],
  ["something else that was thrown", "broken", "unknown failure"],
])("a failure as one line: %s", (_, failure, text) => {
  expect(failureText(failure)).toBe(text);
});
