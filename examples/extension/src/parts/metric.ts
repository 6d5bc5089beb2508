import { inTable, type Metric } from "@plimsoll/bench";
import { z } from "zod";

/** Replies that call no tool, in every table. */
export const SPOKEN: Metric<"spoken", number, number, "replies"> = {
  id: "spoken",
  schema: z.int().nonnegative(),
  measure: () => {
    let replies = 0;
    return {
      add: ({ reply }) => {
        if (reply?.parts.every(({ type }) => type !== "tool-call") === true) replies += 1;
      },
      result: () => replies,
    };
  },
  pool: ({ results }) => results.reduce((sum, replies) => sum + replies, 0),
  figures: {
    replies: {
      unit: "replies",
      better: "neither",
      method: "Replies that call no tool.",
      caveat: "The same for every policy.",
      value: (replies) => replies,
      format: "count",
      columns: [
        inTable("requests", "made here", "spoken"),
        inTable("cost", "made here", "spoken"),
        inTable("chart", "made here", "spoken"),
      ],
    },
  },
};
