import { describe, expect, test } from "vitest";
import type { SessionEntry } from "../entry.ts";
import { PLIMSOLL_POLICY } from "../policy/presets/plimsoll.ts";
import { compaction, dropped, human, logOf, reply, usageEntry } from "../testing/builders.ts";
import { usageOf } from "../usage.ts";
import type { ContextEvent } from "./events.ts";
import { createSession } from "./open-session.ts";

const cutBefore = (step: number): readonly SessionEntry[] =>
  step < 2 ? [] : [compaction(`c${step}`, [dropped(`u${step - 2}`, `a${step - 2}`)])];

/**
 * Steps of 4,000 characters, about 1,000 tokens, under 3,000 tokens of invisible overhead; `report` receives the true prompt and its number. `before` is appended
 * before each step.
 */
function played(
  report: (promptTokens: number, step: number) => number | null,
  steps = 8,
  before: (step: number) => readonly SessionEntry[] = () => [],
) {
  const events: ContextEvent[] = [];
  const manager = createSession({
    policy: PLIMSOLL_POLICY,
    summarizer: () => Promise.reject(new Error("not asked")),
    entries: logOf([]),
    onEvent: (event) => events.push(event),
  });
  const append = (entry: SessionEntry) => manager.append(entry);
  for (let step = 0; step < steps; step += 1) {
    before(step).forEach(append);
    append({ type: "message", message: human(`u${step}`, "some words of a person ".repeat(174)) });
    append({
      ...usageEntry(`q${step}`, `u${step}`, 0),
      usage: usageOf({ totalInputTokens: report(3000 + 1000 * (step + 1), step) }),
    });
    append({ type: "message", message: reply(`a${step}`, "yes") });
  }
  return { manager, refusals: events.filter(({ type }) => type === "usage-refused").length };
}

describe("usage that cannot be is no evidence, and it is said once", () => {
  test.each<[string, (tokens: number, step: number) => number | null]>([
    ["ten times the truth", (tokens) => 10 * tokens],
    ["twenty times", (tokens) => 20 * tokens],
    [
      "added up over the session",
      (_, step) => Array.from({ length: step + 1 }, (__, at) => 4000 + 1000 * at).reduce((a, b) => a + b),
    ],
    [
      "fifteen times and a fifteenth of the truth in turn",
      (tokens, step) => (step % 2 === 0 ? 15 * tokens : Math.ceil(tokens / 15)),
    ],
    ["a fifth and five times", (tokens, step) => (step % 2 === 0 ? Math.ceil(tokens / 5) : 5 * tokens)],
    ["twenty times in every third report", (tokens, step) => (step % 3 === 1 ? 20 * tokens : tokens)],
  ])("%s", (_, report) => {
    const { manager, refusals } = played(report);
    expect(refusals).toBe(1);
    expect(manager.predict().expectedTokens).toBeLessThan(16_000);
  });

  test("added up over a session that is cut at each step", () => {
    const { manager, refusals } = played((_, step) => 5000 * (step + 1), 12, cutBefore);
    expect(refusals).toBe(1);
    expect(manager.predict().expectedTokens).toBeLessThan(5000);
  });

  test("fifteen times and a fifteenth in turn, of a session that is cut at each step", () => {
    const { manager, refusals } = played((_, step) => (step % 2 === 0 ? 75_000 : 333), 12, cutBefore);
    expect(refusals).toBe(1);
    expect(manager.predict().expectedTokens).toBeLessThan(5000);
  });

  test("rises of which none is large, if all of them together are", () => {
    expect(played((_, step) => 4700 * (step + 1), 12).refusals).toBe(1);
  });

  test("not the truth, cut at each step", () => {
    expect(played(() => 5000, 12, cutBefore).refusals).toBe(0);
  });

  test.each<[string, (tokens: number, step: number) => number | null]>([
    ["the truth", (tokens) => tokens],
    ["half of it", (tokens) => tokens / 2],
    ["twice as much: a tokenizer may be as dense", (tokens) => 2 * tokens],
    ["one rise of a server's tool", (tokens, step) => tokens + (step === 3 ? 60_000 : 0)],
    ["two in a row", (tokens, step) => tokens + (step === 3 ? 60_000 : step === 4 ? 90_000 : 0)],
    ["a first report that is high: system and tools may be unseen", (tokens) => tokens + 80_000],
    ["reports that say nothing", () => null],
    ["two lanes that differ by 8,400", (tokens, step) => tokens + (step % 2 === 0 ? 8400 : 0)],
    ["a server's tool in two of its steps", (tokens, step) => tokens + (step === 1 || step === 5 ? 60_000 : 0)],
  ])("not %s", (_, report) => {
    expect(played(report).refusals).toBe(0);
  });

  test("not a server's tool in every tenth step", () => {
    expect(played((tokens, step) => tokens + (step % 10 === 4 ? 90_000 : 0), 60, cutBefore).refusals).toBe(0);
  });

  test("not falls after cuts, and rises by what came then", () => {
    const report = (_: number, step: number) => (step % 4 === 3 ? 40_000 : 5000 + 1000 * (step % 4));
    const cut = (step: number) => (step % 4 === 0 ? cutBefore(step) : []);
    const more = (step: number): readonly SessionEntry[] =>
      step % 4 === 3 ? [{ type: "message", message: human(`m${step}`, "some words of a person ".repeat(6000)) }] : cut(step);
    expect(played(report, 16, more).refusals).toBe(0);
  });
});
