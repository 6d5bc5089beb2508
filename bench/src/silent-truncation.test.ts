import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ContextEvent, createContextManager, createDigest, NONE_POLICY } from "@plimsoll/core";
import { expect, test } from "vitest";
import { importFile } from "./formats/registry.ts";
import type { Transcript } from "./transcript.ts";

/** Recorded sessions of other agents, which are not part of the project: this test runs where the folder is there. */
const FOLDER = process.env.PLIMSOLL_TRANSCRIPTS ?? join(dirname(fileURLToPath(import.meta.url)), "../../../shared/transcripts");

function truncationsIn({ entries, format }: Transcript): readonly string[] {
  const told: string[] = [];
  const onEvent = (event: ContextEvent) => {
    if (event.type === "silent-truncation") told.push(`${format}: ${event.reportedTokens}`);
  };
  const manager = createContextManager({ policy: NONE_POLICY, summarizer: createDigest(), onEvent });
  for (const entry of entries) manager.append(entry);
  return told;
}

test.skipIf(!existsSync(FOLDER))(
  "of all recorded calls two are told to be cut, both where an agent left outputs out unmarked",
  {
    timeout: 120_000,
  },
  async () => {
    const folders = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const files = folders.flatMap(({ name }) => readdirSync(join(FOLDER, name)).map((file) => join(FOLDER, name, file)));
    const transcripts = (await Promise.all(files.map((file) => importFile(file)))).flat();
    const calls = transcripts.flatMap(({ entries }) => entries.filter(({ type }) => type === "usage"));
    expect(calls.length).toBeGreaterThan(3_500);
    // The prompts fell from 35,872 and 48,846 tokens, with nothing in the recording that says why.
    expect(transcripts.flatMap(truncationsIn)).toEqual(["opencode: 32267", "opencode: 42378"]);
  },
);
