import { characterBoundaryAtOrBefore, type Truncation } from "@plimsoll/core/extend";

/** Keeps only the first line of an output that its tool calls a poem. */
export const POEM: Truncation = {
  category: "poem",
  cut: ({ text, roomBytes }) => {
    const line = text
      .slice(0, Math.floor(roomBytes / 4))
      .split("\n", 1)
      .join("");
    return [{ start: 0, end: characterBoundaryAtOrBefore(text, line.length) }];
  },
};
