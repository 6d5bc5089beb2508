import type { Shard } from "@plimsoll/bench/internal";
import { PlimsollError } from "@plimsoll/core";

/** Reads `2/4` as the second of four parts. Throws `bad-input` for anything else. */
export function parseShard(text: string): Shard {
  const [, first = "", second = ""] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? [];
  const [index, count] = [Number(first), Number(second)];
  if (index < 1 || index > count) {
    throw new PlimsollError(
      "bad-input",
      `--shard ${text}: give a part and a count, such as 1/4, with the part from 1 to the count`,
    );
  }
  return { index, count };
}
