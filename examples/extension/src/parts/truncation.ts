import { characterBoundaryAtOrBefore, type Truncation } from "@plimsoll/core/extend";

/** Keeps the first line alone of what a tool calls a poem. */
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
