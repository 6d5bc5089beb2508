import type { Prompt } from "../ports.ts";
import { outline } from "./parts.ts";

/** A checkpoint: aim, constraints, the state of the work, and the next steps. */
export const CHECKPOINT_PROMPT: Prompt = {
  id: "checkpoint",
  version: 1,
  instructions: (sections) =>
    [
      "Write a checkpoint of the work in the conversation above, so that another agent can take it over. Use these headings, all of them and no others, in this order; write None under a heading that has nothing:",
      outline(sections),
      "Under a heading about progress, use the sub-headings ### Done, ### In Progress and ### Blocked, with - [x] for what is finished and - [ ] for what is not. Give decisions with their reasons, and next steps as a numbered list in the order in which they are to be taken. Files that were read or changed are listed elsewhere; do not list them again.",
    ].join("\n\n"),
};
