import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Transcript } from "@plimsoll/bench";
import { describe, expect, test } from "vitest";
import { COMPACTIONS_FOLDER, recordedFilesOf, recordedTranscripts } from "./recorded-sessions.ts";

const FORMAT = "copilot-cli";

interface RawEvent {
  readonly type: string;
  readonly agentId?: string;
  readonly data: { readonly outputTokens?: number; readonly modelMetrics?: Readonly<Record<string, ModelTotals>> };
}

interface ModelTotals {
  readonly requests: { readonly count: number };
  readonly usage: { readonly outputTokens: number };
}

/** Counted without any code of the importers. */
async function rawEvents(path: string): Promise<readonly RawEvent[]> {
  const text = await readFile(path, "utf8");
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}

function callsOf(transcript: Transcript): readonly number[] {
  return transcript.entries.flatMap((entry) => (entry.type === "usage" ? [entry.usage.output.totalTokens ?? 0] : []));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, count) => total + count, 0);

describe.skipIf(!existsSync(join(COMPACTIONS_FOLDER, FORMAT)))("recorded sessions of Copilot CLI", () => {
  test("calls, compactions and sidechains are as many as the events say", async () => {
    for (const file of recordedFilesOf(COMPACTIONS_FOLDER, [FORMAT])) {
      const events = await rawEvents(file.path);
      const transcripts = await recordedTranscripts([file]);
      const replies = events.filter(({ type }) => type === "assistant.message");
      const [main = [], ...sides] = transcripts.map(callsOf);
      expect(main).toEqual(replies.flatMap(({ agentId, data }) => (agentId === undefined ? [data.outputTokens] : [])));
      expect(sum(sides.map((calls) => calls.length))).toBe(replies.length - main.length);
      expect(sides).toHaveLength(new Set(events.flatMap(({ agentId }) => agentId ?? [])).size);
      const compactions = transcripts.flatMap(({ entries }) => entries).filter(({ type }) => type === "compaction");
      expect(compactions).toHaveLength(events.filter(({ type }) => type === "session.compaction_complete").length);
      expect(transcripts.flatMap(({ notes }) => notes.map(({ code }) => code))).not.toContain("result-without-call");
    }
  });

  test("the agent's own count of its calls, where a session ended, is ours up to there", async () => {
    for (const file of recordedFilesOf(COMPACTIONS_FOLDER, [FORMAT])) {
      const events = await rawEvents(file.path);
      const [main = []] = (await recordedTranscripts([file])).map(callsOf);
      const end = events.findIndex(({ data }) => data.modelMetrics !== undefined);
      const before = events.slice(0, end).filter(({ type, agentId }) => type === "assistant.message" && agentId === undefined);
      const totals = Object.values(events[end]?.data.modelMetrics ?? {});
      expect(totals).not.toEqual([]);
      expect(before).toHaveLength(sum(totals.map(({ requests }) => requests.count)));
      expect(sum(main.slice(0, before.length))).toBe(sum(totals.map(({ usage }) => usage.outputTokens)));
    }
  });
});
