import { expect, test } from "vitest";
import { mendedSummary } from "../engine/execute.ts";
import { foldFacts, NO_FACTS } from "../facts/facts.ts";
import { human, logOf, reply, result, toolCall } from "../testing/builders.ts";

const call = (id: string, name: string, args: object) => toolCall(id, `c-${id}`, { name, argumentsJson: JSON.stringify(args) });

const facts = logOf([
  human("a", "Repair the login form. Never use semicolons in scripts."),
  call("p", "TodoWrite", { todos: [{ content: "trace the callers", status: "pending" }] }),
  result("rp", "c-p", "ok"),
  call("s", "Bash", { command: "npm run dev", run_in_background: true }),
  result("rs", "c-s", "Command running in background with ID: bash_1"),
  call("q", "TodoWrite", { todos: [{ content: "trace the callers", status: "completed" }] }),
  result("rq", "c-q", "ok"),
  call("k", "KillShell", { shell_id: "bash_1" }),
  result("rk", "c-k", "bash_1 was stopped"),
  reply("e", "The login form is repaired; no semicolons in the scripts."),
  human("b", "Always answer in French."),
  human("c", "Forget the semicolons in scripts."),
]).reduce(foldFacts, NO_FACTS);

const FRENCH = "- Always answer in French.";
const LATER = "[no longer in force; the person said later: Forget the semicolons in scripts.]";

test.each([
  ["stays as it is if it has what is in force alone", FRENCH, FRENCH, []],
  [
    "gets the later words where it tells an order that was taken back",
    `${FRENCH}\n- Scripts never use semicolons`,
    `${FRENCH}\n- Scripts never use semicolons ${LATER}`,
    ["ended-order-marked"],
  ],
  [
    "has the later words right behind the order, and a mark behind the request, where a line tells both",
    `${FRENCH}\n- Repair the login form. Never use semicolons in scripts. Then wait.`,
    `${FRENCH}\n- Repair the login form. [done since, or given up] Never use semicolons in scripts. ${LATER} Then wait.`,
    ["ended-order-marked", "finished-marked"],
  ],
  [
    "stays as it is if it tells that the order is over",
    `${FRENCH}\n- Semicolons in scripts: the rule was dropped`,
    `${FRENCH}\n- Semicolons in scripts: the rule was dropped`,
    [],
  ],
  ["leaves what it lost to the record, which is said", "- The parser is done", "- The parser is done", ["order-restored"]],
  [
    "says of an item below next steps that it is done",
    `${FRENCH}\n## Next steps\n- trace the callers`,
    `${FRENCH}\n## Next steps\n- trace the callers [done since]`,
    ["finished-marked"],
  ],
  [
    "leaves an item that it says is done, and one that goes on behind the words",
    `${FRENCH}\n## Done\n- trace the callers\n## Next steps\n- trace the callers of the client`,
    `${FRENCH}\n## Done\n- trace the callers\n## Next steps\n- trace the callers of the client`,
    [],
  ],
  [
    "says of a thing that it calls running that it ended",
    `${FRENCH}\n- The server bash_1 is still running`,
    `${FRENCH}\n- The server bash_1 [ended since] is still running`,
    ["finished-marked"],
  ],
])("a summary %s", (_, summary, text, repairs) => {
  const mended = mendedSummary(summary, facts);
  expect(mended).toEqual({ text, repairs });
  expect(mendedSummary(text, facts).text).toBe(text);
});
