import { PRESETS, policySchema } from "@plimsoll/core";
import { expect, test } from "vitest";
import { prepareSession } from "../replay/prepared-session.ts";
import { replay } from "../replay.ts";
import { madeTranscript } from "../testing/made-session.ts";
import { PEERS, peerNamed } from "./peers.ts";

const SESSION = prepareSession(madeTranscript({ turns: 8, toolCallsPerTurn: 6, resultChars: 6000, overheadTokens: 2000 }));

test("no two policies of presets and peers go by one name", () => {
  const names = [...PRESETS, ...PEERS.map(({ policy }) => policy)].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test.each(PEERS.map((peer) => [peer.policy.name, peer] as const))("%s is a policy with its source", (name, peer) => {
  expect(policySchema.parse(peer.policy)).toEqual(peer.policy);
  expect(peerNamed(name)).toBe(peer);
  expect(peer.source).not.toBe("");
  expect(peer.readOn).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  expect(peer.notExpressed.length).toBeGreaterThan(0);
});

test.each(PEERS.map(({ policy }) => [policy.name, policy] as const))("%s acts and sends nothing invalid", async (_, policy) => {
  const { metrics } = await replay(SESSION, { policy, window: { kind: "working-room", tokens: 32_000 } });
  expect(metrics?.economy.compactions).toBeGreaterThan(0);
  expect(metrics?.safety).toMatchObject({ invalidRequests: 0, unrecoveredRequests: 0 });
});
