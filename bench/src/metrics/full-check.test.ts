import { type Message, SVEN_POLICY } from "@plimsoll/core";
import type { Sequence } from "@plimsoll/core/internal";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { beforeAll, describe, expect, test } from "vitest";
import { type MadeSession, madeTranscript } from "../../testing/made-session.ts";
import { cellOf } from "../replay/cell.ts";
import { drive } from "../replay/drive.ts";
import { prepareSession } from "../replay/prepared-session.ts";
import type { ReplayedCall } from "../replay/replayed-call.ts";
import { isSampled } from "../sampled-calls.ts";
import { METRICS } from "./registry.ts";
import { createRowMetrics } from "./row-metrics.ts";

const MADE: MadeSession = { turns: 16, toolCallsPerTurn: 6, resultChars: 4000, overheadTokens: 2000 };
const SESSION = prepareSession(madeTranscript(MADE));
const CELL = cellOf(SESSION, { policy: SVEN_POLICY, window: { kind: "working-room", tokens: 24_000 }, catalog: MODEL_CATALOG });

/** Measures a replay of which each call is changed on its way to the measures. */
async function measured(changed: (sent: ReplayedCall) => ReplayedCall): Promise<void> {
  const recorder = createRowMetrics(SESSION, CELL, { catalog: MODEL_CATALOG, metrics: METRICS });
  await drive(SESSION, CELL, (sent) => recorder.add(changed(sent)));
}

function atSampled(change: (sent: ReplayedCall) => Partial<ReplayedCall>): (sent: ReplayedCall) => ReplayedCall {
  return (sent) => (isSampled(sent.call) ? { ...sent, ...change(sent) } : sent);
}

/** The same list, which says of every other one that it goes on from it. */
function goingOn(context: Sequence<Message>): Sequence<Message> {
  return {
    size: context.size,
    at: (index) => context.at(index),
    slice: (start, end) => context.slice(start, end),
    append: (message) => context.append(message),
    goesOnFrom: () => true,
    [Symbol.iterator]: () => context[Symbol.iterator](),
  };
}

describe("sampled calls are measured in full", () => {
  let compactions = 0;
  beforeAll(async () => {
    await drive(SESSION, CELL, (sent) => {
      compactions += sent.compactions.length;
    });
  });

  test("both forms are the same over a session that is cut", async () => {
    expect(compactions).toBeGreaterThan(0);
    await expect(measured((sent) => sent)).resolves.toBeUndefined();
  });

  test.each<[string, (sent: ReplayedCall) => Partial<ReplayedCall>, string]>([
    ["a size that drifted", ({ promptTokens }) => ({ promptTokens: promptTokens + 1 }), "the size of call 7"],
    [
      "a violation that nobody made",
      () => ({ violations: [{ code: "empty-content", index: 0, subject: "user message" }] }),
      "what a wire would refuse of call 7",
    ],
  ])("%s is told", async (_, change, words) => {
    await expect(measured(atSampled(change))).rejects.toThrow(words);
  });

  test("a context that does not go on from the one before, but says so, is told", async () => {
    const saysItGoesOn = (sent: ReplayedCall) => ({ ...sent, context: goingOn(sent.context) });
    await expect(measured(saysItGoesOn)).rejects.toThrow("differs between what was followed");
  });
});
