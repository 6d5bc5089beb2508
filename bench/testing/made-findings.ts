import { findingsOf, type SessionFindings } from "../src/validate/validate-sessions.ts";
import { compactedSession, editing, reading } from "./made-deeds.ts";

const TEXT = "text of src/a.ts, line by line";

/** Makes findings of sessions of so many owners: each reads nine files, is compacted to the name of one, and reads that one again while edits fail. */
export function madeFindings(owners: number): Promise<readonly SessionFindings[]> {
  const before = ["src/a.ts", ...Array.from({ length: 8 }, (_, place) => `src/${place}.ts`)].flatMap((path) =>
    reading(path, path),
  );
  const after = Array.from({ length: 4 }, (_, place) => [
    ...reading(`c${place}`, "src/0.ts"),
    ...editing(`d${place}`, place < 3 ? "Error: no match" : "ok", TEXT),
  ]).flat();
  const summary = "Never touch the lock file. So far: src/0.ts";
  const sessions = Array.from({ length: owners }, (_, place) => `logs/own${place}__repo__s.jsonl`);
  return Promise.all(sessions.map((name) => findingsOf(compactedSession(name, { before, summary, after }))));
}
