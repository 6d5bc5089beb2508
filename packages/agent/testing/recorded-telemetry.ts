import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { createTelemetry, type Telemetry } from "../src/telemetry/index.ts";

/** Telemetry that goes to OpenTelemetry's SDK, in memory. */
export interface RecordedTelemetry {
  readonly telemetry: Telemetry;
  /** Names, attributes, events and states of all spans, and all metrics with their points, as JSON. Ends the recording. */
  told(): Promise<string>;
}

/** Records all telemetry. */
export function recordedTelemetry(): RecordedTelemetry {
  const spans = new InMemorySpanExporter();
  const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const meters = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 3_600_000 })],
  });
  return {
    telemetry: createTelemetry({
      tracer: tracers.getTracer("test"),
      meter: meters.getMeter("test"),
      providerName: "anthropic",
    }),
    told: async () => {
      await meters.forceFlush();
      const ended = spans.getFinishedSpans().map(({ name, attributes, events, status, resource }) => ({
        name,
        attributes,
        events,
        status,
        resource: resource.attributes,
      }));
      const text = JSON.stringify({ ended, metrics: metrics.getMetrics() });
      await meters.shutdown();
      return text;
    },
  };
}
