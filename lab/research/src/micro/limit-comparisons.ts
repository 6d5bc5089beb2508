import type { Buffer } from "node:buffer";
import type { Transcript } from "@plimsoll/bench";
import { IMPORTERS, prepareSession, replay, textSource } from "@plimsoll/bench/internal";
import type { Policy } from "@plimsoll/core";
import { NONE_POLICY, PLIMSOLL_POLICY, SVEN_POLICY } from "@plimsoll/core";
import type { Comparison } from "./comparison.ts";
import { cutOf } from "./cut.ts";
import { claudeCodeSession } from "./written-sessions.ts";

const WINDOW = { kind: "working-room", tokens: 64_000 } as const;
const CUT_MESSAGES = 10_000;

/** Every stage of a benchmark against parsing the same bytes, which nothing that reads JSON is faster than; and that against reading each byte. */
export async function limitComparisons(): Promise<readonly Comparison[]> {
  const bytes = claudeCodeSession();
  const parse = () => {
    for (const line of bytes.toString("utf8").split("\n")) if (line !== "") JSON.parse(line);
  };
  const importer = IMPORTERS.find(({ format }) => format === "claude-code");
  if (importer === undefined) throw new Error("there is no importer of the session");
  const read = () => importer.read(textSource(bytes.toString("utf8"), "session"));
  const transcripts = await read();
  const sessions = transcripts.map(prepareSession);
  const against = (slow: string, runSlow: () => unknown, unlike: string): Comparison => ({
    slow,
    fast: "JSON.parse of its lines",
    runSlow,
    runFast: parse,
    unlike,
  });
  return [
    { slow: "JSON.parse of the lines", fast: "a look at each byte", runSlow: parse, runFast: () => sumOf(bytes), unlike: null },
    against("importing a session", read, "at most twice as long is the goal"),
    against(
      "preparing it",
      () => transcripts.map((each: Transcript) => prepareSession(each).needs()),
      "the goal is four times",
    ),
    ...[NONE_POLICY, SVEN_POLICY, PLIMSOLL_POLICY].map((policy: Policy) =>
      against(
        `replay under ${policy.name} of the prepared session`,
        async () => {
          for (const session of sessions) await replay(session, { policy, window: WINDOW });
        },
        "the goal is eight times",
      ),
    ),
    // A history of many chunks: each chunk's digest may read what is its own, and the view once for all.
    cutOf(SVEN_POLICY, CUT_MESSAGES),
  ];
}

function sumOf(bytes: Buffer): number {
  let sum = 0;
  for (const byte of bytes) sum += byte;
  return sum;
}
