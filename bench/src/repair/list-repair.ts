import { type Message, repairMessages } from "@plimsoll/core";

/** A repaired list, with the places of its messages in the list that was given. */
export interface RepairedList {
  readonly placed: readonly PlacedMessage[];
  readonly repairCount: number;
}

/** A message of a repaired list. `standsAt` is its index in the given list; `null` for one that was moved or made up. */
export interface PlacedMessage {
  readonly message: Message;
  readonly standsAt: number | null;
}

/**
 * Repairs lists of one session: a message that is mended alike in several of them is the same object in all, so that a shared
 * prefix is told by identity there too.
 */
export function createListRepair(): (messages: readonly Message[]) => RepairedList {
  const mended = new Map<string, Message>();
  const sameAsBefore = (message: Message): Message => {
    const key = JSON.stringify(message);
    const known = mended.get(key) ?? message;
    mended.set(key, known);
    return known;
  };
  return (given) => {
    const { messages, sourceIndexes, repairs } = repairMessages(given);
    const moved = new Set(repairs.flatMap((repair) => (repair.action === "move" ? [repair.index] : [])));
    const placed = messages.map((message, position): PlacedMessage => {
      const index = sourceIndexes[position] ?? null;
      const isRecorded = index !== null && given[index] === message;
      const standsAt = index === null || moved.has(index) ? null : index;
      return { message: isRecorded ? message : sameAsBefore(message), standsAt };
    });
    return { placed, repairCount: repairs.length };
  };
}
