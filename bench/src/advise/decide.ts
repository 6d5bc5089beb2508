import { NONE_POLICY, PLIMSOLL_POLICY } from "@plimsoll/core";
import { type EnginePolicy, RECORDED_POLICY } from "@plimsoll/core/extend";
import type { ModelPrices } from "@plimsoll/providers";
import { shortId } from "../command/find-inputs.ts";
import { createProgressBar } from "../command/progress-bar.ts";
import { agentVersionAtLeast } from "../formats/agent-windows.ts";
import type { LocatedAgent } from "../formats/locations.ts";
import { withoutApart } from "../judge/apart.ts";
import { judgeSettings, losesOver, MOST_LOST_POINTS } from "../judge/settings.ts";
import { longSessions } from "../judge/split.ts";
import { COSTS_MORE_RATIO, type JudgedRun, type Standing } from "../judge/standing.ts";
import type { Corpus, InputFile } from "../open/corpus.ts";
import type { SessionFacts } from "../open/session-facts.ts";
import { type KeptRows, runBench } from "../replay/run-bench.ts";
import type { WorkerPool } from "../replay/worker-pool.ts";
import type { BenchReport, ReportProblem, SkippedInput } from "../results.ts";
import { reportProblems } from "../show/problems.ts";
import { sumOf } from "../statistics.ts";
import { type CliIo, programOf } from "../terminal/io.ts";
import type { LineageCounts } from "../transcript.ts";
import type { AgentKnobs, KnobValue, KnobValues } from "./agent-knobs.ts";
import { chooseSetting, type SettingChoice, type SettingFigures, type SettingPoint } from "./choose-setting.ts";
import { knobsOf } from "./knob-table.ts";
import { type RecordedCost, recordedCost } from "./recorded-cost.ts";
import { type Misplaced, misplacedIn, placeOf, readSettings, valueAt, valuesIn } from "./setting-text.ts";
import { openSettings, type SettingsFile } from "./settings-file.ts";
import { type WindowFill, windowFills } from "./window-fill.ts";

/** An agent whose logs were read. */
export interface AdvisedAgent {
  readonly agent: LocatedAgent;
  readonly title: string;
  /** The words that start this program, for commands to paste. */
  readonly program: string;
  /** How many logs were read, the newest, of how many that were found. */
  readonly logsRead: number;
  readonly logsFound: number;
  /** How far their sessions share answers, each of which counts once; left out if unknown. */
  readonly shared?: LineageCounts;
  readonly turning: Turning | null;
  /** The newest and the oldest version that wrote a log; `null` if none states one. */
  readonly version: string | null;
  readonly oldestVersion: string | null;
  readonly problems: readonly ReportProblem[];
}

/** An agent's knobs and their present values. */
export interface Turning {
  readonly knobs: AgentKnobs;
  readonly settings: SettingsFile;
  readonly values: KnobValues;
  /** Why the settings can't be replayed, as a phrase; `null` if they can. */
  readonly refusal: string | null;
}

interface ModelShare {
  /** The model that the sessions began with; `unnamed model` if their logs name none. */
  readonly modelId: string;
  readonly sessions: number;
  readonly usd: number | null;
}

/** The answer for one agent and window. Models of one window are decided on together, as the agents' files have one number for all models. */
export interface Decision {
  readonly agent: AdvisedAgent;
  readonly models: readonly ModelShare[];
  readonly windowTokens: number;
  /** Why its newest session ran in this window, as a phrase. */
  readonly windowBy: string;
  /** Days of the first and the last session, as `2026-01-31`; `null` if the logs have no times. */
  readonly days: { readonly from: string; readonly through: string } | null;
  readonly cost: RecordedCost;
  /** How long the person waited for each compaction whose time is known, in milliseconds. */
  readonly waitsMs: readonly number[];
  /** The agent's own compactions over the judged sessions that fill half of the window; `null` without such sessions. */
  readonly recorded: Standing | null;
  /** Sessions that fill half of the window at their first request, with its text that the log lacks: no policy can be judged in them. */
  readonly notJudged: readonly { readonly id: string; readonly overheadTokens: number }[];
  readonly fills: readonly WindowFill[];
  /** Why the agent has no setting to try in this window, as a phrase; `null` if it has. */
  readonly refusal: string | null;
  readonly choice: SettingChoice | null;
}

/** How a person pays for an agent: by tokens, or by a plan, which no proxy serves. */
export type Payment = "tokens" | "plan";

/** The tools and settings of the replays. */
export interface AdviceRun {
  readonly pool: WorkerPool;
  readonly prices: ReadonlyMap<string, ModelPrices>;
  readonly kept: KeptRows | null;
}

/** Logs of an agent that are read, and how many there are. */
export interface AgentLogs {
  readonly agent: LocatedAgent;
  readonly files: readonly InputFile[];
  readonly found: number;
  readonly unread: readonly SkippedInput[];
}

interface DecisionInput {
  readonly corpus: Corpus;
  readonly run: AdviceRun;
  readonly pays: Payment;
  /** The logs' own figures, from which the compactions' dollars are taken. */
  readonly counted: readonly (Parameters<typeof recordedCost>[1][number] & {
    readonly replyUsd: number;
    readonly facts: Pick<SessionFacts, "session" | "answers">;
  })[];
  readonly io: CliIo;
}

/** Replays one agent's logs as they were, and under its own settings at their real windows: one decision for each window. */
export async function decideOn(
  { agent, files, found, unread }: AgentLogs,
  { corpus, run, pays, counted, io }: DecisionInput,
): Promise<readonly Decision[]> {
  const replyUsds = new Map(counted.map(({ facts, replyUsd }) => [facts.session, replyUsd]));
  const replays: BenchReport[] = [];
  const replay = async (sessions: ReadonlySet<string> | null, policies: readonly EnginePolicy[]) => {
    const own = new Set(replays[0]?.sessions.flatMap(({ session, file }) => (sessions?.has(session) ? [file] : [])));
    const some = files.filter(({ displayName }) => sessions === null || own.has(displayName));
    if (some.length > 0) replays.push(await replayed(agent, { ...run, corpus, files: some, policies }, io));
  };
  await replay(null, [NONE_POLICY, RECORDED_POLICY]);
  const [first] = replays;
  if (first === undefined) return [];
  const versions = first.sessions
    .flatMap(({ agentVersion }) => agentVersion ?? [])
    .toSorted((one, other) => (agentVersionAtLeast(one, other) ? 1 : -1));
  const [oldestVersion = null, version = null] = [versions[0], versions.at(-1)];
  const turning = await readTurning(knobsOf(agent, version), io);
  const groups = groupsOf(first).map((group) => ({ ...group, ...pointsIn(group.windowTokens, turning, pays) }));
  // A file has one number for all windows: a value tried in one window is replayed in all.
  const tried = groups.flatMap(({ long, points }) => (long.size === 0 ? [] : points.map(({ policy }) => policy)));
  const policies = [...new Map(tried.map((policy) => [policy.name, policy])).values()];
  const long = new Set(groups.flatMap((group) => (group.points.length === 0 ? [] : [...group.long])));
  if (long.size > 0) await replay(long, policies);
  const harm = turning?.knobs.replay.harm?.(turning.values) ?? null;
  // Logs don't name their settings: they ran under the default if the person has set no value.
  const isOfLogs = turning?.values.size === 0;
  const choose = ({ points, sessions }: (typeof groups)[number], more: readonly SettingPoint[] = []): SettingChoice | null => {
    const [now, ...others] = points;
    return now === undefined
      ? null
      : chooseSetting([now, ...(more.length > 0 ? more : others)], runOf(replays, sessions), { harm, isOfLogs });
  };
  const choices = groups.map((group) => ({ group, choice: choose(group) }));
  const advised: AdvisedAgent = {
    agent,
    title: turning?.knobs.title ?? titleOf(agent),
    program: programOf(io),
    logsRead: files.length,
    logsFound: found,
    shared: corpus.lineages.counts,
    ...{ turning, version, oldestVersion },
    problems: problemsOf(replays, unread),
  };
  const harms = (best: SettingFigures, mostPoints: number, from: (typeof groups)[number]): boolean => {
    const tested = from.points.filter(({ policy }) => policy.name === best.standing.policy);
    return groups.some((other) => {
      if (other === from || other.long.size === 0) return false;
      const [, there] = choose(other, tested)?.rows ?? [];
      return there !== undefined && (losesOver(there.losses, mostPoints) || there.costRatio > COSTS_MORE_RATIO);
    });
  };
  let isOffered = false;
  return choices
    .map(({ group, choice }): Decision => {
      const { models, windowTokens, windowBy, report, refusal } = group;
      const verdict = choice?.setting;
      const isOffer = verdict?.kind === "set" || verdict?.kind === "trade";
      const isRemoved = verdict?.kind === "remove";
      const isKept =
        (isRemoved && isOffered) ||
        (isOffer && (isOffered || harms(verdict.best, verdict.kind === "set" ? 0 : MOST_LOST_POINTS, group)));
      const cheaper =
        isOffer && verdict.cheaper && !harms(verdict.cheaper, MOST_LOST_POINTS, group) ? verdict.cheaper : undefined;
      const kept = isOffer ? { ...verdict, cheaper } : verdict;
      const setting = isKept ? ({ kind: "keep", why: "other-window" } as const) : kept;
      isOffered ||= (isOffer || isRemoved) && !isKept;
      return {
        ...{ agent: advised, models, windowTokens, windowBy, days: daysOf(report, counted) },
        refusal: setting?.kind === "remove" ? null : refusal,
        cost: recordedCost(report, counted),
        waitsMs: report.sessions.flatMap(({ waitsMs }) => waitsMs ?? []),
        recorded: judgeSettings(report, RECORDED_POLICY.name).over(RECORDED_POLICY.name),
        notJudged: notJudgedIn(report),
        fills: windowFills(report, replyUsds),
        choice: choice === null || setting === undefined ? null : { ...choice, setting },
      };
    })
    .toSorted(byMoney);
}

function notJudgedIn({ sessions, rows }: Group["report"]): Decision["notJudged"] {
  const files = new Map(sessions.map(({ session, file }) => [session, file]));
  return rows.flatMap(({ session, policy, why, overheadTokens }) =>
    policy === NONE_POLICY.name && why !== null ? [{ id: shortId(files.get(session) ?? session), overheadTokens }] : [],
  );
}

/** The name of an agent without knobs: `copilot-cli` is Copilot CLI, `roo-code` Roo Code. */
export const titleOf = (agent: string): string =>
  agent.replace(/(^|-)(cli\b|[a-z])/g, (_, dash, first) => `${dash === "" ? "" : " "}${first.toUpperCase()}`);

/** Orders decisions by the dollars of their sessions, then by their tokens. */
export function byMoney(a: Decision, b: Decision): number {
  return (b.cost.usd ?? 0) - (a.cost.usd ?? 0) || b.cost.promptTokens - a.cost.promptTokens;
}

interface Group extends Pick<Decision, "models" | "windowTokens" | "windowBy"> {
  readonly report: Pick<BenchReport, "sessions" | "rows">;
  readonly sessions: ReadonlySet<string>;
  readonly long: ReadonlySet<string>;
}

function groupsOf(whole: BenchReport): readonly Group[] {
  const { sessions, rows } = withoutApart(whole);
  const real = rows.flatMap(({ session, policy, window }) =>
    policy === NONE_POLICY.name && window.kind === "real" ? [[session, window] as const] : [],
  );
  const windows = new Map(real);
  return [...new Set(real.map(([, { tokens }]) => tokens))]
    .map((windowTokens) => {
      const isIn = ({ session }: { readonly session: string }) => windows.get(session)?.tokens === windowTokens;
      const report = { sessions: sessions.filter(isIn), rows: rows.filter(isIn) };
      const names = new Set(report.sessions.map(({ session }) => session));
      const [newest] = report.sessions.toSorted((a, b) => (b.startedMs ?? 0) - (a.startedMs ?? 0));
      const windowBy = windows.get(newest?.session ?? "")?.reason ?? "";
      const all = { models: modelsOf(report.sessions), sessions: names, long: longSessions(report) };
      return { windowTokens, windowBy, report, ...all };
    })
    .toSorted((a, b) => usdOf(b) - usdOf(a));
}

function modelsOf(sessions: BenchReport["sessions"]): readonly ModelShare[] {
  const models = new Map<string, ModelShare>();
  for (const { modelIds, recordedUsd, parentSession } of sessions) {
    const [modelId = "unnamed model"] = modelIds;
    const known = models.get(modelId) ?? { modelId, sessions: 0, usd: null };
    const usd = recordedUsd === null ? known.usd : (known.usd ?? 0) + recordedUsd;
    models.set(modelId, { modelId, sessions: known.sessions + (parentSession === null ? 1 : 0), usd });
  }
  return [...models.values()].toSorted((a, b) => (b.usd ?? 0) - (a.usd ?? 0) || b.sessions - a.sessions);
}

const usdOf = ({ models }: Pick<Group, "models">): number => sumOf(models, ({ usd }) => usd ?? 0);

/** The points to replay in a window: the settings as they are, the defaults, other values, and our proxy. None if the settings can't be replayed. */
function pointsIn(
  windowTokens: number,
  turning: Turning | null,
  pays: Payment,
): { readonly points: readonly SettingPoint[]; readonly refusal: string | null } {
  if (turning === null) return { points: [], refusal: "advise knows no setting of this agent" };
  if (turning.refusal !== null) return { points: [], refusal: turning.refusal };
  const { replay, plugin } = turning.knobs;
  const pointOf = (kind: SettingPoint["kind"], values: SettingPoint["values"]): SettingPoint => {
    const all = [...new Map([...turning.values, ...values])];
    const known = all.filter((pair): pair is [string, KnobValue] => pair[1] !== null);
    return { kind, values, policy: replay.likeness(new Map(known)) };
  };
  const unset = new Map([...turning.values.keys()].map((path) => [path, null] as const));
  const grid = replay.grid(windowTokens);
  const points = [
    pointOf("now", new Map()),
    ...(unset.size === 0 ? [] : [pointOf("default", unset)]),
    ...grid.map((values) => pointOf("candidate", values)),
    ...(pays === "plan" ? [] : [{ kind: "proxy", values: new Map(), policy: PLIMSOLL_POLICY } as const]),
    ...(plugin === undefined ? [] : [{ kind: "plugin", values: new Map(), policy: plugin(turning.values) } as const]),
  ];
  const names = points.map(({ policy }) => policy.name);
  return {
    points: points.filter(({ policy }, place) => names.indexOf(policy.name) === place),
    refusal: grid.length === 0 ? turning.knobs.nothingToTurn : null,
  };
}

async function readTurning(knobs: AgentKnobs | null, { homeFolder, environment = {} }: CliIo): Promise<Turning | null> {
  if (knobs === null) return null;
  const settings = await openSettings(knobs.place, { homeFolder, environment });
  const read = readSettings(knobs.place.form, settings.text ?? "");
  if ("problem" in read) return { knobs, settings, values: new Map(), refusal: `${settings.shown} ${read.problem}` };
  const paths = knobs.knobs.map(({ path }) => path);
  const values = valuesIn(read.content, paths);
  const wrong = misplacedIn(read.content, paths).find(({ path }) => !values.has(path));
  const address = knobs.behindProxy.addressIn?.(read.content);
  const variable = knobs.knobs.map((knob) => knob.variable ?? "").find((name) => environment[name]);
  const refusal =
    wrong !== undefined
      ? misplacedText(wrong, knobs, settings)
      : typeof address === "string" && PROXY_ADDRESS.test(address)
        ? `${settings.shown} sends ${knobs.title} to plimsoll proxy, which cuts and must run: without it every call fails (${programOf({ environment })} proxy status; to undo, remove the printed lines)`
        : variable !== undefined
          ? `${variable} is set, which overrides ${settings.shown}`
          : (knobs.replay.unlike(values) ?? ignoredText(read.content, knobs, settings));
  return { knobs, settings, values, refusal };
}

/** Says that a value is of a kind that the agent does not take; `null` if all are. */
function ignoredText(content: Readonly<Record<string, unknown>>, knobs: AgentKnobs, { shown }: SettingsFile): string | null {
  const wrong = knobs.knobs.find(({ path, takes }) => {
    const value = valueAt(content, path);
    return value !== undefined && !(takes === "integer" ? Number.isInteger(value) : typeof value === takes);
  });
  if (wrong === undefined) return null;
  const value = JSON.stringify(valueAt(content, wrong.path));
  return `${wrong.path} is ${value} in ${shown}, where ${knobs.title} takes only a value of the type ${wrong.takes}`;
}

/** An address as the proxy prints it: of this machine, with its token. */
const PROXY_ADDRESS = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):\d+\/[\w-]{20,}(?:\/v1)?$/;

function misplacedText({ path, sections }: Misplaced, { title, place }: AgentKnobs, { shown }: SettingsFile): string {
  const where =
    sections.length === 0 ? "at the top" : `in ${place.form === "toml" ? `[${sections.join(".")}]` : sections.join(".")}`;
  return `${path} is ${where} of ${shown}, where ${title} does not read it; move it: ${placeOf(place.form, path)}`;
}

async function replayed(
  agent: LocatedAgent,
  given: AdviceRun & {
    readonly corpus: Corpus;
    readonly files: readonly InputFile[];
    readonly policies: readonly EnginePolicy[];
  },
  io: CliIo,
): Promise<BenchReport> {
  const others = given.policies.includes(NONE_POLICY) ? "" : " under other settings";
  const bar = createProgressBar(io.stderr, { what: `replaying ${agent}${others}` }, io.nowMs);
  try {
    return await runBench({ ...given, windows: [{ kind: "real" }], plimsollVersion: io.version, onProgress: bar.show });
  } finally {
    bar.stop();
  }
}

function runOf(reports: readonly Pick<BenchReport, "sessions" | "rows">[], names: ReadonlySet<string>): JudgedRun {
  const rows = new Map(
    reports.flatMap((report) =>
      report.rows.flatMap((row) => (names.has(row.session) ? [[`${row.session} ${row.policy}`, row] as const] : [])),
    ),
  );
  return { sessions: reports[0]?.sessions ?? [], rows: [...rows.values()] };
}

function problemsOf(reports: readonly BenchReport[], unread: readonly SkippedInput[]): readonly ReportProblem[] {
  // The first report has all sessions; the others replay some of them again.
  const all = reports.flatMap((report, at) =>
    reportProblems(at === 0 ? { ...report, skipped: [...unread, ...report.skipped] } : { ...report, notes: [], skipped: [] }),
  );
  return [...new Map(all.map((problem) => [problem.text, problem])).values()];
}

/** From the day on which the first session began through that of the last answer. */
function daysOf({ sessions }: Pick<BenchReport, "sessions">, counted: DecisionInput["counted"]): Decision["days"] {
  const began = new Map(sessions.map(({ session, startedMs }) => [session, startedMs]));
  const answers = counted.flatMap(({ facts }) => (began.has(facts.session) ? facts.answers : []));
  const times = [...began.values(), ...answers.map((answer) => (answer?.type === "usage" ? answer.atMs : null))];
  const days = times.flatMap((timeMs) => (timeMs === null ? [] : [dayOf(timeMs)])).toSorted();
  const [from, through] = [days[0], days.at(-1)];
  return from === undefined || through === undefined ? null : { from, through };
}

/** A day as `2026-01-31`, by the clock of the prime meridian. */
export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, "2026-01-31".length);
}
