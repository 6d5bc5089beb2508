import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isPlimsollError, PlimsollError } from "@plimsoll/core";
import { type EnginePolicy, isKnobPath, type Kinds, requireFallback, sizeOf, suggestion } from "@plimsoll/core/extend";
import { HOST_NAMES } from "@plimsoll/providers";
import { checkOutput } from "@plimsoll/stores";
import type { Command } from "commander";
import type { WindowRequest } from "../drive/cell.ts";
import type { BenchParts } from "../extension.ts";
import { loadParts } from "../replay/load-parts.ts";
import type { PolicySweep, Shard } from "../results.ts";
import { DEFAULT_SUMMARIZER, type SummarizerChoice } from "../summaries/open-source.ts";
import { gridOf, numberOfSetting, parseAxis, type SweepSetting } from "../sweep/grid.ts";
import { missingPathIn } from "../sweep/policy-path.ts";
import type { CliIo } from "../terminal/io.ts";

/** More workers than this only wait for each other's memory (chosen). */
const MOST_JOBS = 64;

/** Reads a whole number. Throws `bad-input` for anything else, and for one that is too small or too large. */
export function wholeNumber(option: string, text: string, [least, most]: readonly [least: number, most: number]): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new PlimsollError("bad-input", `${option} ${text}: give a whole number from ${least} to ${most}`);
}

/** Reads a number of tokens, as `8000` or `8k`. Throws `bad-input` for anything else. */
export function tokensOf(option: string, text: string): number {
  const tokens = sizeOf(text);
  if (tokens !== null && Number.isInteger(tokens)) return tokens;
  throw new PlimsollError("bad-input", `${option} ${text}: give a number of tokens, such as 8000 or 200k`);
}

/** Reads `--jobs`. Throws `bad-input` for anything but a whole number from 1 to 64. */
export function parseJobs(text: string): number {
  return wholeNumber("--jobs", text, [1, MOST_JOBS]);
}

/** Reads `2/4` as the second of four parts. Throws `bad-input` for anything else. */
export function parseShard(text: string): Shard {
  const [, first = "", second = ""] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? [];
  const [index, count] = [Number(first), Number(second)];
  if (index < 1 || index > count) {
    throw new PlimsollError(
      "bad-input",
      `--shard ${text}: give a part and a count, such as 1/4, with the part from 1 to the count`,
    );
  }
  return { index, count };
}

const HOUR_MS = 3_600_000;
const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ["h", HOUR_MS],
  ["d", 24 * HOUR_MS],
  ["w", 7 * 24 * HOUR_MS],
]);

/**
 * A time in milliseconds since 1970: a day (`2026-01-31`, from midnight UTC), an ISO time, or a span before now (`12h`, `7d`, `4w`).
 * Throws `bad-input` for everything else.
 */
export function parseSince(text: string, nowMs: number): number {
  const [, count = "", unit = ""] = /^(\d{1,4})([hdw])$/.exec(text) ?? [];
  if (count !== "") return nowMs - Number(count) * (UNITS_MS.get(unit) ?? 0);
  const timeMs = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(timeMs)) {
    throw new PlimsollError("bad-input", `--since ${text}: give a day such as 2026-01-31, or a span such as 12h, 7d or 4w`);
  }
  return timeMs;
}

/** A replay's default window: each session's own, since its owner has that. */
export const DEFAULT_WINDOW: WindowRequest = { kind: "real" };

/** Smaller rooms hold hardly one tool result (chosen). */
const SMALLEST_ROOM_TOKENS = 1_000;
/** Reads `16k`, `1m`, `48000` or `real`. Throws `bad-input` for everything else. */
export function parseWindow(text: string): WindowRequest {
  if (text === "real") return { kind: "real" };
  const tokens = sizeOf(text);
  if (tokens === null || tokens < SMALLEST_ROOM_TOKENS) {
    throw new PlimsollError(
      "bad-input",
      `--window ${text}: give the tokens for messages as 16k, 32k, 64k, 128k or a number of tokens from ${SMALLEST_ROOM_TOKENS}, or real`,
    );
  }
  return { kind: "working-room", tokens };
}

/** Options of bench and its merge that write reports. */
export interface ReportOptions {
  readonly out?: string;
  readonly json?: string;
  readonly html?: string;
  readonly markdown?: string;
}

/** Absolute paths of the files to write; `null` for none. */
export interface ReportFiles {
  readonly json: string | null;
  readonly html: string | null;
  readonly markdown: string | null;
  /** The folder of results as Parquet; no other command than bench writes one. */
  readonly out?: string;
}

/** Adds `--json`, `--html` and `--markdown`. */
export function addReportOptions(command: Command): Command {
  return command
    .option("--json <file>", "write the whole report as JSON (its schema: plimsoll schema report)")
    .option("--html <file>", "write the report as one HTML page")
    .option("--markdown <file>", "write the tables as Markdown, for a pull request");
}

/** Where the reports go. Throws `bad-input`, before the work, for a place that cannot be written to. */
export function reportFiles({ json, html, markdown, out }: ReportOptions, { cwd }: Pick<CliIo, "cwd">): ReportFiles {
  const place = (file: string | undefined) => {
    if (file === undefined) return null;
    const path = resolve(cwd, file);
    checkOutput(path);
    return path;
  };
  const files = { json: place(json), html: place(html), markdown: place(markdown) };
  return out === undefined ? files : { ...files, out: resolve(cwd, out) };
}

/** Options that choose the writer of the summaries. */
export interface SummarizerOptions {
  readonly summarizer?: string;
  readonly cassette?: string;
  readonly dryRun?: true;
}

const OTHERS: readonly string[] = ["recorded", "digest"];
const FORM = "give recorded, digest, or a model as provider:model";

/** Reads `--summarizer` and `--cassette`. Throws `bad-input` for a name that is not known, or a model without a cassette. */
export function parseSummarizer(options: SummarizerOptions, cwd: string): SummarizerChoice {
  const { summarizer = DEFAULT_SUMMARIZER.kind, cassette } = options;
  const colon = summarizer.indexOf(":");
  const bad = (why: string) => new PlimsollError("bad-input", `--summarizer ${summarizer}: ${why}`);
  if (colon < 0) {
    if (cassette !== undefined) throw new PlimsollError("bad-input", `--cassette is for a model: ${FORM}`);
    if (summarizer === "digest" || summarizer === "recorded") return { kind: summarizer };
    throw bad(`${suggestion(summarizer, OTHERS)} (${FORM})`);
  }
  const [host, modelId] = [summarizer.slice(0, colon), summarizer.slice(colon + 1)];
  if (modelId === "") throw bad("give a model as provider:model");
  if (!HOST_NAMES.includes(host)) throw bad(`no provider is called "${host}"; ${suggestion(host, HOST_NAMES)}`);
  // An estimate keeps no answer.
  if (cassette === undefined && options.dryRun !== true)
    throw bad("give --cassette <folder> to keep the answers, so you pay once");
  return { kind: "model", host, modelId, cassetteFolder: resolve(cwd, cassette ?? ".plimsoll-dry-run"), missing: "ask" };
}

/** Options of every command that a person's own parts can be handed to. */
export interface ExtensionOptions {
  readonly with?: readonly string[];
}

/** Gathers the values of an option that may be given several times. */
export const collect = (value: string, previous: readonly string[] = []): readonly string[] => [...previous, value];

/** Adds `--with`. */
export function addExtensionOption(command: Command): Command {
  return command.option(
    "--with <module>",
    "add importers, metrics, peers, keep rules and other kinds from your module (JavaScript; TypeScript from Node 22.18 on); it runs code: load only modules you trust; repeatable",
    collect,
  );
}

/** Loads the modules that were named. Throws `bad-input` with a line that names the fault of one. */
export function openExtensions({ with: modules = [] }: ExtensionOptions, { cwd }: Pick<CliIo, "cwd">): Promise<BenchParts> {
  return loadParts(modules.map((file) => pathToFileURL(resolve(cwd, file)).href));
}

/** Policies after a sweep: those that never act, or lack the swept path, unchanged; the others before their whole grid. */
interface SweptPolicies {
  readonly policies: readonly EnginePolicy[];
  readonly sweeps: ReadonlyMap<string, PolicySweep>;
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

/** Puts the grid of all axes behind each acting policy. A policy without one of the values stays as it is, if another one has it. */
export function sweepPolicies(policies: readonly EnginePolicy[], axes: readonly string[], kinds?: Kinds): SweptPolicies {
  if (axes.length === 0) return { policies, sweeps: new Map(), problems: [], notes: [] };
  const parsed = axes.map(parseAxis);
  const withRule = (path: string) => policies.filter(({ keep }) => keep.some(({ kind }) => path === `keep.${kind}`));
  const swept: EnginePolicy[] = [];
  const sweeps = new Map<string, PolicySweep>();
  const problems: string[] = [];
  const lacking: { readonly name: string; readonly path: string; readonly line: string }[] = [];
  let hasGrid = false;
  for (const base of policies) {
    swept.push(base);
    if (!base.enabled) continue;
    // A rule that some policies have is swept in these.
    const lacks = parsed.find(({ path }) => isKnobPath(path) && withRule(path).length > 0 && !withRule(path).includes(base));
    if (lacks !== undefined) {
      lacking.push({ name: base.name, path: lacks.path, line: "" });
      continue;
    }
    try {
      for (const { policy, settings } of gridOf(requireFallback(base, kinds), parsed, kinds)) {
        swept.push(policy);
        hasGrid = true;
        const sweep = numericSweep(base.name, settings);
        if (sweep !== null) sweeps.set(policy.name, sweep);
      }
    } catch (error) {
      if (!isPlimsollError(error)) throw error;
      const line = error.message.startsWith(base.name) ? error.message : `${base.name}: ${error.message}`;
      const path = missingPathIn(error);
      if (path === null) problems.push(line);
      else lacking.push({ name: base.name, path, line });
    }
  }
  if (!hasGrid) problems.push(...lacking.map(({ line }) => line));
  if (!hasGrid && problems.length === 0) {
    const names = policies.map(({ name }) => name).join(", ");
    problems.push(`nothing to sweep: ${names} never compacts by itself; give a --policy that does, such as plimsoll`);
  }
  return { policies: hasGrid ? swept : [], sweeps, problems, notes: hasGrid ? lackingNotes(lacking) : [] };
}

function lackingNotes(lacking: readonly { readonly name: string; readonly path: string }[]): readonly string[] {
  if (lacking.length === 0) return [];
  const said = lacking.map(({ name, path }) => `${name} has no one value named ${path}`).join(", ");
  return [`--sweep: ${said}: replayed as ${lacking.length === 1 ? "it is" : "they are"}, beside the sweep.`];
}

/** Words are not on an axis: they make another base, and only the numbers are the sweep. `null` without a number. */
function numericSweep(base: string, settings: readonly SweepSetting[]): PolicySweep | null {
  const read = settings.map((setting) => ({ ...setting, number: numberOfSetting(setting) }));
  const numbers = read.flatMap(({ path, number }) => (number === null ? [] : [{ path, value: number }]));
  const words = read.flatMap(({ path, value, number }) => (number === null ? [`${path}=${value}`] : []));
  return numbers.length === 0 ? null : { base: [base, ...words].join(" "), settings: numbers };
}
