import { expect, test } from "vitest";
import { describeLog, importObjects } from "../../../testing/describe-log.ts";
import { editQuotes } from "../../needs/files.ts";
import { seenCounts } from "../../open/describe-session.ts";

const line = (type: string, payload: object) => ({ timestamp: "2026-01-01T00:00:00Z", type, payload });
const item = (payload: object) => line("response_item", payload);
const META = line("session_meta", { id: "s", cli_version: "0.120.0", base_instructions: { text: "You are." } });
const TURN = line("turn_context", { model: "g" });
const human = (text: string) => item({ type: "message", role: "user", content: [{ type: "input_text", text }] });
const said = (text: string) => item({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });
const reasoning = item({ type: "reasoning", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "x" });
const call = (id: string) => item({ type: "function_call", name: "exec_command", arguments: '{"cmd":"ls"}', call_id: id });
const output = (id: string, text: unknown = "ok") => item({ type: "function_call_output", call_id: id, output: text });
const counts = (input: number) => ({
  input_tokens: input,
  cached_input_tokens: 10,
  output_tokens: 5,
  reasoning_output_tokens: 2,
  total_tokens: input + 5,
});
const tokens = (input: number, total: number) =>
  line("event_msg", {
    type: "token_count",
    info: { total_token_usage: counts(total), last_token_usage: counts(input), model_context_window: 1000 },
  });

const usage = (input: number) => `usage ${input} (read 10, write null) out 5`;
const CALL = (id: string) => `call ${id} exec_command {"cmd":"ls"}`;
const RESULT = (id: string) => `result ${id} (exec_command, head-tail): ok`;

async function logOf(lines: object[]): Promise<readonly string[]> {
  const [transcript] = await importObjects([META, TURN, ...lines]);
  return describeLog(transcript).slice(1);
}

test.each([
  [
    "before the outputs (0.118)",
    [reasoning, said("go"), call("a"), call("b"), tokens(20, 20), output("a"), output("b"), said("done"), tokens(30, 50)],
  ],
  [
    "after the outputs (0.140)",
    [reasoning, said("go"), call("a"), call("b"), output("a"), output("b"), tokens(20, 20), said("done"), tokens(30, 50)],
  ],
])("the report that closes a call stands %s", async (_, lines) => {
  expect(await logOf([human("q"), ...lines])).toEqual([
    "human: q",
    "model g window 1000",
    usage(20),
    `model: (hm) | go | ${CALL("a")} | ${CALL("b")}`,
    RESULT("a"),
    RESULT("b"),
    usage(30),
    "model: done",
  ]);
});

test("a log names its project by any address of its repository, else by its folder, and the plan that paid", async () => {
  const read = async (payload: object, ...more: object[]) =>
    (
      await importObjects([
        line("session_meta", { id: "s", cli_version: "0.120.0", ...payload }),
        TURN,
        human("q"),
        said("a"),
        ...more,
      ])
    )[0];
  const [https, ssh] = ["https://github.com/o/r.git", "git@github.com:o/r"].map((repository_url) => ({
    git: { repository_url },
  }));
  const projects = [https, ssh, { ...ssh, cwd: "/w" }].map(async (meta) => (await read(meta ?? {}))?.project);
  expect(new Set(await Promise.all(projects)).size).toBe(1);
  expect((await read({ cwd: "/w" }))?.project).not.toBe((await read({ cwd: "/v" }))?.project);
  const unnamed = { git: { repository_url: "https://github.com/..git" }, cwd: "/w" };
  expect((await read(unnamed))?.project).toBe((await read({ cwd: "/w" }))?.project);
  expect(await read({})).not.toHaveProperty("project");
  const paid = line("event_msg", { type: "token_count", info: null, rate_limits: { plan_type: "pro" } });
  expect(await read({}, paid)).toMatchObject({ plan: "pro" });
});

test("reports that repeat the totals are not counted, nor are event mirrors or reports without counts", async () => {
  const empty = line("event_msg", { type: "token_count", info: null });
  const mirror = line("event_msg", { type: "agent_message", message: "r" });
  const [transcript] = await importObjects([
    META,
    TURN,
    empty,
    human("q"),
    mirror,
    said("r"),
    tokens(20, 20),
    tokens(20, 20),
    human("q2"),
    said("r2"),
    tokens(20, 40),
  ]);
  expect(describeLog(transcript).filter((text) => text.startsWith("usage"))).toEqual([usage(20), usage(20)]);
  expect(transcript?.notes.map((note) => note.code)).toEqual(["duplicate-usage"]);
});

test("an aborted turn leaves a reply that was not reported", async () => {
  const aborted = line("event_msg", { type: "turn_aborted" });
  expect(await logOf([human("q"), said("half"), aborted, human("again"), said("whole"), tokens(20, 20)])).toEqual([
    "human: q",
    "model: half",
    "human: again",
    "model g window 1000",
    usage(20),
    "model: whole",
  ]);
});

test.each([
  ["<environment_context>\n x", "injected"],
  ["# AGENTS.md instructions for /w", "injected"],
  ["<user_shell_command>ls", "command"],
  ["what is <environment_context>?", "human"],
])("origin of %s", async (text, origin) => {
  expect(await logOf([human(text)])).toEqual([`${origin}: ${text}`]);
});

test("developer messages and images", async () => {
  const developer = item({ type: "message", role: "developer", content: [{ type: "input_text", text: "rules" }] });
  const image = item({
    type: "message",
    role: "user",
    content: [{ type: "input_image", image_url: "data:image/png;base64,QUJD" }],
  });
  expect(await logOf([developer, image])).toEqual(["injected: rules", "human: <image/png 3>"]);
});

test("custom tools, their patches, failures, and searches of the provider", async () => {
  const patch = "*** Begin Patch\n*** Update File: a.ts\n*** End Patch";
  expect(
    await logOf([
      item({ type: "web_search_call", status: "completed" }),
      item({ type: "custom_tool_call", name: "apply_patch", input: patch, call_id: "p" }),
      tokens(20, 20),
      item({ type: "custom_tool_call_output", call_id: "p", output: '{"output":"no","metadata":{"exit_code":1}}' }),
      call("a"),
      call("b"),
      tokens(30, 50),
      output("a", "Exit code: 1\nOutput:"),
      output("b", { content: "no", success: false }),
    ]),
  ).toEqual([
    "model g window 1000",
    usage(20),
    `model: () | call p apply_patch ${JSON.stringify({ input: patch })} modify a.ts`,
    'result p (apply_patch, generic, error): {"output":"no","metadata":{"exit_code":1}}',
    usage(30),
    `model: ${CALL("a")} | ${CALL("b")}`,
    "result a (exec_command, head-tail, error): Exit code: 1\nOutput:",
    "result b (exec_command, head-tail, error): no",
  ]);
});

test("a replacement history takes effect where it stands and reuses the messages that it keeps", async () => {
  const history = [
    human("q").payload,
    said("r").payload,
    { type: "message", role: "user", content: [{ type: "input_text", text: "new" }] },
    { type: "compaction", encrypted_content: "x" },
  ];
  const [transcript] = await importObjects([
    META,
    TURN,
    human("q"),
    said("r"),
    tokens(20, 20),
    line("compacted", { message: "", replacement_history: history }),
    tokens(20, 20),
    said("on"),
    tokens(15, 35),
  ]);
  expect(describeLog(transcript).slice(1)).toEqual([
    "human: q",
    "model g window 1000",
    usage(20),
    "model: r",
    "compaction 2 -> 4: replace 0 by [human: q; model: r; human: new; summary: [summary encrypted by the provider]]",
    usage(15),
    "model: on",
  ]);
  const messages = transcript?.entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : [])) ?? [];
  const kept = transcript?.entries.flatMap((entry) => (entry.type === "compaction" ? entry.edits : [])) ?? [];
  expect(kept[0]).toMatchObject({ messages: [{ id: messages[0]?.id }, { id: messages[1]?.id }, {}, {}] });
});

test.each([
  [
    "nor a summary has it in the provider's hands",
    "",
    "compaction 1 -> 2: replace 0 by [human: q; summary: [summary encrypted by the provider]]",
  ],
  ["but a summary has the history as it stands", "sum", "compaction 1 -> 1: replace 0 by [human: q]"],
])("a compaction whose history holds no summary %s", async (_, message, line_) => {
  const log = await logOf([human("q"), line("compacted", { message, replacement_history: [human("q").payload] })]);
  expect(log.at(-1)).toBe(line_);
});

test("a compaction without a history keeps the user messages beside the summary", async () => {
  const log = await logOf([human("q"), said("r"), tokens(20, 20), line("compacted", { message: "sum" })]);
  expect(log.at(-1)).toBe("compaction 2 -> 2: replace 1 by [summary: sum; human: q]");
});

test("lines without payload, behind a header, are read as items", async () => {
  const header = { id: "old", timestamp: "2025-05-01T00:00:00Z", instructions: "You are." };
  const [transcript] = await importObjects([header, human("q").payload, said("r").payload]);
  expect(describeLog(transcript)).toEqual(["session old", "human: q", "model: r"]);
  expect(transcript).toMatchObject({ hasUsage: false, entries: [{ system: "You are." }, {}, {}] });
});

const script = (id: string, input: string) => item({ type: "custom_tool_call", name: "exec", call_id: id, input });
const PATCH_SCRIPT =
  'const patch = "*** Begin Patch\\n*** Update File: /w/a.ts\\n@@\\n-const one = 1;\\n+const one = 2;\\n*** End Patch";\ntext(await tools.apply_patch(patch));';

test("a script is read as the calls that it makes; those that cannot be read are counted", async () => {
  const [transcript] = await importObjects([
    META,
    TURN,
    human("fix it"),
    script("c1", PATCH_SCRIPT),
    item({ type: "custom_tool_call_output", call_id: "c1", output: [{ type: "input_text", text: "Script completed" }] }),
    script("c2", "text(await tools.exec_command({cmd: 'cat b.ts'})); for (const f of all) tools.exec_command({cmd: f})"),
    item({ type: "custom_tool_call_output", call_id: "c2", output: "text of b" }),
    script("c3", "const { apply_patch } = tools; await apply_patch(p);"),
    item({ type: "custom_tool_call_output", call_id: "c3", output: "done" }),
    said("ok"),
  ]);
  const calls = (transcript?.entries ?? []).flatMap((entry) =>
    entry.type === "message" ? entry.message.parts.filter((part) => part.type === "tool-call") : [],
  );
  expect(calls.map(({ paths }) => paths)).toEqual([
    [{ path: "/w/a.ts", access: "modify" }],
    [{ path: "b.ts", access: "read" }],
    [],
  ]);
  expect(calls.slice(0, 1).flatMap(editQuotes)).toEqual([{ kind: "text", text: "const one = 1;" }]);
  expect(seenCounts(transcript?.entries ?? []).scripts).toBe(2);
  expect(transcript?.notes.filter(({ code }) => code === "unread-script").map(({ text }) => text)).toEqual([
    expect.stringMatching(/: 2 of 4 calls in scripts make their arguments while the script runs/),
  ]);
});

const PLUGINS = "<recommended_plugins>\nA list.\n</recommended_plugins>";
const RULES = "# AGENTS.md instructions for /w\n\nUse tabs.";
const SURROUNDINGS = "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>";
const userItem = (...texts: string[]) =>
  item({ type: "message", role: "user", content: texts.map((text) => ({ type: "input_text", text })) });
const typed = (message: string) => line("event_msg", { type: "user_message", message });

test.each<[string, object[], string[]]>([
  [
    "parts of tags and headings alone",
    [userItem(PLUGINS, RULES, SURROUNDINGS)],
    [`injected: ${PLUGINS} | ${RULES} | ${SURROUNDINGS}`],
  ],
  [
    "a tag that nobody has seen",
    [userItem("<brand_new_notice>\nx\n</brand_new_notice>")],
    ["injected: <brand_new_notice>\nx\n</brand_new_notice>"],
  ],
  [
    "the person's words behind the agent's part",
    [userItem(SURROUNDINGS, "fix it")],
    [`injected: ${SURROUNDINGS}`, "human: fix it"],
  ],
  [
    "the person's words in the agent's part",
    [userItem(`${SURROUNDINGS}\n\nfix it`)],
    [`injected: ${SURROUNDINGS}`, "human: fix it"],
  ],
  ["a page that the person shows", [userItem("<div>\nx\n</div>")], ["human: <div>\nx\n</div>"]],
  [
    "what the event says that the person typed",
    [userItem("<my_task>\nx\n</my_task>"), typed("<my_task>\nx\n</my_task>")],
    ["human: <my_task>\nx\n</my_task>"],
  ],
  [
    "the event before the item",
    [typed("<my_task>\nx\n</my_task>"), userItem("<my_task>\nx\n</my_task>")],
    ["human: <my_task>\nx\n</my_task>"],
  ],
])("who said it: %s", async (_, lines, expected) => {
  expect((await logOf(lines)).filter((each) => !each.startsWith("model"))).toEqual(expected);
});

test("turns that were rolled back leave the context, with what the agent put before them", async () => {
  const rollBack = (num_turns: number) => line("event_msg", { type: "thread_rolled_back", num_turns });
  const environment = human("<environment_context> e </environment_context>");
  const turn = (text: string, total: number) => [human(text), said(`to ${text}`), tokens(20, total)];
  const log = await logOf([
    ...[environment, ...turn("one", 20), environment, ...turn("two", 40), ...turn("three", 60)],
    ...[rollBack(2), ...turn("four", 80), rollBack(9), ...turn("five", 100), rollBack(0)],
  ]);
  expect(log.filter((text) => text.startsWith("compaction"))).toEqual([
    "compaction 8 -> 3: replace 5 by [injected: <environment_context> e </environment_context>; human: one; model: to one]",
    "compaction 5 -> 1: replace 4 by [injected: <environment_context> e </environment_context>]",
  ]);
});

test("a message of another agent is injected, and of what only the provider can read it is said that it is there", async () => {
  const content = [
    { type: "input_text", text: "Task: look" },
    { type: "encrypted_content", encrypted_content: "x" },
  ];
  expect(await logOf([item({ type: "agent_message", author: "/root", recipient: "/root/a", content }), said("r")])).toEqual([
    "injected: Task: look\n[message encrypted by the provider]",
    "model: r",
  ]);
});

test("a state that repeats messages and an unknown tool that names nothing like a path are no note", async () => {
  const timer = item({
    type: "function_call",
    name: "wake_later",
    arguments: '{"seconds":60,"why":"tests run"}',
    call_id: "w",
  });
  const state = line("world_state", { full: true, state: { agents_md: { text: "Search with rg." } } });
  const [transcript] = await importObjects([
    META,
    TURN,
    human("q"),
    state,
    timer,
    output("w"),
    call("a"),
    output("a"),
    tokens(20, 20),
  ]);
  expect(transcript?.notes).toEqual([]);
});

test("items, lines and tools that are not known are one note each, however many they are, and a note does not grow without end", async () => {
  const many = Array.from({ length: 500 }, (_, at) => item({ type: `of_next_month_${at}`, text: "x" }));
  const tool = (name: string) => item({ type: "function_call", name, arguments: '{"x":"src/a.ts"}', call_id: name });
  const [transcript] = await importObjects([
    ...[META, TURN, human("q"), ...many, item({ type: "of_next_month_7" }), line("line_of_next_month", { a: 1 })],
    ...[tool("unheard_of"), output("unheard_of"), call("a"), output("a"), tokens(20, 20)],
  ]);
  const notes = transcript?.notes.map(({ code, text }) => `${code} ${text}`) ?? [];
  expect(notes.map((text) => text.split(" ")[0])).toEqual(["unknown-line-type", "unknown-tool"]);
  expect(notes[0]).toContain("left out 502 items of unknown types: others 301, of_next_month_7 2,");
  expect(notes[0]?.length).toBeLessThan(250);
  expect(notes[1]).toContain("no file shown in 1 call of unknown tools: unheard_of 1");
});

test.each<[string, object, unknown]>([
  ["with its seal", { encrypted_content: "x", summary: [] }, "x"],
  ["of which nothing is left", { id: "rs_1", summary: [] }, { type: "reasoning", id: "rs_1", summary: [] }],
  ["in plain words", { summary: [{ type: "summary_text", text: "hm" }] }, null],
])("reasoning %s is sent back by its seal", async (_, fields, opaque) => {
  const [transcript] = await importObjects([META, TURN, human("q"), item({ type: "reasoning", ...fields }), call("a")]);
  const parts = transcript?.entries.flatMap((entry) =>
    entry.type === "message" && entry.message.role === "assistant" ? entry.message.parts : [],
  );
  expect(parts?.find(({ type }) => type === "reasoning")).toMatchObject({ opaque });
});
