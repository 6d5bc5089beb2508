import type { Prompt } from "../ports.ts";
import { outline } from "./parts.ts";

/** Free prose without sections, for conversations in which headings add little. */
export const NARRATIVE_PROMPT: Prompt = {
  id: "narrative",
  version: 1,
  instructions: (sections) =>
    [
      "Tell in plain prose what happened in the conversation above: what was asked, what was found out and decided and why, what was changed, what failed, and what is still open. Keep it short but leave out nothing that is needed to go on.",
      ...(sections.length === 0 ? [] : [`Use these headings, in this order:\n\n${outline(sections)}`]),
    ].join("\n\n"),
};
