import { describe, expect, test } from "vitest";
import { createMemorySessionStore } from "../agent/memory-session-store.ts";
import type { SessionEntry } from "../entry.ts";
import { SLICE_MESSAGES } from "../pace.ts";
import type { Policy } from "../policy/policy.ts";
import { PLIMSOLL_POLICY } from "../policy/presets/plimsoll.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import type { SessionStore } from "../ports.ts";
import { createDigest } from "../summarizer/digest.ts";
import { calling, human, logOf, result, sessionStart, usageEntry } from "../testing/builders.ts";
import { openConversation } from "./open-conversation.ts";

const STEPS = SLICE_MESSAGES;
const MESSAGES = 2 * STEPS + 1;

/** A session of calls and their results, each call reported. */
function longLog(resultChars: number): readonly SessionEntry[] {
  const steps = Array.from({ length: STEPS }, (_, step): readonly SessionEntry[] => [
    usageEntry(`q${step}`, null, 1000 + 20 * step),
    { type: "message", message: calling(`a${step}`, [`c${step}`]) },
    { type: "message", message: result(`r${step}`, `c${step}`, "x".repeat(resultChars)) },
  ]);
  return [...logOf([human("h", "go")]).filter(({ type }) => type === "message"), ...steps.flat()];
}

/** A store of one log, and how many of its entries were handed over so far. */
async function storeOf(entries: readonly SessionEntry[]) {
  const store = createMemorySessionStore();
  const writer = await store.create({ ...sessionStart("system"), id: "long" });
  await writer.append(entries);
  await writer.close();
  const handed = { count: 0 };
  const open: SessionStore["open"] = (id, onEntry) =>
    store.open(id, (entry) => {
      handed.count += 1;
      return onEntry?.(entry);
    });
  return { handed, sessions: { ...store, open } };
}

async function opened(policy: Policy, entries: readonly SessionEntry[], isResting: boolean) {
  const { handed, sessions } = await storeOf(entries);
  const atRest: number[] = [];
  const giveWay = isResting ? async () => void atRest.push(handed.count) : null;
  const setting = { policy, summarizer: createDigest(undefined, null), nowMs: () => null, giveWay };
  const { conversation } = await openConversation(setting, sessions, { sessionId: "long" });
  const between = atRest.map((count, index) => count - (atRest[index - 1] ?? 0));
  return { atRest, between, manager: conversation.manager };
}

describe.each([PLIMSOLL_POLICY, SVEN_POLICY])("opening a log under $name", (policy) => {
  test("rests between its entries, and while it is checked", async () => {
    const { atRest, between } = await opened(policy, longLog(40), true);
    expect(Math.max(...between)).toBeLessThanOrEqual(SLICE_MESSAGES / 2);
    const whileChecked = atRest.filter((count) => count === 3 * STEPS + 2);
    expect(whileChecked).toHaveLength(Math.floor(MESSAGES / SLICE_MESSAGES));
  });

  test("rests more often the longer its texts are", async () => {
    const { between } = await opened(policy, longLog(5000), true);
    expect(between.length).toBeGreaterThanOrEqual(Math.floor((3 * STEPS) / 500));
    expect(Math.max(...between)).toBeLessThanOrEqual(500);
  });

  test("gives the session that opening it at once gives", async () => {
    const log = longLog(40);
    const [resting, hasty] = [await opened(policy, log, true), await opened(policy, log, false)];
    expect(hasty.atRest).toEqual([]);
    expect(resting.manager.predict()).toEqual(hasty.manager.predict());
    expect(resting.manager.view().viewHash).toBe(hasty.manager.view().viewHash);
  });
});
