import { readFileSync } from "node:fs";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type ResourceMetrics,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { expect, test } from "vitest";
import { agentSetup, agentTool, echoCalls } from "../../testing/agent-setup.ts";
import { createTelemetry } from "./telemetry.ts";

/** Attributes in the order of their names, as `name=value`. */
const attributesOf = (attributes: object) =>
  Object.entries(attributes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${Array.isArray(value) ? `[${value.join(", ")}]` : value}`)
    .join(" ");

/** Prints the telemetry of one session: each kind of span as its last one was, and every point of every metric. */
function printed(spans: readonly ReadableSpan[], metrics: ResourceMetrics | undefined): string {
  const names = [...new Set(spans.map(({ name }) => name))].toSorted();
  const spanLines = names.flatMap((name) => {
    const same = spans.filter((span) => span.name === name);
    const last = same.at(-1);
    return [`span ${name} (${same.length})`, `  ${attributesOf(last?.attributes ?? {})}`];
  });
  const metricLines = (metrics?.scopeMetrics ?? []).flatMap(({ metrics: told }) =>
    told.flatMap(({ descriptor, dataPoints }) => [
      `metric ${descriptor.name} ${descriptor.unit}`,
      ...dataPoints.map(({ attributes, value }) => `  ${figureOf(value)}  ${attributesOf(attributes)}`),
    ]),
  );
  return [...spanLines, ...metricLines].join("\n");
}

function figureOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const { count, sum = 0 }: { readonly count?: unknown; readonly sum?: unknown } = value;
  return `count=${String(count)} sum=${Number(sum).toFixed(3)}`;
}

test("docs/telemetry.md prints what one session tells", async () => {
  const spans = new InMemorySpanExporter();
  const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const meters = new MeterProvider({ readers: [reader] });
  let nowMs = 0;
  const telemetry = createTelemetry({
    tracer: tracers.getTracer("sample"),
    meter: meters.getMeter("sample"),
    providerName: "anthropic",
    nowMs: () => {
      nowMs += 250;
      return nowMs;
    },
  });
  const { start } = agentSetup((index) => (index < 12 ? echoCalls(`c${index}`) : { text: "done" }), {
    tools: [agentTool("echo", async () => ({ text: "a line of output\n".repeat(200), isError: false }))],
    onEvent: telemetry.onAgentEvent,
  });
  const agent = await start();
  await agent.submit("look at everything");
  await agent.close();
  await meters.forceFlush();
  const path = new URL("../../../../docs/telemetry.md", import.meta.url);
  const [before] = readFileSync(path, "utf8").split("```text\n");
  const page = `${before}\`\`\`text\n${printed(spans.getFinishedSpans(), exporter.getMetrics().at(-1))}\n\`\`\`\n`;
  await expect(page).toMatchFileSnapshot("../../../../docs/telemetry.md");
  await meters.shutdown();
});
