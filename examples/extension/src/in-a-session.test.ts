import { startAgent } from "@plimsoll/agent";
import {
  createDigest,
  createMemoryArtifactStore,
  createModelSummarizer,
  createSession,
  type FitOutcome,
  isHuman,
  PI_POLICY,
  type Policy,
  type SessionOptions,
  textOf,
} from "@plimsoll/core";
import { withKinds } from "@plimsoll/core/extend";
import { human, logOf, reply, scriptedModel } from "@plimsoll/core/testing";
import { createMemorySessionStore } from "@plimsoll/stores";
import { describe, expect, test } from "vitest";
import extension from "./bench-extension.ts";
import type { PlainSpec } from "./parts/estimator.ts";
import type { OpeningSpec } from "./parts/keep-rule.ts";
import { ONE_SENTENCE } from "./parts/prompt.ts";
import type { ForgetSpec } from "./parts/strategy.ts";
import { WRITE_POEM } from "./parts/tool.ts";

const QUARTERS: PlainSpec = { kind: "plain", tokensPerChar: 0.25 };
const FORGETFUL: ForgetSpec = { kind: "forget", keepMessages: 4 };
const OPENING: OpeningSpec = { kind: "opening", atMost: { tokens: 600 } };
const kinds = withKinds(extension);

/** Forgets all but the first message and the newest four from 6,000 tokens on. */
const POLICY: Policy = {
  ...PI_POLICY,
  name: "own",
  estimator: QUARTERS,
  gates: { at: ["before-step"], countPending: false },
  trigger: { above: { tokens: 6000 } },
  keep: [OPENING],
  strategies: [FORGETFUL],
};
const LIMITS = { contextWindowTokens: 10_000, maxOutputTokens: null } as const;

const words = (tokens: number) => "word".repeat(tokens);
const TURNS = Array.from({ length: 7 }, (_, turn) => [human(`u${turn}`, words(500)), reply(`a${turn}`, words(500))]).flat();

/** Fits a session under the policy: the outcome, and the ids of its view. */
async function fitted(messages: typeof TURNS, options: Partial<SessionOptions> = {}) {
  const session = createSession({ policy: POLICY, kinds, summarizer: createDigest(), entries: logOf(messages), ...options });
  const outcome = await session.fit(
    { gate: "before-step", pending: [], model: LIMITS, nowMs: null },
    new AbortController().signal,
  );
  return { outcome, messages: session.context().messages };
}

function stepsOf(outcome: FitOutcome): readonly string[] {
  const steps = outcome.kind === "compacted" ? outcome.entry.record.steps : [];
  return steps.map(({ strategy, outcome: came }) => `${strategy} ${came}`);
}

describe("an added keep rule", () => {
  test("is obeyed by an added strategy that knows nothing of it", async () => {
    const { outcome, messages } = await fitted(TURNS);
    expect(stepsOf(outcome)).toEqual(["forget applied", "keep opening released"]);
    expect(messages.map(({ id }) => id)).toEqual(["u0", "u5", "a5", "u6", "a6"]);
    const without = await fitted(TURNS, { policy: { ...POLICY, keep: [] } });
    expect(without.messages.map(({ id }) => id)).toEqual(["u5", "a5", "u6", "a6"]);
  });

  test("is obeyed by a built-in strategy, too", async () => {
    const strategies = [{ kind: "drop-oldest", amount: "all-but-keep", notice: "none" }];
    const { outcome, messages } = await fitted(TURNS, { policy: { ...POLICY, strategies } });
    expect(stepsOf(outcome)).toEqual(["drop-oldest applied", "keep opening released"]);
    expect(messages.filter(isHuman).map(({ id }) => id)).toEqual(["u0", "u6"]);
  });

  test("is released by the fallback if the context does not fit otherwise, and the record says so", async () => {
    const { outcome, messages } = await fitted([...TURNS, human("last", words(9700))]);
    expect(stepsOf(outcome)).toContain("keep opening released");
    expect(messages.map(({ id }) => id)).not.toContain("u0");
    expect(messages.at(-1)?.id).toBe("last");
  });
});

const SUMMARY = PI_POLICY.summary.sections.map((section) => `## ${section}\nThey talked at length of words.`).join("\n\n");

test("an added prompt is what the model that writes a summary is asked", async () => {
  const model = scriptedModel(() => ({ text: SUMMARY }));
  const summarizer = createModelSummarizer(model.client, { modelId: "test/writer" });
  const strategies = [
    { kind: "summarize", writer: "model", boundary: "any-safe", promptId: ONE_SENTENCE.id, turnPrefixPromptId: null },
  ];
  const { outcome, messages } = await fitted(TURNS, { summarizer, policy: { ...POLICY, strategies } });
  expect(stepsOf(outcome)).toEqual(["summarize applied", "keep opening released"]);
  expect(outcome).toMatchObject({ entry: { edits: [{ prompts: ["one-sentence@1"] }] } });
  expect(model.requests()[0]?.context.messages.map(textOf).join()).toContain(
    ONE_SENTENCE.instructions(PI_POLICY.summary.sections),
  );
  expect(messages.map(textOf).join()).toContain("They talked at length of words");
});

test("an added tool is run by the agent, and its output is cut as its own category is", async () => {
  const calls = [{ callId: "c", toolName: WRITE_POEM.spec.name, argumentsJson: '{"lines":900}' }];
  const model = scriptedModel((_, index) => (index === 0 ? { calls } : { text: "done" }));
  const agent = await startAgent({
    session: { kind: "new", sessionId: "main", system: "be brief" },
    sessions: createMemorySessionStore(),
    model: { client: model.client, modelId: "test/model", limits: LIMITS },
    policy: { ...POLICY, truncation: { capTokens: 500 } },
    kinds,
    summarizer: createDigest(),
    tools: [WRITE_POEM],
    artifacts: createMemoryArtifactStore(),
    nowMs: () => 1,
  });
  expect(await agent.submit("a poem")).toMatchObject({ reason: "done", text: "done" });
  const shown = model.requests()[1]?.context.messages.at(-1);
  expect(shown).toMatchObject({ role: "tool-result", category: "poem" });
  expect(shown === undefined ? [] : textOf(shown).match(/Roses are red\./g)).toHaveLength(1);
});
