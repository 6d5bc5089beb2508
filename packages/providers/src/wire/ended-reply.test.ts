import { expect, test } from "vitest";
import { endedReplyIn } from "./ended-reply.ts";

test.each([
  ["end_turn", "end"],
  ["max_tokens", "length"],
  ["tool_use", "other"],
])("an answer that stops with %s ended with %s", (reason, stopReason) => {
  expect(endedReplyIn({ stop_reason: reason, content: [] }, null)).toMatchObject({ stopReason });
});

test.each<[string, object, object]>([
  ["an answer of Responses that is whole", { object: "response", status: "completed", output: [] }, { stopReason: "end" }],
  [
    "a message with the fields that name one",
    {
      choices: [
        {
          finish_reason: "stop",
          message: { role: "assistant", content: "", ...{ id: "m", type: "message", object: "o", name: "n" } },
        },
      ],
    },
    { stopReason: "end", saidChars: 0 },
  ],
])("%s ended by itself", (_, answer, expected) => {
  expect(endedReplyIn(answer, null)).toMatchObject(expected);
});
