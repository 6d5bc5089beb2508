import type { Budget } from "../budget.ts";
import { resolveAmount } from "../budget.ts";
import type { Message } from "../message/message.ts";
import { recalledText } from "../prompts/recalled.ts";
import { recalledPassages } from "../recall/choose-units.ts";
import type { RecallView } from "../recall/recall-index.ts";
import type { WorkCounter } from "../tokens/work.ts";
import type { KeepRule } from "./keep-rule.ts";

/** Recalls of the log what the view does not show. */
export interface Recaller {
  /** The most tokens that a recall block takes. */
  readonly atMostTokens: number;
  /** The block for a view in which these messages stay, of at most so many characters; `null` for nothing to recall. */
  readonly recall: (staying: readonly Message[], maximumChars: number) => string | null;
}

/** The largest share of the room for recalled passages, so that a small window has room for the next messages; chosen. */
const ROOM_RATIO = 0.5;

/** The recaller of the first rule that recalls; `null` without one. A rule that throws recalls nothing, and `failures` says so. */
export function recaller(
  rules: readonly KeepRule[],
  room: {
    readonly budget: Budget;
    readonly roomTokens: number;
    /** Characters that a token is taken for. */
    readonly charsPerToken: number;
    /** The index of the log; `null` if nobody has followed it. */
    readonly log: RecallView | null;
    readonly work: WorkCounter;
  },
  failures: Map<string, unknown>,
): Recaller | null {
  const rule = rules.find((each) => each.keeps === "units");
  const { log: index, charsPerToken, work } = room;
  if (rule === undefined || index === null) return null;
  const roomTokens = Math.max(0, room.roomTokens * ROOM_RATIO);
  const atMostTokens = Math.floor(Math.min(resolveAmount(rule.atMost, room.budget), roomTokens));
  return {
    atMostTokens,
    recall: (staying, maximumChars) => {
      const shown = new Set(staying);
      const limitChars = Math.min(Math.floor(atMostTokens * charsPerToken), maximumChars);
      try {
        const stays = (message: Message) => shown.has(message);
        const block = recalledText(recalledPassages({ index, ...rule, stays, maximumChars: limitChars }));
        work.scanned(block?.length ?? 0);
        return block;
      } catch (failure) {
        failures.set(rule.kind, failure);
        return null;
      }
    },
  };
}
