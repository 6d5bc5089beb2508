import { existsSync } from "node:fs";
import { join } from "node:path";
import { importFile, type Transcript } from "@plimsoll/bench";
import type { SessionEntry, UsageEntry } from "@plimsoll/core";
import { entryIdOf } from "@plimsoll/core/extend";
import { describe, expect, test } from "vitest";
import { RECORDED_FOLDER, recordedFiles } from "./recorded-sessions.ts";

/** Has sidechains, whose calls are in no list of those that were reconstructed apart. */
const WITH_SIDECHAINS = "claude-code/d-kimuson__claude-code-viewer__fe5e1c67-53e7-4862-81ae-d0e013e3270b.jsonl";

/** Reports no sizes: its calls carry a usage of nulls. */
const WITHOUT_USAGE = "swe-agent-traj/SWE-agent__SWE-agent__marshmallow-code__marshmallow-1867.traj";

function usagesOf(transcript: Transcript): UsageEntry[] {
  return transcript.entries.filter((entry) => entry.type === "usage");
}

/** For each usage entry: whether it measured the newest message of the view, by following the recorded boundaries. */
function misplacedUsages(entries: readonly SessionEntry[]): string[] {
  const misplaced: string[] = [];
  let newest: string | null = null;
  for (const entry of entries) {
    if (entry.type === "message") newest = entry.message.id;
    for (const edit of entry.type === "compaction" ? entry.edits : []) {
      if (edit.kind === "replace-history") newest = edit.messages.at(-1)?.id ?? null;
    }
    if (entry.type === "usage" && entry.throughMessageId !== newest) misplaced.push(entry.requestId);
  }
  return misplaced;
}

describe.skipIf(!existsSync(RECORDED_FOLDER))("recorded sessions", () => {
  test("calls of sidechains are read as the folder's description states them", async () => {
    const transcripts = await importFile(join(RECORDED_FOLDER, WITH_SIDECHAINS), WITH_SIDECHAINS);
    const prompts = transcripts.flatMap(usagesOf).map(({ usage }) => usage.input.totalTokens ?? 0);
    expect([prompts.length, Math.max(...prompts)]).toEqual([170, 42726]);
  });

  test("a session without sizes gives one unreported call a reply", async () => {
    const [transcript] = await importFile(join(RECORDED_FOLDER, WITHOUT_USAGE), WITHOUT_USAGE);
    expect(transcript).toMatchObject({ hasUsage: false });
    const replies = transcript?.entries.filter((entry) => entry.type === "message" && entry.message.role === "assistant") ?? [];
    expect(transcript?.entries.filter((entry) => entry.type === "usage").length).toBe(replies.length);
    expect(replies.length).toBe(13);
  });

  test.each(recordedFiles())("$displayName: the log is sane", async ({ path, displayName }) => {
    for (const { entries } of await importFile(path, displayName)) {
      expect(entries[0]?.type).toBe("session");
      const ids = entries.map(entryIdOf);
      expect(ids.length).toBe(new Set(ids).size);
      expect(misplacedUsages(entries)).toEqual([]);
    }
  });
});
