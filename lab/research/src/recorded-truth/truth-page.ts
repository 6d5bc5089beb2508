import { formatCount, formatTokens, quantileOf } from "@plimsoll/bench/extend";
import { GOAL_CALLS, GOAL_RATIO, type Met, metOf, type Scored } from "./truth.ts";

/** Sessions that were looked at and have no row. */
export interface SkippedTruth {
  /** Files of no format that is read. */
  readonly unreadFiles: number;
  /** Sessions with compactions of agents that no likeness follows. */
  readonly unfollowedSessions: number;
}

/** The page from the scored cases: the goals, then what misses them, then everything. */
export function truthPage(cases: readonly Scored[], skipped: SkippedTruth): string {
  const automatic = cases.filter(({ madeBy }) => madeBy === "automatic");
  const misses = automatic.filter((each) => metOf([each]).calls === 0 || metOf([each]).left === 0);
  const others = cases.filter(({ madeBy }) => madeBy !== "automatic");
  return [
    `${HEAD}\n`,
    `${skippedLine(cases, skipped)}\n`,
    `## Automatic compactions\n\n${byVersion(automatic)}\n`,
    `${verdict(metOf(automatic))}\n`,
    `## What misses a goal\n\n${caseTable(misses)}\n`,
    LIMITS,
    `## All automatic ones\n\n${caseTable(automatic)}\n`,
    `## Those that the person asked for, and one of which the log does not tell\n\nNo line says when a person asks. What is left does not depend on who asked.\n\n${caseTable(others)}\n`,
  ].join("\n");
}

const HEAD = `# Recorded truth

Each real compaction of the recorded sessions beside what our likeness of the agent at that version would have done. Made by \`pnpm recorded-truth\`; do not edit by hand. The sessions are
not part of the repository (\`PLIMSOLL_TRANSCRIPTS\`, \`PLIMSOLL_COMPACTIONS\`).

- **When**: the likeness is replayed as published over the history that led to the compaction, from the compaction before it on, with the results as the agent had cut them. Calls off: above zero it acts later than
  the agent did. Codex counts the reasoning of earlier turns once more, which no policy can say; the replay adds it to what is reported.
- **What was left**: the first prompt after the compaction. *By policy*: what the likeness leaves in the replay, where the digest stands in for the summary and our engine keeps the newest step. *By description*: what the
  likeness's file says that the agent leaves (\`leaves\`: the person's messages, the context of the session's start, files that are read again), at the place where the agent really compacted, with the overhead of
  the session's first call; sizes of files are those of the log's own copies. To it comes the usual summary: the median of what *other* sessions of the same agent left above the description. No figure is fitted on the
  session that it is scored on; that files are read again at all, and which, was looked for in these sessions after others had described it.
- **Automatic**: the log says so, or names no trigger and the compaction stands in the middle of a turn, where nobody can ask for one (Codex, pi).`;

const LIMITS = `Why they miss:

- Claude Code: what else it puts back (plan, skills, task list, hooks' words, instructions of servers) is in no log; two sessions of 2.1.5 and 2.1.7 have 10,000 tokens more than summary and files. One session
  (2.1.7) goes on with another's history, so that its first call does not tell its overhead.
- Codex 0.118 counts its reasoning otherwise than its later versions do.
- OpenCode 1.4.3 kept no tail and acted some 3,000 tokens later than our likeness, which is of 1.18.33 and is given a window of 128,000 and a reply of 32,000 here: the log states neither.
- pi's session is of December 2025, before the versions that we follow; its tail is smaller than today's 20,000 estimated tokens.
- One more within 10 % would make 80 %. None is to be had honestly: pi's log names no version, OpenCode's miss is the size of its one summary, and what Claude Code puts back stands in no log.
`;

function skippedLine(cases: readonly Scored[], { unreadFiles, unfollowedSessions }: SkippedTruth): string {
  const sessions = new Set(cases.map(({ file }) => file)).size;
  return `${formatCount(cases.length)} compactions in ${formatCount(sessions)} sessions. Skipped: files of no format that is read: ${unreadFiles}, sessions of agents without a likeness: ${unfollowedSessions}.`;
}

function verdict({ count, calls, policy, left }: Met): string {
  const share = (met: number) => `${met} of ${count} (${Math.round((100 * met) / count)} %)`;
  return `Goal: 80 % within ${GOAL_CALLS} calls, and within ${100 * GOAL_RATIO} % of what was left. Within ${GOAL_CALLS} calls: ${share(calls)}. Within ${100 * GOAL_RATIO} % by description: ${share(left)}; by the policy alone: ${share(policy)}.`;
}

function byVersion(cases: readonly Scored[]): string {
  const groups = new Map<string, readonly Scored[]>();
  for (const each of cases) {
    const name = `${each.agent} ${each.version}`;
    groups.set(name, [...(groups.get(name) ?? []), each]);
  }
  const rows = [...groups].toSorted(([a], [b]) => a.localeCompare(b, "en", { numeric: true }));
  return tableOf(
    [
      "agent, version",
      "compactions",
      "within 2 calls",
      "within 10 % by description",
      "by policy",
      "prompt before",
      "median calls off",
      "median left off",
    ],
    [...rows, ["all", cases] as const].map(([name, group]) => {
      const { count, calls, policy, left } = metOf(group);
      const befores = group.flatMap(({ beforeTokens }) => beforeTokens ?? []);
      return [
        name.trim(),
        String(count),
        String(calls),
        String(left),
        String(policy),
        befores.length === 0 ? "–" : `${formatTokens(Math.min(...befores))} to ${formatTokens(Math.max(...befores))}`,
        medianOf(group.flatMap(({ callsOff }) => (callsOff === null ? [] : [Math.abs(callsOff)]))),
        percent(median(group.flatMap(({ leftOffRatio }) => (leftOffRatio === null ? [] : [Math.abs(leftOffRatio)])))),
      ];
    }),
  );
}

function caseTable(cases: readonly Scored[]): string {
  return tableOf(
    [
      "agent, version",
      "session",
      "made",
      "at call",
      "prompt before",
      "left",
      "calls off",
      "prompt off",
      "left off by description",
      "by policy",
    ],
    cases.map((each) => [
      `${each.agent} ${each.version}`.trim(),
      sessionName(each.file),
      each.madeBy,
      formatCount(each.callsBefore),
      each.beforeTokens === null ? "–" : formatCount(each.beforeTokens),
      formatCount(each.afterTokens),
      each.callsOff === null ? "does not act" : String(each.callsOff),
      percent(each.sizeOffRatio),
      percent(each.leftOffRatio),
      percent(each.policyOffRatio),
    ]),
  );
}

function sessionName(file: string): string {
  const name = file.split("/").at(-1) ?? file;
  return (
    name
      .replace(/\.[a-z]+$/, "")
      .split("__")
      .at(-1) ?? name
  );
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, column) => (column < 2 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

function percent(ratio: number | null): string {
  return ratio === null ? "–" : `${(100 * ratio).toFixed(1)} %`;
}

function median(values: readonly number[]): number | null {
  return values.length === 0 ? null : quantileOf(values, 0.5);
}

function medianOf(values: readonly number[]): string {
  const found = median(values);
  return found === null ? "–" : String(Math.round(found));
}
