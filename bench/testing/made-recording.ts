import { type SessionEntry, usageOf } from "@plimsoll/core";
import { type PreparedSession, prepareSession } from "../src/open/prepared-session.ts";
import { type MadeSession, madeTranscript } from "./made-session.ts";

const MADE: MadeSession = { turns: 6, toolCallsPerTurn: 6, resultChars: 4000, overheadTokens: 2000 };

/** Makes the report of one call, given the size of its prompt and that of the one before. */
export type Reads = (prompt: { readonly call: number; readonly totalTokens: number; readonly beforeTokens: number }) => number;

/** All of the request before is read. */
export const WARM: Reads = ({ beforeTokens }) => beforeTokens;
/** Warm, but for one call, which reads so much. */
export const coldAt =
  (at: number, readTokens: number): Reads =>
  (prompt) =>
    prompt.call === at ? readTokens : WARM(prompt);

/** The traits of a recording; a minute-long session of one model that counts writes unless given. */
export interface MadeRecording {
  readonly made?: MadeSession;
  readonly writes?: boolean;
  readonly gapMs?: number;
  readonly modelOf?: (call: number) => string;
}

/** A made session whose calls report reads; everything else was written, if writes are counted. Each message comes `gapMs` after the last. */
export function madeRecording(
  reads: Reads,
  { made = MADE, writes = true, gapMs = 1000, modelOf = () => "model" }: MadeRecording = {},
): PreparedSession {
  const transcript = madeTranscript(made);
  let call = -1;
  let beforeTokens = 0;
  let nowMs = 0;
  const entries = transcript.entries.map((entry): SessionEntry => {
    nowMs += gapMs;
    if (entry.type === "message") return { ...entry, message: { ...entry.message, atMs: nowMs } };
    if (entry.type !== "usage") return entry;
    call += 1;
    const totalTokens = entry.usage.input.totalTokens ?? 0;
    const cacheReadTokens = reads({ call, totalTokens, beforeTokens });
    beforeTokens = totalTokens;
    const usage = usageOf({
      totalInputTokens: totalTokens,
      cacheReadTokens,
      cacheWriteTokens: writes ? totalTokens - cacheReadTokens : 0,
      outputTokens: 10,
    });
    return { ...entry, usage, modelId: modelOf(call) };
  });
  return prepareSession({ ...transcript, entries });
}
