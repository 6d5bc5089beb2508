import { expect, test } from "vitest";
import { describeLog, importObjects } from "../../../testing/describe-log.ts";

const HEADER = { type: "session", id: "s", timestamp: "2025-01-01T00:00:00Z", cwd: "/w", provider: "p", modelId: "m" };
const message = (body: object, more: object = {}) => {
  return { type: "message", timestamp: "2025-01-01T00:00:01Z", message: body, ...more };
};
const usage = (input: number, output: number, cacheRead: number, cacheWrite: number) => {
  return { input, output, cacheRead, cacheWrite };
};
const assistant = (content: object[], counts = usage(1, 2, 3, 4), stopReason = "stop") =>
  message({ role: "assistant", content, usage: counts, model: "m", stopReason });
const human = (text: string, more: object = {}) => message({ role: "user", content: [{ type: "text", text }] }, more);

const USAGE = "usage 8 (read 3, write 4) out 2";

test("calls, results, reasoning and a command of the person", async () => {
  const [transcript] = await importObjects([
    HEADER,
    human("look"),
    { type: "thinking_level_change", thinkingLevel: "high" },
    assistant([
      { type: "thinking", thinking: "hm", thinkingSignature: "sig" },
      { type: "text", text: "reading" },
      { type: "toolCall", id: "c1", name: "read", arguments: { path: "a.ts" } },
    ]),
    message({
      role: "toolResult",
      toolCallId: "c1",
      toolName: "read",
      content: [{ type: "text", text: "body" }],
      details: { copy: "x" },
      isError: true,
    }),
    message({ role: "bashExecution", command: "ls", output: "a.ts", exitCode: 2 }),
    message({ role: "bashExecution", command: "secret", output: "", exitCode: 0, excludeFromContext: true }),
    message({ role: "user", content: [{ type: "image", data: "QUJD", mimeType: "image/png" }] }),
  ]);
  expect(describeLog(transcript)).toEqual([
    "session s",
    "human: look",
    USAGE,
    'model: (hm) | reading | call c1 read {"path":"a.ts"} read a.ts',
    "result c1 (read, file-content, error): body",
    "command: $ ls\na.ts\n(exit code 2)",
    "human: <image/png 3>",
  ]);
  expect(transcript).toMatchObject({ format: "pi", hasUsage: true, parentName: null, notes: [] });
});

test("an aborted call with zeros reports nothing; what it said stays, an empty one goes", async () => {
  const zeros = usage(0, 0, 0, 0);
  const [transcript] = await importObjects([
    HEADER,
    human("q"),
    assistant([{ type: "text", text: "half" }], zeros, "aborted"),
    assistant([], zeros, "error"),
  ]);
  expect(describeLog(transcript)).toEqual(["session s", "human: q", "model: half"]);
});

const OLD = [
  HEADER,
  human("one"),
  assistant([{ type: "text", text: "two" }]),
  human("three"),
  { type: "compaction", summary: "sum", tokensBefore: 99 },
];

test.each([
  ["by index of the entry", { firstKeptEntryIndex: 3 }, "compaction 3 -> 2: summary of 2 as summary: sum"],
  ["by index, nothing kept", { firstKeptEntryIndex: 9 }, "compaction 3 -> 1: replace 3 by [summary: sum]"],
])("a compaction keeps the tail: %s", async (_, kept, line) => {
  const [transcript] = await importObjects([
    ...OLD.slice(0, 4),
    { ...OLD[4], ...kept },
    assistant([{ type: "text", text: "four" }]),
  ]);
  expect(describeLog(transcript).slice(5)).toEqual([line, USAGE, "model: four"]);
});

test("version 3: entry ids are message ids, a tail starts at an id, a prompt taken back is left out", async () => {
  const [transcript] = await importObjects([
    { ...HEADER, version: 3 },
    { type: "model_change", id: "e0", parentId: null, modelId: "m" },
    human("wrong", { id: "e1", parentId: "e0" }),
    human("right", { id: "e2", parentId: "e0" }),
    { ...assistant([{ type: "text", text: "yes" }]), id: "e3", parentId: "e2" },
    { type: "compaction", id: "e4", parentId: "e3", summary: "sum", firstKeptEntryId: "e3", tokensBefore: 5 },
    { type: "custom_message", id: "e5", parentId: "e4", customType: "x", content: "note", display: true },
  ]);
  expect(describeLog(transcript)).toEqual([
    "session s",
    "human: right",
    USAGE,
    "model: yes",
    "compaction 2 -> 2: summary of 1 as summary: sum",
    "injected: note",
  ]);
  expect(transcript?.entries.flatMap((entry) => (entry.type === "message" ? [entry.message.id] : []))).toEqual([
    "e2",
    "e3",
    "e5",
  ]);
});

test("a prompt that was answered and then taken back leaves the context where another one replaces it", async () => {
  const [transcript] = await importObjects([
    { ...HEADER, version: 3 },
    human("first", { id: "e1", parentId: "e0" }),
    { ...assistant([{ type: "text", text: "a" }]), id: "e2", parentId: "e1" },
    human("wrong", { id: "e3", parentId: "e2" }),
    { ...assistant([{ type: "text", text: "b" }]), id: "e4", parentId: "e3" },
    human("right", { id: "e5", parentId: "e2" }),
    { type: "of_next_month", id: "e6", parentId: "e5" },
  ]);
  expect(describeLog(transcript).slice(4)).toEqual([
    ...["human: wrong", USAGE, "model: b", "compaction 4 -> 2: replace 2 by [human: first; model: a]", "human: right"],
  ]);
  expect(transcript?.notes.map(({ code }) => code)).toEqual(["abandoned-branch", "unknown-line-type"]);
});

test("the prompt's own sections and tools are its system text, later ones are declared; usage beside the conversation is named", async () => {
  const system = (sections: object, toolsAdded: object[]) => message({ role: "system", content: "", sections, toolsAdded });
  const tool = { name: "read", description: "Reads.", parameters: {} };
  const [transcript] = await importObjects([
    HEADER,
    system({ preamble: "You are.", docs: "<docs/>" }, [tool]),
    human("q"),
    system({ skills: "<skills/>", docs: null }, [tool]),
    assistant([{ type: "text", text: "a" }], { ...usage(1, 2, 3, 4), cacheWrite1h: 4 } as ReturnType<typeof usage>),
    { type: "usage", kind: "cache_warm", model: "m", usage: usage(0, 0, 50, 0) },
    { type: "branch_summary", summary: "b", usage: usage(9, 1, 0, 0) },
  ]);
  expect(transcript?.entries[0]).toMatchObject({
    system: "You are.\n<docs/>",
    tools: [{ name: "read", description: "Reads.", parametersJson: "{}" }],
  });
  expect(describeLog(transcript).slice(1)).toEqual([
    "human: q",
    `declared: <skills/>${JSON.stringify([tool])}`,
    USAGE,
    "model: a",
    "injected: b",
  ]);
  expect(transcript?.entries[3]).toMatchObject({ usage: { input: { cacheWriteOneHourTokens: 4 } } });
  expect(transcript?.notes.flatMap(({ unread }) => unread ?? [])).toMatchObject([
    { counts: { "usage of cache_warm": 1, "usage of branch_summary": 1 } },
  ]);
});
