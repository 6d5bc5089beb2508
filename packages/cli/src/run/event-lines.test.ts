import type { AgentEvent } from "@plimsoll/core/agent";
import { expect, test } from "vitest";
import { type Cursor, rendering } from "./event-lines.ts";

const words = (text: string, sessionId = "main"): AgentEvent => ({ type: "text-delta", text, sessionId });
const queued = (sessionId = "main"): AgentEvent => ({ type: "message-queued", waiting: 1, sessionId });

test.each<readonly [string, Cursor, AgentEvent, { readonly cursor: Cursor; readonly text: string }]>([
  ["words are shown as they come", "line-start", words("All is "), { cursor: "in-words", text: "All is " }],
  ["words go on where words were", "in-words", words("well."), { cursor: "in-words", text: "well." }],
  ["words of a sub-agent are for its parent", "in-words", words("psst", "other"), { cursor: "in-words", text: "" }],
  ["all else is a line of its own", "line-start", queued(), { cursor: "line-start", text: "▹ for the next step\n" }],
  ["a line ends the words before it", "in-words", queued(), { cursor: "line-start", text: "\n▹ for the next step\n" }],
  [
    "a sub-agent's line stands to the right",
    "line-start",
    queued("other"),
    { cursor: "line-start", text: "  ▹ for the next step\n" },
  ],
])("%s", (_rule, cursor, event, expected) => {
  expect(rendering(cursor, event, { status: () => "status", sessionId: "main" })).toEqual(expected);
});
