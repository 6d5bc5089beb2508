import Anthropic from "@anthropic-ai/sdk";
import type { ContextEvent } from "@plimsoll/core";
import { type SimulatedReply, type SimulatedRequest, type SimulatorOptions, startSimulator } from "@plimsoll/simulator";
import OpenAI from "openai";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAnthropicSession } from "../anthropic/session.ts";
import { createResponsesSession } from "../openai-responses/session.ts";
import type { SdkSession } from "./session.ts";

const LIMITS = { contextWindowTokens: 32_768, maxOutputTokens: 2_000 };
const TOOL = { name: "read_file", input_schema: { type: "object" as const } };
const text = (index: number) => `${index}: line of a file\n`.repeat(230);

function scripted({ asks, replyIndex }: SimulatedRequest): SimulatedReply {
  if (asks === "summary") return { parts: [{ type: "text", text: "The vendor's summary. ".repeat(40) }] };
  if (replyIndex % 25 === 24) return { parts: [{ type: "text", text: `Part ${replyIndex} is read.` }] };
  return { parts: [{ type: "tool-call", toolName: TOOL.name, argumentsJson: `{"path":"src/${replyIndex}.ts"}` }] };
}

type Ends = Extract<ContextEvent, { type: "compaction-end" }>[];
/** A session of a wire with its loop's own call; `asked` counts requests for a summary. */
type Opened = {
  readonly session: Pick<SdkSession<never, never>, "user" | "calls" | "result">;
  readonly send: () => Promise<unknown>;
  readonly asked: () => number;
};
type Open = (
  urls: { readonly url: string; readonly openAiUrl: string },
  onEvent: (event: ContextEvent) => void,
) => Promise<Opened>;

const OPEN: readonly (readonly [string, Open])[] = [
  [
    "createAnthropicSession",
    async ({ url }, onEvent) => {
      const client = new Anthropic({ apiKey: "key", baseURL: url, maxRetries: 0 });
      let asked = 0;
      const session = await createAnthropicSession({
        request: { model: "claude-opus-5-5", max_tokens: 2_000, tools: [TOOL] },
        ...{ system: "You read files.", limits: LIMITS, policy: "plimsoll-vendor", onEvent },
        compact: (request, options) => {
          asked += 1;
          return client.messages.create(request, options);
        },
      });
      const send = () => session.send((request) => client.messages.create(request, session.requestOptions));
      return { session, send, asked: () => asked };
    },
  ],
  [
    "createResponsesSession",
    async ({ openAiUrl }, onEvent) => {
      const client = new OpenAI({ apiKey: "key", baseURL: openAiUrl, maxRetries: 0 });
      let asked = 0;
      const session = await createResponsesSession({
        request: { model: "gpt-6", tools: [{ type: "function", name: TOOL.name, parameters: {}, strict: false }] },
        ...{ system: "You read files.", limits: LIMITS, policy: "plimsoll-vendor", onEvent },
        compact: (request) => {
          asked += 1;
          return client.responses.compact(request);
        },
      });
      return { session, send: () => session.send((request) => client.responses.create(request)), asked: () => asked };
    },
  ],
];

/** Plays so many steps, or until so many cuts. */
async function played(open: Open, options: Partial<SimulatorOptions>, { steps = 200, cuts = 1_000, onCut = () => {} }) {
  const simulator = await startSimulator({
    ...{ replies: scripted, reasoning: "every-reply", contextWindowTokens: LIMITS.contextWindowTokens, nowMs: () => 0 },
    ...options,
  });
  onTestFinished(() => simulator.close());
  const ends: Ends = [];
  const { session, send, asked } = await open(simulator, (event) => void (event.type === "compaction-end" && ends.push(event)));
  for (let step = 0; step < steps && ends.length < cuts; step++) {
    if (session.calls.length === 0) session.user(`Read on from ${step}.`);
    for (const { callId } of session.calls) session.result(callId, text(step));
    await send();
    for (const _ of ends) onCut();
  }
  const edits = ends.flatMap(({ entry }) => entry.edits);
  return {
    asked: asked(),
    writers: edits.flatMap((edit) => (edit.kind === "replace-spans" ? [edit.by] : [])),
    refused: simulator.exchanges().filter(({ outcome }) => outcome !== "answered").length,
    dropped: simulator.exchanges().reduce((sum, { drops }) => sum + drops.length, 0),
    lost: ends.reduce((sum, { entry }) => sum + (entry.removedReasoning?.length ?? 0), 0),
  };
}

const notWritten = (reply: SimulatedReply): Partial<SimulatorOptions> => ({
  replies: (request) => (request.asks === "summary" ? reply : scripted(request)),
});

describe.each(OPEN)("%s with the vendor's writer", (_, open) => {
  test("keeps its thinking over 100 steps, and nothing is refused", async () => {
    const { writers, asked, ...came } = await played(open, {}, { steps: 100 });
    expect(writers.length).toBeGreaterThanOrEqual(3);
    expect(new Set(writers)).toEqual(new Set(["vendor"]));
    expect(asked).toBe(writers.length);
    expect(came).toEqual({ refused: 0, dropped: 0, lost: 0 });
  });

  test("has a digest at once, and asks once, if the vendor refuses", async () => {
    const options = { rules: { compactEndpoint: "off" } } as const;
    expect(await played(open, options, { cuts: 2 })).toMatchObject({ writers: ["digest", "digest"], asked: 1 });
  });

  test("goes on with the digest if the vendor refuses its block", async () => {
    const rules: { summaries?: "refused" } = {};
    const onCut = () => {
      rules.summaries = "refused";
    };
    expect(await played(open, { rules }, { cuts: 2, onCut })).toMatchObject({ writers: ["vendor", "digest"], refused: 1 });
  });
});

test.each<[string, Partial<SimulatorOptions>]>([
  ["answers with nothing", notWritten({ parts: [] })],
  ["answers with half a summary", notWritten({ parts: [{ type: "text", text: "so" }], stop: "length" })],
  ["is overloaded", { faults: ({ asks }) => (asks === "summary" ? { kind: "status", status: 529 } : null) }],
])("a Messages session has a digest at once, and asks once, if the vendor %s", async (_, options) => {
  const [, open] = OPEN[0] ?? expect.fail("no session");
  expect(await played(open, options, { cuts: 2 })).toMatchObject({ writers: ["digest", "digest"], asked: 1 });
});
