import { expect, test } from "vitest";
import { describeLog, importObjects } from "../../../testing/describe-log.ts";

const event = (type: string, data: object, more: object = {}) => ({
  ...{ type, data, id: `${type}-${JSON.stringify(data).length}`, timestamp: "2026-01-01T00:00:00Z", parentId: null },
  ...more,
});
const START = event("session.start", { sessionId: "s", version: 1, producer: "copilot-agent", copilotVersion: "1.0.74" });
const user = (content: string, more: object = {}, at: object = {}) => event("user.message", { content, ...more }, at);
const request = (toolCallId: string, name: string, args: unknown) => ({ toolCallId, name, arguments: args, type: "function" });
const reply = (content: string, toolRequests: readonly object[] = [], more: object = {}) =>
  event(
    "assistant.message",
    { messageId: content, model: "m", content, toolRequests, outputTokens: 9, apiCallId: `api-${content}` },
    more,
  );
const result = (toolCallId: string, content: string, more: object = {}) =>
  event(
    "tool.execution_complete",
    { toolCallId, success: true, result: { content, detailedContent: `${content}, longer` } },
    more,
  );

const USAGE = "usage null (read null, write null) out 9";

test("what was sent is read, what is for the eye or for hooks is not", async () => {
  const [transcript] = await importObjects([
    START,
    event("system.message", { role: "system", content: "be terse" }),
    user("q", { transformedContent: "<now/> q" }),
    user("", { transformedContent: "reminder", source: "system" }),
    user("reminder", { source: "system" }),
    event("hook.start", { input: { prompt: "q" } }),
    event("skill.invoked", { name: "plan", content: "Plan first." }),
    user("Plan first.", { source: "skill-plan" }),
    event("assistant.message", {
      ...{ model: "m", content: "", reasoningText: "hm", reasoningOpaque: "x", outputTokens: 9 },
      toolRequests: [request("c1", "view", { path: "a.ts" }), request("c2", "powershell", { command: "Get-Content a" })],
    }),
    event("tool.execution_start", { toolCallId: "c1", toolName: "view", arguments: { path: "a.ts" } }),
    event("tool.execution_complete", { toolCallId: "c2", success: false, error: { message: "denied", code: "denied" } }),
    result("c1", "body"),
    event("system.notification", { content: "agent idle" }),
    reply("done"),
  ]);
  expect(transcript?.entries[0]).toMatchObject({ system: "be terse", agent: { name: "copilot-cli", version: "1.0.74" } });
  expect(describeLog(transcript).slice(1)).toEqual([
    "human: <now/> q",
    "injected: reminder",
    "injected: Plan first.",
    USAGE,
    'model: (hm) | call c1 view {"path":"a.ts"} read a.ts | call c2 powershell {"command":"Get-Content a"}',
    "result c2 (powershell, head-tail, error): denied",
    "result c1 (view, file-content): body",
    "injected: agent idle",
    USAGE,
    "model: done",
  ]);
  expect(transcript?.notes.map(({ code }) => code)).toEqual(["no-usage"]);
});

test.each([
  ["edit", { path: "a", old_str: "x", new_str: "y" }, "generic", "modify a"],
  ["create", { path: "a", file_text: "y" }, "generic", "modify a"],
  ["grep", { pattern: "x", path: "src" }, "match-list", ""],
  ["bash", { command: "cat b.ts" }, "head-tail", "read b.ts"],
  ["task", { prompt: "p" }, "generic", ""],
  ["an-mcp-tool", { path: "a" }, "file-content", "read a"],
])("the tool %s has its category and its paths", async (name, args, category, path) => {
  const [transcript] = await importObjects([START, user("q"), reply("", [request("c", name, args)]), result("c", "out")]);
  const lines = describeLog(transcript);
  expect(lines.at(-2)).toBe(`model: call c ${name} ${JSON.stringify(args)} ${path}`.trim());
  expect(lines.at(-1)).toBe(`result c (${name}, ${category}): out`);
});

test("the arguments of a tool with a text of its own are that text", async () => {
  const patch = "*** Begin Patch\n*** Update File: a.ts\n*** End Patch";
  const [transcript] = await importObjects([
    START,
    user("q"),
    reply("", [request("c", "apply_patch", patch)]),
    result("c", "ok"),
  ]);
  expect(describeLog(transcript).at(-2)).toContain("modify a.ts");
});

const COMPLETE = { success: true, preCompactionTokens: 160, summaryContent: "sum", checkpointNumber: 1 };
const compacted = (complete: object) => [
  START,
  user("q"),
  reply("a"),
  event("session.compaction_start", { systemTokens: 1 }),
  reply("b", [request("c1", "bash", { command: "ls" })]),
  result("c1", "out"),
  event("session.compaction_complete", complete),
  reply("c"),
];

test("a compaction keeps what was said since it began", async () => {
  const [transcript] = await importObjects(compacted(COMPLETE));
  expect(describeLog(transcript).slice(-3)).toEqual(["compaction 4 -> 3: summary of 2 as summary: sum", USAGE, "model: c"]);
  expect(transcript?.entries.at(-3)).toMatchObject({ record: { tokensBefore: 160 } });
});

test("a compaction that failed changes nothing", async () => {
  const [transcript] = await importObjects(compacted({ success: false, error: "no" }));
  expect(transcript?.entries.some((entry) => entry.type === "compaction")).toBe(false);
});

test("a subagent is a sidechain of the call that started it", async () => {
  const inside = { agentId: "c1" };
  const [main, side] = await importObjects([
    START,
    user("q"),
    reply("", [request("c1", "task", { prompt: "p" })]),
    event("subagent.started", { toolCallId: "c1", agentName: "car", model: "n" }, inside),
    user("p", { source: "agent-s" }, inside),
    reply("", [request("d1", "view", { path: "b" })], inside),
    result("d1", "inner", inside),
    reply("report", [], inside),
    result("c1", "report"),
    reply("end"),
  ]);
  expect(describeLog(main)).toEqual([
    "session s",
    "human: q",
    USAGE,
    'model: call c1 task {"prompt":"p"}',
    "result c1 (task, generic): report",
    USAGE,
    "model: end",
  ]);
  expect(side).toMatchObject({ name: "log#c1", parentName: "log" });
  expect(side?.entries[0]).toMatchObject({ id: "s/c1", parent: { sessionId: "s", callId: "c1" } });
  expect(describeLog(side).slice(1)).toEqual([
    "human: p",
    USAGE,
    'model: call d1 view {"path":"b"} read b',
    "result d1 (view, file-content): inner",
    USAGE,
    "model: report",
  ]);
});

test("sizes that are told for the session as a whole are noted", async () => {
  const usage = { inputTokens: 50, outputTokens: 9, cacheReadTokens: 30 };
  const [transcript] = await importObjects([
    START,
    user("q"),
    reply("a"),
    event("session.shutdown", { modelMetrics: { m: { requests: { count: 1 }, usage } } }),
  ]);
  expect(transcript?.hasUsage).toBe(false);
  expect(transcript?.notes.map(({ code, text }) => `${code}: ${text}`)).toEqual([
    "usage-in-total: log:4: 1 calls of m in all: 50 tokens in (30 read from the cache), 9 out",
    "no-usage: log: reports no sizes; it is replayed on estimates",
  ]);
});

test("an answer that names no model was given by the one that was set last", async () => {
  const [transcript] = await importObjects([
    START,
    event("session.model_change", { newModel: "g" }),
    user("q"),
    reply("a", [], { data: { content: "a", toolRequests: [], outputTokens: 9 } }),
    reply("b"),
    reply("c", [], { data: { content: "c", toolRequests: [], outputTokens: 9 } }),
  ]);
  const models = transcript?.entries.flatMap((entry) => (entry.type === "usage" ? [entry.modelId] : []));
  expect(models).toEqual(["g", "m", "m"]);
});
