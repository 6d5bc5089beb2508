import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { textOf } from "@plimsoll/core";
import { EMPTY_VIEW, foldEntry } from "@plimsoll/core/extend";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeLog, importDocument } from "../../../testing/describe-log.ts";
import { freshFolder } from "../../../testing/fresh-folder.ts";
import { seenCounts } from "../../open/describe-session.ts";
import { importFile } from "../registry.ts";

const INFO = { id: "ses_1", version: "1.4.3", time: { created: 5 } };
const tokens = (input: number, output = 3, reasoning = 2) => {
  return { input, output, reasoning, cache: { read: 10, write: 20 }, total: input + 35 };
};
const user = (id: string, parts: object[]) => ({
  info: { id, role: "user", time: { created: 1 }, summary: { diffs: [] } },
  parts,
});
const assistant = (id: string, parts: object[], more: object = {}) => ({
  info: { id, role: "assistant", modelID: "m", time: { created: 2 }, tokens: tokens(5), ...more },
  parts: [{ type: "step-start" }, ...parts, { type: "step-finish", tokens: tokens(5) }],
});
const text = (value: string, more: object = {}) => ({ type: "text", text: value, ...more });
const tool = (callID: string, state: object) => {
  return { type: "tool", tool: "read", callID, state: { input: { filePath: "a.ts" }, ...state } };
};

const USAGE = "usage 35 (read 10, write 20) out 5";
const READ = (id: string) => `call ${id} read {"filePath":"a.ts"} read a.ts`;

test("a message is a call; calls and results are one part; what the agent put next to a prompt is its own", async () => {
  const [transcript] = await importDocument({
    info: INFO,
    messages: [
      user("u1", [
        text("look at @a.ts"),
        { type: "file", mime: "text/plain", url: "file:///a.ts" },
        text("body of a.ts", { synthetic: true }),
      ]),
      assistant("a1", [
        { type: "reasoning", text: "hm", metadata: { x: 1 } },
        text("reading"),
        tool("c1", { status: "completed", output: "body" }),
        tool("c2", { status: "error", error: "no" }),
      ]),
      assistant("a2", [], {
        tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
        error: { name: "aborted" },
      }),
      user("u2", [{ type: "file", mime: "image/png", url: "data:image/png;base64,QUJD" }, text("seen", { ignored: true })]),
    ],
  });
  expect(describeLog(transcript)).toEqual([
    "session ses_1",
    "human: look at @a.ts",
    "injected: body of a.ts",
    USAGE,
    `model: (hm) | reading | ${READ("c1")} | ${READ("c2")}`,
    "result c1 (read, file-content): body",
    "result c2 (read, file-content, error): no",
    "human: <image/png 3>",
  ]);
});

test.each([
  ["nothing kept", {}, "compaction 3 -> 1: replace 3 by [summary: sum]"],
  ["a kept tail", { tail_start_id: "a1" }, "compaction 3 -> 3: summary of 1 as summary: sum"],
])("a compaction is a call of its own, then a recorded compaction: %s", async (_, marker, line) => {
  const [transcript] = await importDocument({
    info: INFO,
    messages: [
      user("u1", [text("q")]),
      assistant("a1", [text("r")]),
      user("u2", [text("more")]),
      user("u3", [{ type: "compaction", auto: true, ...marker }]),
      assistant("a2", [text("sum")], { summary: true, mode: "compaction" }),
      user("u4", [text("Continue", { synthetic: true })]),
      assistant("a3", [text("on")]),
    ],
  });
  expect(describeLog(transcript).slice(4)).toEqual(["human: more", USAGE, line, "injected: Continue", USAGE, "model: on"]);
  expect(transcript?.automaticCompactionIds).toHaveLength(1);
});

test("a message of several steps is a call a step", async () => {
  const step = (input: number, value: string) => [
    { type: "step-start" },
    text(value),
    { type: "step-finish", tokens: tokens(input) },
  ];
  const message = {
    info: { id: "a1", role: "assistant", modelID: "m", tokens: tokens(99) },
    parts: [...step(1, "one"), ...step(2, "two")],
  };
  const [transcript] = await importDocument({ info: INFO, messages: [user("u1", [text("q")]), message] });
  expect(describeLog(transcript).slice(2)).toEqual([
    "usage 31 (read 10, write 20) out 5",
    "model: one",
    "usage 32 (read 10, write 20) out 5",
    "model: two",
  ]);
});

const folder = freshFolder(beforeEach);
afterEach(() => rm(folder(), { recursive: true }));

test("a session kept in files is put together from them", async () => {
  const write = async (path: string, value: object) => {
    await mkdir(dirname(folder(path)), { recursive: true });
    await writeFile(folder(path), JSON.stringify(value, null, 2));
  };
  const { info, parts } = assistant("msg_2", [text("r")]);
  await write("session/p/ses_1.json", INFO);
  await write("message/ses_1/msg_1.json", user("msg_1", []).info);
  await write("message/ses_1/msg_2.json", info);
  await write("part/msg_1/prt_1.json", text("q"));
  for (const [index, part] of parts.entries()) await write(`part/msg_2/prt_${index}.json`, part);
  const [transcript] = await importFile(folder("session/p/ses_1.json"), "ses_1.json");
  expect(describeLog(transcript)).toEqual(["session ses_1", "human: q", USAGE, "model: r"]);
});

test("a result that the agent pruned stands as cleared in every request from then on", async () => {
  const pruned = (callID: string, output: string, compacted: number) =>
    tool(callID, { status: "completed", output, time: { start: 2, end: 3, compacted } });
  const [transcript] = await importDocument({
    info: INFO,
    messages: [
      user("u1", [text("read")]),
      assistant("a1", [pruned("c1", "one", 5), pruned("c2", "two", 5)]),
      assistant("a2", [pruned("c3", "three", 9), text("before it")], { time: { created: 4 } }),
      assistant("a3", [text("behind it")], { time: { created: 6 } }),
      assistant("a4", [text("the next would be without it")], { time: { created: 8 } }),
    ],
  });
  const log = describeLog(transcript);
  expect(log.filter((each) => each.startsWith("compaction"))).toEqual([
    expect.stringMatching(/^compaction 6 -> 6: replace 2 by \[/),
    expect.stringMatching(/^compaction 8 -> 8: replace 1 by \[/),
  ]);
  expect(log.findIndex((each) => each.startsWith("compaction"))).toBeLessThan(
    log.findIndex((each) => each.includes("behind it")),
  );
  const texts = (transcript?.entries ?? [])
    .reduce(foldEntry, EMPTY_VIEW)
    .messages.slice()
    .flatMap((message) => (message.role === "tool-result" ? [textOf(message)] : []));
  expect(texts).toEqual(Array(3).fill("[Old tool result content cleared]"));
});

test("each call has the cost that the log states, of a message of several steps each step its own", async () => {
  const step = (cost: number) => [{ type: "step-start" }, text("s"), { type: "step-finish", tokens: tokens(1), cost }];
  const [transcript] = await importDocument({
    info: INFO,
    messages: [
      user("u1", [text("q")]),
      assistant("a1", [text("r")], { cost: 0.5 }),
      { info: { id: "a2", role: "assistant", modelID: "m", cost: 9 }, parts: [...step(0.25), ...step(0.125)] },
    ],
  });
  expect(seenCounts(transcript?.entries ?? []).costs).toBe(3);
});

test("ranges that the model compressed are summaries from the next request on, ranges over summaries too; what cannot be placed is noted", async () => {
  const compress = (id: string, content: unknown) => ({
    ...{ type: "tool", tool: "compress", callID: id },
    state: { status: "completed", input: { topic: "t", content }, output: "Compressed 2 messages" },
  });
  const range = (startId: string, endId: string, summary: string) => ({ startId, endId, summary });
  const [transcript] = await importDocument({
    info: INFO,
    messages: [
      user("u1", [text("one")]),
      assistant("a1", [text("r1")]),
      user("n1", [text("notice", { ignored: true })]),
      user("u2", [text("two")]),
      assistant("a2", [compress("c1", [range("m0001", "m0002", "S1")])]),
      user("u3", [text("three")]),
      assistant("a3", [compress("c2", range("b1", "m0003", "S2 with (b1)")), { type: "of-next-month" }]),
      assistant("a4", [compress("c3", [range("m0001", "m0900", "lost")])]),
      assistant("a5", [text("end")]),
    ],
  });
  const log = describeLog(transcript);
  const texts = (transcript?.entries ?? [])
    .reduce(foldEntry, EMPTY_VIEW)
    .messages.slice()
    .map((message) => textOf(message));
  expect(texts.slice(0, 2)).toEqual(["[Compressed conversation section]\nS2 with S1", ""]);
  expect(texts).not.toContain("two");
  expect(log.filter((each) => each.startsWith("compaction"))).toHaveLength(2);
  expect(transcript?.notes.map(({ text: note }) => note)).toEqual([
    expect.stringContaining("left out 2 items of unknown types: of-next-month 1, compress range 1"),
  ]);
});
