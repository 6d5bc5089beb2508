import type { BenchReport, WorkerPool } from "@plimsoll/bench";
import { importFile, runBench } from "@plimsoll/bench";
import {
  type AgentKnobs,
  chooseSetting,
  compactionWaits,
  countedOnce,
  type FiledRow,
  type InputFile,
  type KnobValues,
  knobsOf,
  type LineageCounts,
  type Lineages,
  type LocatedAgent,
  lineagesIn,
  type RecordedCost,
  type ReplayState,
  type ReportProblem,
  recordedCost,
  reportProblems,
  type SettingChoice,
  type SettingPoint,
  withoutApart,
} from "@plimsoll/bench/internal";
import { isPlimsollError, NONE_POLICY, PLIMSOLL_POLICY } from "@plimsoll/core";
import type { EnginePolicy } from "@plimsoll/core/build";
import { type ModelPrices, RECORDED_POLICY } from "@plimsoll/core/internal";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { type CliIo, plimsollVersion } from "../io.ts";
import { createProgressBar } from "../terminal/progress-bar.ts";
import { readSettings, valuesIn } from "./setting-text.ts";
import { openSettings, type SettingsFile } from "./settings-file.ts";

/** The advice for one agent. */
export interface AgentAdvice {
  readonly agent: LocatedAgent;
  /** How many logs were read, the newest, of how many that were found. */
  readonly logs: LogCounts;
  readonly cost: RecordedCost;
  /** How long the person waited for each compaction whose time is known, in milliseconds. */
  readonly waitsMs: readonly number[];
  /** The window of most sessions, in which settings are tried; `null` if no session could be replayed. */
  readonly windowTokens: number | null;
  /** `null` for an agent without a setting that could be proposed. */
  readonly turning: Turning | null;
  /** Problems that a reader must know before any figure. */
  readonly problems: readonly ReportProblem[];
  /** Our own engine against the current setting. `null` if nothing was replayed. */
  readonly ownEngine: SettingChoice | null;
}

/** Logs of an agent. */
export interface LogCounts {
  readonly read: number;
  readonly found: number;
  /** How far their sessions share answers, each of which counts once; left out if that is not known. */
  readonly shared?: LineageCounts;
}

/** An agent's knobs, what they are now, and what the replays say. */
export interface Turning {
  readonly knobs: AgentKnobs;
  readonly settings: SettingsFile;
  readonly values: KnobValues;
  /** Why nothing can be proposed, as a phrase; `null` if it can. */
  readonly refusal: string | null;
  readonly choice: SettingChoice | null;
}

/** The tools and settings of the replays. */
export interface AdviceRun {
  readonly pool: WorkerPool;
  readonly tasksPerFile: number;
  readonly prices: ReadonlyMap<string, ModelPrices>;
  readonly state: ReplayState;
  readonly onKept: (cells: number) => void;
}

/** Logs of an agent that are read, and how many there are. */
export interface AgentLogs {
  readonly agent: LocatedAgent;
  readonly files: readonly InputFile[];
  readonly found: number;
}

/** Replays one agent's logs as they were, and under its own settings at its real window. */
export async function adviseOn(
  { agent, files, found }: AgentLogs,
  { run, io }: { readonly run: AdviceRun; readonly io: CliIo },
): Promise<AgentAdvice> {
  const lineages = await lineagesIn(files, run.pool);
  const { version, waitsMs } = await readLogs(files, lineages);
  const knobs = knobsOf(agent, version);
  const known = knobs === null ? null : await readKnobs(knobs, io);
  const replay = knobs?.replay ?? null;
  const now: SettingPoint | null =
    replay === null || known === null ? null : { values: new Map(), policy: replay.likeness(known.values) };
  const first = await replayed(agent, files, {
    policies: [NONE_POLICY, RECORDED_POLICY, PLIMSOLL_POLICY, ...(now === null ? [] : [now.policy])],
    run: { ...run, lineages },
    io,
  });
  const cost = recordedCost(first, {
    pricesOf: (modelId) => run.prices.get(modelId) ?? MODEL_CATALOG.pricesOf(modelId),
    cacheRulesOf: MODEL_CATALOG.cacheRulesOf,
    request: now?.policy.summary.request ?? "serialised",
  });
  const windowTokens = usualWindow(first);
  const problems = reportProblems(first);
  const base = {
    agent,
    logs: { read: files.length, found, shared: lineages.counts },
    cost,
    waitsMs,
    windowTokens,
    problems,
  } as const;
  if (now === null || knobs === null || known === null || replay === null || windowTokens === null)
    return { ...base, turning: null, ownEngine: null };
  const ownEngine = chooseSetting(now, [{ values: new Map(), policy: PLIMSOLL_POLICY }], filedRows(first));
  const points = replay
    .grid(windowTokens)
    .map((values) => ({ values, policy: replay.likeness(new Map([...known.values, ...values])) }))
    .filter(({ policy }) => policy.name !== now.policy.name);
  const refusal = known.refusal ?? (points.length === 0 ? knobs.nothingToTurn : null);
  const turning = { knobs, settings: known.settings, values: known.values, refusal };
  if (refusal !== null) return { ...base, turning: { ...turning, choice: null }, ownEngine };
  const grid = await replayed(agent, files, { policies: points.map(({ policy }) => policy), run: { ...run, lineages }, io });
  const choice = chooseSetting(now, points, [...filedRows(first), ...filedRows(grid)]);
  const all = reportProblems({
    ...first,
    rows: [...first.rows, ...grid.rows],
    policies: [...first.policies, ...grid.policies],
  });
  return { ...base, problems: all, turning: { ...turning, choice }, ownEngine };
}

/** The newest version that wrote the logs, and the waits. Files that cannot be read are told by the replay. */
async function readLogs(
  files: readonly InputFile[],
  lineages: Lineages,
): Promise<{ readonly version: string | null; readonly waitsMs: number[] }> {
  let version: string | null = null;
  const waitsMs: number[] = [];
  for (const { path, displayName } of files) {
    const transcripts = await importFile(path, displayName).catch((error: unknown) => {
      if (isPlimsollError(error)) return [];
      throw error;
    });
    for (const transcript of transcripts) {
      const [start] = transcript.entries;
      // Files come newest first.
      version ??= start?.type === "session" ? (start.agent?.version ?? null) : null;
      const counted = countedOnce(transcript, lineages.in(displayName));
      if (counted !== null) waitsMs.push(...compactionWaits(counted));
    }
  }
  return { version, waitsMs };
}

interface KnownKnobs {
  readonly settings: SettingsFile;
  readonly values: KnobValues;
  readonly refusal: string | null;
}

async function readKnobs(knobs: AgentKnobs, { homeFolder, environment = {} }: CliIo): Promise<KnownKnobs> {
  const settings = await openSettings(knobs.place, { homeFolder, environment });
  const read = readSettings(knobs.place.form, settings.text ?? "");
  if ("problem" in read) return { settings, values: new Map(), refusal: `${settings.shown} ${read.problem}` };
  const paths = knobs.knobs.map(({ path }) => path);
  const values = valuesIn(read.content, paths);
  const stronger = knobs.knobs.flatMap(({ variable }) => (variable !== null && environment[variable] ? [variable] : []));
  const [variable] = stronger;
  const refusal = variable === undefined ? null : `${variable} is set, which is stronger than ${settings.shown}`;
  return { settings, values, refusal: refusal ?? knobs.replay?.unlike(values) ?? null };
}

interface Round {
  readonly policies: readonly EnginePolicy[];
  readonly run: AdviceRun & { readonly lineages: Lineages };
  readonly io: CliIo;
}

async function replayed(agent: LocatedAgent, files: readonly InputFile[], { policies, run, io }: Round): Promise<BenchReport> {
  const bar = createProgressBar(io.stderr, { what: `replaying ${agent}` });
  try {
    return await runBench({
      ...run,
      files,
      policies,
      windows: [{ kind: "real" }],
      plimsollVersion: plimsollVersion(),

      onProgress: bar.show,
    });
  } finally {
    bar.stop();
  }
}

function filedRows(report: BenchReport): readonly FiledRow[] {
  const { rows, sessions } = withoutApart(report);
  const described = new Map(sessions.map((each) => [each.session, each]));
  return rows.map((row) => {
    const { file = row.session, lineage } = described.get(row.session) ?? {};
    return { file: lineage ?? file, lineage, row };
  });
}

/** The window of most sessions; of equally frequent ones the larger. */
function usualWindow({ rows }: BenchReport): number | null {
  const counts = new Map<number, number>();
  for (const { policy, metrics, contextWindowTokens: tokens } of rows)
    if (policy === NONE_POLICY.name && metrics !== null) counts.set(tokens, (counts.get(tokens) ?? 0) + 1);
  const [first] = [...counts].toSorted(([a, inA], [b, inB]) => inB - inA || b - a);
  return first === undefined ? null : first[0];
}
