import { type Summary, type SummaryRequest, SVEN_POLICY } from "@plimsoll/core";
import { compaction, human, logOf, replacedHistory, summaryMessage } from "@plimsoll/core/testing";
import { describe, expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import type { AskedSummary } from "../drive/replayed-call.ts";
import { ENCRYPTED_SUMMARY } from "../formats/codex/items.ts";
import { prepareSession } from "../open/prepared-session.ts";
import { replay } from "../replay/replay.ts";
import { AFTER_RECORD_TITLE, COMPARABLE_TOKENS, createRecordedSource, recordedHistory } from "./recorded-source.ts";

const MADE = { turns: 9, toolCallsPerTurn: 2, resultChars: 2000, overheadTokens: 2000 };
/** The recorded agent put a summary in place of all its history before the fourth and the seventh turn. */
const SESSION = prepareSession(madeTranscript({ ...MADE, boundaries: [3, 6] }));
/** Messages of one turn: the person's, two calls with their results, the reply. */
const PER_TURN = 6;
const boundaryAt = (id: string) => SESSION.entries.findIndex((entry) => entry.type === "compaction" && entry.id === id);

describe("recordedHistory", () => {
  test("finds each summary with what it covers and when it was written", () => {
    expect(recordedHistory(SESSION.entries).summaries).toEqual([
      {
        entryIndex: boundaryAt("boundary-3"),
        throughOrdinal: 3 * PER_TURN - 1,
        text: expect.stringContaining("before turn 3"),
      },
      {
        entryIndex: boundaryAt("boundary-6"),
        throughOrdinal: 6 * PER_TURN - 1,
        text: expect.stringContaining("before turn 6"),
      },
    ]);
  });

  test("a recorded compaction without a text gives none", () => {
    const entries = SESSION.entries.map((entry) =>
      entry.type === "compaction"
        ? {
            ...entry,
            edits: [
              { kind: "replace-history", through: null, messages: [], covered: { messages: 0, parts: 0, chars: 0 } } as const,
            ],
          }
        : entry,
    );
    expect(recordedHistory(entries).summaries).toEqual([]);
  });

  test("a summary that is kept encrypted is none", () => {
    const cut = compaction("cut", [replacedHistory([summaryMessage("s", ENCRYPTED_SUMMARY)])]);
    expect(recordedHistory([...logOf([human("u", "go")]), cut]).summaries).toEqual([]);
  });
});

/** An ask for a summary of the first messages of the session, or of some of them, at a place of its log. */
interface Ask {
  readonly messages: number;
  readonly at: number;
  /** The place of the first one. */
  readonly from?: number;
}

/** Asks one after the other. */
async function asked(...asks: readonly Ask[]) {
  return await askedOf(SESSION, asks);
}

async function askedOf(session: typeof SESSION, asks: readonly Ask[]) {
  const messages = session.entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  const noted: AskedSummary[] = [];
  const summaries: Summary[] = [];
  let position = 0;
  const stop = (error: unknown) => {
    throw error;
  };
  const write = createRecordedSource()({ session, position: () => position, note: (each) => noted.push(each), stop });
  for (const { messages: through, at, from = 0 } of asks) {
    position = at;
    const parts = [{ promptId: "structured", messages: messages.slice(from, through) }];
    const request: SummaryRequest = { ...SVEN_POLICY.summary, parts, focus: null };
    summaries.push(await write(request, new AbortController().signal));
  }
  return { writers: noted.map(({ writtenBy }) => writtenBy), texts: summaries.map(({ text }) => text) };
}

describe("a recorded summary", () => {
  const end = SESSION.entries.length;

  test.each([
    ["covers just what it covered: it stands as it was", { messages: 18, at: end }, "recorded"],
    ["covers more: the rest follows as a digest", { messages: 20, at: end }, "recorded-and-digest"],
    ["keeps what it told: nothing of it is used", { messages: 17, at: end }, "digest"],
    ["comes before it was written: nothing is known of it", { messages: 18, at: boundaryAt("boundary-3") - 1 }, "digest"],
  ])("if a compaction %s", async (_, ask, writer) => {
    expect((await asked(ask)).writers).toEqual([writer]);
  });

  test("is the newest one that can stand", async () => {
    const { texts } = await asked({ messages: 36, at: end });
    expect(texts[0]).toMatch(/^What happened before turn 6\./);
    expect(texts[0]).not.toContain(AFTER_RECORD_TITLE);
  });

  test("is used once; the next compaction is a digest until there is a newer one", async () => {
    const { writers, texts } = await asked({ messages: 20, at: end }, { messages: 30, at: end }, { messages: 36, at: end });
    expect(writers).toEqual(["recorded-and-digest", "digest", "recorded"]);
    expect(texts[0]).toContain(AFTER_RECORD_TITLE);
  });
});

describe("a place is comparable if", () => {
  /** Results of about 2,500 tokens: a turn has two. The recorded agent put a summary in place of five turns. */
  const large = prepareSession(madeTranscript({ ...MADE, turns: 14, resultChars: 10_000, boundaries: [5] }));
  const at = large.entries.length;
  const through = 5 * PER_TURN;
  /** A turn has more than 5,000 tokens. */
  const turns = COMPARABLE_TOKENS / 5000;

  test.each<[string, readonly Ask[], readonly string[]]>([
    ["the cut takes little behind what a summary covers", [{ messages: through + 3 * PER_TURN, at }], ["recorded-and-digest"]],
    ["not if it takes more than 20,000 tokens behind it", [{ messages: through + turns * PER_TURN, at }], ["digest"]],
    ["the policy keeps little of it in place", [{ messages: through, from: 3 * PER_TURN, at }], ["recorded"]],
    ["not if it keeps more than 20,000 tokens of it", [{ messages: through, from: through - 2, at }], ["digest"]],
    [
      "what an earlier cut took is not kept",
      [
        { messages: 3 * PER_TURN, at: 1 },
        { messages: through, from: 3 * PER_TURN, at },
      ],
      ["digest", "recorded"],
    ],
  ])("%s", async (_, asks, writers) => {
    expect((await askedOf(large, asks)).writers).toEqual(writers);
  });
});

test("a replay counts who wrote its summaries", async () => {
  const window = { kind: "working-room", tokens: 10_000 } as const;
  const row = await replay(SESSION, { policy: SVEN_POLICY, window, summaries: createRecordedSource() });
  const { recorded, recordedAndDigest, digest, model } = row.metrics?.summaries ?? {};
  expect((recorded ?? 0) + (recordedAndDigest ?? 0)).toBeGreaterThanOrEqual(1);
  expect(model).toBe(0);
  expect((recorded ?? 0) + (recordedAndDigest ?? 0) + (digest ?? 0)).toBe(row.metrics?.cost.summaryRequests);
  expect(row.compactions.some(({ summary }) => summary?.includes("What happened before turn 3."))).toBe(true);
});
