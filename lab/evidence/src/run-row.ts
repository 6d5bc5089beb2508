import { createHeldContext, type PreparedSession, prepareSession } from "@plimsoll/bench/extend";
import { isHuman, type Message, toolCallsOf } from "@plimsoll/core";
import { z } from "zod";
import { createExposures, type Exposures, exposuresSchema } from "./exposures.ts";
import type { GradedRecording } from "./graded-runs.ts";

/** Observations that SWE-agent's default mask leaves in the context (config/default.yaml, Last5Observations). */
export const KEPT_OBSERVATIONS = 5;

/** The measures of the bench that are asked (docs/evidence.md), by the name of their needs. */
export const MEASURES = ["edits", "passages", "fileInHand"] as const;

/** A measure of the bench. */
export type Measure = (typeof MEASURES)[number];

/** Things that calls needed, and those of them that the context lacked. */
interface Missing {
  readonly needed: number;
  readonly missing: number;
}

/** Edits of which a quoted text stood in the context, and of which it did not, with those that failed. */
interface EditFates {
  readonly held: number;
  readonly heldFailed: number;
  readonly missing: number;
  readonly missingFailed: number;
}

/** The record of one run: counts alone, none of its text. */
export interface RunRow {
  readonly dataset: string;
  readonly repository: string;
  readonly task: string;
  readonly agent: string;
  readonly hasFailed: boolean;
  readonly isMasked: boolean;
  readonly calls: number;
  readonly needs: Readonly<Record<Measure, Missing>>;
  readonly edits: EditFates;
  readonly exposures: Exposures;
}

const count = z.int().nonnegative();
const missing = z.strictObject({ needed: count, missing: count });

/** The form of a stored row. */
export const rowSchema: z.ZodType<RunRow> = z.strictObject({
  dataset: z.string(),
  repository: z.string(),
  task: z.string(),
  agent: z.string(),
  hasFailed: z.boolean(),
  isMasked: z.boolean(),
  calls: count,
  needs: z.strictObject({ edits: missing, passages: missing, fileInHand: missing }),
  edits: z.strictObject({ held: count, heldFailed: count, missing: count, missingFailed: count }),
  exposures: exposuresSchema,
});

/**
 * Replays a run under the mask of five observations and counts what its calls needed and lacked, and what was fetched again at which age. For a run
 * that was not masked this is what a mask would have hidden: a control, in which nothing was forgotten.
 */
export async function runRow({ read, ...recorded }: GradedRecording): Promise<RunRow> {
  const { dataset, repository, task, agent, hasFailed, isMasked } = recorded;
  return { dataset, repository, task, agent, hasFailed, isMasked, ...measuredRun(prepareSession(await read())) };
}

/** The counts of one session under the mask. */
export function measuredRun(session: PreparedSession): Pick<RunRow, "calls" | "needs" | "edits" | "exposures"> {
  const needs = session.needs();
  const shown = createHeldContext(needs.index, needs.needleCount);
  const exposures = createExposures();
  const counts = { edits: nothing(), passages: nothing(), fileInHand: nothing() };
  const edits = { held: 0, heldFailed: 0, missing: 0, missingFailed: 0 };
  const messages = session.entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  const results = new Map(messages.flatMap((each) => (each.role === "tool-result" ? [[each.callId, each] as const] : [])));
  let observations: readonly Message[] = [];
  let hasTask = false;
  let calls = 0;
  for (const message of messages) {
    if (message.role === "assistant" && message.origin === "model") {
      calls += 1;
      const wanted = needs.at(session.references.ordinalOf(message) ?? -1);
      for (const measure of MEASURES) {
        const own = wanted.filter(({ kind }) => kind === measure);
        counts[measure].needed += own.length;
        counts[measure].missing += own.filter(({ needle }) => !shown.holds(needle)).length;
      }
      const quotes = wanted.filter(({ kind }) => kind === "edits");
      if (quotes.length > 0) {
        const isHeld = quotes.every(({ needle }) => shown.holds(needle));
        const hasFailed = toolCallsOf(message).some(({ callId }) => results.get(callId)?.isError === true);
        edits[isHeld ? "held" : "missing"] += 1;
        if (hasFailed) edits[isHeld ? "heldFailed" : "missingFailed"] += 1;
      }
      exposures.step(message, (callId) => results.get(callId));
    }
    const isObservation = message.role === "tool-result" || (message.role === "user" && hasTask);
    hasTask ||= isHuman(message);
    shown.follow({ removed: [], added: [message] });
    if (!isObservation) continue;
    observations = [...observations, message];
    if (observations.length > KEPT_OBSERVATIONS) shown.follow({ removed: observations.slice(0, 1), added: [] });
    observations = observations.slice(-KEPT_OBSERVATIONS);
  }
  return { calls, needs: counts, edits, exposures: exposures.result() };
}

function nothing(): { needed: number; missing: number } {
  return { needed: 0, missing: 0 };
}
