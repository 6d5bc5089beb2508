import { readFileSync } from "node:fs";
import { importFile, type Transcript } from "@plimsoll/bench";
import { cellOf, type PreparedSession, prepareSession, replay } from "@plimsoll/bench/internal";
import { NONE_POLICY, PI_POLICY, PLIMSOLL_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { MODEL_CATALOG } from "@plimsoll/providers";
import type { RecordedFile } from "../recorded/recorded-sessions.ts";
import type { Meter } from "./meter.ts";

const WINDOW = { kind: "working-room", tokens: 64_000 } as const;

/** Imports a file. */
export async function runFileStages(file: RecordedFile, { measure }: Meter): Promise<void> {
  await measure("import", () => importFile(file.path, file.displayName));
}

/** Prepares the sessions of a file. */
export async function runPrepareStages({ path, displayName }: RecordedFile, { measure }: Meter): Promise<void> {
  const transcripts = await importFile(path, displayName);
  await measure("prepare", () => transcripts.map(prepareSession));
  await measure("prepare, with what calls need", () => prepared(transcripts));
}

function prepared(transcripts: readonly Transcript[]): readonly PreparedSession[] {
  const sessions = transcripts.map(prepareSession);
  for (const session of sessions) session.needs();
  return sessions;
}

/**
 * Replays the sessions of a file under policies one after the other: the first replay makes what the later ones share. A session whose overhead leaves no room
 * is not replayed, and takes no part.
 */
export async function runReplayStages({ path, displayName }: RecordedFile, { measure }: Meter): Promise<void> {
  const isReplayed = (session: PreparedSession) =>
    cellOf(session, { policy: NONE_POLICY, window: WINDOW, catalog: MODEL_CATALOG }).why === null;
  const sessions = prepared(await importFile(path, displayName)).filter(isReplayed);
  if (sessions.length === 0) return;
  for (const policy of [NONE_POLICY, SVEN_POLICY, PI_POLICY, PLIMSOLL_POLICY])
    await measure(`replay, \`${policy.name}\``, async () => {
      for (const session of sessions) await replay(session, { policy, window: WINDOW });
    });
}

/** The limit of everything that reads the file: its bytes decoded and parsed, as one document or line by line. */
export function parseOf({ path }: RecordedFile): () => void {
  const bytes = readFileSync(path);
  const isDocument = !path.endsWith(".jsonl");
  return () => {
    const text = bytes.toString("utf8");
    if (isDocument) JSON.parse(text);
    else for (const line of text.split("\n")) if (line !== "") parseLine(line);
  };
}

function parseLine(line: string): void {
  try {
    JSON.parse(line);
  } catch {
    // Two writers met on the line, or it is cut off: it is read as far as it goes.
  }
}
