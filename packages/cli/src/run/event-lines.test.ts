import type { AgentEvent } from "@plimsoll/agent";
import { compaction, summarized, summaryMessage } from "@plimsoll/core/testing";
import { expect, test } from "vitest";
import { type Cursor, compactionLogLine, rendering } from "./event-lines.ts";

const words = (text: string, sessionId = "main"): AgentEvent => ({ type: "text-delta", text, sessionId });
const queued = (sessionId = "main"): AgentEvent => ({ type: "message-queued", waiting: 1, sessionId });

const at = (column: number, word = ""): Cursor => ({ column, word });

test.each<readonly [string, Cursor, AgentEvent, { readonly cursor: Cursor; readonly text: string }]>([
  ["words are shown as they come", "line-start", words("All is "), { cursor: at(7), text: "All is " }],
  ["a word whose end is to come stays back", "line-start", words("All i"), { cursor: at(4, "i"), text: "All " }],
  ["words go on where words were", at(7, "we"), words("ll. "), { cursor: at(13), text: "well. " }],
  ["words are broken where the terminal ends", at(18), words("well. "), { cursor: at(6), text: "\nwell. " }],
  ["words of a sub-agent are for its parent", at(7), words("psst", "other"), { cursor: at(7), text: "" }],
  ["all else is a line of its own", "line-start", queued(), { cursor: "line-start", text: "▹ for the next step\n" }],
  ["a line ends the words before it", at(7, "well."), queued(), { cursor: "line-start", text: "well.\n▹ for the next step\n" }],
  [
    "a sub-agent's line is to the right",
    "line-start",
    queued("other"),
    { cursor: "line-start", text: "  ▹ for the next step\n" },
  ],
])("%s", (_rule, cursor, event, expected) => {
  expect(rendering(cursor, event, { status: () => "status", sessionId: "main", columns: 20 })).toEqual(expected);
});

const call = (toolName: string, sessionId = "main"): AgentEvent => ({
  type: "tool-start",
  callId: "c1",
  toolName,
  argumentsJson: JSON.stringify({ command: `seq -f '${"a long line ".repeat(8)}' 1 120` }),
  sessionId,
});

test.each([
  ["a call", call("run_terminal_command")],
  ["a sub-agent's call", call("run_terminal_command", "other")],
  ["a call of a tool with a long name", call("a".repeat(100))],
  [
    "words about a failure",
    { type: "compaction-cancelled", reason: "manual", why: "no ".repeat(60), sessionId: "main" } satisfies AgentEvent,
  ],
  [
    "what fills the window",
    {
      type: "window-filled",
      budgetTokens: 96_000,
      overheadTokens: 61_000,
      estimator: "ledger",
      sessionId: "main",
      parts: ["github", "playwright", "linear", "a".repeat(90), "b", "c", "d"].map((name) => ({
        what: "tools",
        name,
        toolCount: 20,
        tokens: 8_000,
      })),
    } satisfies AgentEvent,
  ],
])("in a terminal of 80 columns %s has no longer line", (_what, event) => {
  const { text } = rendering("line-start", event, { status: () => "status", sessionId: "main", columns: 80 });
  expect(text.split("\n").filter((line) => [...line].length > 80)).toEqual([]);
  expect(text.length).toBeGreaterThan(70);
});

test.each([
  ["inside a tool loop", 11, "[plimsoll:context:compacted:structured] 60674 → 7144 tokens (tool round 11)"],
  ["before the submit", 0, "[plimsoll:context:compacted:structured] 60674 → 7144 tokens"],
])("SVEN logs a compaction %s", (_, step, line) => {
  const summary = summarized(summaryMessage("m", "They worked."), ["a", "b"]);
  const entry = compaction("c", [{ ...summary, spans: [{ from: "a", through: "b", promptId: "structured" }] }]);
  expect(compactionLogLine({ ...entry, record: { ...entry.record, tokensBefore: 60_674, tokensAfter: 7144, step } })).toBe(
    line,
  );
});
