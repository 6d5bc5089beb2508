import type { Buffer } from "node:buffer";

import { IMPORTERS, textSource } from "@plimsoll/bench/internal";

import type { Comparison } from "./comparison.ts";
import { claudeCodeSession, codexSession, piSession, plimsollSession } from "./written-sessions.ts";

const SESSIONS: Readonly<Record<string, () => Buffer>> = {
  plimsoll: plimsollSession,
  pi: piSession,
  "claude-code": claudeCodeSession,
  codex: codexSession,
};

/** Each line importer against the same bytes decoded, split into lines and parsed. The goal is three times as long at most. */
export async function importerComparisons(): Promise<readonly Comparison[]> {
  return IMPORTERS.flatMap((importer) => {
    const bytes = SESSIONS[importer.format]?.();
    if (bytes === undefined) return [];
    return {
      slow: `importing ${importer.format}`,
      fast: "JSON.parse of each line",
      runSlow: () => importer.read(textSource(bytes.toString("utf8"), "session")),
      runFast: () => {
        for (const line of bytes.toString("utf8").split("\n")) if (line !== "") JSON.parse(line);
      },
      unlike: "importing checks every field, gives ids, and joins calls with results",
    };
  });
}
