import { expect, test } from "vitest";
import { describeLog, importDocument } from "../../../testing/describe-log.ts";

const UNREPORTED = "usage null (read null, write null) out null";

test("calls with ids, calls as text, and demonstrations; nothing is reported", async () => {
  const [transcript] = await importDocument({
    trajectory: [{ action: "ls" }],
    info: {},
    history: [
      { role: "system", content: "You are.", message_type: "system_prompt" },
      { role: "user", content: "a demonstration", is_demo: true, message_type: "demonstration" },
      { role: "user", content: "the issue", message_type: "observation" },
      {
        role: "assistant",
        content: "look",
        thought: "look",
        action: "open a.py",
        tool_calls: [{ id: "c1", function: { name: "open", arguments: '{"path":"a.py"}' } }],
      },
      { role: "tool", content: "body", tool_call_ids: ["c1"] },
      { role: "assistant", content: "try\n```\nls\n```", thought: "try", action: "ls" },
      { role: "user", content: "a.py", message_type: "observation" },
      { role: "assistant", content: "done", action: "" },
    ],
  });
  expect(describeLog(transcript).map((line) => line.replace(/call:[0-9a-f]{32}/, "ID"))).toEqual([
    "session log",
    "injected: a demonstration",
    "human: the issue",
    UNREPORTED,
    'model: look | call c1 open {"path":"a.py"} read a.py',
    "result c1 (open, file-content): body",
    UNREPORTED,
    'model: try | call ID bash {"command":"ls"}',
    "result ID (bash, head-tail): a.py",
    UNREPORTED,
    "model: done",
  ]);
  expect(transcript).toMatchObject({
    hasUsage: false,
    notes: [{ code: "no-usage" }],
    entries: expect.arrayContaining([expect.objectContaining({ system: "You are." })]),
  });
});

test.each<[string, string, string]>([
  ["a file that is opened", 'open "src/a.py" 20', 'open {"path":"src/a.py","line_number":20} read src/a.py'],
  ["the open file, further down", "goto 40", 'goto {"path":"a.py","line_number":40} read a.py'],
  [
    "lines of the open file",
    "edit 3:4\nx = 1\n\ny = 2\nend_of_edit",
    'edit {"path":"a.py","start_line":3,"end_line":4,"new_text":"x = 1\\n\\ny = 2"} modify a.py',
  ],
  [
    "a text of the open file",
    'edit \'x = 1\ny\' "x = \\"2\\""',
    'edit {"path":"a.py","old_str":"x = 1\\ny","new_str":"x = \\"2\\""} modify a.py',
  ],
  ["a text put in", "insert 'one\ntwo' 7", 'insert {"path":"a.py","insert_text":"one\\ntwo","insert_line":7} modify a.py'],
  ["a new file", "create b.py", 'create {"path":"b.py","content":""} modify b.py'],
  ["a search", 'search_dir "one two" src', 'search_dir {"pattern":"one two","path":"src"}'],
  [
    "an editor with flags",
    "str_replace_editor str_replace /w/a.py --old_str 'a b' --new_str c",
    'str_replace_editor {"command":"str_replace","path":"/w/a.py","old_str":"a b","new_str":"c"} modify /w/a.py',
  ],
  ["the shell", "python -m pytest -k 'a b'", `bash {"command":"python -m pytest -k 'a b'"}`],
])("an action is a call of its own: %s", async (_, action, expected) => {
  const [transcript] = await importDocument({
    trajectory: [{ action: "ls" }],
    info: {},
    history: [
      { role: "user", content: "the issue", message_type: "observation" },
      { role: "assistant", content: "open", thought: "open", action: "open a.py" },
      { role: "user", content: "1:x", message_type: "observation" },
      { role: "assistant", content: "go", thought: "go", action },
    ],
  });
  expect(
    describeLog(transcript)
      .find((line) => line.startsWith("model: go"))
      ?.replace(/call:[0-9a-f]{32}/, "ID"),
  ).toBe(`model: go | call ID ${expected}`);
});

test.each<[string, string, boolean]>([
  ["an edit that it takes back", "Your proposed edit has introduced new syntax error(s). Please read", true],
  ["a command that it does not understand", "Usage: edit <start_line>:<end_line>", true],
  ["a file that is not there", "File b.py not found", true],
  ["the window after an edit", "[File: /a.py (2 lines total)]\n1:x\n2:y", false],
])("an answer of its own commands says whether they did it: %s", async (_, content, isError) => {
  const [transcript] = await importDocument({
    trajectory: [{ action: "ls" }],
    info: {},
    history: [
      { role: "user", content: "the issue" },
      { role: "assistant", content: "go", thought: "go", action: "edit 1:1\nx\nend_of_edit" },
      { role: "user", content },
    ],
  });
  expect(transcript?.entries.at(-1)).toMatchObject({ message: { role: "tool-result", isError } });
});
