import { readFileSync } from "node:fs";
import { KLAUDE_CODE_POLICY, type Policy, PRESETS } from "@plimsoll/core";
import { triggerTokens } from "@plimsoll/core/extend";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { contradictedFacts, type PeerFact, RECORDED_FACTS } from "../../testing/peer-facts.ts";
import { PEERS } from "./peers.ts";

const observed = z.object({
  program: z.string(),
  version: z.string(),
  thresholds: z.array(
    z.object({
      windowTokens: z.number(),
      outputTokens: z.number().nullable(),
      usage: z.string(),
      silentTokens: z.number().nullable(),
      actsTokens: z.number().nullable(),
    }),
  ),
});

/** Returns the observatory's facts of a program whose provider reports usage, where it saw both sides of the line. */
function observedFacts(peer: string, file: string): readonly PeerFact[] {
  const text = readFileSync(new URL(`../../../lab/observatory/facts/${file}.json`, import.meta.url), "utf8");
  const { program, version, thresholds } = observed.parse(JSON.parse(text));
  return thresholds.flatMap(({ usage, silentTokens, actsTokens, ...sizes }) =>
    usage !== "reported" || silentTokens === null || actsTokens === null
      ? []
      : [
          {
            peer,
            program,
            versions: version,
            source: `lab/observatory/facts/${file}.json`,
            ...sizes,
            silentTokens,
            actsTokens,
          },
        ],
  );
}

const FACTS: readonly PeerFact[] = [
  ...RECORDED_FACTS,
  ...observedFacts("codex", "codex"),
  ...observedFacts("opencode", "opencode"),
  ...observedFacts("gemini-cli", "gemini"),
  ...observedFacts("qwen-code", "qwen"),
  ...observedFacts("pi", "pi"),
];
const POLICIES = [...PRESETS, ...PEERS.map(({ policy }) => policy)];

test("each program whose line is known has facts", () => {
  const named = [
    "claude-code-2.1.20",
    "claude-code",
    "codex",
    "codex",
    "opencode",
    "opencode",
    "gemini-cli",
    "qwen-code",
    "qwen-code",
    "pi",
    "pi",
  ];
  expect(FACTS.map(({ peer }) => peer)).toEqual(named);
});

test.each(FACTS)("$peer acts where $program $versions does: $windowTokens and $outputTokens tokens", ({ peer }) => {
  const policies = POLICIES.filter(({ name }) => name === peer);
  expect(policies).toHaveLength(1);
  expect(policies.flatMap((policy) => contradictedFacts(policy, FACTS))).toEqual([]);
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
  expect(contradictedFacts(policy, FACTS)).not.toEqual([]);
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
    "share-and-distance": ({ trigger }: Policy) => [triggerTokens(trigger, SMALL) < 64_000, true],
  } as const;

  /** How the lines of the peers follow the window, in the order of the peers. */
  const FOLLOWS = [
    ...(["distance", "distance", "share", "distance", "distance", "share", "share-and-distance", "distance"] as const),
    ...(["share-and-distance", "share", "share", "tokens", "tokens", "share-and-distance", "share-and-distance"] as const),
  ];

  test("each peer's line is known", () => {
    expect(FOLLOWS).toHaveLength(PEERS.length);
  });

  test.each(FOLLOWS.map((follows, at) => [PEERS[at]?.policy.name, follows, PEERS[at]?.policy] as const))(
    "%s: %s",
    (...[, follows, policy]) => {
      const [now, expected] = followed[follows](policy ?? KLAUDE_CODE_POLICY);
      expect(now).toBe(expected);
    },
  );

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
