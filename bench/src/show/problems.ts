import { brokenPolicies, failuresOf } from "../drive/part-failures.ts";
import { agentVersionAtLeast } from "../formats/agent-windows.ts";
import { FEWEST_SCRIPTING_OWNERS, scripted } from "../judge/apart.ts";
import { MEASURES } from "../judge/vector.ts";
import { SEEING_CALLS } from "../metrics/held.ts";
import type { SourceNote } from "../open/session-description.ts";
import type { BenchReport, ReplayRow, ReportProblem } from "../results.ts";
import { ownersOf } from "../statistics.ts";
import type { ImportNoteCode, UnreadNames } from "../transcript.ts";
import { formatCount, formatNumberOf, verbFor } from "./figures.ts";

type Checked = Pick<BenchReport, "sessions" | "rows" | "policies" | "skipped" | "notes" | "withoutEffect">;

/**
 * Lists the problems that a reader must know before any figure of a run, the worst first: the one place from which every output takes them. Each
 * gives a count, and names the first few of the things concerned.
 */
export function reportProblems(report: Checked): readonly ReportProblem[] {
  return [
    ...failedParts(report),
    ...leftOut(report),
    ...hiddenNeeds(report),
    ...notRead(report.notes),
    ...withoutSizes(report),
    ...apartProblems(report),
    ...(report.withoutEffect ?? []).map((text): ReportProblem => ({ kind: "without-effect", text })),
  ];
}

/** A sentence has so many names (chosen). */
const MOST_NAMED = 3;
/** Characters of a reason that others wrote, and those of its end, which may be a place in a file; chosen. */
const REASON_CHARS = 160;
const REASON_END_CHARS = 59;

/** The first few names, and how many more there are. */
export function namesOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(", ")}${more > 0 ? ` and ${formatCount(more)} more` : ""}`;
}

/** On one line, for any content; of a long one without its middle. */
function reasonText(reason: string): string {
  const line = reason.replaceAll(/\s+/g, " ").trim();
  const end = line.slice(-REASON_END_CHARS);
  return line.length > REASON_CHARS ? `${line.slice(0, REASON_CHARS - end.length)}…${end}` : line;
}

function failedParts({ rows }: Checked): readonly ReportProblem[] {
  const broken = brokenPolicies(rows);
  const policies = new Set(rows.flatMap(({ policy, failures = [] }) => (failures.length > 0 ? [policy] : [])));
  // Points of a sweep fail alike: they are one sentence.
  const alike = new Map<string, { readonly policies: string[]; failed: number; tried: number }>();
  for (const policy of policies) {
    for (const { part, failed, tried, reason } of failuresOf(rows.filter((row) => row.policy === policy))) {
      const key = JSON.stringify([part, reason, broken.has(policy)]);
      const known = alike.get(key) ?? { policies: [], failed: 0, tried: 0 };
      known.policies.push(policy);
      alike.set(key, { ...known, failed: known.failed + failed, tried: known.tried + tried });
    }
  }
  return [...alike].map(([key, { policies: of, failed, tried }]): ReportProblem => {
    const [part, reason, isBroken]: readonly [string, string, boolean] = JSON.parse(key);
    const there = failed < tried ? "there " : "";
    const end = isBroken ? `; ${there}the figures are without it, and the policy is never recommended` : "";
    return {
      kind: "failed",
      text: `${namesOf(of)}: ${part} failed at ${formatCount(failed)} of ${formatNumberOf(tried, "attempt")} (${reasonText(reason)})${end}.`,
    };
  });
}

/** Inputs by their faults: many of one kind are one sentence. */
function leftOut({ skipped, sessions }: Checked): readonly ReportProblem[] {
  const files = new Map<string, string[]>();
  for (const { file, reason } of skipped) {
    const plain = reason.startsWith(file) ? reason.slice(file.length).replace(/^[:\s]+/, "") : reason;
    files.set(plain, [...(files.get(plain) ?? []), file]);
  }
  // A cause that nothing escaped is the answer: whole, and before the names.
  const isOne = sessions.length === 0 && files.size === 1;
  return [...files].map(([reason, of]) => {
    const count = `${formatNumberOf(of.length, "input")} left out: `;
    const text = isOne && of.length > 1 ? `${reason} (${namesOf(of)})` : `${namesOf(of)}: ${reasonText(reason)}`;
    return { kind: "left-out", text: `${count}${text}` };
  });
}

/** Kinds of needs that sessions do not show although they are long enough to have some. */
function hiddenNeeds({ rows, sessions }: Checked): readonly ReportProblem[] {
  const measured = new Map<string, NonNullable<ReplayRow["metrics"]>>();
  for (const { session, metrics } of rows) if (metrics !== null && !measured.has(session)) measured.set(session, metrics);
  const long = sessions.filter(({ calls, session }) => calls >= SEEING_CALLS && measured.has(session));
  const hidden = MEASURES.map(([name, id]) => ({
    name,
    in: long.filter(({ session }) => measured.get(session)?.[id].all.uses === 0),
  })).filter((each) => each.in.length > 0);
  if (hidden.length === 0) return [];
  const counts = [...new Set(hidden.map((each) => each.in.length))];
  const sentences = counts.map((count) => {
    const names = hidden.filter((each) => each.in.length === count).map(({ name }) => name);
    return `In ${formatCount(count)} of the ${formatCount(long.length)} sessions (${SEEING_CALLS}+ calls each) no ${names.join(" and no ")} appear: these measures leave them out.`;
  });
  return [{ kind: "not-visible", text: sentences.join(" ") }];
}

/** Codes of notes about gaps of a log and items unknown to an importer, with the words for a number of logs or of the latter. */
const UNREAD: readonly (readonly [code: ImportNoteCode, words: (count: number) => string])[] = [
  ["missing-history", String],
  [
    "unfinished-output",
    (logs) =>
      `In ${formatNumberOf(logs, "log")} output tokens are missing: recorded dollars are too low; replays use text sizes.`,
  ],
  ["unknown-line-type", (count) => `${formatNumberOf(count, "item")} of unknown types left out`],
  ["unknown-tool", (count) => `For ${formatNumberOf(count, "call")} we can't tell which files they touched`],
  ["unseen-version", String],
  ["encoding", String],
  ["unread-script", String],
];

function notRead(notes: readonly SourceNote[]): readonly ReportProblem[] {
  return UNREAD.flatMap(([code, words]): readonly ReportProblem[] => {
    const own = notes.filter((note) => note.code === code);
    const [first] = own;
    if (first === undefined) return [];
    const named = own.flatMap(({ unread }) => unread ?? []);
    if (named.length > 0) return [{ kind: "not-read", text: namedText(named, words) }];
    const said = first.text.startsWith(`${first.file}: `) ? first.text.slice(first.file.length + 2) : first.text;
    const files = new Set(own.map(({ file }) => file)).size;
    // One log's figures would read as those of all.
    if (code === "unfinished-output") return [{ kind: "not-read", text: words(files) }];
    const others = files === 1 ? "" : ` (and ${formatNumberOf(files - 1, "more log")})`;
    return [{ kind: "not-read", text: `${reasonText(said)}${others}.` }];
  });
}

/** Adds up unread items by name: each with its count, grouped by the newest version that wrote them. */
function namedText(notes: readonly UnreadNames[], words: (count: number) => string): string {
  const names = new Map<string, { readonly count: number; readonly newest: string }>();
  for (const { writtenBy, counts } of notes)
    for (const [name, count] of Object.entries(counts)) {
      const { count: before, newest } = names.get(name) ?? { count: 0, newest: "" };
      const by = writtenBy ?? "";
      names.set(name, { count: before + count, newest: agentVersionAtLeast(newest, by) ? newest : by });
    }
  const byVersion = new Map<string, string[]>();
  for (const [name, { count, newest }] of [...names].toSorted(([, a], [, b]) => b.count - a.count))
    byVersion.set(newest, [...(byVersion.get(newest) ?? []), `${name} ×${formatCount(count)}`]);
  const said = [...byVersion].map(([newest, of]) => `${of.join(", ")}${newest === "" ? "" : ` (last seen in ${newest})`}`);
  const sum = [...names.values()].reduce((total, { count }) => total + count, 0);
  return `${words(sum)}: ${said.join("; ")}.`;
}

/** Sessions whose sizes are estimates: beside others, a mean over them has no meaning. A session without a call has no sizes. */
function withoutSizes({ sessions }: Checked): readonly ReportProblem[] {
  const asking = sessions.filter(({ calls }) => calls > 0);
  const estimated = asking.filter(({ isEstimated }) => isEstimated).length;
  if (estimated === 0) return [];
  const has = estimated === 1 ? "has" : "have";
  const text = `${formatCount(estimated)} of ${formatNumberOf(asking.length, "session")} ${has} no token counts; they are estimated.`;
  return [{ kind: "mixed", text }];
}

/** Says that sessions which call tools in scripts are reported apart; nothing if there are none. */
function apartProblems({ sessions }: Pick<BenchReport, "sessions">): readonly ReportProblem[] {
  const own = scripted(sessions);
  if (own.length === 0) return [];
  const where = own.length === sessions.length ? "no figure here describes them" : "they are left out of means and choices";
  const of = `${formatNumberOf(own.length, "session")} of ${formatNumberOf(ownersOf(own).size, "project")} ${verbFor(own.length, "write")} calls in scripts (code mode)`;
  return [{ kind: "mixed", text: `${of}: ${where}, because at least ${FEWEST_SCRIPTING_OWNERS} projects are needed.` }];
}
