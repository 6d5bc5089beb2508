import { z } from "zod";
import { percentOf, summed } from "../statistics.ts";
import type { ArtifactMetrics } from "./artifacts.ts";
import { inTable, type Metric, type MetricColumn, type MetricFigure, type MetricMeaning } from "./metric.ts";
import type { RetentionCount, RetentionMetrics } from "./retention-probe.ts";

const REFERENCES =
  "References (paths, identifiers, numbers, hashes, URLs, flags, quoted errors) in recorded replies that had appeared before";
const UPPER = "A string that can be read is the most a model could recall, not what it will.";

const share = (method: string, caveat: string, better: MetricMeaning["better"] = "higher"): MetricMeaning => ({
  unit: "% of uses",
  better,
  method,
  caveat,
});

/** The meaning of the figures about retention at use. */
const MEANINGS: Readonly<Record<keyof RetentionCount, MetricMeaning>> = {
  uses: {
    unit: "uses",
    better: "neither",
    method: `${REFERENCES}.`,
    caveat: "Counted at the very call that produced the reply.",
  },
  recalled: share(
    `${REFERENCES}: the share whose string is readable in the context that the policy sends.`,
    `A bare list of names raises it by up to 11 points. ${UPPER}`,
  ),
  evidenced: share("The share for which a line that stated the reference is readable.", UPPER),
  sourceEvidenced: share(
    "The share for which the latest line of a person's message or a tool's result that stated the reference is readable.",
    `An excerpt of single lines maximises it: read it behind edit grounding and passages. ${UPPER}`,
  ),
  behindHandle: share(
    "The share that is not readable, but stated in a message whose handle the context names.",
    "The model would have to ask for it; nobody knows whether it would.",
    "neither",
  ),
};

type Span = "all" | "far" | "compactedAway";

const SPAN_GROUPS: Readonly<Record<Span, string>> = {
  all: "all uses",
  far: "far uses",
  compactedAway: "compacted away by the recorded agent",
};

/** The parts that policies can be ranked by. */
const MEASURES: Partial<Readonly<Record<keyof RetentionCount, string>>> = {
  recalled: "string recall",
  evidenced: "any stating line",
  sourceEvidenced: "single lines",
};

/** The share of a part, or the number of uses, over one set of them. */
function part(
  [name, span]: readonly [keyof RetentionCount, Span],
  title: string,
  columns: readonly MetricColumn[] = [],
): MetricFigure<RetentionMetrics> {
  const measure = MEASURES[name];
  return {
    ...MEANINGS[name],
    ...(measure === undefined || span === "compactedAway" ? {} : { measure: span === "far" ? `${measure}, far` : measure }),
    value: ({ [span]: counts }) => (name === "uses" ? counts.uses : percentOf(counts[name], counts.uses)),
    format: name === "uses" ? "count" : "percent",
    columns: [inTable("retention", SPAN_GROUPS[span], title), ...columns],
  };
}

const named = (kind: keyof ArtifactMetrics): MetricFigure<RetentionMetrics> => ({
  unit: "% of files",
  better: "higher",
  method: "Files that the session had touched before a call whose path the sent context still names, summed over the calls.",
  caveat: "A named path says nothing about the file's content.",
  value: ({ artifacts }) => percentOf(artifacts[kind].named, artifacts[kind].files),
  format: "percent",
  columns: [inTable("retention", "files still named, %", kind)],
});

/** Secondary: an excerpt of single lines maximises it (docs/evidence.md), so it stands behind the measures of the vector. */
const secondary = (page: string, chart: string) => [
  inTable("markdown", "secondary", page),
  inTable("policies", "secondary: single lines, %", page),
  inTable("chart", "secondary", chart),
];

const count = z.int().nonnegative();
const retentionCount = z.strictObject({
  uses: count,
  recalled: count,
  evidenced: count,
  sourceEvidenced: count,
  behindHandle: count,
});
const fileCount = z.strictObject({ files: count, named: count });

const NO_USES: RetentionCount = { uses: 0, recalled: 0, evidenced: 0, sourceEvidenced: 0, behindHandle: 0 };
const NO_FILES = { files: 0, named: 0 };

type Part = keyof RetentionCount;

/** Retention at use, pooled over all uses. */
export const RETENTION: Metric<
  "retention",
  RetentionMetrics,
  RetentionMetrics,
  Part | `${Part}Far` | `${Exclude<Part, "behindHandle">}Away` | "filesRead" | "filesModified"
> = {
  id: "retention",
  schema: z.strictObject({
    all: retentionCount,
    far: retentionCount,
    compactedAway: retentionCount,
    artifacts: z.strictObject({ read: fileCount, modified: fileCount }),
  }),
  measure: ({ retention }) => ({ add: () => undefined, result: retention.result }),
  pool: ({ results }) => ({
    all: summed(
      NO_USES,
      results.map(({ all }) => all),
    ),
    far: summed(
      NO_USES,
      results.map(({ far }) => far),
    ),
    compactedAway: summed(
      NO_USES,
      results.map(({ compactedAway }) => compactedAway),
    ),
    artifacts: {
      read: summed(
        NO_FILES,
        results.map(({ artifacts }) => artifacts.read),
      ),
      modified: summed(
        NO_FILES,
        results.map(({ artifacts }) => artifacts.modified),
      ),
    },
  }),
  figures: {
    uses: part(["uses", "all"], "uses"),
    usesFar: part(["uses", "far"], "uses"),
    usesAway: part(["uses", "compactedAway"], "uses"),
    recalled: part(["recalled", "all"], "recall %"),
    recalledFar: part(["recalled", "far"], "recall %"),
    recalledAway: part(["recalled", "compactedAway"], "recall %"),
    evidenced: part(["evidenced", "all"], "evidence %"),
    evidencedFar: part(["evidenced", "far"], "evidence %"),
    evidencedAway: part(["evidenced", "compactedAway"], "evidence %"),
    sourceEvidenced: part(["sourceEvidenced", "all"], "source %", secondary("lines %", "single lines %")),
    sourceEvidencedFar: part(["sourceEvidenced", "far"], "source %", secondary("far", "single lines, far %")),
    sourceEvidencedAway: part(["sourceEvidenced", "compactedAway"], "source %"),
    behindHandle: part(["behindHandle", "all"], "behind a handle %"),
    behindHandleFar: part(["behindHandle", "far"], "behind a handle %"),
    filesRead: named("read"),
    filesModified: named("modified"),
  },
};
