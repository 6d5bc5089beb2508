import { join } from "node:path";
import type { EnginePolicy } from "@plimsoll/core/build";
import { RECORDED_POLICY } from "@plimsoll/core/internal";
import { describe, expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import { importFile } from "../formats/registry.ts";
import { LAST_HUMAN_ONLY } from "../peers/cheats.ts";
import { prepareSession } from "../replay/prepared-session.ts";
import { replay } from "../run/replay.ts";
import { expectedRedo, type RedoResult } from "./redo.ts";

const missed = (edits: number, files: number): RedoResult => ({
  edits: { uses: 1, usd: edits },
  files: { uses: 1, usd: files },
});
const probability = (value: number | null, from?: number, through?: number) => ({
  value,
  interval: from === undefined || through === undefined ? null : { from, through },
  sessions: 1,
  cases: 1,
});

describe("expectedRedo", () => {
  test.each([
    [
      "is what is missing by how likely it is done again",
      { failedEdit: probability(0.5, 0.25, 1), reread: probability(0.1, 0, 0.2) },
      { usd: 0.5 * 5 + 0.1 * 30, fromUsd: 0.25 * 5, throughUsd: 5 + 0.2 * 30 },
    ],
    [
      "has no interval if one probability has none",
      { failedEdit: probability(0.5), reread: probability(0.1, 0, 0.2) },
      { usd: 0.5 * 5 + 0.1 * 30, fromUsd: null, throughUsd: null },
    ],
    [
      "is not known without a probability",
      { failedEdit: probability(null), reread: probability(0.1) },
      { usd: null, fromUsd: null, throughUsd: null },
    ],
  ])("%s", (_, validated, expected) => {
    expect(expectedRedo([missed(2, 10), missed(3, 20)], validated)).toEqual(expected);
  });
});

const FILE = "bug-hunt.jsonl";

test("counts each missing text and file once, and nothing if nothing was cut", async () => {
  const [transcript] = await importFile(join(import.meta.dirname, "../../../fixtures/sessions", FILE), FILE);
  const session = prepareSession(
    transcript ?? madeTranscript({ turns: 1, toolCallsPerTurn: 1, resultChars: 10, overheadTokens: 2_000 }),
  );
  const metricsUnder = async (policy: EnginePolicy) =>
    (await replay(session, { policy, window: { kind: "working-room", tokens: 16_000 } })).metrics;
  const cut = await metricsUnder(LAST_HUMAN_ONLY.policy);
  const missing = ({ all: { uses, held } }: { readonly all: { readonly uses: number; readonly held: number } }) => uses - held;
  expect([cut?.redo.edits.uses, cut?.redo.files.uses]).toEqual(
    [cut?.editGrounding, cut?.fileInHand].map((result) => (result === undefined ? -1 : missing(result))),
  );
  expect(cut?.redo.edits.uses).toBeGreaterThan(0);
  expect(cut?.redo.edits.usd).toBeGreaterThan(0);
  const whole = await metricsUnder(RECORDED_POLICY);
  expect(whole?.redo).toEqual({ edits: { uses: 0, usd: 0 }, files: { uses: 0, usd: 0 } });
});
