import { sessionOpening } from "../open/describe-session.ts";
import type { SessionDescription } from "../open/session-description.ts";
import type { Transcript } from "../transcript.ts";
import { commonFolder } from "./labels.ts";

/** Gives the name by which pages show a session; one that is not in the report keeps its own. */
export type SessionNames = (session: string) => string;

type NamedSession = Pick<SessionDescription, "session" | "startedMs" | "firstWords" | "parentSession">;

/** Makes the names that a report of these recordings would show ({@link sessionNames}). */
export function transcriptNames(transcripts: readonly Transcript[]): SessionNames {
  return sessionNames({
    sessions: transcripts.map(({ name, parentName, entries }) => ({
      session: name,
      parentSession: parentName,
      ...sessionOpening(entries),
    })),
  });
}

/** The names of a report's sessions: the day and the person's first words, or the file if the log has neither. No two are the same. */
export function sessionNames({ sessions }: { readonly sessions: readonly NamedSession[] }): SessionNames {
  const folder = commonFolder(sessions.map(({ session }) => session));
  const times = new Map<string, number>();
  for (const each of sessions) times.set(openingOf(each), (times.get(openingOf(each)) ?? 0) + 1);
  const names = new Map(
    sessions.map((each) => {
      const [opening, file] = [openingOf(each), each.session.slice(folder.length)];
      if (opening === "") return [each.session, file];
      return [each.session, times.get(opening) === 1 ? opening : `${opening} (${file})`];
    }),
  );
  return (session) => names.get(session) ?? session;
}

const DAY_CHARS = "2026-01-31".length;

/** Words that are markup or data, not a person's. */
const MARKUP = /^[<{[]|<\//;

/** The day and the first words; empty if the log has none, or only markup. */
function openingOf({ startedMs, firstWords, parentSession }: NamedSession): string {
  if (firstWords === null || MARKUP.test(firstWords)) return "";
  const day = startedMs === null ? "" : `${new Date(startedMs).toISOString().slice(0, DAY_CHARS)} `;
  return `${day}${parentSession === null ? "" : "sub-agent: "}${firstWords}`;
}
