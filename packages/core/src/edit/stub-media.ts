import type { AppliedReplacePart } from "../entry.ts";
import { partHandle } from "../message/handle.ts";
import { type ImagePart, isDeclared, isHuman, type Message } from "../message/message.ts";
import type { RequestLimits, RequestSize, RequestUnit } from "../message/size.ts";
import { joinedSize, MANY_IMAGES, NO_SIZE, partSizes, REQUEST_UNITS, sizeIn } from "../message/size.ts";
import { clearedText } from "../prompts/notices.ts";

/** More of a unit than a request may hold, and no media left to take. */
export interface OverLimit {
  readonly unit: RequestUnit;
  readonly size: number;
  readonly limit: number;
}

/** The stubs that bring a view under its limits, and the units in which it stays over one all the same. */
export interface MediaStubs {
  readonly edits: readonly AppliedReplacePart[];
  readonly left: readonly OverLimit[];
}

/** The request whose media must fit. */
export interface StubbedRequest {
  readonly limits: RequestLimits;
  /** The size of the request beside the view: system text, tools, pending messages. */
  readonly beside: RequestSize;
  /** A unit whose limit is a guess after a refusal: all that may go for it goes, and no more than is asked. */
  readonly guessed: RequestUnit | null;
}

interface Slot extends RequestSize {
  readonly message: Message;
  readonly partIndex: number;
  readonly part: ImagePart;
}

/** Share of a limit that is filled again once it was exceeded, so that the next media do not exceed it at once: each edit breaks the prompt cache. Chosen. */
const FILLED_RATIO = 0.75;

/**
 * Takes media out of a view until it is under its limits: those that are too large by themselves, then the oldest. Nothing of the last human message and of the
 * agent's declarations is taken, and nothing for a limit that these exceed by themselves. Linear in the view.
 */
export function mediaStubs(messages: readonly Message[], { limits, beside, guessed }: StubbedRequest): MediaStubs {
  const human = messages.findLast(isHuman);
  const slots: Slot[] = [];
  let base = beside;
  for (const message of messages) {
    const isFixed = message === human || isDeclared(message);
    for (const [partIndex, size] of partSizes(message).entries()) {
      const part = message.parts[partIndex];
      if (isFixed || part?.type !== "image") base = joinedSize(base, size);
      else slots.push({ ...size, message, partIndex, part });
    }
  }
  const totalOf = (some: readonly Slot[]) => some.reduce<RequestSize>(joinedSize, base);
  const kept = REQUEST_UNITS.reduce<readonly Slot[]>((some, unit) => {
    const limit = limits[unit];
    const total = limit === undefined ? NO_SIZE : totalOf(some);
    return limit === undefined || sizeIn(total, unit) <= limit
      ? some
      : under(some, unit, { limit, total, base, isGuess: unit === guessed });
  }, slots);
  const stays = new Set(kept);
  const total = totalOf(kept);
  return {
    edits: slots.filter((slot) => !stays.has(slot)).map(stubOf),
    left: REQUEST_UNITS.flatMap((unit) => {
      const size = sizeIn(total, unit);
      const { [unit]: limit = size } = limits;
      return size > limit ? [{ unit, size, limit }] : [];
    }),
  };
}

/** The media that stay of a request that exceeds a limit; `base` is the size that cannot be reduced. */
function under(
  slots: readonly Slot[],
  unit: RequestUnit,
  { limit, total, base, isGuess }: Record<"total" | "base", RequestSize> & { limit: number; isGuess: boolean },
): readonly Slot[] {
  if (sizeIn(base, unit) > limit && !isGuess) return slots;
  if (unit === "imageBytes" || unit === "imagePx") return slots.filter((slot) => slot[unit] <= limit);
  const by = unit === "manyImagePx" ? "images" : unit;
  // Either the images go that are too large among many, or so many that the others are not many: whichever takes less.
  const atMost = unit === "manyImagePx" ? MANY_IMAGES : limit;
  const goal = base[by] + Math.max(0, atMost - base[by]) * (isGuess ? 1 : FILLED_RATIO);
  let left = total[by];
  const newest = slots.filter((slot) => {
    if (left <= goal || slot[by] === 0) return true;
    left -= slot[by];
    return false;
  });
  const small = unit === "manyImagePx" && base.imagePx <= limit ? slots.filter(({ imagePx }) => imagePx <= limit) : [];
  return small.length > newest.length ? small : newest;
}

function stubOf({ message, partIndex, part }: Slot): AppliedReplacePart {
  const handle = partHandle(message.id, partIndex);
  const [kind = ""] = part.mediaType.split("/");
  const text = clearedText(kind === "application" || kind === "text" ? "document" : kind, 0, handle);
  return { kind: "replace-part", messageId: message.id, partIndex, part: { type: "text", text }, handle, removedChars: 0 };
}
