import { describe, expect, test } from "vitest";
import { describeLog, importObjects } from "../../../testing/describe-log.ts";

const base = { isSidechain: false, sessionId: "s", version: "2.1.0", timestamp: "2026-01-01T00:00:00Z", cwd: "/w" };
const entry = (uuid: string, parentUuid: string | null, more: object) => ({ uuid, parentUuid, ...base, ...more });
const human = (uuid: string, parentUuid: string | null, content: unknown, more: object = {}) =>
  entry(uuid, parentUuid, { type: "user", message: { role: "user", content }, ...more });
type More = { readonly output?: number; readonly line?: object };
const said = (uuid: string, parentUuid: string, id: string, block: object, { output = 2, line = {} }: More = {}) => {
  const message = { id, role: "assistant", model: "c", content: [block], stop_reason: null, usage: usageOf(output) };
  return entry(uuid, parentUuid, { type: "assistant", requestId: `req-${id}`, message, ...line });
};
const usageOf = (output: number) => ({
  input_tokens: 1,
  cache_creation_input_tokens: 10,
  cache_read_input_tokens: 100,
  output_tokens: output,
  cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 6 },
});
const text = (value: string) => ({ type: "text", text: value });
const use = (id: string, name = "Read", input: object = { file_path: "a.ts" }) => ({ type: "tool_use", id, name, input });
const result = (id: string, content: unknown = "body") => [{ type: "tool_result", tool_use_id: id, content }];

const usage = (output: number) => `usage 111 (read 100, write 10) out ${output}`;
const READ = (id: string) => `call ${id} Read {"file_path":"a.ts"} read a.ts`;

test("lines of one message id are one reply with one usage, wherever results stand between them", async () => {
  const [transcript] = await importObjects([
    { type: "file-history-snapshot", messageId: "x" },
    human("u1", null, "q"),
    said("a1", "u1", "m1", { type: "thinking", thinking: "hm", signature: "sig" }, { output: 1 }),
    said("a2", "a1", "m1", use("t1"), { output: 30 }),
    human("r1", "a2", result("t1"), { toolUseResult: { file: { content: "body" } } }),
    said("a3", "a2", "m1", use("t2"), { output: 2 }),
    human(
      "r2",
      "a3",
      result("t2", [text("x"), { type: "image", source: { type: "base64", media_type: "image/png", data: "QUJD" } }]),
    ),
    said("a4", "r2", "m2", text("done")),
  ]);
  expect(describeLog(transcript)).toEqual([
    "session s",
    "human: q",
    usage(30),
    `model: (hm) | ${READ("t1")} | ${READ("t2")}`,
    "result t1 (Read, file-content): body",
    "result t2 (Read, file-content): x | <image/png 3>",
    usage(2),
    "model: done",
  ]);
  const [reported] = transcript?.entries.flatMap((item) => (item.type === "usage" ? [item] : [])) ?? [];
  expect(reported).toMatchObject({ requestId: "req-m1", usage: { input: { cacheWriteOneHourTokens: 6 } } });
});

test("without a request id the message id joins; copies of a line and of its blocks are read once", async () => {
  const bare = { line: { requestId: undefined } };
  const one = said("a1", "u1", "m1", text("r"), bare);
  const snapshot = said("a2", "a1", "m1", text("r"), bare);
  const [transcript] = await importObjects([
    human("u1", null, "q"),
    one,
    one,
    snapshot,
    said("a3", "a2", "m1", use("t1"), bare),
  ]);
  expect(describeLog(transcript)).toEqual(["session s", "human: q", usage(2), `model: r | ${READ("t1")}`]);
});

test("messages that the agent wrote report nothing; its errors are not in the context", async () => {
  const zeros = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const own = (uuid: string, more: object) =>
    entry(uuid, "u1", {
      type: "assistant",
      message: { id: uuid, model: "<synthetic>", content: [text("No response")], usage: zeros },
      ...more,
    });
  const [transcript] = await importObjects([human("u1", null, "q"), own("a1", {}), own("a2", { isApiErrorMessage: true })]);
  expect(describeLog(transcript)).toEqual(["session s", "human: q", "model: No response"]);
});

test.each([
  ["counts of the last sampling", { input_tokens: 1, cache_read_input_tokens: 110, output_tokens: 2 }],
  [
    "counts of all samplings, with an advisor asked between",
    { input_tokens: 1001, cache_read_input_tokens: 110, output_tokens: 52 },
  ],
])("an answer sampled several times, %s: the context holds the last, all were paid for", async (_name, counts) => {
  const iterations = [
    { type: "message", input_tokens: 1000, output_tokens: 50 },
    { type: "advisor_message", input_tokens: 7000, output_tokens: 3 },
    { type: "message", input_tokens: 1, cache_read_input_tokens: 110, output_tokens: 2 },
  ];
  const message = { id: "m1", role: "assistant", model: "c", content: [text("r")], usage: { ...counts, iterations } };
  const [transcript] = await importObjects([
    human("u1", null, "q"),
    entry("a1", "u1", { type: "assistant", requestId: "r", message }),
  ]);
  expect(transcript?.entries[2]).toMatchObject({
    usage: { input: { totalTokens: 111 }, output: { totalTokens: 2 }, billed: { inputTokens: 8111, outputTokens: 55 } },
  });
});

describe("who wrote a user line", () => {
  test.each([
    ["plain words", "hello", {}, "human"],
    ["a slash command", "<command-name>/x</command-name>", {}, "command"],
    ["what a command printed", "<local-command-stdout>bye</local-command-stdout>", {}, "command"],
    ["a shell line", "<bash-input>ls</bash-input>", {}, "command"],
    ["meta", "anything", { isMeta: true }, "injected"],
    ["a reminder alone", "<system-reminder>x</system-reminder>", {}, "injected"],
    ["an interruption", "[Request interrupted by user]", {}, "injected"],
    ["a declared origin", "<x>", { origin: { kind: "task-notification" } }, "injected"],
    ["a declared human", "<x>", { origin: { kind: "human" } }, "human"],
  ])("%s", async (_, content, more, origin) => {
    const [transcript] = await importObjects([human("u1", null, content, more)]);
    expect(describeLog(transcript)).toEqual(["session s", `${origin}: ${content}`]);
  });

  test("words next to a reminder are the person's, words next to a result follow it", async () => {
    const [transcript] = await importObjects([
      human("u1", null, [text("<system-reminder>x"), text("do it")]),
      said("a1", "u1", "m1", use("t1")),
      human("r1", "a1", [text("[Request interrupted by user for tool use]"), ...result("t1")]),
    ]);
    expect(describeLog(transcript)).toEqual([
      "session s",
      "injected: <system-reminder>x",
      "human: do it",
      usage(2),
      `model: ${READ("t1")}`,
      "result t1 (Read, file-content): body",
      "injected: [Request interrupted by user for tool use]",
    ]);
  });
});

test.each([
  ["skill_listing", { content: "skills" }, ["injected: skills"]],
  ["edited_text_file", { filename: "a", snippet: "1 x" }, ["injected: 1 x"]],
  ["deferred_tools_delta", { addedNames: ["A"], addedLines: ["A", "B"] }, ["injected: A\nB"]],
  ["hook_additional_context", { content: ["x", "y"] }, ["injected: x\ny"]],
  ["file", { content: { type: "text", file: { content: "body" } } }, ["injected: body"]],
  [
    "nested_memory",
    { path: "/p/CLAUDE.md", content: { path: "/p/CLAUDE.md", type: "Project", content: "be brief" } },
    ["injected: Contents of /p/CLAUDE.md:\n\nbe brief"],
  ],
  ["task_reminder", { content: [{ subject: "s", status: "pending" }] }, ['injected: {"subject":"s","status":"pending"}']],
  ["hook_success", { content: "", stdout: "{}" }, []],
  ["hook_system_message", { content: "for the eye" }, []],
  ["queued_command", { prompt: "and this", commandMode: "prompt" }, ["human: and this"]],
  ["queued_command", { prompt: "<task-notification>", commandMode: "task-notification" }, ["injected: <task-notification>"]],
])("attachment %s %o", async (type, fields, lines) => {
  const [transcript] = await importObjects([
    human("u1", null, "q"),
    entry("x1", "u1", { type: "attachment", attachment: { type, ...fields } }),
  ]);
  expect(describeLog(transcript)).toEqual(["session s", "human: q", ...lines]);
});

const queued = (operation: string, content?: string) => ({ type: "queue-operation", operation, sessionId: "s", content });
const ATTACHED = { type: "attachment", attachment: { type: "queued_command", prompt: "and this" } };

test.each([
  ["words that the running turn took", ["and this"], ["remove"], [], ["human: and this"]],
  ["words before a task's end", ['{"task_id":"b1"}', "and this"], ["remove"], [], ["human: and this"]],
  ["not words that wait", ["and this"], [], [], []],
  ["not a task's end", ['{"task_id":"b1"}', "<task-notification>x"], ["remove", "remove"], [], []],
  ["once words that begin a turn of their own", ["go"], ["remove", "dequeue"], [human("u2", "u1", "go")], ["human: go"]],
  ["once words that began one before", ["q"], ["dequeue"], [human("u2", "u1", "q"), queued("remove")], ["human: q"]],
  ["once words that an attachment has", ["and this"], ["remove"], [entry("x1", "u1", ATTACHED)], ["human: and this"]],
])("a queue sends %s", async (_, before, taken, after, lines) => {
  const [transcript] = await importObjects([
    human("u1", null, "q"),
    ...before.map((content) => queued("enqueue", content)),
    ...taken.map((operation) => queued(operation)),
    ...after,
  ]);
  expect(describeLog(transcript)).toEqual(["session s", "human: q", ...lines]);
});

/** The transcript of a log that was compacted. */
async function cutBy(compactMetadata: object) {
  const [transcript] = await importObjects([
    human("u1", null, "q"),
    said("a1", "u1", "m1", text("r")),
    human("u2", "a1", "more"),
    entry("b1", null, { type: "system", subtype: "compact_boundary", compactMetadata }),
    human("s1", "b1", "sum", { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
    said("a2", "s1", "m2", text("on")),
  ]);
  return transcript;
}

test.each([
  ["the summary alone", {}, "compaction 3 -> 1: replace 3 by [summary: sum]"],
  [
    "a preserved segment",
    { preservedSegment: { headUuid: "a1", anchorUuid: "x", tailUuid: "u2" } },
    "compaction 3 -> 3: summary of 1 as summary: sum",
  ],
  ["preserved messages", { preservedMessages: { uuids: ["u1"] } }, "compaction 3 -> 2: replace 2 by [summary: sum; human: q]"],
])("a recorded compaction takes effect at its summary: %s", async (_, metadata, line) => {
  const transcript = await cutBy({ trigger: "auto", preTokens: 500, ...metadata });
  expect(describeLog(transcript).slice(5)).toEqual([line, usage(2), "model: on"]);
  expect(transcript?.entries.find((item) => item.type === "compaction")).toMatchObject({
    record: { reason: "recorded", tokensBefore: 500 },
  });
});

test.each([
  ["auto", ["b1"]],
  ["manual", undefined],
])("a compaction with the trigger %s is known as made by the agent itself: %j", async (trigger, ids) => {
  expect((await cutBy({ trigger, preTokens: 500 }))?.automaticCompactionIds).toEqual(ids);
});

const clearing = (
  uuid: string,
  parentUuid: string,
  compactedToolIds: readonly string[],
  clearedAttachmentUUIDs: readonly string[],
) =>
  entry(uuid, parentUuid, {
    ...{ type: "system", subtype: "microcompact_boundary" },
    microcompactMetadata: { trigger: "auto", preTokens: 60, tokensSaved: 40, compactedToolIds, clearedAttachmentUUIDs },
  });

test.each<[string, unknown, readonly string[], readonly string[], string]>([
  [
    "results",
    "body",
    ["c1", "gone"],
    [],
    "compaction 4 -> 4: replace 1 by [human: q; model: CALL; result c1 (Read, file-content): CLEARED; injected: note]",
  ],
  [
    "attachments",
    "body",
    [],
    ["n1"],
    "compaction 4 -> 3: replace 1 by [human: q; model: CALL; result c1 (Read, file-content): body]",
  ],
])("old %s are cleared from every request after it, and nothing is unread", async (_, body, callIds, uuids, line) => {
  const [transcript] = await importObjects([
    human("u1", null, "q"),
    said("a1", "u1", "m1", use("c1")),
    human("r1", "a1", result("c1", body)),
    entry("n1", "r1", { type: "attachment", attachment: { type: "x", content: "note" } }),
    clearing("b1", "n1", callIds, uuids),
    said("a2", "b1", "m2", text("on")),
  ]);
  const words = line.replace("CALL", READ("c1")).replace("CLEARED", "[Old tool result content cleared]");
  expect(describeLog(transcript).slice(-3)).toEqual([words, usage(2), "model: on"]);
  expect(transcript?.entries.find((item) => item.type === "compaction")).toMatchObject({
    record: { tokensBefore: 111, tokensAfter: 71, steps: [{ strategy: "clearing old results" }] },
  });
  expect(transcript).toMatchObject({ automaticCompactionIds: ["b1"], notes: [] });
});

test("a prompt typed again before an answer is left out", async () => {
  const [transcript] = await importObjects([
    human("u0", null, "q"),
    said("a0", "u0", "m0", text("r")),
    human("u1", "a0", "wrong"),
    human("u2", "a0", "right"),
    said("a1", "u2", "m1", text("ok")),
  ]);
  expect(describeLog(transcript)).toEqual([
    "session s",
    "human: q",
    usage(2),
    "model: r",
    "human: right",
    usage(2),
    "model: ok",
  ]);
});

describe("sidechains", () => {
  const side = { isSidechain: true };

  test("each is a transcript of its own, tied to the call whose prompt it was given", async () => {
    const transcripts = await importObjects([
      { type: "summary", summary: "a title", leafUuid: "a1" },
      human("u1", null, "q"),
      said("a1", "u1", "m1", use("t1", "Task", { prompt: "dig" })),
      human("x1", null, "dig", side),
      human("y1", null, "other", side),
      said("x2", "x1", "m2", text("found"), { line: side }),
      said("y2", "y1", "m3", text("none"), { line: side }),
      human("r1", "a1", result("t1", "found")),
    ]);
    expect(transcripts.map((transcript) => [transcript.name, transcript.parentName, describeLog(transcript)])).toEqual([
      [
        "log",
        null,
        ["session s", "human: q", usage(2), 'model: call t1 Task {"prompt":"dig"}', "result t1 (Task, generic): found"],
      ],
      ["log#x1", "log", ["session s/x1", "human: dig", usage(2), "model: found"]],
      ["log#y1", "log", ["session s/y1", "human: other", usage(2), "model: none"]],
    ]);
    expect(transcripts[1]?.entries[0]).toMatchObject({ parent: { sessionId: "s", callId: "t1" } });
  });

  test("a file of one subagent is one transcript", async () => {
    const [transcript, ...others] = await importObjects([
      human("x1", null, "dig", { ...side, agentId: "g1" }),
      said("x2", "x1", "m2", text("found"), { line: { ...side, agentId: "g1" } }),
    ]);
    expect(others).toEqual([]);
    expect(transcript).toMatchObject({
      name: "log",
      parentName: null,
      entries: [{ id: "s/g1", parent: { sessionId: "s", callId: null } }, {}, {}, {}],
    });
  });
});

const REMINDER = "<system-reminder>\nUse tabs.\n</system-reminder>";

test.each<[string, unknown, string[]]>([
  ["behind a reminder", `${REMINDER}\n\nFind out why.`, [`injected: ${REMINDER}`, "human: Find out why."]],
  ["before a reminder", `Find out why.\n${REMINDER}`, ["human: Find out why.", `injected: ${REMINDER}`]],
  [
    "between two",
    `${REMINDER}\nFind out why.\n${REMINDER}`,
    [`injected: ${REMINDER}`, "human: Find out why.", `injected: ${REMINDER}`],
  ],
  ["in parts of their own", [text(REMINDER), text("Find out why.")], [`injected: ${REMINDER}`, "human: Find out why."]],
  ["about a reminder", "What is a <system-reminder>?", ["human: What is a <system-reminder>?"]],
  ["none, behind two reminders", `${REMINDER}${REMINDER}`, [`injected: ${REMINDER} | ${REMINDER}`]],
  ["none, in a tag that nobody has seen", "<new-notice>x</new-notice>", ["injected: <new-notice>x</new-notice>"]],
  ["a page", "<p>x</p>", ["human: <p>x</p>"]],
  [
    "a command's",
    "<command-name>/x</command-name>\n<command-args>y</command-args>",
    ["command: <command-name>/x</command-name> | \n<command-args>y</command-args>"],
  ],
])("the person's words: %s", async (_, content, expected) => {
  const [transcript] = await importObjects([human("u1", null, content), said("a1", "u1", "m1", text("ok"))]);
  expect(
    describeLog(transcript)
      .slice(1, -2)
      .filter((each) => !each.startsWith("model c")),
  ).toEqual(expected);
});

test.each([
  ["a prompt follows, which the agent puts in", "The task.", { isMeta: true }, "human"],
  ["what it printed follows", "<local-command-stdout>ok</local-command-stdout>", {}, "command"],
  ["another command's caveat follows", "<local-command-caveat>Mind.</local-command-caveat>", { isMeta: true }, "command"],
  ["the person goes on", "Thanks.", {}, "command"],
])("a slash command is a turn of the person if %s", async (_, next, more, origin) => {
  const [transcript] = await importObjects([
    human("u1", null, "<command-message>fix</command-message>\n<command-name>/fix</command-name>"),
    { ...human("u2", "u1", next), ...more },
    said("a1", "u2", "m1", text("ok")),
  ]);
  expect(transcript?.entries[1]).toMatchObject({ message: { origin } });
});
