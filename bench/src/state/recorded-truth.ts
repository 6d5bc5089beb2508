import { type SessionEntry, textOf } from "@plimsoll/core";
import type { StateSession, Truth } from "./made-session.ts";

type Item = Truth["items"][number];
type Thing = Truth["things"][number];

/** Shorter texts and names stand elsewhere by chance. Chosen. */
const LEAST_CHARS = { item: 16, name: 6 } as const;

/** A list of a call's arguments in which each item has a text and a status. */
const ITEM = /\{[^{}]*?"(?:content|step)"\s*:\s*"((?:[^"\\]|\\.)*)"[^{}]*?"status"\s*:\s*"(\w+)"[^{}]*\}/g;
const STARTED = /\b(?:running in background with ID|agentId|agent_id|task_id)\b["\s:]*([\w-]+)/;
const OVER = /completed|killed|failed|exited|stopped|terminated/i;

/**
 * The truth of a recorded session as far as its calls tell it: items of plans, and what was started in the background. Who gave which order no recording tells: it has
 * none. It is read apart from the engine's own record.
 */
export function recordedTruth(entries: readonly SessionEntry[]): Truth {
  const items = new Map<string, Item>();
  const things = new Map<string, Thing>();
  const starting = new Set<string>();
  for (const entry of entries) {
    if (entry.type !== "message") continue;
    const { message } = entry;
    const { id } = message;
    if (message.role === "assistant") {
      for (const part of message.parts) {
        if (part.type !== "tool-call") continue;
        if (/"run_in_background"\s*:\s*true/.test(part.argumentsJson)) starting.add(part.callId);
        const found = [...part.argumentsJson.matchAll(ITEM)].filter(([, text = ""]) => text.length >= LEAST_CHARS.item);
        if (found.length === 0) continue;
        const open = new Set(found.flatMap(([, text = "", status]) => (status === "completed" ? [] : [text])));
        for (const [, text = ""] of found) if (!items.has(text)) items.set(text, { text, planned: id, closed: null });
        // What a later plan does not have is done or given up.
        for (const [text, item] of items) items.set(text, { ...item, closed: open.has(text) ? null : (item.closed ?? id) });
      }
      continue;
    }
    const text = textOf(message);
    const name = message.role === "tool-result" && starting.has(message.callId) ? STARTED.exec(text)?.[1] : undefined;
    if (name !== undefined && name.length >= LEAST_CHARS.name) things.set(name, { name, started: id, ended: null });
    else if (OVER.test(text))
      for (const [known, thing] of things)
        if (thing.ended === null && text.includes(known)) things.set(known, { ...thing, ended: id });
  }
  return { orders: [], things: [...things.values()], items: [...items.values()], hostile: [] };
}

/** Recorded sessions with their truth; a sub-agent's own log is none. */
export function recordedSessions(transcripts: readonly StateSession["transcript"][]): readonly StateSession[] {
  return transcripts
    .filter(({ parentName }) => parentName === null)
    .map((transcript) => ({ transcript, truth: recordedTruth(transcript.entries) }));
}
