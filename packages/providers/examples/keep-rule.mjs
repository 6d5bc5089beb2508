import { textOf, toolCallsOf } from "@plimsoll/core";
import { amountSchema, defineKeepRule } from "@plimsoll/core/extend";
import { z } from "zod";

const kind = "failed-tests";
const FAILED_TESTS = defineKeepRule({
  kind,
  schema: z.strictObject({ kind: z.literal(kind), atMost: amountSchema }),
  rule: ({ atMost }) => ({
    keeps: "messages",
    atMost,
    // Index ranges, most valuable first. One that would split a call from its results is widened, and costs the whole.
    choose: ({ messages }) => {
      const calls = new Map(messages.flatMap(toolCallsOf).map((call) => [call.callId, call.argumentsJson]));
      return messages
        .flatMap((message, at) =>
          message.role === "tool-result" &&
          /\b(test|jest|pytest|vitest)\b/.test(calls.get(message.callId) ?? "") &&
          (message.isError || /\bfail/i.test(textOf(message)))
            ? [{ from: at, through: at }]
            : [],
        )
        .reverse();
    },
  }),
});

export default { keepRules: [FAILED_TESTS] };
