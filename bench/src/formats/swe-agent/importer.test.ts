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
