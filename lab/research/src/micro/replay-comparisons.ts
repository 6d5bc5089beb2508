import type { Transcript } from "@plimsoll/bench";
import { prepareSession, replay } from "@plimsoll/bench/internal";
import type { Policy } from "@plimsoll/core";
import { NONE_POLICY, PLIMSOLL_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { messageChars } from "@plimsoll/core/build";
import type { Comparison } from "./comparison.ts";
import { longSession } from "./long-session.ts";

const MESSAGES = 300;
const WINDOW = { kind: "working-room", tokens: 64_000 } as const;

/** A whole replay: of a session twice as long, and against a loop that only adds up what each of its prompts holds. */
export async function replayComparisons(): Promise<readonly Comparison[]> {
  const [short, long] = [transcriptOf(MESSAGES), transcriptOf(2 * MESSAGES)];
  const [preparedShort, preparedLong] = [prepareSession(short), prepareSession(long)];
  return [
    ...[NONE_POLICY, SVEN_POLICY, PLIMSOLL_POLICY].map(
      (policy: Policy): Comparison => ({
        slow: `replay under ${policy.name} of a session`,
        fast: "of one half as long",
        runSlow: () => replay(preparedLong, { policy, window: WINDOW }),
        runFast: () => replay(preparedShort, { policy, window: WINDOW }),
        unlike: null,
      }),
    ),
    {
      slow: "preparing the session",
      fast: "replay under plimsoll",
      runSlow: () => prepareSession(long),
      runFast: () => replay(preparedLong, { policy: PLIMSOLL_POLICY, window: WINDOW }),
      unlike: "size model, statements and references: once a session, whatever the number of policies and windows",
    },
    {
      slow: "replay under plimsoll",
      fast: "adding up every prompt's characters",
      runSlow: () => replay(preparedLong, { policy: PLIMSOLL_POLICY, window: WINDOW }),
      runFast: () => charsOfAllPrompts(long),
      unlike: "the sum says nothing of cost, safety or retention",
    },
  ];
}

function transcriptOf(messageCount: number): Transcript {
  const entries = longSession(messageCount);
  return { name: "long", file: "long", format: "made", entries, parentName: null, hasUsage: true, notes: [] };
}

/** What a loop without a log does at each call. */
function charsOfAllPrompts({ entries }: Transcript): number {
  const seen: number[] = [];
  let chars = 0;
  for (const entry of entries) {
    if (entry.type === "message") seen.push(messageChars(entry.message));
    if (entry.type === "usage") chars += seen.reduce((sum, each) => sum + each, 0);
  }
  return chars;
}
