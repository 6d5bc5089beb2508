import { createDigest, type Summarizer } from "@plimsoll/core";
import type { PreparedSession } from "../open/prepared-session.ts";
import type { AskedSummary } from "./replayed-call.ts";

/** The replay that summaries are written for. */
export interface SummaryPlace {
  readonly session: PreparedSession;
  readonly position: () => number;
  /** Called for every request for a summary, after its answer. */
  readonly note: (asked: AskedSummary) => void;
  /** Ends the replay: without this summary it would say nothing about the policy. */
  readonly stop: (error: unknown) => void;
}

/** Gives each replay the summariser that its engine runs with. */
export type SummarySource = (place: SummaryPlace) => Summarizer;

/** The deterministic digest for every request. */
export const digestSource: SummarySource = ({ note }) => {
  const digest = createDigest();
  return (request, signal) => {
    note({ request, writtenBy: "digest", answered: null });
    return digest(request, signal);
  };
};
