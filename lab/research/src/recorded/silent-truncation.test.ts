import type { Transcript } from "@plimsoll/bench";
import { type ContextEvent, createDigest, createSession, NONE_POLICY } from "@plimsoll/core";
import { expect, test } from "vitest";
import { recordedFiles, recordedTranscripts } from "./recorded-sessions.ts";

function truncationsIn({ entries, format }: Transcript): readonly string[] {
  const told: string[] = [];
  const onEvent = (event: ContextEvent) => {
    if (event.type === "silent-truncation") told.push(`${format}: ${event.reportedTokens}`);
  };
  const session = createSession({ policy: NONE_POLICY, summarizer: createDigest(), onEvent });
  for (const entry of entries) session.append(entry);
  return told;
}

const files = recordedFiles();

test.skipIf(files.length === 0)(
  "of all recorded calls two are told to be cut, both where an agent left outputs out unmarked",
  { timeout: 120_000 },
  async () => {
    const transcripts = await recordedTranscripts(files);
    const calls = transcripts.flatMap(({ entries }) => entries.filter(({ type }) => type === "usage"));
    expect(calls.length).toBeGreaterThan(3_500);
    // The prompts fell from 35,872 and 48,846 tokens, with nothing in the recording that says why.
    expect(transcripts.flatMap(truncationsIn)).toEqual(["opencode: 32267", "opencode: 42378"]);
  },
);
