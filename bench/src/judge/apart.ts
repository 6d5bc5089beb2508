import type { SessionDescription } from "../open/session-description.ts";
import type { BenchReport } from "../results.ts";
import { ownersOf } from "../statistics.ts";

/** Fewest owners for a claim about sessions that write their calls in scripts (code mode): other owners' sessions are not known to be alike. Chosen. */
export const FEWEST_SCRIPTING_OWNERS = 3;

/** Sessions that write their calls in scripts, if they are of too few owners to claim anything of them. */
export function scripted(sessions: readonly SessionDescription[]): readonly SessionDescription[] {
  const own = sessions.filter(({ seen }) => (seen?.scripts ?? 0) > 0);
  return ownersOf(own).size < FEWEST_SCRIPTING_OWNERS ? own : [];
}

/** Names of the sessions that are reported apart from the others: they are in no mean, tally or choice. None if there are no others. */
function apartFrom(sessions: readonly SessionDescription[]): ReadonlySet<string> {
  const own = scripted(sessions);
  return new Set(own.length === sessions.length ? [] : own.map(({ session }) => session));
}

/** Removes sessions that write their tool calls in scripts, if they are of fewer than three projects. Returns the report itself if it has none, or no others. */
export function withoutApart<Of extends Pick<BenchReport, "sessions" | "rows">>(report: Of): Of {
  const apart = apartFrom(report.sessions);
  if (apart.size === 0) return report;
  const isIn = ({ session }: { readonly session: string }) => !apart.has(session);
  return { ...report, sessions: report.sessions.filter(isIn), rows: report.rows.filter(isIn) };
}

/** How an agent works: with tools for files, with only a shell, or in scripts (code mode). */
const WAY_ORDER = ["tools", "shell", "scripts"] as const;

function wayOf({ seen }: SessionDescription): (typeof WAY_ORDER)[number] {
  if ((seen?.scripts ?? 0) > 0) return "scripts";
  return (seen?.toolCalls ?? 0) > 0 && seen?.fileTools === 0 ? "shell" : "tools";
}

/** The report's parts by how their agents work; none if all work alike. */
export function partsByWay(
  report: BenchReport,
): readonly { readonly way: (typeof WAY_ORDER)[number]; readonly part: BenchReport }[] {
  const ways = new Map(report.sessions.map((described) => [described.session, wayOf(described)] as const));
  const used = new Set(ways.values());
  const named = WAY_ORDER.filter((way) => used.has(way));
  if (named.length < 2) return [];
  return named.map((way) => {
    const isIn = ({ session }: { readonly session: string }) => ways.get(session) === way;
    const part = { ...report, sessions: report.sessions.filter(isIn), rows: report.rows.filter(isIn) };
    return { way, part };
  });
}
