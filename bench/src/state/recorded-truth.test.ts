import { expect, test } from "vitest";
import { calling, human, result } from "./made-session.ts";
import { recordedTruth } from "./recorded-truth.ts";

const FIRST = "write the importer";
const SECOND = "measure the importer";
const plan = (id: string, ...items: readonly (readonly [string, string])[]) =>
  calling(id, "TodoWrite", { todos: items.map(([content, status]) => ({ content, status })) });

test("items are over when they are done or not in the plan any more; things when a later text says so by name", () => {
  const messages = [
    human("u", "go"),
    plan("p", [FIRST, "pending"], [SECOND, "pending"]),
    calling("s", "Bash", { command: "npm run dev", run_in_background: true }),
    result("sr", "c-s", "Command running in background with ID: bash_17"),
    plan("q", [FIRST, "completed"], [SECOND, "in_progress"]),
    calling("k", "KillShell", { shell_id: "bash_17" }),
    result("kr", "c-k", "Successfully killed shell: bash_17"),
    plan("r", ["another task of it", "pending"]),
  ];
  expect(recordedTruth(messages.map((message) => ({ type: "message", message })))).toEqual({
    orders: [],
    hostile: [],
    things: [{ name: "bash_17", started: "sr", ended: "kr" }],
    items: [
      { text: FIRST, planned: "p", closed: "q" },
      { text: SECOND, planned: "p", closed: "r" },
      { text: "another task of it", planned: "r", closed: null },
    ],
  });
});
