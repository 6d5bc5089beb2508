import { definePolicy, PLIMSOLL_POLICY, textOf, toolCallsOf } from "@plimsoll/core";
import { amountSchema, defineKeepRule, withKinds } from "@plimsoll/core/extend";
import { createChatCompactor } from "@plimsoll/providers/drop-in/openai-chat";
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

/** For `--with`. */
export default { keepRules: [FAILED_TESTS] };

const kinds = withKinds({ keepRules: [FAILED_TESTS] });
const keep = [{ kind, atMost: { tokens: 8_000 } }, ...PLIMSOLL_POLICY.keep];
const policy = definePolicy({ name: "with-failed-tests", keep }, kinds);
const limits = { contextWindowTokens: 32_000, maxOutputTokens: 4_000 };

/** For your loop. */
export const compactor = createChatCompactor({ policy, kinds, limits });
