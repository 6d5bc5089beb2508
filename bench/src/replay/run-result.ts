import { createHash } from "node:crypto";
import { PI_POLICY, PlimsollError } from "@plimsoll/core";
import { canonicalJson, type EnginePolicy, isRecord, policySchema } from "@plimsoll/core/extend";
import { z } from "zod";
import type { BenchParts } from "../extension.ts";
import type { SessionDescription, SourceNote } from "../open/session-description.ts";
import { rowSchema, runShape, sessionSchema, sourceNoteSchema } from "../results/report-json.ts";
import type { BenchReport, ReplayRow, Shard, SkippedInput } from "../results.ts";
import { type LineKind, openRowsFile, type RowsFile } from "./rows-file.ts";

/** A run before any replay: the common facts of all its parts. */
export interface RunDescription
  extends Pick<BenchReport, "inputs" | "policies" | "windows" | "summarizer" | "plimsollVersion" | "referencesVersion"> {
  readonly pricedModels: readonly string[];
  readonly missing: readonly SkippedInput[];
  readonly withoutEffect: readonly string[];
  readonly lineages: BenchReport["lineages"] | null;
}

/** A file's replays: its sessions and rows, or why there are none. */
export type FileResult =
  | {
      readonly file: string;
      readonly kind: "replayed";
      readonly sessions: readonly SessionDescription[];
      readonly notes: readonly SourceNote[];
      readonly rows: readonly ReplayRow[];
    }
  | { readonly file: string; readonly kind: "skipped"; readonly reason: string };

/** Puts the files of a run together, in the order of its inputs, whichever finished first. */
export function reportOf(run: RunDescription, shard: Shard | null, results: readonly FileResult[]): BenchReport {
  const byFile = new Map(results.map((each) => [each.file, each]));
  const inOrder = run.inputs.flatMap((file) => byFile.get(file) ?? []);
  const replayed = inOrder.flatMap((each) => (each.kind === "replayed" ? [each] : []));
  const sessions = replayed.flatMap((each) => each.sessions);
  const withoutEffect = [...run.withoutEffect, ...idlePrices(run, sessions)];
  const { inputs, policies, windows, summarizer, plimsollVersion, referencesVersion, lineages } = run;
  return {
    formatVersion: 8,
    ...{ plimsollVersion, referencesVersion, shard, inputs, policies, windows, summarizer, sessions },
    rows: replayed.flatMap(({ rows }) => rows),
    skipped: [
      ...run.missing,
      ...inOrder.flatMap((each) => (each.kind === "skipped" ? [{ file: each.file, reason: each.reason }] : [])),
    ],
    notes: replayed.flatMap(({ notes }) => notes),
    ...(lineages === null || lineages === undefined || lineages.repeatedAnswers === 0 ? {} : { lineages }),
    ...(withoutEffect.length === 0 ? {} : { withoutEffect }),
  };
}

/** Given prices of models that nothing in the run asks. */
function idlePrices({ pricedModels, summarizer }: RunDescription, sessions: readonly SessionDescription[]): readonly string[] {
  const asked = new Set(sessions.flatMap(({ modelIds }) => modelIds));
  const idle = pricedModels.filter((modelId) => !asked.has(modelId) && !summarizer.endsWith(`:${modelId}`));
  return idle.length === 0 ? [] : [`--prices: no session asks ${idle.join(", ")}.`];
}

/** A name for the inputs of a result. */
export function keyOf(made: unknown): string {
  return createHash("sha256")
    .update(canonicalJson(JSON.parse(JSON.stringify(made))))
    .digest("hex");
}

/** The keys of a file's lines, or why there are none. */
export type FileKeys =
  | { readonly file: string; readonly key: string; readonly rows: readonly string[] }
  | { readonly file: string; readonly reason: string };

/** The last line of a finished run, or of a part of one: it names the lines that it is made of. */
export interface ResultLine {
  readonly run: RunDescription;
  readonly shard: Shard | null;
  readonly files: readonly FileKeys[];
}

/** Reads lines that are of their form; `null` for one that is not there, or damaged. Each line is checked once, when it is read. */
export interface CheckedRows {
  file(key: string): Pick<Extract<FileResult, { kind: "replayed" }>, "sessions" | "notes"> | null;
  row(key: string): ReplayRow | null;
}

/** Checks the rows read from a file. */
export function checkedRows(rows: Pick<RowsFile, "read">, { metrics }: Pick<BenchParts, "metrics">): CheckedRows {
  const [row, file] = [
    rowSchema(metrics),
    z.strictObject({ sessions: z.array(sessionSchema), notes: z.array(sourceNoteSchema) }),
  ];
  const read = <Value>(kind: LineKind, key: string, schema: z.ZodType<Value>): Value | null => {
    const value = rows.read(kind, key);
    // The value itself stays, with the order of its keys: a schema would put them into its own.
    return fits(schema, value) ? value : null;
  };
  return { file: (key) => read("file", key, file), row: (key) => read("row", key, row) };
}

function fits<Value>(schema: z.ZodType<Value>, value: unknown): value is Value {
  return schema.safeParse(value).success;
}

/** Appends the line that says that a run, or its part, is whole. */
export function finishResult(rows: RowsFile, result: ResultLine): void {
  rows.append("result", keyOf([result.run, result.shard]), result);
}

const text = z.string();
const count = z.int().nonnegative();
const skipped = z.array(z.strictObject({ file: text, reason: text }));

/** The form of a result's line; policies may name these kinds. */
function resultSchema({ kinds }: Pick<BenchParts, "kinds">): z.ZodType<ResultLine> {
  const whole = policySchema(kinds);
  // A policy that runs as published has no fallback.
  const isPolicy = (value: unknown): value is EnginePolicy =>
    whole.safeParse(isRecord(value) && value.fallback === null ? { ...value, fallback: PI_POLICY.fallback } : value).success;
  const { shard, ...run } = runShape(z.custom<EnginePolicy>(isPolicy));
  return z.strictObject({
    run: z.strictObject({
      ...run,
      pricedModels: z.array(text),
      missing: skipped,
      withoutEffect: z.array(text),
      lineages: z.strictObject({ files: count, sessions: count, lineages: count, repeatedAnswers: count }).nullable(),
    }),
    shard,
    files: z.array(
      z.union([z.strictObject({ file: text, key: text, rows: z.array(text) }), z.strictObject({ file: text, reason: text })]),
    ),
  });
}

/** A file of rows, with its name for errors. */
export interface NamedRows {
  readonly path: string;
  readonly name: string;
}

/**
 * Joins files of rows: the report of the run that each has the newest result of, byte for byte that of one process. The files may be parts, or one that has them all, in any order.
 * Throws `bad-input` if one has no result, a part is missing, or results are of other runs (other files, policies, windows or versions).
 */
export function mergeRows(named: readonly NamedRows[], parts: Pick<BenchParts, "metrics" | "kinds">): BenchReport {
  const schema = resultSchema(parts);
  const files = named.map(({ path, name }) => ({ name, rows: openRowsFile(path, name, { isRead: true }) }));
  const results = files.flatMap(({ name, rows }) => {
    const lines = rows.keys("result").flatMap((key) => {
      const value = rows.read("result", key);
      return fits(schema, value) ? [{ name, value }] : [];
    });
    if (lines.length === 0)
      throw new PlimsollError(
        "bad-input",
        `${name}: not a finished run; give complete files written by plimsoll bench --state`,
      );
    const newest = keyOf(lines.at(-1)?.value.run);
    return lines.map((line) => ({ ...line, isNewest: keyOf(line.value.run) === newest }));
  });
  const own = results.filter(({ isNewest }) => isNewest);
  const [first] = own;
  if (first === undefined) throw new PlimsollError("bad-input", "nothing to merge: give the row files of all parts");
  const other = own.find(({ value }) => keyOf(value.run) !== keyOf(first.value.run));
  if (other !== undefined)
    throw new PlimsollError(
      "bad-input",
      `${other.name} is not of the same run as ${first.name}: files, policies, windows or versions differ`,
    );
  const whole = own.filter(({ value }) => value.shard === null).slice(-1);
  const used = whole.length > 0 ? whole : partsOf(own.map(({ value }) => value)).map((value) => ({ value }));
  const checked = files.map(({ rows }) => checkedRows(rows, parts));
  const report = reportOf(
    first.value.run,
    null,
    used.flatMap(({ value }) => value.files.map((keys) => resultOf(keys, checked))),
  );
  for (const { rows } of files) rows.close();
  return report;
}

function partsOf(results: readonly ResultLine[]): readonly ResultLine[] {
  const byIndex = new Map(results.flatMap((each) => (each.shard === null ? [] : [[each.shard.index, each] as const])));
  const parts = results[0]?.shard?.count ?? 1;
  const missing = Array.from({ length: parts }, (_, place) => place + 1).filter((index) => !byIndex.has(index));
  if (missing.length > 0)
    throw new PlimsollError("bad-input", `missing: ${missing.map((index) => `part ${index}/${parts}`).join(", ")}`);
  return [...byIndex.values()];
}

function resultOf(keys: FileKeys, files: readonly CheckedRows[]): FileResult {
  const { file } = keys;
  if ("reason" in keys) return { kind: "skipped", ...keys };
  const found = <Value>(read: (rows: CheckedRows) => Value | null): Value => {
    for (const rows of files) {
      const value = read(rows);
      if (value !== null) return value;
    }
    throw new PlimsollError("bad-input", `${file}: a line is damaged or missing; run its part again`);
  };
  const about = found((rows) => rows.file(keys.key));
  return { kind: "replayed", file, ...about, rows: keys.rows.map((key) => found((rows) => rows.row(key))) };
}
