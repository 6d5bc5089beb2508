import { createDigest, createSession, decodeLog, PLIMSOLL_POLICY, type Session } from "@plimsoll/core";
import { canonicalJson, openSession } from "@plimsoll/core/extend";
import { arbitraryScenario, playSession } from "@plimsoll/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createMemorySessionStore } from "./memory-session-store.ts";

/** Shows the next context of a session, the one after an undo, and its prediction. */
function shown(manager: Pick<Session, "state" | "context" | "predict">): string {
  const { view, breaker, lastMessageId } = manager.state();
  const { viewHash, activeCompactions } = view;
  const compactions = activeCompactions.map(({ id }) => id);
  return canonicalJson({ context: manager.context(), viewHash, compactions, breaker, lastMessageId, next: manager.predict() });
}

test("a log that is opened entry by entry is the session that holds it whole, before and after an undo", async () => {
  const undone = { count: 0, readTwice: 0 };
  const setting = { policy: PLIMSOLL_POLICY, summarizer: createDigest(), nowMs: () => null };
  await fc.assert(
    fc.asyncProperty(arbitraryScenario(30), async (scenario) => {
      const { entries } = decodeLog((await playSession(scenario)).log, "log");
      const [start, ...rest] = entries;
      if (start?.type !== "session") expect.fail("a log begins with its session");
      const sessions = createMemorySessionStore();
      const writer = await sessions.create(start);
      await writer.append(rest);
      await writer.close();
      const whole = createSession({ ...setting, entries });
      const { session: conversation } = await openSession(setting, sessions, { sessionId: start.id });
      expect(shown(conversation)).toBe(shown(whole));
      undone.readTwice += entries.some(({ type }) => type === "revert") ? 1 : 0;
      const undoable = whole
        .view()
        .activeCompactions.filter(({ record }) => record.reason !== "repair")
        .slice(-1);
      for (const latest of undoable.filter(({ id }) => id === whole.view().activeCompactions.at(-1)?.id)) {
        undone.count += 1;
        expect(await conversation.undo()).toMatchObject({ compactionId: latest.id });
        await whole.undo();
        expect(shown(conversation)).toBe(shown(whole));
      }
      await conversation.close();
    }),
    { seed: 20_261_122, numRuns: 60 },
  );
  expect(undone.count).toBeGreaterThan(10);
  expect(undone.readTwice).toBeGreaterThan(3);
}, 120_000);
