import { type Message, NONE_POLICY, PI_POLICY, SVEN_POLICY, textOf } from "@plimsoll/core";
import { sequenceOf } from "@plimsoll/core/internal";
import { calling, human, reply, result } from "@plimsoll/core/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import { createContextChanges } from "../grounding/context-changes.ts";
import { lastErrorsOf, prepareLastErrors } from "../references/last-errors.ts";
import { prepareSession } from "../replay/prepared-session.ts";
import { replay } from "../run/replay.ts";
import { createDecay } from "./decay.ts";
import { createLastErrorProbe } from "./last-error.ts";
import { createRereadProbe } from "./reread-risk.ts";

const USE = { reference: 0, distanceTokens: 0, latestOrdinal: 0, sourceStatement: 0, isCompactedAway: false };

describe("decay", () => {
  test("counts the compactions since a reference was last said", () => {
    const decay = createDecay();
    decay.use({ ...USE, latestOrdinal: 0 }, true);
    for (const ordinal of [10, 20, 30]) decay.compacted(ordinal);
    decay.use({ ...USE, latestOrdinal: 25 }, true);
    decay.use({ ...USE, latestOrdinal: 9 }, false);
    decay.use({ ...USE, latestOrdinal: 30 }, true);
    expect(decay.result()).toEqual([
      { compactions: 0, uses: 2, sourceEvidenced: 2 },
      { compactions: 1, uses: 1, sourceEvidenced: 1 },
      { compactions: 3, uses: 1, sourceEvidenced: 0 },
    ]);
  });

  test("puts everything beyond the fifth into one step", () => {
    const decay = createDecay();
    for (let ordinal = 1; ordinal <= 9; ordinal++) decay.compacted(ordinal);
    decay.use(USE, false);
    expect(decay.result()).toEqual([{ compactions: 5, uses: 1, sourceEvidenced: 0 }]);
  });
});

describe("the last error", () => {
  const failed: Message = { ...result("r1", "c1", "error: cannot find module left-pad"), isError: true };
  const messages = [human("h1", "Go."), calling("a1", ["c1"], ""), failed, reply("a2", "Going on.")];
  const after = (history: readonly Message[], calls: readonly number[], context: readonly Message[] | null) => {
    const entries = history.map((message) => ({ type: "message", message }) as const);
    const probe = createLastErrorProbe(prepareLastErrors(entries, (message) => history.indexOf(message)));
    const shownAt = createContextChanges();
    for (const call of calls) probe.atCall(call, context === null ? null : shownAt(sequenceOf(context)));
    return probe.result();
  };

  test.each<[string, readonly Message[] | null, number]>([
    ["the message itself holds it", messages.slice(0, 3), 1],
    ["its end is enough", [human("s", "It ended in: error: cannot find module left-pad")], 1],
    ["other words do not hold it", [human("s", "A module was missing.")], 0],
    ["a request that could not be sent holds nothing", null, 0],
  ])("%s", (_, context, kept) => {
    expect(after(messages, [3], context)).toEqual({ due: 1, kept });
  });

  test("is kept exactly if a message of the context has its text, whatever comes and goes", () => {
    const wordOf = (error: number) => `error: number ${error} of this session`;
    const said = Array.from({ length: 12 }, (_, place) => human(`m${place}`, `said ${wordOf(place % 3)} and went on`));
    const events = fc.array(fc.option(fc.nat(2)), { minLength: 15, maxLength: 15 });
    const contexts = fc.array(fc.record({ arrived: fc.nat(3), cut: fc.option(fc.nat(4), { freq: 3 }), isLost: fc.boolean() }), {
      minLength: 15,
      maxLength: 15,
    });
    let seen = 0;
    fc.assert(
      fc.property(events, contexts, (standing, calls) => {
        const errors = lastErrorsOf({
          errors: [0, 1, 2].map(wordOf),
          events: standing.map((error, ordinal) => ({ ordinal, error })),
        });
        const probe = createLastErrorProbe(errors);
        const expected = { due: 0, kept: 0 };
        const shownAt = createContextChanges();
        let list = sequenceOf<Message>();
        let taken = 0;
        for (const [ordinal, { arrived, cut, isLost }] of calls.entries()) {
          for (const message of said.slice(taken, taken + arrived)) list = list.append(message);
          taken += arrived;
          if (cut !== null) list = sequenceOf(list.slice(cut));
          probe.atCall(ordinal + 1, isLost ? null : shownAt(list));
          const error = standing[ordinal] ?? null;
          const isRead = error !== null && [...list].some((message) => textOf(message).includes(wordOf(error)));
          expected.due += error === null ? 0 : 1;
          expected.kept += isRead && !isLost ? 1 : 0;
        }
        expect(probe.result()).toEqual(expected);
        seen += expected.kept;
      }),
      { seed: 20_261_123, numRuns: 300 },
    );
    expect(seen).toBeGreaterThan(100);
  });

  test("is due until the same call succeeds", () => {
    const again = [...messages.slice(0, 3), calling("a4", ["c4"], ""), result("r4", "c4", "fine"), reply("a5", "Done.")];
    expect(after(again, [3, 5], [])).toEqual({ due: 1, kept: 0 });
  });
});

describe("re-read risk", () => {
  const touching = (id: string, access: "read" | "modify"): Message => {
    const message = calling(id, [`call-${id}`], "");
    if (message.role !== "assistant") throw new Error("no assistant message");
    const parts = message.parts.map((part) =>
      part.type === "tool-call" ? { ...part, paths: [{ path: "a.ts", access }] } : part,
    );
    return { ...message, parts };
  };
  const [read, text, change] = [touching("1", "read"), result("r1", "call-1", "content of a.ts"), touching("2", "modify")];
  const entries = [read, text, change].map((message) => ({ type: "message", message }) as const);

  test.each([
    ["the reading is in the context", [read, text], { touches: 1, atRisk: 0 }],
    ["the reading was cut", [read, result("r1", "call-1", "cut")], { touches: 1, atRisk: 1 }],
    ["the request could not be sent", null, { touches: 1, atRisk: 1 }],
  ])("if %s", (_, context, expected) => {
    const probe = createRereadProbe(entries);
    probe.atCall(read, { removed: [], added: [] });
    probe.atCall(change, context === null ? null : { removed: [], added: context });
    expect(probe.result()).toEqual(expected);
  });
});

describe("a replay", () => {
  const session = prepareSession(madeTranscript({ turns: 10, toolCallsPerTurn: 6, resultChars: 6000, overheadTokens: 2000 }));
  const run = (policy: typeof PI_POLICY) => replay(session, { policy, window: { kind: "working-room", tokens: 32_000 } });

  test.each([[PI_POLICY], [SVEN_POLICY]])("tells each compaction, and its samples add up to the prompts", async (policy) => {
    const { compactions, composition, series, metrics } = await run(policy);
    expect(compactions.length).toBe(metrics?.economy.compactions);
    expect(compactions.every(({ messagesBefore, messagesAfter }) => messagesAfter < messagesBefore)).toBe(true);
    expect(metrics?.economy.marginSpentRatio).toBeGreaterThan(0);
    for (const { call, tokens } of composition.samples) {
      const sum = tokens.reduce((total, part) => total + part, 0);
      expect(Math.abs(sum - (series[call]?.promptTokens ?? 0))).toBeLessThan(composition.kinds.length);
    }
  });

  test("without compaction nothing decays and nothing is at risk", async () => {
    const { metrics, compactions } = await replay(session, {
      policy: NONE_POLICY,
      window: { kind: "working-room", tokens: 10 ** 6 },
    });
    expect(compactions).toEqual([]);
    expect(metrics?.decay.map((step) => step.compactions)).toEqual([0]);
    expect(metrics?.lastError.kept).toBe(metrics?.lastError.due);
    expect(metrics?.instructions.all.held).toBe(metrics?.instructions.all.uses);
    expect(metrics?.economy.marginSpentRatio).toBeNull();
  });
});
