import type { Truncation } from "@plimsoll/core/build";

/** Keeps the beginning alone of what a tool calls a poem. */
export const POEM: Truncation = {
  category: "poem",
  cut: ({ text, roomBytes }) => [{ start: 0, end: text.slice(0, Math.floor(roomBytes / 4)).length }],
};
