import { readFileSync } from "node:fs";
import { PRESETS } from "@plimsoll/core";
import { policySchema, triggerTokens } from "@plimsoll/core/extend";
import { expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import { BUILT_IN_PARTS } from "../extension.ts";
import { prepareSession } from "../open/prepared-session.ts";
import { replay } from "../replay/replay.ts";
import { ALL_EXCERPTS, LAST_HUMAN_ONLY } from "./cheats.ts";
import { PEERS } from "./peers.ts";

const SESSION = prepareSession(madeTranscript({ turns: 8, toolCallsPerTurn: 6, resultChars: 6000, overheadTokens: 2000 }));

test("no two policies of presets and peers go by one name", () => {
  const names = [...PRESETS, ...PEERS.map(({ policy }) => policy)].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

const GUIDE = readFileSync(new URL("../../../docs/bench-and-tune.md", import.meta.url), "utf8");

test.each(PEERS.map(({ policy }) => policy.name))("%s stands in the guide's table", (name) => {
  expect(GUIDE).toContain(`\`${name}\``);
});

test.each(PEERS.map((peer) => [peer.policy.name, peer] as const))("%s is a policy with its source", (_, peer) => {
  expect(policySchema(BUILT_IN_PARTS.kinds).parse(peer.policy)).toEqual(peer.policy);
  expect(Object.values(peer.figures).flat().length).toBeGreaterThan(0);
  expect(peer.readOn).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  expect(peer.notExpressed.length).toBeGreaterThan(0);
});

const CHEATS = [LAST_HUMAN_ONLY, ALL_EXCERPTS];

test("only the cheats have no figure of a system", () => {
  const ours = PEERS.filter(({ figures }) => Object.keys(figures).every((standing) => standing === "chosen"));
  expect(ours).toEqual(CHEATS);
});

/** A commit of a public repository, an address, a paper, or sessions that the system itself wrote. */
const PLACE = / @[0-9a-f]{7}\b|^https:\/\/|^arXiv |recorded sessions|^@?[\w/-]+@\d+\.\d+\.\d+ /;

test.each(PEERS.flatMap(({ policy, figures }) => (figures.primary ?? []).map((figure) => [policy.name, figure] as const)))(
  "%s: %s, read at a place that can be looked up",
  (_, figure) => {
    const [, says, source] = /^(.*) \[(.*)\]$/.exec(figure) ?? [];
    expect(says).not.toBe("");
    expect(source).toMatch(PLACE);
  },
);

/** The line in tokens at which a peer acts in a window of 200,000 tokens with 32,000 of output, as its source has it. */
test.each([
  ["claude-code", 167_000],
  ["claude-code-2.1.20", 155_000],
  ["codex", 180_000],
  ["opencode", 168_000],
  ["gemini-cli", 100_000],
  ["cline", 160_000],
  ["clear-tool-uses", 100_000],
  ["langchain", 160_000],
  ["langchain-context-editing", 100_000],
])("%s acts at %i of 200,000 tokens", (name, lineTokens) => {
  const trigger = PEERS.find(({ policy }) => policy.name === name)?.policy.trigger ?? { above: { tokens: -1 } };
  expect(triggerTokens(trigger, { windowTokens: 200_000, inputBudgetTokens: 168_000 })).toBe(lineTokens);
});

/** In which form each system asks for its summary, as its source has it; a cap is of each result, in characters. */
test.each([
  ["claude-code", "prefix", 2000],
  ["codex", "serialised", null],
  ["opencode", "serialised", 2000],
  ["gemini-cli", "serialised", null],
  ["qwen-code", "prefix", null],
])("%s asks for a summary in the form %s, results cut to %s", (name, request, resultCapChars) => {
  expect(PEERS.find(({ policy }) => policy.name === name)?.policy.summary).toMatchObject({ request, resultCapChars });
});

test.each(PEERS.map(({ policy }) => [policy.name, policy] as const))("%s acts and sends nothing invalid", async (_, policy) => {
  const { metrics } = await replay(SESSION, {
    policy,
    window: { kind: "working-room", tokens: 32_000 },
    kinds: BUILT_IN_PARTS.kinds,
  });
  expect(metrics?.economy.compactions).toBeGreaterThan(0);
  expect(metrics?.safety).toMatchObject({ invalidRequests: 0, unrecoveredRequests: 0 });
});
