import { expect, test } from "vitest";
import { describeLog, importDocument, importObjects } from "../../../testing/describe-log.ts";

const META = { sessionId: "s", projectHash: "h", startTime: "2026-01-01T00:00:00Z" };
const TOKENS = { input: 30, output: 5, cached: 10, thoughts: 7, tool: 0, total: 42 };
const user = (id: string, content: unknown) => ({ id, type: "user", content });
const model = (id: string, content: string, more: object = {}) => {
  return { id, type: "gemini", content, tokens: TOKENS, model: "g", ...more };
};
const call = (id: string, response: object, status = "success") => ({
  ...{ id, name: "read_file", args: { file_path: "a.ts" }, status, resultDisplay: "for the eye" },
  result: [{ functionResponse: { id, name: "read_file", response } }],
});

const USAGE = "usage 30 (read 10, write null) out 12";
const READ = (id: string) => `call ${id} read_file {"file_path":"a.ts"} read a.ts`;

test("thoughts, calls with their results, and messages without tokens", async () => {
  const [transcript] = await importDocument({
    ...META,
    messages: [
      user("u1", [{ text: "q" }, { inlineData: { mimeType: "image/png", data: "QUJD" } }]),
      model("g1", "reading", { thoughts: [{ subject: "S", description: "D" }], toolCalls: [call("c1", { output: "body" })] }),
      { id: "i1", type: "info", content: "Request cancelled." },
      model("g2", "", { tokens: undefined, toolCalls: [call("c2", { error: "no" }, "cancelled"), call("c3", { a: 1 })] }),
      model("g3", "done"),
    ],
  });
  expect(describeLog(transcript)).toEqual([
    "session s",
    "human: q | <image/png 3>",
    USAGE,
    `model: (S\nD) | reading | ${READ("c1")}`,
    "result c1 (read_file, file-content): body",
    `model: ${READ("c2")} | ${READ("c3")}`,
    "result c2 (read_file, file-content, error): no",
    'result c3 (read_file, file-content): {"a":1}',
    USAGE,
    "model: done",
  ]);
});

test("records on lines: a later state of a message replaces it, and what was rewound leaves the context where it was", async () => {
  const [transcript] = await importObjects([
    META,
    user("u1", "q"),
    model("g1", "half"),
    { $set: { lastUpdated: "x" } },
    model("g1", "whole"),
    { $set: { messages: [model("g1", "whole"), user("u2", "more")] } },
    { $rewindTo: "u2" },
    user("u3", "other"),
    { ...user("x1", "?"), type: "of-next-month" },
  ]);
  expect(describeLog(transcript)).toEqual([
    ...["session s", "human: q", USAGE, "model: whole", "human: more"],
    ...["compaction 3 -> 2: replace 1 by [human: q; model: whole]", "human: other"],
  ]);
  expect(transcript?.notes.map(({ text }) => text)).toContainEqual(expect.stringContaining("of-next-month 1"));
});

test("a snapshot of the state is a recorded compaction", async () => {
  const [transcript] = await importDocument({
    ...META,
    messages: [user("u1", "q"), model("g1", "r"), user("u2", "<state_snapshot>sum</state_snapshot>"), model("g2", "on")],
  });
  expect(describeLog(transcript).slice(4)).toEqual([
    "compaction 2 -> 1: replace 2 by [summary: <state_snapshot>sum</state_snapshot>]",
    USAGE,
    "model: on",
  ]);
});

test("calls that grow in one record without sizes belong to the answer before each, and results are read once", async () => {
  const grown = (...calls: object[]) => ({ id: "t1", type: "gemini", content: "", model: "g", toolCalls: calls });
  const sent = (id: string) => user(`r-${id}`, call(id, { output: "body" }).result);
  const [transcript] = await importObjects([
    META,
    user("u0", [{ text: "<session_context>\nLinux.\n</session_context>" }]),
    user("u1", [{ text: "q" }]),
    model("g1", ""),
    grown(call("c1", { output: "body" })),
    sent("c1"),
    model("g2", "on"),
    grown(call("c1", { output: "body" }), call("c2", { output: "body" })),
    sent("c2"),
    sent("c3"),
    model("g3", "done"),
  ]);
  expect(describeLog(transcript).slice(1)).toEqual([
    "injected: <session_context>\nLinux.\n</session_context>",
    "human: q",
    USAGE,
    `model: ${READ("c1")}`,
    "result c1 (read_file, file-content): body",
    USAGE,
    `model: on | ${READ("c2")}`,
    "result c2 (read_file, file-content): body",
    USAGE,
    "model: done",
  ]);
  expect(transcript?.notes.map(({ code }) => code)).toEqual(["result-without-call"]);
});
