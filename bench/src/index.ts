// Importing

// Calibrating
export type { CalibratedMethod, CalibratedSession, CallKind } from "./calibrate/calibrate-sessions.ts";
export { calibrationRecord } from "./calibrate/calibration-record.ts";
export type { Calibration, CalibrationReport, MethodErrors, SessionErrors } from "./calibrate/calibration-report.ts";
export { calibrateTranscripts } from "./calibrate/calibration-report.ts";
export type { PredictionErrors } from "./calibrate/errors.ts";
export { estimatorsPage } from "./calibrate/estimators-page.ts";
export { figuresSources, type SourceFile } from "./calibrate/figures-source.ts";
export { type FittedFigures, fitFigures } from "./calibrate/fit-figures.ts";
export { CALIBRATED_METHODS } from "./calibrate/methods.ts";
export { observationsOf, type SessionObservations } from "./calibrate/observations.ts";
export type { Method, PredictedCall } from "./calibrate/predict-calls.ts";
export { byEstimator } from "./calibrate/predict-calls.ts";
export { predictionLines } from "./calibrate/prediction-lines.ts";
// Replaying
export { calibrate } from "./calibrate.ts";
export {
  type BenchExtension,
  type BenchParts,
  BUILT_IN_PARTS,
  partsWith,
} from "./extension.ts";
export { readHead } from "./formats/file-head.ts";
export { fileSource } from "./formats/file-source.ts";
export type { FileHead, FileSource, Importer } from "./formats/importer.ts";
export type { LocatedAgent, LocatedFile, LogQuery } from "./formats/locations.ts";
export { LOCATED_AGENTS, locateLogs, usualPlaces } from "./formats/locations.ts";
export type { LogItem } from "./formats/log-items.ts";
export { callDraft, textPart } from "./formats/log-items.ts";
export { replyItem, resultItem, userItem } from "./formats/plain-items.ts";
export { importFile } from "./formats/registry.ts";
export { type TranscriptParts, transcriptOf } from "./formats/transcript-of.ts";
export type { CalibrationSummary } from "./metrics/calibration-summary.ts";
// Reporting
// Metrics
export { columnsOf, type ShownFigure } from "./metrics/columns.ts";
export type { CostSummary, DollarSummary } from "./metrics/cost-pooling.ts";
export { metricTable } from "./metrics/docs-table.ts";
export type { MetricMeaning } from "./metrics/meaning.ts";
export {
  type FigureFormat,
  inTable,
  type MeasuredCall,
  type MeasuredReplay,
  type Metric,
  type MetricColumn,
  type MetricFigure,
  type MetricTable,
  type PooledSessions,
  type Recorder,
} from "./metrics/metric.ts";
export { METRICS, type PooledMetrics, type RunMetrics } from "./metrics/registry.ts";
export type { Relative } from "./metrics/relative.ts";
export { BASELINE_POLICY } from "./metrics/relative.ts";
export type { Peer } from "./peers/peer.ts";
export { PEERS } from "./peers/peers.ts";
export type { RepairedEntries } from "./repair/repair-entries.ts";
export { repairEntries } from "./repair/repair-entries.ts";
export type { PreparedSession } from "./replay/prepared-session.ts";
export { prepareSession } from "./replay/prepared-session.ts";
export type { ReplayRequest } from "./replay.ts";
export { replay } from "./replay.ts";
export { cacheValidities, medianErrorPercent, type SessionCacheValidity } from "./report/cache-validity.ts";
export { renderCalibrationHtml } from "./report/calibration-page.ts";
export { commonFolder } from "./report/common-folder.ts";
export {
  formatCount,
  formatFigure,
  formatNumberOf,
  formatPercent,
  formatRatioPercent,
  formatTokens,
  formatUsd,
  ratioOf,
} from "./report/figures.ts";
export { renderHtmlReport } from "./report/html.ts";
export { renderMarkdownReport } from "./report/markdown.ts";
export { html, type Markup, trusted } from "./report/markup.ts";
export { groupNotes, type NoteGroup } from "./report/note-groups.ts";
export { contentSecurityPolicy, readPageStyle } from "./report/page-assets.ts";
export { type PolicySummary, summarizePolicies, windowLabels } from "./report/policy-summary.ts";
export { remarks } from "./report/remarks.ts";
export { renderJsonReport } from "./report/report-json.ts";
export { benchReportJsonSchema, benchReportSchema, reportSchema } from "./report/schema/report-schema.ts";
export { summaryLines } from "./report/summary-lines.ts";
export { renderTuneHtml, type ShownTuneResult } from "./report/tune-page.ts";
export { type SizeValidity, sizeValidity, validityLines } from "./report/validity.ts";
export { windowLabel } from "./report/window-label.ts";
export type { CacheMiss } from "./results/cache-miss.ts";
export type { CalibrationRecord, MethodRecord, ModelErrors, ReportedPrompt } from "./results/calibration-record.ts";
export type {
  BenchReport,
  CacheValidity,
  CalibrationGroup,
  CalibrationMetrics,
  CallPoint,
  CompactionDetail,
  Composition,
  CostMetrics,
  DecayStep,
  EconomyMetrics,
  HiddenEvent,
  KeptCount,
  ObligationMetrics,
  PolicyDescription,
  PolicySweep,
  ReplayRow,
  RereadRisk,
  RetentionCount,
  RetentionMetrics,
  RowMetrics,
  SafetyMetrics,
  SessionDescription,
  SizeModelError,
  SkippedInput,
  SourceNote,
  SummaryWriterCounts,
  WindowRequest,
  WindowSpec,
} from "./results.ts";
export { codeVersion } from "./run/code-version.ts";
export type { InputFile } from "./run/file-task.ts";
export type { ReplayState } from "./run/kept-replays.ts";
export { loadParts } from "./run/load-parts.ts";
export { mergeReports, type NamedReport } from "./run/merge-reports.ts";
export type { Shard } from "./run/shard.ts";
export { createSerialPool, createThreadPool, type WorkerPool } from "./run/worker-pool.ts";
export type { BenchInput, BenchProgress } from "./run-bench.ts";
export { runBench } from "./run-bench.ts";
export type { SizeModel } from "./size-model.ts";
export { createSizeModel } from "./size-model.ts";
// Peers
// Summaries in a replay
export { type OpenSource, openSource, type SourceOptions } from "./summaries/open-source.ts";
export { type RecordedHistory, type RecordedSummary, recordedHistory } from "./summaries/recorded-summaries.ts";
export { DIGEST_CHOICE, type ModelChoice, type SummarizerChoice, summarizerName } from "./summaries/summarizer-choice.ts";
export { digestSource, type SummaryPlace, type SummarySource } from "./summaries/summary-source.ts";
export { addedTallies, NO_SUMMARIES_ASKED, type SummaryTally } from "./summaries/summary-tally.ts";
export { gridOf, policyAt, type SweepAxis, type SweepSetting, type SweptPolicy } from "./sweep/grid.ts";
export { parseAxis } from "./sweep/parse-axis.ts";
export { numbersAt, type PolicyNumber, policyNumbers, type SweepValue, withValue } from "./sweep/policy-path.ts";
export type { ImportNote, ImportNoteCode, Transcript } from "./transcript.ts";
// Tuning
export { FEWEST_SESSIONS, type Sureness } from "./tune/bootstrap.ts";
export type { Knob, KnobSetting } from "./tune/knobs.ts";
export type { CacheKind, PolicyScore } from "./tune/score.ts";
export type { FiledRow } from "./tune/split.ts";
export { type ReplayRound, type TunedPolicy, type TuneResult, type TuneRound, tune } from "./tune/tune.ts";
