import type { IncomingMessage } from "node:http";
import { setTimeout } from "node:timers/promises";
import { failureIn, parseRecord } from "@plimsoll/providers/proxy";

/** A stream whose beginning was looked at. */
export interface HeldStart {
  /** The failure that it begins with, as the vendor words it; `null` if it begins as it should. */
  readonly failureText: string | null;
  /** All of it, if it ended while it was held; `null` if it goes on. */
  readonly wholeText: string | null;
  /** The whole stream, what was held included. */
  readonly body: AsyncIterable<Buffer>;
}

/** Events that say nothing yet. */
const PRELUDE: readonly unknown[] = ["response.created", "response.in_progress", "response.queued", "ping"];

/** A failure comes at once; a model that thinks for longer is not waited for. Chosen. */
const HOLD_MS = 3_000;

/** An answer that its window ended has a word or two, and ends at once: so many events, and so long after the first of them. Chosen. */
const HELD_EVENTS = 10;
const HOLD_SAID_MS = 400;

/**
 * Holds the beginning of a stream back until it says something, and for a moment more: some vendors tell in a stream that a prompt is too long, after saying
 * that the answer has begun, and some end it there.
 */
export async function heldStart(answer: IncomingMessage): Promise<HeldStart> {
  const pieces: AsyncIterator<unknown> = answer.iterator({ destroyOnReturn: false });
  const held: Buffer[] = [];
  let pending = nextOf(pieces);
  const waiting = new AbortController();
  const after = (ms: number) => {
    const over = setTimeout(ms, "over" as const, { signal: waiting.signal });
    over.catch(() => undefined);
    return over;
  };
  let over = after(HOLD_MS);
  let said: readonly Said[] = [];
  let isWhole = false;
  try {
    while (said.length < HELD_EVENTS && (said[0]?.failureText ?? null) === null) {
      const piece = await Promise.race([pending, over]);
      isWhole = piece === null;
      if (piece === "over" || piece === null) break;
      held.push(piece);
      pending = nextOf(pieces);
      const now = saidIn(Buffer.concat(held).toString("utf8"));
      if (said.length === 0 && now.length > 0) over = after(HOLD_SAID_MS);
      said = now;
    }
  } finally {
    waiting.abort();
  }
  const body = async function* () {
    yield* held;
    for (let piece = await pending; piece !== null; piece = await pending) {
      yield piece;
      pending = nextOf(pieces);
    }
  };
  const wholeText = isWhole ? Buffer.concat(held).toString("utf8") : null;
  return { failureText: said[0]?.failureText ?? null, wholeText, body: body() };
}

function nextOf(pieces: AsyncIterator<unknown>): Promise<Buffer | null> {
  const next = pieces.next().then(({ done, value }) => (done === true || !Buffer.isBuffer(value) ? null : value));
  // Nobody may wait for it any more when the stream breaks.
  next.catch(() => undefined);
  return next;
}

/** An event that says something: its failure, or none. */
interface Said {
  readonly failureText: string | null;
}

function saidIn(text: string): readonly Said[] {
  const lines = text.split(/\r\n|\n|\r/).slice(0, -1);
  return lines.flatMap((line) => {
    if (!line.startsWith("data:")) return [];
    const event = parseRecord(line.slice("data:".length));
    if (event !== null && PRELUDE.includes(event.type)) return [];
    const failure = event === null ? null : failureIn(event);
    return [{ failureText: failure === null ? null : JSON.stringify({ error: failure }) }];
  });
}
