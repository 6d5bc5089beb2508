import { definePolicy } from "@plimsoll/core";
import { withKinds } from "@plimsoll/core/extend";
import { createChatCompactor } from "@plimsoll/providers/drop-in/openai-chat";
import rules from "./keep-rule.mjs";

const kinds = withKinds(rules);
const policy = definePolicy({ keep: { "failed-tests": "8k" } }, kinds);
const limits = { contextWindowTokens: 32_000, maxOutputTokens: 4_000 };

export const compactor = createChatCompactor({
  policy,
  kinds,
  limits,
  onEvent: (event) => {
    if (event.type === "compaction-end") console.warn(event.unkept.join("\n"));
  },
});
