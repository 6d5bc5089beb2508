import { formatNumberOf } from "./figures.ts";
import type { PolicySummary } from "./policy-summary.ts";

/** What a reader must know about a row before comparing it: nothing fired, or sessions are missing from it. */
export function remarks(summary: PolicySummary): readonly string[] {
  const { policy, sessions, firedSessions, actedSessions, notApplicable, isActing } = summary;
  const truncated = actedSessions > 0 ? `; it truncated results in ${actedSessions}` : "";
  return [
    ...(isActing && sessions > 0 && firedSessions === 0
      ? [
          `${policy}: nothing fired in ${formatNumberOf(sessions, "session")}; the window never filled up to its trigger${truncated}.`,
        ]
      : []),
    ...(notApplicable > 0
      ? [`${policy}: ${formatNumberOf(notApplicable, "session")} left out, the window does not apply.`]
      : []),
  ];
}
