import { importFile, type Transcript } from "@plimsoll/bench";
import { type PreparedSession, prepareSession } from "@plimsoll/bench/extend";
import { allRecordedFiles, type RecordedFile } from "../recorded/recorded-sessions.ts";
import { type FollowedAgent, followedAgent } from "./agents.ts";
import { leftAt, leftTokens } from "./left.ts";
import { predictionOf } from "./prediction.ts";
import { filesAtCompactions, type KnownFile } from "./read-files.ts";
import { type Stretch, stretchesOf } from "./stretches.ts";
import { type Case, scored } from "./truth.ts";
import { truthPage } from "./truth-page.ts";

/** Prints each real compaction of the recorded sessions beside what our likeness of its agent would have done. */

const cases: Case[] = [];
let unreadFiles = 0;
let unfollowedSessions = 0;
for (const file of allRecordedFiles()) {
  const transcripts = await importFile(file.path, file.displayName).catch(() => null);
  if (transcripts === null) unreadFiles += 1;
  for (const transcript of transcripts ?? []) {
    const stretches = transcript.parentName === null ? stretchesOf(transcript) : [];
    const agent = followedAgent(transcript);
    if (stretches.length > 0 && agent === null) unfollowedSessions += 1;
    if (stretches.length > 0 && agent !== null) cases.push(...(await casesOf({ file, transcript, stretches, agent })));
  }
}
if (cases.length === 0) {
  process.stderr.write(
    "no recorded compactions: set PLIMSOLL_TRANSCRIPTS and PLIMSOLL_COMPACTIONS to folders of session files\n",
  );
  process.exitCode = 1;
} else {
  process.stdout.write(truthPage(scored(cases), { unreadFiles, unfollowedSessions }));
}

interface SessionCases {
  readonly file: RecordedFile;
  readonly transcript: Transcript;
  readonly stretches: readonly Stretch[];
  readonly agent: FollowedAgent;
}

async function casesOf({ file, transcript, stretches, agent }: SessionCases): Promise<readonly Case[]> {
  const session = prepareSession(transcript);
  const hasFiles = (agent.peer.leaves?.files ?? null) !== null;
  const files = hasFiles ? await filesAtCompactions(file.path) : [];
  const found: Case[] = [];
  for (const stretch of stretches) {
    found.push({
      agent: agent.agent,
      version: agent.version,
      file: file.displayName,
      madeBy: stretch.madeBy,
      callsBefore: stretch.callsBefore,
      beforeTokens: stretch.beforeTokens,
      afterTokens: stretch.afterTokens ?? 0,
      predicted: await predictionOf(stretch, agent),
      leftTokens: describedTokens(stretch, { agent, session, files: files[stretch.ordinal] ?? [] }),
    });
  }
  return found;
}

function describedTokens(
  stretch: Stretch,
  { agent, session, files }: { agent: FollowedAgent; session: PreparedSession; files: readonly KnownFile[] },
): number | null {
  const { leaves } = agent.peer;
  return leaves === undefined ? null : leftTokens(leftAt(stretch, { leaves, session, files }));
}
