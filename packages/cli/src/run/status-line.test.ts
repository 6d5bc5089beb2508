import type { ContextUsage } from "@plimsoll/agent";
import { usageOf } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { statusLine } from "./status-line.ts";

const CONTEXT: ContextUsage = {
  estimator: "ledger(char-class)",
  usedTokens: 11_260,
  usageTokens: 11_234,
  trailingTokens: 26,
  upperTokens: 11_400,
  overheadTokens: 1_800,
  windowTokens: 24_000,
  inputBudgetTokens: 22_000,
  headroomTokens: 10_740,
  triggerTokens: 19_800,
  messages: 12,
};
const USAGE = usageOf({ uncachedTokens: 2_600, cacheReadTokens: 8_634, outputTokens: 20 });
const LARGE = {
  usage: usageOf({ uncachedTokens: 24_600, cacheReadTokens: 86_634, outputTokens: 20 }),
  usd: 123.456,
  usdIs: "a-part",
} as const;
const line = (context: Partial<ContextUsage>, more: Partial<Parameters<typeof statusLine>[0]> = {}, columns = 120) =>
  statusLine({ context: { ...CONTEXT, ...context }, usage: USAGE, usd: 0.0123, usdIs: "whole", ...more }, columns);

describe("the status line", () => {
  test.each<[string, string, string]>([
    [
      "what was reported is shown as it is, what came since after a plus",
      line({}),
      "[█████░░░░┊] · 11,234+26/22k · window 24k · free 10.7k · compacts at 19.8k · cache 77% · $0.0123",
    ],
    [
      "a report that covers the reply as well",
      line({ usageTokens: 11_254, usedTokens: 11_254 }),
      "[█████░░░░┊] · 11,234+20/22k · window 24k · free 10.7k · compacts at 19.8k · cache 77% · $0.0123",
    ],
    [
      "an estimate is marked, and what was sent is shown next to it",
      line({ usageTokens: 0, usedTokens: 10_950 }),
      "[█████░░░░┊] · ~10,950/22k · window 24k · free 10.7k · compacts at 19.8k · sent 11,234 · cache 77% · $0.0123",
    ],
    [
      "before the first request",
      line({ usageTokens: 0, usedTokens: 1_802 }, { usage: null, usd: null }),
      "[█████░░░░┊] · ~1,802/22k · window 24k · free 10.7k · compacts at 19.8k".replace("█████", "█░░░░"),
    ],
    [
      "an unknown window",
      line({ windowTokens: null, inputBudgetTokens: null, headroomTokens: null, triggerTokens: null }),
      "11,234+26 · window unknown · compaction off · cache 77% · $0.0123",
    ],
    [
      "over the budget",
      line({ usedTokens: 23_000, headroomTokens: -1_000 }),
      "[██████████] · 11,234+11,766/22k · window 24k · over by 1k · compacts at 19.8k · cache 77% · $0.0123",
    ],
    [
      "a million tokens, and a price that is not all",
      line(
        { windowTokens: 1_050_000, inputBudgetTokens: 922_000, headroomTokens: 910_740, triggerTokens: 829_800 },
        { usd: 12.345, usdIs: "a-part" },
      ),
      "[░░░░░░░░░┊] · 11,234+26/922k · window 1.05M · free 911k · compacts at 830k · cache 77% · ≥$12.35",
    ],
  ])("%s", (_rule, said, expected) => {
    expect(said).toBe(expected);
  });

  test("fits a terminal of 80 columns", () => {
    const narrow = line({}, {}, 80);
    expect(narrow).toBe("[████░░░┊] 11,234+26/22k window 24k free 10.7k compacts 19.8k cache 77% $0.0123");
    expect(narrow.length).toBeLessThan(80);
  });

  test("leaves out its bar if it would not fit otherwise", () => {
    const large = { windowTokens: 1_050_000, inputBudgetTokens: 922_000, headroomTokens: 810_740, triggerTokens: 829_800 };
    const narrow = line({ ...large, usageTokens: 111_234, usedTokens: 112_260 }, LARGE, 80);
    expect(narrow).toBe("111,234+1,026/922k window 1.05M free 811k compacts 830k cache 78% ≥$123.46");
  });
});
