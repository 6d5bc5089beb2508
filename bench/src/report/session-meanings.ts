import type { MetricMeaning } from "../metrics/metric.ts";

/** A fact about the input. */
const fact = (unit: string, method: string, caveat = "As the recording states it."): MetricMeaning => ({
  unit,
  better: "neither",
  method,
  caveat,
});

type SessionFact =
  | "text"
  | "sessions"
  | "fired"
  | "messages"
  | "largestPrompt"
  | "allPrompts"
  | "boundaries"
  | "repairs"
  | "notes";

/** What is said of sessions and of the run. */
export const SESSION_MEANINGS: Readonly<Record<SessionFact, MetricMeaning>> = {
  text: fact("text", "As the recording or the run names it."),
  sessions: fact(
    "sessions",
    "Sessions to which the window applies.",
    "A window of which the overhead takes more than half does not.",
  ),
  fired: fact(
    "sessions",
    "Sessions in which at least one compaction was made or tried.",
    "In the others the policy did nothing.",
  ),
  messages: fact(
    "messages",
    "Messages of the recording.",
    "Some are moved or made up where no provider takes them as recorded.",
  ),
  largestPrompt: fact("tokens", "The largest prompt that was reported."),
  allPrompts: fact("tokens", "Sum of the prompts that were reported."),
  boundaries: fact("compactions", "Times at which the recorded agent itself put something else in place of its history."),
  notes: fact("notes", "Notes of this kind about this file.", "The first of them is shown."),
  repairs: fact(
    "messages",
    "Messages moved, left out, made up or changed, because no provider takes them as recorded.",
    "0 is best.",
  ),
};

const HELD_OUT = "The size model is fitted on the even calls and scored on the odd ones.";

type ValidityFigure = "reported" | "computed" | "error" | "heldOutMape" | "heldOutMax" | "statedUsd" | "computedUsd";

/** What the figures of the validity section mean. */
export const VALIDITY_MEANINGS: Readonly<Record<ValidityFigure, MetricMeaning>> = {
  reported: fact("tokens", "Sum over the calls, as the recording reports it."),
  computed: fact("tokens", "The same by the replay of the recorded requests (policy recorded).", "Rounded sums."),
  error: {
    unit: "% of the reported",
    better: "lower",
    method: "Computed less reported, over the whole session.",
    caveat: "Errors of single calls may cancel out within a session.",
  },
  heldOutMape: {
    unit: "% of the reported prompt",
    better: "lower",
    method: `Mean error of the size model without its sign. ${HELD_OUT}`,
    caveat: "What it says of edited prompts rests on the same figures, but nobody has reported those.",
  },
  heldOutMax: {
    unit: "% of the reported prompt",
    better: "lower",
    method: `Largest error of the size model. ${HELD_OUT}`,
    caveat: "Often the call after something that the log does not show.",
  },
  statedUsd: fact(
    "US dollars",
    "Sum of the prices that the reports of the calls state.",
    "Agents on a subscription state none.",
  ),
  computedUsd: fact(
    "US dollars",
    "The recorded requests and replies at the prices of this run and the computed state of the prompt cache.",
    "Differs with the cache reads, and where prices have changed since.",
  ),
};
