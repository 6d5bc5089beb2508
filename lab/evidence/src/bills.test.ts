import { expect, test } from "vitest";
import { billChanges, billedCalls, billsPage } from "./bills.ts";
import type { GitFolder } from "./git-folder.ts";

const usageOf = (input: number) => {
  const cost = { input: 3e-6 * input, output: 0.01, cacheRead: 0, cacheWrite: 0, total: 3e-6 * input + 0.01 };
  return { input, cacheRead: 0, cacheWrite: 0, cost };
};

/** A run of one phase: prompts grow by 400 characters a call, and are billed at a quarter of a token each, less what a proxy takes. */
function transcript(less: number): string {
  const messages = [1, 2, 3].flatMap((call) => [
    {
      role: "assistant",
      content: [{ type: "toolCall", name: "read", arguments: {} }],
      usage: usageOf(1000 + 100 * call - less),
    },
    { role: "toolResult", content: [{ type: "text", text: "x".repeat(394) }] },
  ]);
  return JSON.stringify({ prompt: "p".repeat(400), messages });
}

/** Every run has the same three calls; behind the proxy each is 50 tokens shorter, which its own figures say. */
const folder: GitFolder = {
  commit: "c",
  paths: (below) => [`${below}/T/1__T__plan.json`, `${below}/T/1__T__plan.tail.jsonl`],
  text: (path) =>
    path.endsWith("headroom-stats.json")
      ? JSON.stringify({ summary: { compression: { total_tokens_removed: 150 } } })
      : transcript(path.includes("/a2-") ? 50 : 0),
};

test("a call knows what its prompt had before anything was taken from it", () => {
  const calls = billedCalls(folder, "a0-T-fix-r1");
  expect(calls.map(({ phase, chars, inputTokens }) => [phase, chars, inputTokens])).toEqual([
    ["plan", 400, 1100],
    ["plan", 800, 1200],
    ["plan", 1200, 1300],
  ]);
});

test("a proxy's change is told from the runs without it; runs without a product are no change", () => {
  const { changes, controls } = billChanges(folder);
  const [proxy] = changes;
  expect(proxy?.published).toBeCloseTo(-100 / 24);
  expect(proxy?.replayed).toBeCloseTo(-100 / 24);
  expect(controls.map(({ replayed }) => Math.abs(Math.round(replayed)))).toEqual(controls.map(() => 0));
});

test("the page says first what cannot be redone", () => {
  const page = billsPage(folder);
  expect(page).toMatch(/^Protocol: `[0-9a-f]{64}`\n/);
  expect(page.indexOf("not redone")).toBeLessThan(page.indexOf("Sign right in"));
});
