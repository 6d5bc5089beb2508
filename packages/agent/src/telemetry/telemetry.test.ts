import { readFileSync } from "node:fs";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { PLIMSOLL_POLICY, PlimsollError, type Policy, type Summarizer, SVEN_POLICY, usageOf } from "@plimsoll/core";
import type { ScriptedReply } from "@plimsoll/core/testing";
import { describe, expect, test } from "vitest";
import { agentSetup, agentTool, echoCalls } from "../../testing/agent-setup.ts";
import { createTelemetry } from "./telemetry.ts";

/** In every text of the session, and nowhere in the telemetry. */
const SECRET = "planted-in-every-text";

/** Runs an agent, and returns everything that a tracer and a meter of the SDK received. */
async function told(answers: (index: number) => ScriptedReply, more: Parameters<typeof agentSetup>[1] = {}) {
  const spans = new InMemorySpanExporter();
  const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 3_600_000 });
  const meters = new MeterProvider({ readers: [reader] });
  let now = 0;
  const telemetry = createTelemetry({
    tracer: tracers.getTracer("test"),
    meter: meters.getMeter("test"),
    providerName: "anthropic",
    usdOfSummary: ({ input, output }) => ((input.totalTokens ?? 0) + 10 * (output.totalTokens ?? 0)) / 1_000_000,
    nowMs: () => {
      now += 250;
      return now;
    },
  });
  const text = `${SECRET} `.repeat(150);
  const { start } = agentSetup(answers, {
    tools: [agentTool("echo", async () => ({ text, isError: false }))],
    onEvent: telemetry.onAgentEvent,
    ...more,
  });
  const agent = await start();
  await agent.submit(`go ${SECRET}`);
  await agent.close();
  await meters.forceFlush();
  const [collected] = metrics.getMetrics().slice(-1);
  const points = collected?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
  await meters.shutdown();
  return { spans: spans.getFinishedSpans(), points };
}

type Told = Awaited<ReturnType<typeof told>>;
const namesOf = ({ spans }: Told) => spans.map(({ name }) => name);
const pointsOf = ({ points }: Told, name: string) =>
  points.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];

/** A policy that has its summaries written ahead, and the length of each. */
const AHEAD: Policy = { ...SVEN_POLICY, prepare: { atLeast: { tokens: 4000 } } };
const SUMMARY_USAGE = usageOf({ uncachedTokens: 900, outputTokens: 50 });
const SUMMARIZER: Summarizer = async () => ({ text: `what happened ${SECRET}`, usage: SUMMARY_USAGE, stopReason: "end" });
const sumOf = (values: Readonly<Record<string, unknown>> = {}) =>
  Object.values(values).reduce<number>((sum, value) => sum + Number(value), 0);

/** The sums of a counter, by use of the summary and, if it says so, by type of tokens. */
const byUse = (session: Told, name: string) =>
  Object.fromEntries(
    pointsOf(session, name).map(({ attributes, value }) => [
      [attributes["plimsoll.summary.use"], attributes["gen_ai.token.type"]].filter((each) => each !== undefined).join(" "),
      value,
    ]),
  );

/** The default policy at a threshold that no step of these sessions leaps over, however few came since. */
const STEADY: Policy = {
  ...PLIMSOLL_POLICY,
  trigger: { atLeast: { ratio: 0.8, of: "input-budget" } },
  progress: { ...PLIMSOLL_POLICY.progress, minimumSteps: 1 },
};

const LONG = (index: number): ScriptedReply => (index < 20 ? echoCalls(`c${index}`) : { text: `done ${SECRET}` });

describe("what a session tells OpenTelemetry", () => {
  test("a run holds its model calls, tools and compactions as children", async () => {
    const session = await told(LONG);
    const { spans } = session;
    const run = spans.find(({ name }) => name === "invoke_agent");
    const others = spans.filter((span) => span !== run);
    expect(new Set(namesOf(session))).toEqual(
      new Set(["invoke_agent", "chat test/model", "execute_tool echo", "compact_context"]),
    );
    expect(others.every(({ parentSpanContext }) => parentSpanContext?.spanId === run?.spanContext().spanId)).toBe(true);
    expect(namesOf(session).filter((name) => name === "chat test/model")).toHaveLength(21);
    expect(namesOf(session).filter((name) => name === "execute_tool echo")).toHaveLength(20);
  });

  test("a compaction says why, by what and how much, and has a smaller context after it", async () => {
    const { spans } = await told(LONG, { policy: STEADY });
    const compactions = spans.filter(({ name }) => name === "compact_context").map(({ attributes }) => attributes);
    expect(compactions.length).toBeGreaterThan(0);
    const calls = spans.filter(({ name }) => name.startsWith("chat ")).map(({ attributes }) => attributes);
    const flags = calls.map((attributes) => attributes["gen_ai.conversation.compacted"]);
    expect([flags[0], flags.at(-1), flags.includes(false)]).toEqual([undefined, true, false]);
    const sent = calls.map((attributes) => attributes["gen_ai.input.messages"]);
    expect([sent[0], sent.at(-1)]).toEqual([undefined, JSON.stringify([{ role: "user", parts: [{ type: "compaction" }] }])]);
    for (const attributes of compactions)
      expect(attributes).toMatchObject({
        "gen_ai.conversation.id": "main",
        "plimsoll.compaction.reason": "threshold",
        "plimsoll.policy": "plimsoll",
        "plimsoll.compaction.strategies": expect.arrayContaining([expect.any(String)]),
      });
    expect(compactions.every((each) => Number(each["plimsoll.tokens.after"]) < Number(each["plimsoll.tokens.before"]))).toBe(
      true,
    );
  });

  test("metrics count calls, tokens, compactions and how far predictions were off", async () => {
    const session = await told(LONG, { policy: STEADY });
    const compactions = namesOf(session).filter((name) => name === "compact_context").length;
    expect(pointsOf(session, "gen_ai.client.operation.duration")).toMatchObject([
      { value: { count: 21, min: 0.25, max: 0.25 } },
    ]);
    expect(pointsOf(session, "gen_ai.client.token.usage").map(({ attributes }) => attributes["gen_ai.token.type"])).toEqual([
      "input",
      "output",
    ]);
    expect(pointsOf(session, "plimsoll.compactions")).toMatchObject([{ value: compactions }]);
    const errors = pointsOf(session, "plimsoll.prediction.error").map(({ value, attributes }) => ({
      value,
      side: attributes["plimsoll.prediction.side"],
    }));
    expect(new Set(errors.map(({ side }) => side))).toEqual(new Set(["above", "below"]));
    expect(errors).toMatchObject([{ value: { min: expect.any(Number) } }, { value: { min: expect.any(Number) } }]);
    expect(pointsOf(session, "plimsoll.context.headroom")).toHaveLength(1);
  });

  test.each([
    { session: "goes on until it is used", calls: 20, uses: "used" },
    { session: "ends before it is used", calls: 4, uses: "unused" },
  ])("each summary is paid for once if the session $session", async ({ calls, uses }) => {
    let asked = 0;
    const summarizer: Summarizer = async (request, signal) => {
      asked += 1;
      return await SUMMARIZER(request, signal);
    };
    const session = await told((index) => (index < calls ? echoCalls(`c${index}`) : { text: "done" }), {
      policy: AHEAD,
      summarizer,
    });
    const [summaries, tokens, dollars] = ["plimsoll.summaries", "plimsoll.summary.tokens", "plimsoll.summary.cost"].map(
      (name) => byUse(session, name),
    );
    expect(Object.keys(summaries ?? {})).toEqual([uses]);
    expect(sumOf(summaries)).toBe(asked);
    expect(sumOf(tokens)).toBe(asked * 950);
    expect(sumOf(dollars)).toBeCloseTo(asked * 0.0014, 9);
  });

  test("an overflow is an error of its call, and counted", async () => {
    const overflow = new PlimsollError("context-overflow", `too long ${SECRET}`, { limitTokens: 3000, requestedTokens: 3100 });
    const replies = [...Array.from({ length: 6 }, (_, index) => echoCalls(`c${index}`)), { error: overflow }, { text: "done" }];
    const session = await told((index) => replies[index] ?? { text: "done" });
    const failed = session.spans.filter(({ attributes }) => attributes["error.type"] === "context-overflow");
    expect(failed.map(({ name }) => name)).toEqual(["chat"]);
    // Six replies before it, and the one to the request that was sent again.
    expect(namesOf(session).filter((name) => name === "chat test/model")).toHaveLength(7);
    expect(pointsOf(session, "plimsoll.overflows")).toMatchObject([{ value: 1 }]);
  });

  test("a run that fails ends all its spans with the error's code", async () => {
    const failure = new PlimsollError("provider-failed", `no ${SECRET}`);
    const { spans } = await told(() => ({ error: failure }));
    expect(spans.map(({ name, attributes }) => [name, attributes["error.type"]])).toEqual([
      ["chat", "provider-failed"],
      ["invoke_agent", "provider-failed"],
    ]);
  });

  test("no text of anybody is told", async () => {
    const session = await told(LONG, { policy: AHEAD, summarizer: SUMMARIZER });
    const everything = session.spans.map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
    expect(JSON.stringify([everything, session.points])).not.toContain(SECRET);
  });

  test("the document names every attribute and metric that there is", async () => {
    const document = readFileSync(new URL("../../../../docs/telemetry.md", import.meta.url), "utf8");
    const session = await told(LONG, { policy: AHEAD, summarizer: SUMMARIZER });
    const names = new Set([
      ...session.spans.flatMap(({ attributes }) => Object.keys(attributes)),
      ...session.points.map(({ descriptor }) => descriptor.name),
      ...session.points.flatMap(({ dataPoints }) => dataPoints.flatMap(({ attributes }) => Object.keys(attributes))),
    ]);
    expect([...names].filter((name) => !document.includes(`\`${name}\``))).toEqual([]);
  });
});
