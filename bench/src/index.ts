// Reading sessions
export { IMPORTERS, importFile } from "./formats/registry.ts";
// Replaying them
export { type RepairedEntries, repairEntries } from "./repair/repair-entries.ts";
export { type RepairCount, type RepairedMessages, repairMessages } from "./repair/repair-messages.ts";
export type { WindowRequest } from "./replay/cell.ts";
export { type PreparedSession, prepareSession } from "./replay/prepared-session.ts";
export { replay } from "./replay.ts";
// Results
export type {
  BenchReport,
  CalibrationMetrics,
  CallPoint,
  EconomyMetrics,
  PolicyDescription,
  ReplayRow,
  RetentionCount,
  RetentionMetrics,
  RowMetrics,
  SafetyMetrics,
  SessionDescription,
  SizeModelError,
  SkippedInput,
  SourceNote,
  WindowSpec,
} from "./results.ts";
export { type BenchInput, type BenchProgress, type InputFile, runBench } from "./run-bench.ts";
export { createSizeModel, type SizeModel } from "./size-model.ts";
export type { ImportNote, ImportNoteCode, Transcript } from "./transcript.ts";
