import { existsSync } from "node:fs";
import { join } from "node:path";
import { importFile, type Transcript } from "@plimsoll/bench";
import type { SessionEntry, UsageEntry } from "@plimsoll/core";
import { entryIdOf } from "@plimsoll/core/extend";
import { describe, expect, test } from "vitest";
import { RECORDED_FOLDER } from "./recorded-sessions.ts";

/** Calls and largest prompt per file, sidechains included, as the folder's description states them. */
const EXPECTED: readonly (readonly [file: string, calls: number, maxPromptTokens: number])[] = [
  ["claude-code/d-kimuson__claude-code-viewer__fe5e1c67-53e7-4862-81ae-d0e013e3270b.jsonl", 170, 42726],
  ["claude-code/entireio__cli__entire-897eb280e769-12.jsonl", 288, 155440],
  ["claude-code/entireio__cli__entire-cd95adddad32-0.jsonl", 225, 155023],
  ["claude-code/entireio__git-sync__entire-516fe4e51170-0.jsonl", 393, 425822],
  ["claude-code/entireio__git-sync__entire-c774b094c53c-0.jsonl", 493, 625949],
  ["claude-code/polecatspeaks__StarCar__entire-35a3b1f36865-0.jsonl", 68, 241172],
  ["codex-rollout/entireio__git-sync__entire-2dcf2f1a3166-0.jsonl", 426, 235662],
  ["codex-rollout/entireio__skills__entire-d5c56be24cc0-0.jsonl", 295, 203786],
  ["codex-rollout/savekirk__session-bridge__entire-64b5e5660349-4.jsonl", 121, 210215],
  ["pi-session/badlogic__pi-mono__before-compaction.jsonl", 471, 184915],
  ["pi-session/badlogic__pi-mono__large-session.jsonl", 439, 177604],
  ["pi-session/entireio__auth-go__entire-7407a21c1092-0.jsonl", 184, 128639],
  ["gemini-cli-chat/savekirk__session-bridge__entire-e94f17cdc65d-0.json", 37, 68430],
  ["mini-swe-agent/wudi-alex__mini-swe-agent-CaM__gpt5-output--sphinx-doc__sphinx-9229.traj.json", 38, 53830],
  ["mini-swe-agent/wudi-alex__mini-swe-agent-CaM__mini-reasoning-high-res-api--sphinx-doc__sphinx-8548.traj.json", 50, 85406],
  ["opencode-export/savekirk__session-bridge__entire-13dddd416599-0.json", 69, 105534],
  ["openhands/OpenHands__OpenHands__basic_gui_mode.json", 4, 5488],
  ["openhands/OpenHands__OpenHands__multi_swe_bench_output.jsonl", 105, 33459],
];

/** Reports no sizes: its calls carry a usage of nulls. */
const WITHOUT_USAGE = "swe-agent-traj/SWE-agent__SWE-agent__marshmallow-code__marshmallow-1867.traj";

function usagesOf(transcript: Transcript): UsageEntry[] {
  return transcript.entries.filter((entry) => entry.type === "usage");
}

function promptsOf(transcript: Transcript): (number | null)[] {
  return usagesOf(transcript).map((entry) => entry.usage.input.totalTokens);
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
  test.each(EXPECTED)("%s: %i calls, largest prompt %i", async (file, calls, maxPromptTokens) => {
    const transcripts = await importFile(join(RECORDED_FOLDER, file), file);
    const prompts = transcripts.flatMap(promptsOf);
    expect(prompts.length).toBe(calls);
    expect(Math.max(...prompts.map((tokens) => tokens ?? 0))).toBe(maxPromptTokens);
  });

  test("a session without sizes gives one unreported call a reply", async () => {
    const [transcript] = await importFile(join(RECORDED_FOLDER, WITHOUT_USAGE), WITHOUT_USAGE);
    expect(transcript).toMatchObject({ hasUsage: false });
    const replies = transcript?.entries.filter((entry) => entry.type === "message" && entry.message.role === "assistant") ?? [];
    expect(transcript?.entries.filter((entry) => entry.type === "usage").length).toBe(replies.length);
    expect(replies.length).toBe(13);
  });

  test.each([...EXPECTED.map(([file]) => file), WITHOUT_USAGE])("%s: the log is sane", async (file) => {
    for (const { entries } of await importFile(join(RECORDED_FOLDER, file), file)) {
      expect(entries[0]?.type).toBe("session");
      const ids = entries.map(entryIdOf);
      expect(ids.length).toBe(new Set(ids).size);
      expect(misplacedUsages(entries)).toEqual([]);
    }
  });
});
