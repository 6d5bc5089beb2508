import type { Buffer } from "node:buffer";
import { claudeCodeImporter } from "../formats/claude-code/importer.ts";
import { codexImporter } from "../formats/codex/importer.ts";
import { textSource } from "../formats/file-source.ts";
import type { Importer } from "../formats/importer.ts";
import { piImporter } from "../formats/pi/importer.ts";
import { plimsollImporter } from "../formats/plimsoll/importer.ts";
import type { Comparison } from "./comparison.ts";
import { claudeCodeSession, codexSession, piSession, plimsollSession } from "./written-sessions.ts";

const SESSIONS: readonly (readonly [importer: Importer, session: () => Buffer])[] = [
  [plimsollImporter, plimsollSession],
  [piImporter, piSession],
  [claudeCodeImporter, claudeCodeSession],
  [codexImporter, codexSession],
];

/** Each line importer against the same bytes decoded, split into lines and parsed. The goal is three times as long at most. */
export async function importerComparisons(): Promise<readonly Comparison[]> {
  return SESSIONS.map(([importer, session]) => {
    const bytes = session();
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
