// Read recorded sessions

export type { Importer } from "./formats/importer.ts";
export { importFile } from "./formats/registry.ts";
export type { Outcome, Transcript } from "./transcript.ts";

// Replay them

export { runBench } from "./replay/run-bench.ts";
export { createSerialPool, createThreadPool } from "./replay/worker-pool.ts";
export type { BenchReport } from "./results.ts";

// Show the measurements

export { benchReportJsonSchema, reportSchema } from "./results/report-json.ts";
export { renderHtmlReport } from "./show/html.ts";
export { renderJsonReport } from "./show/json.ts";
export { renderMarkdownReport } from "./show/markdown.ts";

// Search for a better setting

export { tune } from "./tune/tune.ts";

// Add importers, metrics and peers

export type { Program, ProgramMoment, ProgramSetting } from "./drive/program.ts";
export { type BenchExtension, type BenchParts, BUILT_IN_PARTS, partsWith } from "./extension.ts";
export { type TranscriptParts, transcriptOf } from "./formats/log-builder.ts";
export { callDraft, type LogItem, replyItem, resultItem, textPart, userItem } from "./formats/log-items.ts";
export { inTable, type Metric } from "./metrics/metric.ts";
export { METRICS } from "./metrics/registry.ts";
export type { Peer } from "./peers/peer.ts";
export { loadParts } from "./replay/load-parts.ts";
export { IMPORTER_CONTRACT, type ImporterRule, type ImporterSubject } from "./testing/importer-contract.ts";
