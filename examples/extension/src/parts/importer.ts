import { type Importer, type LogItem, replyItem, textPart, transcriptOf, userItem } from "@plimsoll/bench";
import { UNREPORTED_USAGE } from "@plimsoll/core";

const HEADING = "# Minutes";

/** Minutes of a talk: after a heading each line is `NAME: TEXT`, and every name but `bot` is a person's. */
export const MINUTES: Importer = {
  format: "minutes",
  description: "Minutes of a talk, a line each",
  recognises: ({ text }) => text.startsWith(`${HEADING}\n`),
  read: async (source) => {
    const items: LogItem[] = [];
    for (const { text } of source.lines()) {
      const [, who, said] = /^(\w+): (.+)$/.exec(text) ?? [];
      if (said === undefined) continue;
      items.push(who === "bot" ? replyItem([textPart(said)], UNREPORTED_USAGE) : userItem("human", [textPart(said)]));
    }
    const file = source.displayName;
    return [transcriptOf({ name: file, file, format: "minutes", start: { id: file }, items, notes: [] })];
  },
};
