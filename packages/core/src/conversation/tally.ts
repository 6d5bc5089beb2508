import type { SessionEntry } from "../entry.ts";
import type { Message } from "../message/message.ts";
import { toolCallsOf } from "../message/message.ts";
import { messageChars } from "../message/size.ts";
import type { UsageTotals } from "./usage-totals.ts";
import { foldTotals, NO_USAGE } from "./usage-totals.ts";

/** What is counted and looked up over a whole log, entry by entry. It holds ids and numbers, no text. */
export interface Tally {
  add(entry: SessionEntry): void;
  /** Ids of the messages that were appended, in order. */
  messageIds(): readonly string[];
  hasCall(callId: string): boolean;
  totals(): UsageTotals;
  /** Characters of all messages that were appended, with the bytes of their images. */
  sizeChars(): number;
}

/** The tally of an empty log. */
export function createTally(): Tally {
  const messageIds: string[] = [];
  const callIds = new Set<string>();
  let totals = NO_USAGE;
  let sizeChars = 0;
  return {
    add: (entry) => {
      totals = foldTotals(totals, entry);
      if (entry.type !== "message") return;
      messageIds.push(entry.message.id);
      sizeChars += messageChars(entry.message) + imageChars(entry.message);
      for (const call of toolCallsOf(entry.message)) callIds.add(call.callId);
    },
    messageIds: () => messageIds,
    hasCall: (callId) => callIds.has(callId),
    totals: () => totals,
    sizeChars: () => sizeChars,
  };
}

/** Characters of the images whose bytes are in the message. */
function imageChars({ parts }: Message): number {
  let chars = 0;
  for (const part of parts) if (part.type === "image" && part.source.kind === "base64") chars += part.source.data.length;
  return chars;
}
