import type { WindowRequest } from "@plimsoll/bench";
import { PlimsollError } from "@plimsoll/core";

/** Working room of a replay unless another is asked for: about half of the longer recorded sessions fill it (chosen). */
export const DEFAULT_WINDOW: WindowRequest = { kind: "working-room", tokens: 64_000 };

/** Smaller rooms hold hardly one tool result (chosen). */
const SMALLEST_ROOM_TOKENS = 1_000;
const FACTORS: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["k", 1_000],
  ["m", 1_000_000],
]);

/** Reads `16k`, `1m`, `48000` or `real`. Throws `bad-input` for everything else. */
export function parseWindow(text: string): WindowRequest {
  if (text === "real") return { kind: "real" };
  const [, digits = "", unit = ""] = /^(\d{1,9})([km]?)$/.exec(text.toLowerCase()) ?? [];
  const tokens = Number(digits) * (FACTORS.get(unit) ?? 0);
  if (digits === "" || tokens < SMALLEST_ROOM_TOKENS) {
    throw new PlimsollError(
      "bad-input",
      `--window ${text}: give the working room as 16k, 32k, 64k, 128k or a number of tokens from ${SMALLEST_ROOM_TOKENS}, or real`,
    );
  }
  return { kind: "working-room", tokens };
}
