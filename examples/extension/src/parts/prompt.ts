import type { Prompt } from "@plimsoll/core/extend";

/** Asks for one sentence. */
export const ONE_SENTENCE: Prompt = {
  id: "one-sentence",
  version: 1,
  instructions: (sections) => `Say what happened in one sentence, under the headings: ${sections.join(", ")}.`,
};
