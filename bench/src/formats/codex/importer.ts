import type { ImportNote, Transcript } from "../../transcript.ts";
import { type Fields, recordAt, stringAt, timeMsAt } from "../fields.ts";
import type { FileSource, Importer } from "../importer.ts";
import { readObjects } from "../json-lines.ts";
import { transcriptOf } from "../log-builder.ts";
import { createRolloutReader } from "./reader.ts";

const FORMAT = "codex";

/** Rollouts of the Codex CLI and desktop app. */
export const codexImporter: Importer = {
  format: FORMAT,
  description: "Codex: ~/.codex/sessions/**/rollout-*.jsonl (seen: 0.118 to 0.142, and older ones without payloads)",
  recognises: ({ firstObjects: [first, second] }) =>
    isRollout(first) || (isLegacyHeader(first) && typeof second?.type === "string"),
  read: readCodex,
};

function isRollout(value: Fields | undefined): boolean {
  return recordAt(value, "payload") !== null && (value?.type === "session_meta" || value?.type === "response_item");
}

function isLegacyHeader(value: Fields | undefined): boolean {
  return (
    value?.type === undefined &&
    stringAt(value, "id") !== null &&
    value?.instructions !== undefined &&
    value.timestamp !== undefined
  );
}

async function readCodex(source: FileSource): Promise<readonly Transcript[]> {
  const file = source.displayName;
  const notes: ImportNote[] = [];
  const reader = createRolloutReader();
  await readObjects(source, notes, ({ line, value }) => reader.take(value, line));
  const meta = reader.meta();
  const repeatedCount = reader.repeatedReportCount();
  const text = `${file}: ${repeatedCount} token reports repeat the one before; each call was counted once`;
  if (repeatedCount > 0) notes.push({ code: "duplicate-usage", line: null, text });
  const parentId = stringAt(meta, "forked_from_id");
  const start = {
    id: stringAt(meta, "id") ?? file,
    createdMs: timeMsAt(meta, "timestamp"),
    system: stringAt(recordAt(meta, "base_instructions"), "text") ?? stringAt(meta, "instructions") ?? "",
    parent: parentId === null ? null : { sessionId: parentId, callId: null },
    agent: { name: FORMAT, version: stringAt(meta, "cli_version") },
  };
  return [transcriptOf({ name: file, file, format: FORMAT, start, items: reader.items(), notes })];
}
