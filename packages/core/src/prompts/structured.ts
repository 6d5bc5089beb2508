import type { Prompt } from "../ports.ts";
import { outline } from "./parts.ts";

/** A record under fixed sections, from which the agent goes on working. */
export const STRUCTURED_PROMPT: Prompt = {
  id: "structured",
  version: 1,
  instructions: (sections) =>
    [
      `Write a record of the conversation above under exactly these ${sections.length} sections, in this order. Add no section, leave none out; where there is nothing to say, write None.`,
      outline(sections),
      "Whoever reads the record has nothing else of this conversation and must be able to go on without asking. Quote technical details (paths, function names, error messages, test names, short pieces of code) as they are; keep apart what is done, what is being done and what was given up.",
    ].join("\n\n"),
};
