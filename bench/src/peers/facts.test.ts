import type { Policy } from "@plimsoll/core";
import { KLAUDE_CODE_POLICY } from "@plimsoll/core";
import { triggerTokens } from "@plimsoll/core/build";
import { describe, expect, test } from "vitest";
import { contradictedFacts, PEER_FACTS } from "./facts.ts";
import { OPENCODE_PEER } from "./opencode.ts";
import { PEERS } from "./peers.ts";

test.each(PEER_FACTS)("$peer acts where $program $versions does: $windowTokens and $outputTokens tokens", (fact) => {
  const peer = PEERS.find(({ policy }) => policy.name === fact.peer);
  expect(
    contradictedFacts(peer?.policy ?? { ...OPENCODE_PEER.policy, trigger: { atLeast: { tokens: 0 } }, name: fact.peer }),
  ).toEqual([]);
});

test.each<[string, Pick<Policy, "name" | "trigger">]>([
  [
    "OpenCode at 20,000 tokens too few",
    { name: "opencode", trigger: { atLeast: { minus: [{ ratio: 1, of: "input-budget" }, { tokens: 20_000 }] } } },
  ],
  ["OpenCode at the window", { name: "opencode", trigger: { atLeast: { ratio: 1, of: "window" } } }],
  ["an old Claude Code at the new line", { name: "claude-code-2.1.20", trigger: { atLeast: { tokens: 167_000 } } }],
  ["Claude Code at our preset's line", { name: "claude-code", trigger: KLAUDE_CODE_POLICY.trigger }],
])("%s contradicts the facts", (_, policy) => {
  expect(contradictedFacts(policy)).not.toEqual([]);
});

describe("lines that follow the window as they are said to", () => {
  const SMALL = { windowTokens: 64_000, inputBudgetTokens: 56_000 };
  const LARGE = { windowTokens: 512_000, inputBudgetTokens: 448_000 };
  /** The same reply in the larger window. */
  const LARGE_SAME_REPLY = { windowTokens: 512_000, inputBudgetTokens: 504_000 };

  const followed = {
    share: ({ trigger }: Policy) => [triggerTokens(trigger, LARGE), 8 * triggerTokens(trigger, SMALL)],
    distance: ({ trigger }: Policy) => [
      512_000 - triggerTokens(trigger, LARGE_SAME_REPLY),
      64_000 - triggerTokens(trigger, SMALL),
    ],
    tokens: ({ trigger }: Policy) => [triggerTokens(trigger, LARGE), triggerTokens(trigger, SMALL)],
    "every-call": ({ trigger }: Policy) => [triggerTokens(trigger, LARGE), 0],
    "share-and-distance": ({ trigger }: Policy) => [triggerTokens(trigger, SMALL) < 64_000, true],
  } as const;

  test.each(PEERS.map(({ policy, line }) => [policy.name, line.follows, policy] as const))("%s: %s", (_, follows, policy) => {
    const [now, expected] = followed[follows](policy);
    expect(now).toBe(expected);
  });

  test.each([
    ["qwen-code", 200_000, 167_000],
    ["qwen-code", 1_000_000, 850_000],
    ["qwen-code", 64_000, 31_000],
    ["qwen-code", 32_000, 27_200],
    ["cline", 1_000_000, 960_000],
    ["cline", 100_000, 80_000],
    ["cline-cli", 200_000, 162_000],
  ])("%s of a window of %i tokens: %i", (name, windowTokens, lineTokens) => {
    const trigger = PEERS.find(({ policy }) => policy.name === name)?.policy.trigger ?? { above: { tokens: -1 } };
    expect(Math.round(triggerTokens(trigger, { windowTokens, inputBudgetTokens: windowTokens - 8_000 }))).toBe(lineTokens);
  });
});
