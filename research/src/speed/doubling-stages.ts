import type { Transcript } from "@plimsoll/bench";
import { type PreparedSession, prepareSession, replay } from "@plimsoll/bench/internal";
import { NONE_POLICY, PLIMSOLL_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { longSession } from "../micro/long-session.ts";
import { createMeter, type StageSample } from "./meter.ts";

const WINDOW = { kind: "working-room", tokens: 64_000 } as const;
/** In this one all of them are cut, the longest at every second call. */
const SMALL_WINDOW = { kind: "working-room", tokens: 16_000 } as const;

/** Messages of the shorter session of each pair. */
export const HALVES: readonly number[] = [150, 300, 600, 1200];

/** Stages of a made session, each against the same stage of a session half as long. */
export async function doublingSamples(half: number): Promise<readonly StageSample[]> {
  const [short, long] = [transcriptOf(half), transcriptOf(2 * half)];
  const samples: StageSample[] = [];
  const compare = async (stage: string, runShort: () => unknown, runLong: () => unknown) => {
    const meter = await createMeter(runShort);
    // The shorter one has run by now: what the first run of a session makes for later ones is in neither figure.
    await runLong();
    await meter.measure(`${stage}: ${2 * half} messages`, runLong);
    samples.push(...meter.samples());
  };
  await compare(
    "prepare, with what calls need",
    () => prepared(short),
    () => prepared(long),
  );
  const [shortSession, longSession] = [prepared(short), prepared(long)];
  for (const policy of [NONE_POLICY, PLIMSOLL_POLICY])
    await compare(
      `replay, \`${policy.name}\``,
      () => replay(shortSession, { policy, window: WINDOW }),
      () => replay(longSession, { policy, window: WINDOW }),
    );
  for (const policy of [SVEN_POLICY, PLIMSOLL_POLICY])
    await compare(
      `replay in a small room, \`${policy.name}\``,
      () => replay(shortSession, { policy, window: SMALL_WINDOW }),
      () => replay(longSession, { policy, window: SMALL_WINDOW }),
    );
  return samples;
}

function prepared(transcript: Transcript): PreparedSession {
  const session = prepareSession(transcript);
  session.needs();
  return session;
}

function transcriptOf(messageCount: number): Transcript {
  const entries = longSession(messageCount);
  return { name: "long", file: "long", format: "made", entries, parentName: null, hasUsage: true, notes: [] };
}
