import type { ObligationMetrics, RetentionCount } from "../../results.ts";
import type { MetricMeaning } from "../meaning.ts";

const REFERENCES =
  "References (paths, identifiers, numbers, hashes, URLs, flags, quoted errors) in recorded replies that had appeared before";
const UPPER = "A string that can be read is the most a model could recall, not what it will.";

/** What the figures about retention at use mean. */
export const RETENTION_MEANINGS: Readonly<Record<keyof RetentionCount, MetricMeaning>> = {
  uses: {
    unit: "uses",
    better: "neither",
    method: `${REFERENCES}.`,
    caveat: "Counted at the very call that produced the reply.",
  },
  recalled: {
    unit: "% of uses",
    better: "higher",
    method: `${REFERENCES}: the share whose string is readable in the context that the policy sends.`,
    caveat: `A bare list of names raises it by up to 11 points. ${UPPER}`,
  },
  evidenced: {
    unit: "% of uses",
    better: "higher",
    method: "The share for which a line that stated the reference is readable.",
    caveat: UPPER,
  },
  sourceEvidenced: {
    unit: "% of uses",
    better: "higher",
    method:
      "The headline. The share for which the latest line of a person's message or a tool's result that stated the reference is readable.",
    caveat: `What a summary says in other words does not count. ${UPPER}`,
  },
  behindHandle: {
    unit: "% of uses",
    better: "neither",
    method: "The share that is not readable, but stated in a message whose handle the context names.",
    caveat: "The model would have to ask for it; nobody knows whether it would.",
  },
};

/** What the share of files still named means. */
export const ARTIFACT_MEANING: MetricMeaning = {
  unit: "% of files",
  better: "higher",
  method: "Files that the session had touched before a call whose path the sent context still names, summed over the calls.",
  caveat: "A named path says nothing about the file's content.",
};

/** What the shares of texts that are still literal mean. */
export const OBLIGATION_MEANINGS: Readonly<Record<keyof ObligationMetrics, MetricMeaning>> = {
  instructions: {
    unit: "% of texts due",
    better: "higher",
    method: "The person's messages that the sent context still holds word for word, summed over the calls.",
    caveat: "A summary may say the same in other words; that does not count.",
  },
  lastError: {
    unit: "% of texts due",
    better: "higher",
    method: "Calls at which the newest error that still stands is readable word for word.",
    caveat: "Errors are told by their form; some are missed.",
  },
  openTasks: {
    unit: "% of texts due",
    better: "higher",
    method: "Open tasks of the agent's own list that are readable word for word, summed over the calls.",
    caveat: "Only agents that keep such a list have any.",
  },
};

/** What the share of touches whose reading is gone means. */
export const REREAD_MEANING: MetricMeaning = {
  unit: "% of touches",
  better: "lower",
  method: "Touches of files that an earlier call had read, of which the latest reading is no longer in the context.",
  caveat: "A risk: an agent may edit without reading again, or read again at the cost of a call.",
};

/** What the share by compactions means. */
export const DECAY_MEANING: MetricMeaning = {
  unit: "% of uses",
  better: "higher",
  method: "Source evidence of the uses whose reference was last said so many compactions ago; 5 holds all beyond.",
  caveat: "Later steps have few uses.",
};
