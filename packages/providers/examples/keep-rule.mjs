import { definePolicy, PLIMSOLL_POLICY } from "@plimsoll/core";
import { amountSchema, defineKeepRule, withKinds } from "@plimsoll/core/extend";
import { createChatCompactor } from "@plimsoll/providers/drop-in/openai-chat";
import { z } from "zod";

const kind = "tickets";
const TICKETS = defineKeepRule({
  kind,
  schema: z.strictObject({ kind: z.literal(kind), atMost: amountSchema }),
  rule: ({ atMost }) => ({
    keeps: "messages",
    atMost,
    beyondAmount: 100, // up to 100 messages more, while the rules together have room
    // Places of messages, the worthiest first. A call and its results stay together and count together.
    choose: ({ messages }) =>
      messages
        .flatMap((message, at) =>
          message.role === "tool-result" && message.toolName === "read_ticket" ? [{ from: at, through: at }] : [],
        )
        .reverse(),
  }),
});

/** For the bench: `--with keep-rule.mjs`. */
export default { keepRules: [TICKETS] };

const kinds = withKinds({ keepRules: [TICKETS] });
const keep = [{ kind, atMost: { tokens: 8_000 } }, ...PLIMSOLL_POLICY.keep];
const policy = definePolicy({ name: "with-tickets", keep }, kinds);
const limits = { contextWindowTokens: 32_000, maxOutputTokens: 4_000 };

/** For your loop. */
export const compactor = createChatCompactor({ policy, kinds, limits });
