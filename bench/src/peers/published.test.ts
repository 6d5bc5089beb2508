import { NONE_POLICY, OPAL_POLICY, PI_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { type EnginePolicy, requireFallback } from "@plimsoll/core/extend";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { describe, expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import { cellOf } from "../drive/cell.ts";
import { drive } from "../drive/drive.ts";
import type { ReplayedCall } from "../drive/replayed-call.ts";
import { BUILT_IN_PARTS } from "../extension.ts";
import { prepareSession } from "../open/prepared-session.ts";
import { asPublished, PEERS } from "./peers.ts";

/** Results of about 30,000 tokens each, in a window with room for 24,000. */
const SESSION = prepareSession(madeTranscript({ turns: 2, toolCallsPerTurn: 2, resultChars: 120_000, overheadTokens: 2000 }));
const WINDOW = { kind: "working-room", tokens: 24_000 } as const;

async function callsOf(policy: EnginePolicy): Promise<readonly ReplayedCall[]> {
  const calls: ReplayedCall[] = [];
  await drive(SESSION, cellOf(SESSION, { policy, window: WINDOW, catalog: MODEL_CATALOG }), (call) => calls.push(call));
  return calls;
}
const lostBy = async (policy: EnginePolicy) => (await callsOf(policy)).filter(({ lost }) => lost).length;

describe("a policy as published", () => {
  test.each([PI_POLICY, OPAL_POLICY])("$name loses calls that the preset does not", async (preset) => {
    expect(await lostBy(preset)).toBe(0);
    expect(await lostBy(asPublished(preset))).toBeGreaterThan(0);
  });

  test("its steps are the policy's own, and it never acts at the budget", async () => {
    const records = (await callsOf(asPublished(SVEN_POLICY))).flatMap(({ compactions }) =>
      compactions.map(({ record }) => record),
    );
    expect(records.length).toBeGreaterThan(0);
    expect(records.map(({ reason }) => reason)).not.toContain("over-budget");
    const tried = new Set(records.flatMap(({ steps }) => steps.map(({ strategy }) => strategy)));
    expect([...tried].filter((name) => name !== "summarize" && name !== "drop-oldest")).toEqual([]);
  });

  test("goes by a name of its own, and cannot run if somebody waits", () => {
    expect(asPublished(SVEN_POLICY).name).toBe("sven (as published)");
    expect(() => requireFallback(asPublished(SVEN_POLICY))).toThrow(
      /sven \(as published\) has no fallback and may lose a call/,
    );
    expect(requireFallback(NONE_POLICY)).toEqual(NONE_POLICY);
  });
});

/** Rooms in which a peer's own steps have something to do: four turns of six calls. */
const LONG = prepareSession(madeTranscript({ turns: 4, toolCallsPerTurn: 6, resultChars: 8_000, overheadTokens: 2000 }));

test.each(PEERS.map(({ policy }) => [policy.name, policy] as const))(
  "%s as published takes its own steps alone, where its own line is",
  async (_, policy) => {
    const calls: ReplayedCall[] = [];
    const { kinds } = BUILT_IN_PARTS;
    const cell = cellOf(LONG, { policy: asPublished(policy), window: WINDOW, catalog: MODEL_CATALOG, kinds });
    await drive(LONG, cell, (call) => calls.push(call));
    const records = calls.flatMap(({ compactions }) => compactions.map(({ record }) => record));
    expect(calls.length).toBeGreaterThan(20);
    expect(records.filter(({ reason }) => reason === "over-budget")).toEqual([]);
    const own = new Set([...policy.strategies.map(({ kind }) => kind), ...policy.keep.map(({ kind }) => `keep ${kind}`)]);
    expect(records.flatMap(({ steps }) => steps).filter(({ strategy }) => !own.has(strategy))).toEqual([]);
  },
);
