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

/** Removes sessions that write their tool calls in scripts, if they are of fewer than three projects. Returns the report itself if it has none, or no others. */
export function withoutApart<Of extends Pick<BenchReport, "sessions" | "rows">>(report: Of): Of {
  const own = scripted(report.sessions);
  if (own.length === 0 || own.length === report.sessions.length) return report;
  const apart = new Set(own.map(({ session }) => session));
  const isIn = ({ session }: { readonly session: string }) => !apart.has(session);
  return { ...report, sessions: report.sessions.filter(isIn), rows: report.rows.filter(isIn) };
}
