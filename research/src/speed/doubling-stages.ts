import type { Transcript } from "@plimsoll/bench";
import { cellOf, type PreparedSession, prepareSession, replay } from "@plimsoll/bench/internal";
import { NONE_POLICY, PI_POLICY, PLIMSOLL_POLICY, type Policy, SVEN_POLICY } from "@plimsoll/core";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { longSession } from "../micro/long-session.ts";
import type { DoubledStage, Replayed } from "./doubling-table.ts";
import { createMeter } from "./meter.ts";

const WINDOW = { kind: "working-room", tokens: 64_000 } as const;
/** In this one all of them are cut, the longest at every second call. */
const SMALL_WINDOW = { kind: "working-room", tokens: 16_000 } as const;

/** Messages of the shorter session of each pair. */
export const HALVES: readonly number[] = [150, 300, 600, 1200];

/** Stages of a made session, each against the same stage of a session half as long. */
export async function doublingSamples(half: number): Promise<readonly DoubledStage[]> {
  const [short, long] = [transcriptOf(half), transcriptOf(2 * half)];
  const { replays, samples } = await preparedPair({ short, long, messages: 2 * half });
  for (const policy of [NONE_POLICY, PLIMSOLL_POLICY]) await replays("replay", policy, WINDOW);
  for (const policy of [SVEN_POLICY, PLIMSOLL_POLICY]) await replays("replay in a small room", policy, SMALL_WINDOW);
  return samples;
}

/** Stages of a recorded session, each against the same stage of its first half: of one that is replayed and calls a model in both. */
export async function halvedSamples(long: Transcript): Promise<readonly DoubledStage[]> {
  const short = { ...long, entries: long.entries.slice(0, Math.floor(long.entries.length / 2)) };
  if (![short, long].every(isReplayed)) return [];
  const { replays, samples } = await preparedPair({ short, long, messages: long.entries.length });
  for (const policy of [NONE_POLICY, SVEN_POLICY, PI_POLICY, PLIMSOLL_POLICY]) await replays("replay", policy, WINDOW);
  return samples;
}

function isReplayed(transcript: Transcript): boolean {
  const { why } = cellOf(prepareSession(transcript), { policy: NONE_POLICY, window: WINDOW, catalog: MODEL_CATALOG });
  return why === null && transcript.entries.some(({ type }) => type === "usage");
}

/** Two sessions, of which one is twice as long. */
interface Pair {
  readonly short: Transcript;
  readonly long: Transcript;
  readonly messages: number;
}

/** Measures preparing, and then what is asked for. */
async function preparedPair({ short, long, messages }: Pair) {
  const samples: DoubledStage[] = [];
  const compare = async <Value>(
    stage: string,
    runShort: () => Value | Promise<Value>,
    { runLong, replayed }: { runLong: () => Value | Promise<Value>; replayed: (value: Value) => Replayed | null },
  ) => {
    const meter = await createMeter(runShort);
    // The shorter one has run by now: what the first run of a session makes for later ones is in neither figure.
    await runLong();
    const value = await meter.measure(stage, runLong);
    const of = { stage, messages, short: replayed(await runShort()), long: replayed(value) };
    samples.push(...meter.samples().map(({ ratio }) => ({ ...of, ratio })));
  };
  await compare("prepare, with what calls need", () => prepared(short), {
    runLong: () => prepared(long),
    replayed: () => null,
  });
  const [shortSession, longSession] = [prepared(short), prepared(long)];
  const replays = async (stage: string, policy: Policy, window: typeof WINDOW | typeof SMALL_WINDOW) =>
    compare(`${stage}, \`${policy.name}\``, () => replay(shortSession, { policy, window }), {
      runLong: () => replay(longSession, { policy, window }),
      replayed: ({ series, compactions }) => ({ calls: series.length, cuts: compactions.length }),
    });
  return { replays, samples };
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
