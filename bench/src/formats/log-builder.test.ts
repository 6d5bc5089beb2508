import { type SessionEntry, usageOf } from "@plimsoll/core";
import { checkMessages, EMPTY_VIEW, foldEntry } from "@plimsoll/core/extend";
import { expect, test } from "vitest";
import { describeLog } from "../../testing/describe-log.ts";
import { buildLog } from "./log-builder.ts";
import {
  type BoundaryItem,
  boundaryItem,
  callDraft,
  type LogItem,
  type ReplyItem,
  replyItem,
  resultItem,
  textPart,
  userItem,
} from "./log-items.ts";

const START: SessionEntry & { type: "session" } = {
  ...{ type: "session", version: 1, id: "s", createdMs: null, system: "", tools: [], parent: null, agent: null },
};

const user = (text: string, sourceId: string | null = null) => userItem("human", [textPart(text)], { sourceId });
const result = (callId: string, text: string, line: number | null = null) =>
  resultItem(callId, [textPart(text)], { line, isError: false });
const call = (callId: string) => callDraft({}, { callId, toolName: "sh", argumentsJson: "{}", args: { command: "x" } });

function reply(parts: ReplyItem["parts"], more: Partial<ReplyItem> = {}): ReplyItem {
  const usage = usageOf({ uncachedTokens: 5, outputTokens: 1 });
  return { ...replyItem(parts, usage, { modelId: "m", stopReason: "end" }), ...more };
}

function build(items: readonly LogItem[]): {
  lines: readonly string[];
  notes: readonly string[];
  entries: readonly SessionEntry[];
} {
  const { entries, notes } = buildLog(START, items, { file: "log" });
  const transcript = { name: "log", file: "log", format: "x", entries, parentName: null, hasUsage: true, notes };
  return { lines: describeLog(transcript).slice(1), notes: notes.map((note) => note.text), entries };
}

const USAGE = "usage 5 (read null, write null) out 1";
const CALL_A = "call a sh {}";

test.each<[string, LogItem[], string[], string[]]>([
  ["usage stands right before its reply", [user("q"), reply([textPart("r")])], ["human: q", USAGE, "model: r"], []],
  ["a reply without a report is a message", [user("q"), reply([textPart("r")], { usage: null })], ["human: q", "model: r"], []],
  [
    "a reply with nothing visible is a usage alone",
    [user("q"), reply([{ type: "reasoning", text: "t", opaque: null }])],
    ["human: q", USAGE],
    [],
  ],
  ["an aborted empty reply is nothing", [user("q"), reply([], { usage: null })], ["human: q"], []],
  ["blank text is out", [user(" "), user("q"), reply([textPart("\n"), textPart("r")])], ["human: q", USAGE, "model: r"], []],
  [
    "results are joined by id",
    [user("q"), reply([call("a"), call("b")]), result("b", "2"), result("a", "1")],
    ["human: q", USAGE, `model: ${CALL_A} | call b sh {}`, "result b (sh, head-tail): 2", "result a (sh, head-tail): 1"],
    [],
  ],
  [
    "what others say while calls are open follows the results",
    [user("q"), reply([call("a")]), user("wait"), result("a", "1"), reply([textPart("r")])],
    ["human: q", USAGE, `model: ${CALL_A}`, "result a (sh, head-tail): 1", "human: wait", USAGE, "model: r"],
    [],
  ],
  [
    "a result that the file has after the next reply goes to its call",
    [user("q"), reply([call("a")]), reply([textPart("r")]), result("a", "1")],
    ["human: q", USAGE, `model: ${CALL_A}`, "result a (sh, head-tail): 1", USAGE, "model: r"],
    [],
  ],
  [
    "a result that the file has before its call goes to its call",
    [user("q"), result("a", "1"), reply([call("a")]), reply([textPart("r")])],
    ["human: q", USAGE, `model: ${CALL_A}`, "result a (sh, head-tail): 1", USAGE, "model: r"],
    [],
  ],
  [
    "a result without a call is left out",
    [user("q"), result("z", "1", 7)],
    ["human: q"],
    ["log:7: the result of z was left out: no call has its id"],
  ],
  [
    "a second result is left out",
    [user("q"), reply([call("a")]), result("a", "1"), result("a", "2", 9)],
    ["human: q", USAGE, `model: ${CALL_A}`, "result a (sh, head-tail): 1"],
    ["log:9: the result of a was left out: its call has a result already"],
  ],
  [
    "a call without a result stays and is noted",
    [reply([call("a")], { line: 4 }), user("go on")],
    [USAGE, `model: ${CALL_A}`, "human: go on"],
    ["log:4: the call a has no result before the session continues"],
  ],
  ["a call at the very end may be open", [reply([call("a")])], [USAGE, `model: ${CALL_A}`], []],
  [
    "another model is a model change",
    [reply([textPart("1")]), reply([textPart("2")], { modelId: "n" }), reply([textPart("3")], { modelId: null })],
    [USAGE, "model: 1", "model n window null", USAGE, "model: 2", USAGE, "model: 3"],
    [],
  ],
  [
    "limits are told if they are first known",
    [reply([textPart("1")], { limits: { contextWindowTokens: 9, maxOutputTokens: null } }), reply([textPart("2")])],
    ["model m window 9", USAGE, "model: 1", USAGE, "model: 2"],
    [],
  ],
])("%s", (_, items, lines, notes) => {
  expect(build(items)).toMatchObject({ lines, notes });
});

test("a call id that comes twice is made unique, with its result", () => {
  const { entries } = build([
    user("q"),
    reply([call("a")]),
    result("a", "1"),
    reply([call("a")]),
    result("a", "2"),
    user("more"),
  ]);
  const messages = entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  expect(messages.filter((message) => message.role === "tool-result").map((message) => textOfResult(message))).toEqual([
    "1",
    "2",
  ]);
  expect(checkMessages(messages)).toEqual([]);
});

function textOfResult(message: { parts: readonly { type: string; text?: string }[] }): string | undefined {
  return message.parts[0]?.text;
}

test("ids: the source's if it is free, else a chain hash that differs for equal messages", () => {
  const items = [user("q", "u1"), user("q", "u1"), user("q"), user("q")];
  const ids = build(items)
    .entries.slice(1)
    .map((entry) => (entry.type === "message" ? entry.message.id : ""));
  expect(ids[0]).toBe("u1");
  expect(new Set(ids).size).toBe(4);
  expect(build(items).entries).toEqual(build(items).entries);
});

const summary = userItem("summary", [textPart("sum")]);
const boundary = (kept: BoundaryItem["kept"], withSummary: typeof summary | null = summary) =>
  boundaryItem(withSummary, {}, { kept, tokensBefore: 9 });

const KEPT = user("kept");
const FIRST = user("first");
const GONE: LogItem = reply([], { usage: null });

test.each<[string, LogItem[], string]>([
  [
    "a kept tail stands behind a summary",
    [FIRST, KEPT, boundary({ kind: "from", item: KEPT })],
    "compaction 2 -> 2: summary of 1 as summary: sum",
  ],
  [
    "a tail from an item without a message starts at the next",
    [FIRST, GONE, KEPT, boundary({ kind: "from", item: GONE })],
    "compaction 2 -> 2: summary of 1 as summary: sum",
  ],
  [
    "nothing kept replaces all",
    [FIRST, boundary({ kind: "items", items: [] })],
    "compaction 1 -> 1: replace 1 by [summary: sum]",
  ],
  [
    "kept items that are no tail replace the history",
    [FIRST, KEPT, boundary({ kind: "items", items: [FIRST] })],
    "compaction 2 -> 2: replace 1 by [summary: sum; human: first]",
  ],
  [
    "a summary before a history that stays whole covers nothing",
    [FIRST, KEPT, boundary({ kind: "items", items: [FIRST, KEPT] })],
    "compaction 2 -> 3: replace 0 by [summary: sum; human: first; human: kept]",
  ],
  [
    "a history given in full reuses what it can",
    [FIRST, KEPT, boundary({ kind: "history", items: ["kept", "new"].map((text) => user(text)) }, null)],
    "compaction 2 -> 2: replace 1 by [human: kept; human: new]",
  ],
])("recorded compaction: %s", (_, items, line) => {
  const { lines, entries } = build([...items, user("after"), reply([textPart("r")])]);
  expect(lines.find((text) => text.startsWith("compaction"))).toBe(line);
  const views = entries.map((_entry, index) => entries.slice(0, index).reduce(foldEntry, EMPTY_VIEW));
  const through = entries.flatMap((entry, index) =>
    entry.type === "usage" ? [[entry.throughMessageId, views[index]?.messages.at(-1)?.id]] : [],
  );
  expect(through.every(([measured, newest]) => measured === newest)).toBe(true);
});

test("a tail that was compacted away before comes back as the same messages", () => {
  const { entries } = build([
    FIRST,
    KEPT,
    boundary({ kind: "items", items: [] }),
    user("more"),
    boundary({ kind: "from", item: KEPT }),
  ]);
  const view = entries.reduce(foldEntry, EMPTY_VIEW);
  const known = entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  expect([...view.messages].slice(1)).toEqual(known.slice(1));
  expect(view.messages.at(1)).toBe(known[1]);
});
