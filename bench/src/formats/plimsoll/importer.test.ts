import { encodeLog, type SessionEntry } from "@plimsoll/core";
import { human, result, sessionStart, usageEntry } from "@plimsoll/core/testing";
import { expect, test } from "vitest";
import { textSource } from "../file-source.ts";
import { importSource } from "../registry.ts";

const START = sessionStart("You are.");
const PROMPT: SessionEntry = { type: "message", message: human("u", "q") };
const CALL = usageEntry("r", "u", 5);
const TEXT = encodeLog([START, PROMPT, CALL]);

test.each([1, 2] as const)("our own log of version %i comes back as it is", async (version) => {
  const start = { ...START, version };
  const [transcript] = await importSource(textSource(encodeLog([start, PROMPT, CALL]), "own.jsonl"));
  expect(transcript).toEqual({
    name: "own.jsonl",
    file: "own.jsonl",
    format: "plimsoll",
    entries: [start, PROMPT, CALL],
    parentName: null,
    hasUsage: true,
    notes: [],
  });
});

test("a cut-off last line is left out and noted", async () => {
  const [transcript] = await importSource(textSource(TEXT.slice(0, -20), "own.jsonl"));
  expect(transcript?.entries).toEqual([START, PROMPT]);
  expect(transcript?.notes.map((note) => note.code)).toEqual(["cut-off-line", "no-usage"]);
});

test.each([0, 1, 30])("a batch with %i characters of its last line is left out and noted", async (count) => {
  const text = `${encodeLog([START, PROMPT])}\t${encodeLog([CALL])}${encodeLog([CALL]).slice(0, count)}`;
  const [transcript] = await importSource(textSource(text, "own.jsonl"));
  expect(transcript?.entries).toEqual([START, PROMPT]);
  expect(transcript?.notes.map(({ code, line }) => `${code} ${line}`)).toEqual(["cut-off-line 3", "no-usage null"]);
});

test("a result without a call is noted at its line, and kept in the log", async () => {
  const orphan: SessionEntry = { type: "message", message: result("r1", "nobody", "x") };
  const [transcript] = await importSource(textSource(encodeLog([START, PROMPT, orphan, CALL]), "own.jsonl"));
  expect(transcript?.entries).toHaveLength(4);
  expect(transcript?.notes).toMatchObject([{ code: "result-without-call", line: 3 }]);
});

test.each([
  ["text that is no JSON", `${encodeLog([START])}nonsense\n${encodeLog([PROMPT])}`, 2],
  ["an entry of an unknown type", `${encodeLog([START, PROMPT])}{"type":"other"}\n`, 3],
  ["a message without a role", `${encodeLog([START])}{"type":"message","message":{"id":"x"}}\n`, 2],
])("%s is bad input at its line", async (_, text, line) => {
  await expect(importSource(textSource(text, "own.jsonl"))).rejects.toMatchObject({
    code: "bad-input",
    message: expect.stringMatching(`^own.jsonl:${line}: `),
    details: { file: "own.jsonl", line },
  });
});
