import { type Message, textOf } from "@plimsoll/core";
import type { Truth } from "./made-session.ts";

/** How much of a session's true state one context has. Counts of what is there of what should be; the last four should be 0. */
export interface StateCounts {
  /** Orders in force, and those that a message of the person's or what compaction wrote holds word for word. */
  readonly inForce: number;
  readonly held: number;
  /** Orders that were taken back: gone, there with the later words, or there without them. */
  readonly gone: number;
  readonly marked: number;
  readonly stale: number;
  /** Things that run, and those that the context names. */
  readonly running: number;
  readonly named: number;
  /** Orders in force that the context says are not. */
  readonly wronglyDropped: number;
  /** Orders without the words that took them back, plan items shown as open that are not, and ended things shown as running. */
  readonly contradictions: number;
  /** Plan items that are done or dropped and that the context shows as open: they would be begun again. */
  readonly begunAgain: number;
  /** Lines of results, files and quotations that what compaction wrote gives as the person's. */
  readonly fromTools: number;
}

/** No counts. */
export const NO_COUNTS: StateCounts = {
  inForce: 0,
  held: 0,
  gone: 0,
  marked: 0,
  stale: 0,
  running: 0,
  named: 0,
  wronglyDropped: 0,
  contradictions: 0,
  begunAgain: 0,
  fromTools: 0,
};

/** Counts, the forms of the orders that are not held, and the characters that compaction wrote, less what it quotes of the log by handle. */
export interface CheckedContext {
  readonly counts: StateCounts;
  readonly lost: readonly string[];
  readonly writtenChars: number;
}

/** Holds a context against the truth. `isPast` tells whether a message is in the log by then. It reads texts alone, and nothing of the engine's record. */
export function checkContext(
  context: readonly Message[],
  truth: Truth,
  isPast: (messageId: string) => boolean,
): CheckedContext {
  const person = context.filter((message) => message.role === "user" && message.origin === "human").map(textOf);
  const written = writtenIn(context);
  const quoted = context.flatMap((message) =>
    message.role !== "tool-result" && message.origin !== "model"
      ? message.parts.flatMap((part) => (part.type === "text" && isQuotation(part.text) ? [part.text] : []))
      : [],
  );
  const readable = oneLine([...written, ...quoted, ...person].join("\n"));
  const own = oneLine([...written, ...person].join("\n"));
  const all = oneLine(context.map(wholeText).join("\n"));
  const counts: { -readonly [K in keyof StateCounts]: number } = { ...NO_COUNTS };
  const lost: string[] = [];
  for (const { text, form, given, revoked, revoke } of truth.orders) {
    if (!isPast(given)) continue;
    if (revoked !== null && isPast(revoked)) {
      const isThere = readable.includes(oneLine(text));
      const isMarked = own.includes(oneLine(revoke ?? "")) || isSaidToBeOver(own, text);
      counts[isThere ? (isMarked ? "marked" : "stale") : "gone"] += 1;
      continue;
    }
    counts.inForce += 1;
    if (isSaidToBeOver(own, text)) counts.wronglyDropped += 1;
    if (own.includes(oneLine(text))) counts.held += 1;
    else lost.push(form);
  }
  let wronglyRunning = 0;
  for (const { name, started, ended } of truth.things) {
    if (!isPast(started)) continue;
    if (ended === null || !isPast(ended)) {
      counts.running += 1;
      if (all.includes(name)) counts.named += 1;
    } else if (lastStatus(all, name, RUNNING) === "open") wronglyRunning += 1;
  }
  const plans = context.map(wholeText).filter((text) => text.includes('"todos"'));
  const planned = oneLine([...written, plans.at(-1) ?? ""].join("\n"));
  counts.begunAgain = truth.items.filter(
    ({ text, closed }) => closed !== null && isPast(closed) && lastStatus(planned, text, PENDING) === "open",
  ).length;
  counts.contradictions = counts.stale + counts.begunAgain + wronglyRunning;
  const giving = oneLine(written.join("\n"));
  counts.fromTools = truth.hostile.filter((line) => giving.includes(oneLine(line))).length;
  return { counts, lost, writtenChars: written.join("").length };
}

/** Texts that compaction wrote, less what it quotes of the log by handle. */
export function writtenIn(context: readonly Message[]): readonly string[] {
  return context.flatMap((message) =>
    message.role !== "tool-result" && (message.origin === "summary" || message.origin === "notice")
      ? message.parts.flatMap((part) => (part.type === "text" && !isQuotation(part.text) ? [part.text] : []))
      : [],
  );
}

/** A quotation of the log under its handles tells who said what: it gives no order. */
function isQuotation(text: string): boolean {
  return /^<(?:recalled|excerpts)>/.test(text);
}

function wholeText(message: Message): string {
  const calls =
    message.role === "assistant"
      ? message.parts.flatMap((part) => (part.type === "tool-call" ? [part.argumentsJson] : []))
      : [];
  return message.role === "tool-result" ? "" : [textOf(message), ...calls].join("\n");
}

function oneLine(text: string): string {
  return text.replace(/[\s>]+/g, " ").trim();
}

/** Words that a context marks an order with that is over, right before it. */
function isSaidToBeOver(context: string, text: string): boolean {
  const beginning = oneLine(text).slice(0, BEGINNING_CHARS);
  for (let at = context.indexOf(beginning); at >= 0; at = context.indexOf(beginning, at + 1)) {
    if (/(?:no longer(?: in force)?|revoked|superseded|withdrawn)\W*$/i.test(context.slice(Math.max(0, at - NEAR_CHARS), at)))
      return true;
  }
  return false;
}

/** Characters by which an order is known that is named and not quoted, and characters around it in which a mark counts. Chosen. */
const BEGINNING_CHARS = 40;
const NEAR_CHARS = 24;

const PENDING = { open: /pending|in_progress|\bopen\b/gi, closed: /completed|done|dropped|finished|closed/gi } as const;
const RUNNING = { open: /running/gi, closed: /ended|stopped|unknown|completed|finished|kill/gi } as const;

/** The status that stands nearest to where a context names something last. */
function lastStatus(
  context: string,
  name: string,
  words: { readonly open: RegExp; readonly closed: RegExp },
): "open" | "closed" | null {
  const at = context.lastIndexOf(name);
  if (at < 0) return null;
  const around = context.slice(Math.max(0, at - STATUS_CHARS), at + name.length + STATUS_CHARS);
  const middle = Math.min(at, STATUS_CHARS);
  const nearest = (word: RegExp) =>
    [...around.matchAll(word)].reduce(
      (least, { index }) => Math.min(least, index < middle ? middle - index : index - middle - name.length),
      Number.POSITIVE_INFINITY,
    );
  const [open, closed] = [nearest(words.open), nearest(words.closed)];
  return open === closed ? null : open < closed ? "open" : "closed";
}

/** Characters around a name in which its status stands; chosen, for a line of a list or an item of a call. */
const STATUS_CHARS = 60;
