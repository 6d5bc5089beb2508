import fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionEntry } from "../entry.ts";
import type { Policy } from "../policy/policy.ts";
import { PI_POLICY } from "../policy/presets/pi.ts";
import { PLIMSOLL_POLICY } from "../policy/presets/plimsoll.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import { createDigest } from "../summarizer/digest.ts";
import { arbitraryLog } from "../testing/arbitrary-transcript.ts";
import { human, logOf } from "../testing/builders.ts";
import { createWorkCounter } from "../tokens/measure.ts";
import { createContextManager } from "./context-manager.ts";
import { createSessionReadings, type SessionReadings } from "./session-setup.ts";

const MODEL = { contextWindowTokens: 6000, maxOutputTokens: 500 };

/** All that a session comes to: its log with the compaction that it made, its ledger, and the work that it counted. */
async function played(entries: readonly SessionEntry[], policy: Policy, readings?: SessionReadings) {
  const work = createWorkCounter();
  const shared = readings === undefined ? {} : { readings };
  const manager = createContextManager({ policy, summarizer: createDigest(), entries, work, ...shared });
  const now = { reason: "manual", keep: null } as const;
  const input = { gate: "before-step", pending: [], model: MODEL, nowMs: null, now } as const;
  const outcome = await manager.fit(input, new AbortController().signal);
  const { view, facts } = manager.state();
  const known = [view.viewHash, view.messages.slice(), facts.outcomes.slice(), facts.named.slice(), facts.said];
  return JSON.stringify([outcome.kind, manager.entries(), manager.ledger(), manager.predict(), known, work.total()]);
}

test.each([PLIMSOLL_POLICY, SVEN_POLICY, PI_POLICY])(
  "$name: a session comes to the same, its work too, whoever read its messages before",
  async (policy) => {
    await fc.assert(
      fc.asyncProperty(arbitraryLog, async (entries) => {
        const alone = await played(entries, policy);
        const readings = createSessionReadings();
        await played(entries, SVEN_POLICY, readings);
        expect([await played(entries, policy, readings), await played(entries, policy, readings)]).toEqual([alone, alone]);
      }),
      { seed: 20_261_123, numRuns: 20 },
    );
  },
  120_000,
);

test("what one session has read the next one does not read", async () => {
  const readings = createSessionReadings();
  let reads = 0;
  const { parts, ...rest } = human("a", "the words of src/part_1.ts");
  const watched = {
    ...rest,
    parts: parts.map((part) => ({
      type: "text" as const,
      get text() {
        reads += 1;
        return part.type === "text" ? part.text : "";
      },
    })),
  };
  const open = () =>
    createContextManager({ policy: PLIMSOLL_POLICY, summarizer: createDigest(), entries: logOf([watched]), readings });
  open();
  const first = reads;
  reads = 0;
  open();
  expect(reads).toBeLessThan(first);
});
