import { isRecord } from "@plimsoll/core/extend";
import { type Fields, piecesAt, recordAt, recordsAt } from "../fields.ts";

/** Blocks that may carry a breakpoint: platform.claude.com/docs/en/build-with-claude/prompt-caching, read in November 2026. */
const MARKABLE: readonly unknown[] = ["text", "image", "document", "tool_use", "tool_result"];

function markOf(message: Fields): Fields | null {
  const marked = recordsAt(message, "content").findLast((block) => recordAt(block, "cache_control") !== null);
  return marked === undefined ? null : recordAt(marked, "cache_control");
}

/**
 * The messages with a breakpoint of the prompt cache at their end, if the cut removed all of the request's own breakpoints in messages: the same one,
 * its time to live included. Wherever one of the request's own is left, nothing is placed.
 */
export function withCacheMarks(own: readonly Fields[], sent: readonly Fields[]): readonly Fields[] {
  const mark = own.map(markOf).findLast((each) => each !== null);
  if (mark === undefined || sent.some((message) => markOf(message) !== null)) return sent;
  const place = sent.findLastIndex((message) => MARKABLE.includes(piecesAt(message, "content").at(-1)?.type));
  return sent.map((message, index) => {
    if (index !== place) return message;
    const blocks = piecesAt(message, "content");
    return { ...message, content: [...blocks.slice(0, -1), { ...blocks.at(-1), cache_control: mark }] };
  });
}

/** The message or block without breakpoints, its fields in their order: they move from request to request, and its content does not. */
export function withoutCacheMarks(item: Fields): Fields {
  const { cache_control: mark, ...rest } = item;
  const given: readonly unknown[] = Array.isArray(item.content) ? item.content : [];
  const blocks = given.map((block) => (isRecord(block) ? withoutCacheMarks(block) : block));
  if (mark === undefined && blocks.every((block, index) => block === given[index])) return item;
  return Array.isArray(item.content) ? { ...rest, content: blocks } : rest;
}
