import fc from "fast-check";
import type { ModelLimits } from "../entry.ts";
import type { AssistantMessage, ToolResultMessage, UserMessage } from "../message/message.ts";
import type { Policy } from "../policy/policy.ts";
import { PRESETS } from "../policy/presets/presets.ts";
import type { StrategySpec } from "../strategy/strategy.ts";

/** What happens in a generated session, in order. Ids are given when the session is played. */
export type SessionAct =
  | { readonly act: "human"; readonly text: string; readonly images: number }
  | {
      readonly act: "step";
      readonly calls: readonly StepCall[];
      readonly text: string;
      readonly reasoning: string | null;
      readonly usageRatio: number;
    }
  | { readonly act: "inject"; readonly text: string }
  | { readonly act: "compact"; readonly keepMessages: number | null }
  | { readonly act: "overflow"; readonly recoveries: number }
  | { readonly act: "crash"; readonly calls: readonly StepCall[]; readonly answered: number }
  | { readonly act: "revert" }
  | { readonly act: "reload" }
  | { readonly act: "switch"; readonly limits: ModelLimits };

/** A call of a step with its result. */
export interface StepCall {
  readonly argumentsText: string;
  readonly resultText: string;
  readonly isError: boolean;
  readonly hasImage: boolean;
  readonly path: string | null;
}

/** How the generated session's summariser behaves at each of its calls, in turn. */
export type SummarizerBehaviour = "works" | "fails" | "empty" | "cut-off" | "huge" | "aborted";

/** A whole generated session with the policy and limits that it is played under. */
export interface SessionScenario {
  readonly policy: Policy;
  readonly limits: ModelLimits;
  readonly system: string;
  readonly summarizer: readonly SummarizerBehaviour[];
  readonly acts: readonly SessionAct[];
}

/** Texts of all scripts, with lone surrogates, blank and giant ones. `fc.string` with unit `binary` gives every UTF-16 unit. */
export function arbitraryText(maximumChars: number): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.lorem({ maxCount: 30 }) },
    { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 60 }).map((text) => `${text}.`) },
    { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 60 }).map((text) => `${text}.`) },
    {
      weight: 1,
      arbitrary: fc
        .integer({ min: 0, max: maximumChars })
        .map((length) => "word ".repeat(Math.ceil(length / 5)).slice(0, length)),
    },
    { weight: 1, arbitrary: fc.constant("") },
  );
}

const call: fc.Arbitrary<StepCall> = fc.record({
  argumentsText: fc.lorem({ maxCount: 5 }),
  resultText: arbitraryText(6000),
  isError: fc.boolean(),
  hasImage: fc.boolean(),
  path: fc.option(fc.constantFrom("src/a.ts", "src/b.ts", "docs/c.md"), { nil: null }),
});

const limits: fc.Arbitrary<ModelLimits> = fc
  .tuple(fc.integer({ min: 150, max: 12_000 }), fc.option(fc.integer({ min: 1, max: 3000 }), { nil: null }))
  .map(([window, output]) => ({
    contextWindowTokens: window,
    maxOutputTokens: output === null ? null : Math.min(output, Math.floor(window / 2)),
  }));

const act: fc.Arbitrary<SessionAct> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant("human" as const),
      text: arbitraryText(1500).map((text) => text.trim() || "go on"),
      images: fc.integer({ min: 0, max: 1 }),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      act: fc.constant("step" as const),
      calls: fc.array(call, { maxLength: 4 }),
      text: arbitraryText(2000),
      reasoning: fc.option(fc.lorem({ maxCount: 8 }), { nil: null }),
      usageRatio: fc.double({ min: 0.6, max: 2.2, noNaN: true }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("inject" as const), text: fc.lorem({ maxCount: 20 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant("compact" as const),
      keepMessages: fc.option(fc.integer({ min: 0, max: 6 }), { nil: null }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("overflow" as const), recoveries: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant("crash" as const),
      calls: fc.array(call, { minLength: 1, maxLength: 3 }),
      answered: fc.integer({ min: 0, max: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("revert" as const) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("reload" as const) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("switch" as const), limits }) },
);

const strategy: fc.Arbitrary<StrategySpec> = fc.oneof(
  fc.record({
    kind: fc.constant("summarize" as const),
    writer: fc.constantFrom("model" as const, "digest" as const),
    boundary: fc.constantFrom("any-safe" as const, "not-in-tool-batch" as const, "turn" as const),
    promptId: fc.constant("checkpoint"),
    turnPrefixPromptId: fc.constantFrom("turn-prefix", null),
  }),
  fc.record({
    kind: fc.constant("clear-tool-results" as const),
    keepResults: fc.integer({ min: 0, max: 4 }),
    clearAtLeastTokens: fc.integer({ min: 0, max: 200 }),
  }),
  fc.record({
    kind: fc.constant("drop-oldest" as const),
    amount: fc.constantFrom("all-but-keep" as const, "until-it-fits" as const),
    notice: fc.constantFrom("count" as const, "none" as const),
  }),
  fc.record({ kind: fc.constant("cut-oversized" as const), to: fc.constantFrom("fit" as const, "stubs" as const) }),
);

/** A preset, or a preset with random strategies, keep, trigger, target and facts. */
export const arbitraryPolicy: fc.Arbitrary<Policy> = fc.oneof(
  fc.constantFrom(...PRESETS),
  fc
    .record({
      preset: fc.constantFrom(...PRESETS.filter((preset) => preset.enabled)),
      strategies: fc.array(strategy, { maxLength: 3 }),
      keep: fc.oneof(
        fc.record({ messages: fc.integer({ min: 0, max: 8 }) }),
        fc.record({ tokens: fc.integer({ min: 0, max: 3000 }) }),
      ),
      ratio: fc.double({ min: 0.1, max: 1, noNaN: true }),
      factsTokens: fc.integer({ min: 0, max: 500 }),
      role: fc.constantFrom("user" as const, "assistant" as const),
      steps: fc.option(fc.integer({ min: 0, max: 20 }), { nil: null }),
    })
    .map(({ preset, strategies, keep, ratio, factsTokens, role, steps }) => ({
      ...preset,
      name: `random-${preset.name}`,
      strategies,
      keep,
      trigger: { atLeast: { ratio, of: "input-budget" as const } },
      facts: { maxTokens: factsTokens },
      summary: { ...preset.summary, role },
      progress: {
        ...preset.progress,
        target: steps === null ? null : { atMost: { ratio: ratio * 0.7, of: "input-budget" as const }, steps },
      },
    })),
);

/** Whole sessions: acts, policy, limits, and a summariser that may fail in every way. */
export function arbitraryScenario(maximumActs: number): fc.Arbitrary<SessionScenario> {
  return fc.record({
    policy: arbitraryPolicy,
    limits,
    system: fc.lorem({ maxCount: 20 }),
    summarizer: fc.array(
      fc.constantFrom<SummarizerBehaviour>("works", "works", "works", "fails", "empty", "cut-off", "huge", "aborted"),
      { minLength: 1, maxLength: 5 },
    ),
    acts: fc.array(act, { minLength: 1, maxLength: maximumActs, size: "max" }),
  });
}

/** Messages of one act, with ids from the counter given. */
export function humanOf(act: SessionAct & { readonly act: "human" }, id: string): UserMessage {
  const images = Array.from(
    { length: act.images },
    () =>
      ({
        type: "image",
        mediaType: "image/png",
        widthPx: 10,
        heightPx: 10,
        sizeBytes: 100,
        source: { kind: "absent" },
      }) as const,
  );
  return { role: "user", id, origin: "human", parts: [{ type: "text", text: act.text }, ...images], atMs: null };
}

/** The reply of a step and its results. A reply without calls and without text says so, as a model's empty reply is never logged. */
export function messagesOfStep(
  act: SessionAct & { readonly act: "step" },
  id: string,
): { readonly reply: AssistantMessage; readonly results: readonly ToolResultMessage[] } {
  const text = act.text.trim() === "" && act.calls.length === 0 ? "done" : act.text;
  const reply: AssistantMessage = {
    role: "assistant",
    id,
    origin: "model",
    parts: [
      ...(act.reasoning === null ? [] : [{ type: "reasoning", text: act.reasoning, opaque: null } as const]),
      ...(text.trim() === "" ? [] : [{ type: "text", text } as const]),
      ...act.calls.map((each, index) => ({
        type: "tool-call" as const,
        callId: `${id}-call-${index}`,
        toolName: "tool",
        argumentsJson: JSON.stringify({ text: each.argumentsText }),
        paths: each.path === null ? [] : [{ path: each.path, access: "read" as const }],
      })),
    ],
    modelId: "test/model",
    requestId: `request-${id}`,
    stopReason: act.calls.length === 0 ? "end" : "tool-calls",
    atMs: null,
  };
  const results = act.calls.map(
    (each, index): ToolResultMessage => ({
      role: "tool-result",
      id: `${id}-result-${index}`,
      callId: `${id}-call-${index}`,
      toolName: "tool",
      isError: each.isError,
      category: "generic",
      parts: [
        { type: "text", text: each.resultText },
        ...(each.hasImage && index === 0
          ? [
              {
                type: "image",
                mediaType: "image/png",
                widthPx: null,
                heightPx: null,
                sizeBytes: 5,
                source: { kind: "absent" },
              } as const,
            ]
          : []),
      ],
      atMs: null,
    }),
  );
  return { reply, results };
}
