import { type SessionEntry, usageOf } from "@plimsoll/core";
import { compaction, human, replacedHistory, sessionStart, usageEntry } from "@plimsoll/core/testing";
import { describe, expect, test } from "vitest";
import type { Transcript } from "../transcript.ts";
import { callKinds } from "./calibrate-sessions.ts";
import { calibrateTranscripts } from "./calibration-report.ts";
import { CALIBRATED_METHODS, methodsFor } from "./methods.ts";
import { predictionLines } from "./predict-calls.ts";

const report = (id: string, tokens: number, modelId = "test/model"): SessionEntry => {
  return { ...usageEntry(id, null, tokens), modelId, usage: usageOf({ totalInputTokens: tokens, outputTokens: 10 }) };
};

const transcript: Transcript = {
  name: "logs/session.jsonl",
  file: "logs/session.jsonl",
  format: "plimsoll",
  parentName: null,
  hasUsage: true,
  notes: [],
  entries: [
    sessionStart("system"),
    { type: "message", message: human("a", "go on") },
    report("1", 100),
    report("2", 120),
    report("unreported", 0),
    report("3", 90),
    report("4", 95, "other/model"),
    compaction("cut", [replacedHistory([human("b", "go on")])]),
    report("5", 50),
  ],
};

describe("callKinds", () => {
  test("tells the first call, falls, switches and cuts apart; calls without a report are none", () => {
    expect(callKinds(transcript)).toEqual(["first", "calm", "fell", "after-switch", "after-cut"]);
  });
});

describe("calibrateTranscripts", () => {
  const { report: errors, sessions } = calibrateTranscripts(
    [transcript, { ...transcript, parentName: "logs/session.jsonl" }],
    CALIBRATED_METHODS,
  );

  test("has every method's errors, kind by kind, and leaves sidechains out", () => {
    expect(sessions).toHaveLength(1);
    expect(errors.methods.map(({ method }) => method)).toEqual(CALIBRATED_METHODS.map(({ name }) => name));
    expect(
      errors.methods.map(({ first, calm, hidden, afterCut }) => [first.calls, calm.calls, hidden.calls, afterCut.calls]),
    ).toEqual(CALIBRATED_METHODS.map(() => [1, 1, 3, 1]));
  });

  test("writes a line a call", () => {
    const calls = sessions[0]?.methods[0]?.calls ?? [];
    expect(
      predictionLines(calls)
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { file: "logs/session.jsonl", call: 0, reported: 100 },
      { call: 1, reported: 120 },
      { call: 2, reported: 90 },
      { call: 3, reported: 95 },
      { call: 4, reported: 50 },
    ]);
  });
});

describe("methodsFor", () => {
  const text = "useDebouncedValue17 ".repeat(200);
  const session = (first: string, second: string): Transcript => ({
    ...transcript,
    entries: [
      sessionStart(""),
      report("1", 100, first),
      { type: "message", message: human("a", text) },
      report("2", 1500, first),
      report("3", 1500, second),
    ],
  });

  test("models whose encoding is not known are measured as ever", async () => {
    expect(await methodsFor([session("claude-opus-5", "test/model")])).toBe(CALIBRATED_METHODS);
  });

  test("the tokenizer counts the calls of models that it is of, and the ledger uses it", async () => {
    const methods = await methodsFor([session("claude-opus-5", "test/model"), session("gpt-5.5", "test/model")]);
    const { report: errors } = calibrateTranscripts([session("gpt-5.5", "test/model")], methods);
    const shown = errors.methods.slice(-4).map(({ method, afterFirst, early }) => [method, afterFirst.calls, early.calls]);
    expect(shown).toEqual([
      ["js-tiktoken", 1, 1],
      ["last usage + js-tiktoken", 1, 1],
      ["ledger, no js-tiktoken", 2, 2],
      ["ledger", 2, 2],
    ]);
  });

  test("its ledger differs for sessions with such a model alone", async () => {
    const sessions = [session("claude-opus-5", "test/model"), session("gpt-5.5", "test/model")];
    const [classes, counted] = (await methodsFor(sessions)).slice(-2);
    const differs = sessions.map((of) => {
      const [byClasses, byTokens] = [classes, counted].map((method) => method?.predict(of)[1]?.prediction.expectedTokens);
      return byTokens !== byClasses;
    });
    expect(differs).toEqual([false, true]);
  });
});
