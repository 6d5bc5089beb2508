import type { Prompt } from "../ports.ts";
import { outline } from "./parts.ts";

/** Brings an earlier summary up to date with the messages after it. */
export const UPDATE_PROMPT: Prompt = {
  id: "update",
  version: 1,
  instructions: (sections) =>
    [
      "An earlier record of this session stands under previous-summary; the conversation above came after it. Merge both into one record that replaces the earlier one. Keep what still holds, word for word where it names something exactly; add what is new; mark as done what has been done since; take out only what is no longer true or was replaced, and say by what.",
      ...(sections.length === 0
        ? []
        : [
            "Use these headings, all of them and no others, in this order; write None under a heading that has nothing:",
            outline(sections),
          ]),
    ].join("\n\n"),
};
