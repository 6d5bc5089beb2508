import type { CompactionEntry, Message, SessionEntry, UserMessage } from "@plimsoll/core";
import { repairMessages, UNREPORTED_USAGE } from "@plimsoll/core";
import { coverageOf, withId } from "@plimsoll/core/extend";
import { type BoundaryViews, followedView } from "../boundary-views.ts";

/** A log whose every request can be sent, and how much of it was mended. */
export interface RepairedEntries {
  readonly entries: readonly SessionEntry[];
  /** Messages moved, left out, made up or changed, in the recorded history. */
  readonly repairCount: number;
  /** Notices put in where a call went out right behind a reply, which no wire accepts. */
  readonly continuationCount: number;
  readonly boundaries: BoundaryViews;
}

/** The text between a reply and a call that followed it without any input, as some agents make them. */
export const CONTINUE_TEXT = "Continue.";

/**
 * Mends a recorded log before it is replayed: its messages, with each usage entry right before its reply as it was; a notice
 * where a call would end on a reply; a usage entry for each reply of a log that has none.
 */
export function repairEntries(entries: readonly SessionEntry[]): RepairedEntries {
  const repair = createListRepair();
  const withCalls = entries.some((entry) => entry.type === "usage") ? entries : withUnreportedCalls(entries);
  const repaired = repair(withCalls.flatMap((entry) => (entry.type === "message" ? [entry.message] : [])));
  const isSound = repaired.repairCount === 0 && !withCalls.some((entry) => entry.type === "compaction");
  const sound = isSound ? withCalls : placeEntries(withCalls, repaired, repair);
  return { ...withContinuations(sound), repairCount: repaired.repairCount };
}

/** The entries with the repaired messages in place of the recorded ones; entries before a message stay before it. */
function placeEntries(
  entries: readonly SessionEntry[],
  repaired: RepairedList,
  repair: (messages: readonly Message[]) => RepairedList,
): readonly SessionEntry[] {
  const before: SessionEntry[][] = [[]];
  const view = followedView();
  const boundary = (entry: CompactionEntry): CompactionEntry => {
    const after = repair(view.boundaries.get(entry) ?? []);
    if (repaired.repairCount === 0 && after.repairCount === 0) return entry;
    // As the history that it left: its own edits may name messages that the repair left out.
    const messages = after.placed.map(({ message }) => message);
    return { ...entry, edits: [{ kind: "replace-history", through: null, messages, covered: coverageOf([]) }] };
  };
  for (const entry of entries) {
    view.follow(entry);
    if (entry.type === "message") before.push([]);
    else before.at(-1)?.push(entry.type === "compaction" ? boundary(entry) : entry);
  }
  const result: SessionEntry[] = [];
  let flushed = 0;
  for (const { message, standsAt } of repaired.placed) {
    for (; standsAt !== null && flushed <= standsAt; flushed++) result.push(...(before[flushed] ?? []));
    result.push({ type: "message", message });
  }
  return result.concat(before.slice(flushed).flat());
}

function withUnreportedCalls(entries: readonly SessionEntry[]): readonly SessionEntry[] {
  return entries.flatMap((entry): readonly SessionEntry[] => {
    if (entry.type !== "message" || entry.message.role !== "assistant" || entry.message.origin !== "model") return [entry];
    const { id, modelId, atMs } = entry.message;
    const call = { requestId: `call:${id}`, modelId: modelId ?? "unknown", usage: UNREPORTED_USAGE, atMs } as const;
    return [{ type: "usage", ...call, throughMessageId: null, overheadHash: null, viewHash: null }, entry];
  });
}

function withContinuations(entries: readonly SessionEntry[]): Omit<RepairedEntries, "repairCount"> {
  const result: SessionEntry[] = [];
  let continuationCount = 0;
  const view = followedView();
  let lastLogged: Message | null = null;
  for (const entry of entries) {
    const viewed = view.newest();
    const isUnsendable = viewed === undefined || viewed.role === "assistant" || lastLogged?.role === "assistant";
    if (entry.type === "usage" && isUnsendable) {
      const parts = [{ type: "text", text: CONTINUE_TEXT }] as const;
      const message: UserMessage = withId({ role: "user", origin: "notice", parts, atMs: entry.atMs }, lastLogged?.id ?? null);
      const notice: SessionEntry = { type: "message", message };
      view.follow(notice);
      lastLogged = message;
      result.push(notice);
      continuationCount += 1;
    }
    if (entry.type === "message") lastLogged = entry.message;
    view.follow(entry);
    result.push(entry);
  }
  return { entries: result, continuationCount, boundaries: view.boundaries };
}

/** A repaired list, with the places of its messages in the list that was given. */
interface RepairedList {
  readonly placed: readonly PlacedMessage[];
  readonly repairCount: number;
}

/** A message of a repaired list. `standsAt` is its index in the given list; `null` for one that was moved or made up. */
interface PlacedMessage {
  readonly message: Message;
  readonly standsAt: number | null;
}

/**
 * Repairs lists of one session: a message that is mended alike in several of them is the same object in all, so that a shared prefix is recognised by
 * identity there too.
 */
function createListRepair(): (messages: readonly Message[]) => RepairedList {
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
