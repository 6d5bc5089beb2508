/** How much of a report its page holds. The JSON report always has all of it. */
export interface DetailLevel {
  /** Points of a line; a few more where many calls compacted. */
  readonly chartPoints: number;
  /** Calls at which the context is taken apart. */
  readonly compositionSamples: number;
  /** Characters of a summary. */
  readonly summaryChars: number;
  /** References needed later that are named for each compaction; all are counted. */
  readonly examples: number;
}

/**
 * From all to least, chosen so that each is about two thirds of the one before. Whatever the level, every compaction of every row can be
 * opened, and every call with a compaction is on its line.
 */
export const DETAIL_LEVELS: readonly DetailLevel[] = [
  { chartPoints: 800, compositionSamples: 48, summaryChars: 400, examples: 6 },
  { chartPoints: 600, compositionSamples: 48, summaryChars: 200, examples: 6 },
  { chartPoints: 400, compositionSamples: 32, summaryChars: 100, examples: 4 },
  { chartPoints: 300, compositionSamples: 24, summaryChars: 0, examples: 3 },
  { chartPoints: 200, compositionSamples: 16, summaryChars: 0, examples: 1 },
  { chartPoints: 100, compositionSamples: 12, summaryChars: 0, examples: 0 },
];

/** What a level leaves out, in words; `null` where nothing. */
export function leftOut(level: DetailLevel): string | null {
  const [all] = DETAIL_LEVELS;
  if (all === undefined || level === all) return null;
  const summaries =
    level.summaryChars === 0 ? "no text of summaries" : `the first ${level.summaryChars} characters of summaries`;
  const examples = level.examples === 0 ? "no references" : `${level.examples} references needed later`;
  return `To stay small this page holds ${summaries}, and ${examples} for each compaction; lines have about ${level.chartPoints} points. The JSON report has everything.`;
}
