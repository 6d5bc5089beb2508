import { expect, test } from "vitest";
import { endedReplyIn } from "./ended-reply.ts";

test.each([
  ["end_turn", "end"],
  ["max_tokens", "length"],
  ["tool_use", "other"],
])("an answer that stops with %s ended with %s", (reason, stopReason) => {
  expect(endedReplyIn({ stop_reason: reason, content: [] }, null)).toMatchObject({ stopReason });
});
