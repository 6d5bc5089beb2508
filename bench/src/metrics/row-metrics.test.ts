import { NONE_POLICY, PI_POLICY, type SessionEntry, SVEN_POLICY, usageOf } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import { prepareSession } from "../open/prepared-session.ts";
import { replay } from "../replay/replay.ts";

describe("a replay", () => {
  const session = prepareSession(madeTranscript({ turns: 10, toolCallsPerTurn: 6, resultChars: 6000, overheadTokens: 2000 }));
  const run = (policy: typeof PI_POLICY) => replay(session, { policy, window: { kind: "working-room", tokens: 32_000 } });

  test.each([[PI_POLICY], [SVEN_POLICY]])("tells each compaction, and its samples add up to the prompts", async (policy) => {
    const { compactions, composition, series, metrics } = await run(policy);
    expect(compactions.length).toBe(metrics?.economy.compactions);
    for (const { tokensBefore, tokensAfter, messagesBefore, messagesAfter } of compactions) {
      expect(tokensAfter).toBeLessThan(tokensBefore ?? 0);
      // The digest of a fallback may replace one message.
      expect(messagesAfter).toBeLessThanOrEqual(messagesBefore);
    }
    expect(metrics?.economy.marginSpentRatio).toBeGreaterThan(0);
    for (const { call, tokens } of composition.samples) {
      const sum = tokens.reduce((total, part) => total + part, 0);
      expect(Math.abs(sum - (series[call]?.promptTokens ?? 0))).toBeLessThan(composition.kinds.length);
    }
  });

  test("without compaction nothing is lost", async () => {
    const { metrics, compactions } = await replay(session, {
      policy: NONE_POLICY,
      window: { kind: "working-room", tokens: 10 ** 6 },
    });
    expect(compactions).toEqual([]);
    expect(metrics?.instructions.all.held).toBe(metrics?.instructions.all.uses);
    expect(metrics?.economy.marginSpentRatio).toBeNull();
  });

  test("a call that finds its cache broken reads less than its prompt, written or not", async () => {
    const made = madeTranscript({ turns: 10, toolCallsPerTurn: 6, resultChars: 6000, overheadTokens: 2000 });
    const entries = made.entries.map((entry): SessionEntry => {
      if (entry.type !== "usage") return entry;
      const totalInputTokens = entry.usage.input.totalTokens ?? 0;
      return { ...entry, usage: usageOf({ totalInputTokens, cacheReadTokens: totalInputTokens - 1, cacheWriteTokens: 0 }) };
    });
    const window = { kind: "working-room", tokens: 32_000 } as const;
    const { cacheMisses, series } = await replay(prepareSession({ ...made, entries }), { policy: SVEN_POLICY, window });
    expect(cacheMisses.length).toBeGreaterThan(0);
    for (const { call, unreadTokens } of cacheMisses) {
      expect(unreadTokens).toBeGreaterThan(0);
      expect(unreadTokens).toBeLessThan(series[call]?.promptTokens ?? 0);
    }
  });
});
