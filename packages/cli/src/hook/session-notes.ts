import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { readSmallFile, writeWholeFile } from "@plimsoll/core/node";
import { z } from "zod";
import type { SessionState } from "./lost-context.ts";

/** Notes that nobody took up are removed after two days: a session that was ended in the middle of a compaction. */
const KEPT_MS = 2 * 24 * 3_600_000;

/** The most bytes of one session's notes; chosen: a compaction puts some thousand characters of them back. */
const MAXIMUM_NOTES_BYTES = 10_000_000;

const stateSchema: z.ZodType<SessionState> = z.strictObject({
  instructions: z.array(z.string()),
  plan: z.array(z.string()),
  files: z.array(z.string()),
  promptTokens: z.number().nullable(),
  compactionCount: z.number(),
});

/** Notes from before a compaction, one file a session, readable by its owner alone. */
export interface SessionNotes {
  write(sessionId: string, state: SessionState): void;
  /** Returns a note and removes it; `null` if there is none, or if it is none of ours. */
  take(sessionId: string): SessionState | null;
}

/** Notes below a home folder. */
export function createSessionNotes(homeFolder: string, nowMs: () => number): SessionNotes {
  const folder = join(homeFolder, ".plimsoll", "hooks");
  // A name of an agent's is no name of a file.
  const fileOf = (sessionId: string) => join(folder, `${createHash("sha256").update(sessionId).digest("hex")}.json`);
  return {
    write: (sessionId, state) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      for (const name of readdirSync(folder)) {
        const file = join(folder, name);
        const found = statSync(file, { throwIfNoEntry: false });
        if (found !== undefined && found.mtimeMs < nowMs() - KEPT_MS) rmSync(file, { force: true });
      }
      writeWholeFile(fileOf(sessionId), JSON.stringify(state), 0o600);
    },
    take: (sessionId) => {
      const file = fileOf(sessionId);
      const read = readSmallFile(file, { within: folder, maximumBytes: MAXIMUM_NOTES_BYTES });
      if (read.kind === "absent") return null;
      const found = read.kind === "text" ? stateSchema.safeParse(jsonIn(read.text)) : null;
      rmSync(file, { force: true });
      return found?.success === true ? found.data : null;
    },
  };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A file that was cut off while it was written holds nothing of use.
    return null;
  }
}
