import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { importFile } from "@plimsoll/bench";
import { findingsOf, prepareSession, type SessionFindings, type Validation, validationOf } from "@plimsoll/bench/extend";
import { COMPACTIONS_FOLDER, RECORDED_FOLDER, ROOT } from "./recorded/recorded-sessions.ts";

const TARGET = "bench/src/metrics/validated-figures.ts";

/** Writes what `plimsoll validate` says of both folders as the one file from which pages take it (`pnpm validated`). */
const findings: SessionFindings[] = [];
for (const folder of [COMPACTIONS_FOLDER, RECORDED_FOLDER].filter(existsSync)) {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  for (const name of names.filter((each) => /\.(?:jsonl|json|traj)$/.test(each))) {
    // A file of no known format, or one that cannot be read, is left out, as the command does.
    const transcripts = await importFile(join(folder, name), name).catch(() => []);
    for (const transcript of transcripts)
      if (transcript.parentName === null) findings.push(await findingsOf(prepareSession(transcript)));
  }
}
if (findings.length === 0) {
  process.stderr.write("no recorded sessions: set PLIMSOLL_TRANSCRIPTS and PLIMSOLL_COMPACTIONS to folders of session files\n");
  process.exitCode = 1;
} else {
  writeFileSync(join(ROOT, TARGET), sourceOf(validationOf(findings, new Date().toISOString().slice(0, 10))));
  process.stdout.write(`${TARGET} written; pnpm fmt puts it in order\n`);
}

function sourceOf({ date, sessions, compactedSessions, repositories, owners, predictions }: Validation): string {
  const pooled = predictions.filter(({ of }) => of === "all");
  const figures = {
    date,
    sessions,
    compactedSessions,
    repositories,
    owners,
    predictions: pooled.map(({ outcome, measure, cases, area, verdict }) => ({
      outcome,
      measure,
      cases,
      area: area.value,
      verdict,
    })),
  };
  return `import type { ValidatedFigures } from "./validated.ts";

/** Findings of real compactions on the measures, with date and data. Written by \`pnpm validated\` over recorded sessions that are not part of the project. */
export const VALIDATED: ValidatedFigures = ${JSON.stringify(figures, null, 2)};
`;
}
