import type { Prompt } from "../ports.ts";

/** The older part of a turn that is still going on; its newest part stays in the context as it is. */
export const TURN_PREFIX_PROMPT: Prompt = {
  id: "turn-prefix",
  version: 1,
  isOfTurnPrefix: true,
  instructions: () =>
    "The conversation above is the beginning of a piece of work that is still going on; its newest steps follow elsewhere, word for word. Write, without headings, what is needed to understand those steps: what was tried, in which order and with what result, what was found, and which intermediate results later steps rest on.",
};

/** The line that parts the summary of the older history from that of the split turn. */
export const TURN_CONTEXT_TITLE = "**Turn Context** (the earlier part of the turn that goes on below)";
