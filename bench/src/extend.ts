// For our own packages alone: no promise that it stays.

export type { AgentKnobs, KnobValue, KnobValues, SettingsPlace } from "./advise/agent-knobs.ts";
export type { SettingChoice, SettingFigures, SettingPoint } from "./advise/choose-setting.ts";
export { chooseSetting } from "./advise/choose-setting.ts";
export { KNOB_TABLE, knobsOf } from "./advise/knob-table.ts";
export { type RecordedCost, recordedCost } from "./advise/recorded-cost.ts";
export { type WindowFill, windowFills } from "./advise/window-fill.ts";
export type { CallKind } from "./calibrate/calibrate-sessions.ts";
export { byMethod, callKinds } from "./calibrate/calibrate-sessions.ts";
export { calibrateTranscripts } from "./calibrate/calibration-report.ts";
export { errorsOf, type PredictionErrors, signedPercentOf } from "./calibrate/errors.ts";
export { CALIBRATED_METHODS, CHARS_PER_FOUR } from "./calibrate/methods.ts";
export { byEstimator, type Method, type PredictedCall, predictionLines } from "./calibrate/predict-calls.ts";
export { fileSource, readHead, textSource } from "./formats/file-source.ts";
export type { FileHead } from "./formats/importer.ts";
export { LOCATED_AGENTS, type LocatedAgent, locateLogs, unreadDatabases, usualPlaces } from "./formats/locations.ts";
export { IMPORTERS, importSource, UNREAD_DATABASE } from "./formats/registry.ts";
export { withoutApart } from "./judge/apart.ts";
export { CHEATS } from "./judge/choose.ts";
export { comparedIn } from "./judge/compare.ts";
export { windowLabels } from "./judge/policy-summary.ts";
export { FEWEST_SESSIONS, type SettingVerdict } from "./judge/settings.ts";
export { longSessions } from "./judge/split.ts";
export { DEARER_RATIO, type JudgedRun, type SessionStanding, standingOf } from "./judge/standing.ts";
export type { Sureness } from "./judge/sureness.ts";
export { VECTOR } from "./judge/vector.ts";
export { shortTokens } from "./judge/window-label.ts";
export { countedOnce, type Lineages, lineages, ownEntries } from "./lineage.ts";
export { type Corpus, createOpener, type InputFile, openCorpus } from "./open/corpus.ts";
export { seenCounts } from "./open/describe-session.ts";
export { prepareSession } from "./open/prepared-session.ts";
export type { SeenCounts, SessionDescription } from "./open/session-description.ts";
export { originOf } from "./origin.ts";
export { policyRunBy, versionInHead } from "./peers/running-agents.ts";
export { codeVersion } from "./replay/code-version.ts";
export { placedError } from "./replay/load-parts.ts";
export { replay } from "./replay/replay.ts";
export { openRowsFile } from "./replay/rows-file.ts";
export type { KeptRows } from "./replay/run-bench.ts";
export { mergeRows, type NamedRows } from "./replay/run-result.ts";
export { checkParquetFolder, writeParquet } from "./results/parquet.ts";
export type { PolicySweep, ReportProblem, Shard, SkippedInput } from "./results.ts";
export { calibrationAnswer, calibrationTables } from "./show/calibration-tables.ts";
export {
  formatCount,
  formatNumberOf,
  formatPercent,
  formatTokens,
  formatUsd,
  lineageWords,
  NOT_VISIBLE,
} from "./show/figures.ts";
export { htmlPage, problemList } from "./show/html.ts";
export { jsonReportPieces } from "./show/json.ts";
export { commonFolder } from "./show/labels.ts";
export { markdownPage } from "./show/markdown.ts";
export { html, type Markup } from "./show/markup.ts";
export { pasteBlock, renderPage } from "./show/page.ts";
export { READING } from "./show/policy-tables.ts";
export { reportProblems } from "./show/problems.ts";
export { groupNotes, type ShownReport, shownReport } from "./show/report-tables.ts";
export { type SessionNames, sessionNames, transcriptNames } from "./show/session-names.ts";
export { markdownTable, type ReportTable, type TableHead } from "./show/table.ts";
export { chartFrame, scrollFrame } from "./show/table-html.ts";
export { amountWords, triggerLine, triggerWords } from "./show/trigger.ts";
export { settingToTake, tuneAnswer } from "./show/tune-answer.ts";
export { renderTuneHtml, tuneTables } from "./show/tune-page.ts";
export { recordedUsdLines, recordedUsdText } from "./show/validity.ts";
export { flooredRidge, ridge } from "./size-judge/least-squares.ts";
export { quantileOf } from "./statistics.ts";
export type { SummarizerChoice, SummaryTally } from "./summaries/open-source.ts";
export { addedTallies, DEFAULT_SUMMARIZER, NO_SUMMARIES_ASKED, summarizerName } from "./summaries/open-source.ts";
export { gridOf, numberOfSetting, parseAxis, policyAt, type SweepSetting } from "./sweep/grid.ts";
export { missingPathIn } from "./sweep/policy-path.ts";
export type { LineageCounts } from "./transcript.ts";
export { isRollBack } from "./transcript.ts";
export { settingWords } from "./tune/tunable-settings.ts";
