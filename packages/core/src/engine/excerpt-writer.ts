import type { Budget } from "../budget.ts";
import { resolveAmount } from "../budget.ts";
import { chooseExcerpts } from "../facts/excerpts.ts";
import type { Message } from "../message/message.ts";
import { messageChars } from "../message/size.ts";
import type { Policy } from "../policy/policy.ts";
import { excerptsIn, excerptsText } from "../prompts/excerpts.ts";
import type { WorkCounter } from "../tokens/work.ts";

/** Writes the lines that stay of what is removed, as text; `null` for none. */
export interface ExcerptWriter {
  /** The most that a text of it takes. */
  readonly atMostTokens: number;
  readonly write: (covered: readonly Message[], kept: readonly Message[]) => string | null;
}

/** Writes nothing. */
export const NO_EXCERPTS: ExcerptWriter = { atMostTokens: 0, write: () => null };

/** Excerpts may take at most this share of the room, so that they never stand in the way in a small window; chosen. */
const ROOM_RATIO = 0.25;

/** And of what they are taken from, so that every compaction shrinks the view; chosen. */
const COVERED_RATIO = 0.5;

/** The writer that a policy asks for in a room of so many tokens. */
export function excerptWriter(
  { excerpts }: Pick<Policy, "excerpts">,
  { budget, roomTokens, charsPerToken, work }: { budget: Budget; roomTokens: number; charsPerToken: number; work: WorkCounter },
): ExcerptWriter {
  if (excerpts === null) return NO_EXCERPTS;
  const atMostTokens = Math.floor(Math.min(resolveAmount(excerpts.atMost, budget), roomTokens * ROOM_RATIO));
  return {
    atMostTokens,
    write: (covered, kept) => {
      const coveredChars = charsOf(covered);
      const maximumChars = Math.floor(Math.min(atMostTokens * charsPerToken, coveredChars * COVERED_RATIO));
      work.scanned(coveredChars + charsOf(kept));
      work.visited(covered.length + kept.length);
      return excerptsText(chooseExcerpts({ covered, kept, excerptsIn, maximumChars }));
    },
  };
}

function charsOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + messageChars(message), 0);
}
