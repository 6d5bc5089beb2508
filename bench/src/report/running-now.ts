import { policyRunBy } from "../peers/running-agents.ts";
import type { BenchReport, SessionDescription } from "../results.ts";
import type { WindowAnswer } from "./answer.ts";
import { formatNumberOf, formatPercent, heldText } from "./figures.ts";
import { shortTokens } from "./labels.ts";
import { MODEL_MARK } from "./model-summaries.ts";
import { type PlacedPolicy, placedPolicy } from "./policy-choice.ts";
import { windowOutcomes } from "./session-outcomes.ts";

/** The policies that a person runs now, over the sessions that an answer compares. */
export interface RunningNow {
  /** As recorded, with whatever the agent did itself; `null` unless the policy `recorded` was replayed in all of them. */
  readonly recorded: PlacedPolicy | null;
  /** The agents that wrote them, the most frequent first. */
  readonly agents: readonly RunningAgent[];
  /** Policies of the run that are in the likeness of one of the agents. */
  readonly likenesses: ReadonlySet<string>;
}

/** An agent with its versions and windows, as far as its sessions tell. */
interface RunningAgent {
  readonly format: string;
  /** The first and the last version that is stated; `null` if none is. */
  readonly versions: readonly [first: string, last: string] | null;
  /** The sizes of its models' windows, in tokens, the smallest first. */
  readonly windowsTokens: readonly number[];
  readonly sessions: number;
  /** The policy that is like it, under its name in the run; `null` if there is none. */
  readonly likeness: string | null;
  /** Whether the likeness was replayed. */
  readonly isReplayed: boolean;
}

const RECORDED = "recorded";

/** Our own logs are of any agent with any policy: what was recorded is all that is known of it. */
const OWN_FORMAT = "plimsoll";

/** Finds in a run what its person runs now. The answer's acting policies are those of all kinds of summaries. */
export function runningNow(report: BenchReport, { windowLabel, acting, outcomes }: WindowAnswer): RunningNow {
  const compared = new Set(outcomes.sessions);
  const agents = agentsOf(
    report.sessions.filter(({ session }) => compared.has(session)),
    acting,
  );
  const all = windowOutcomes(report, { windowLabel, acting: [...acting, RECORDED], cache: "with" });
  const recorded = all.byPolicy.get(RECORDED)?.filter(({ session }) => compared.has(session)) ?? [];
  const isWhole = recorded.length === compared.size && compared.size > 0;
  return {
    recorded: isWhole ? { ...placedPolicy(RECORDED, recorded), worse: [] } : null,
    agents,
    likenesses: new Set(agents.flatMap(({ likeness, isReplayed }) => (isReplayed && likeness !== null ? [likeness] : []))),
  };
}

function agentsOf(sessions: readonly SessionDescription[], acting: readonly string[]): readonly RunningAgent[] {
  const byAgent = new Map<string, SessionDescription[]>();
  for (const session of sessions) {
    const agent = `${session.format} ${policyRunBy(session)}`;
    byAgent.set(agent, [...(byAgent.get(agent) ?? []), session]);
  }
  return [...byAgent.values()].map((own) => runningAgent(own, acting)).toSorted((a, b) => b.sessions - a.sessions);
}

/** Of sessions of one format and likeness. */
function runningAgent(sessions: readonly SessionDescription[], acting: readonly string[]): RunningAgent {
  const [first] = sessions;
  const known = first === undefined ? null : policyRunBy(first);
  const named = acting.find((policy) => withoutMark(policy) === known);
  const versions = sessions
    .flatMap(({ agentVersion }) => agentVersion ?? [])
    .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const [oldest, newest] = [versions[0], versions.at(-1)];
  const windows = sessions.flatMap(({ ownWindowTokens }) => ownWindowTokens ?? []);
  return {
    format: first?.format ?? "",
    versions: oldest === undefined || newest === undefined ? null : [oldest, newest],
    windowsTokens: [...new Set(windows)].toSorted((a, b) => a - b),
    sessions: sessions.length,
    likeness: named ?? known,
    isReplayed: named !== undefined,
  };
}

/** A policy's name without the mark of those that pay for a model's summary. */
function withoutMark(policy: string): string {
  return policy.endsWith(MODEL_MARK) ? policy.slice(0, -MODEL_MARK.length) : policy;
}

/** Who wrote the sessions, e.g. `claude-code 2.1.25 to 2.1.39, window 200k`; with the count of sessions if there are several. */
export function agentWords({ agents }: RunningNow): string {
  return agents
    .map(({ format, versions, windowsTokens, sessions }) => {
      const version =
        versions === null ? "" : versions[0] === versions[1] ? ` ${versions[0]}` : ` ${versions[0]} to ${versions[1]}`;
      const sizes = windowsTokens.map(shortTokens).join(" and ");
      const window = sizes === "" ? "" : `, window${windowsTokens.length === 1 ? "" : "s"} ${sizes}`;
      return `${format}${version}${window}${agents.length === 1 ? "" : ` (${formatNumberOf(sessions, "session")})`}`;
    })
    .join("; ");
}

/** Shows the policies that the person runs now, a line for each point: its cost, and the needs that it holds. `placed` are the policies that were compared. */
export function nowLines(now: RunningNow, placed: readonly PlacedPolicy[]): readonly string[] {
  const { recorded, agents, likenesses } = now;
  const all = agents.reduce((sum, { sessions }) => sum + sessions, 0);
  const like = placed
    .filter(({ policy }) => likenesses.has(policy))
    .map((each) => {
      const own = agents.find(({ likeness }) => likeness === each.policy)?.sessions ?? all;
      const part = own === all ? "" : ` (it wrote ${own} of ${formatNumberOf(all, "session")})`;
      return `like ${each.policy}${part}, ${figuresOf(each)}`;
    });
  const points = [...(recorded === null ? [] : [`as recorded, ${figuresOf(recorded)}`]), ...like];
  const missing = agents.flatMap(({ format, likeness, isReplayed }) => {
    if (isReplayed || (format === OWN_FORMAT && recorded !== null)) return [];
    return likeness === null ? [`no policy is like ${format}`] : [`add --policy ${likeness}, which is like ${format}`];
  });
  return [...points, ...(points.length === 0 && missing.length === 0 ? ["add --policy recorded"] : []), ...missing];
}

function figuresOf({ cost, gain }: PlacedPolicy): string {
  return `${formatPercent(cost)} % cost, ${heldText(gain)}`;
}
