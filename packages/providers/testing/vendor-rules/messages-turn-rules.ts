import { type Block, type MessagesRequest, openLoop } from "./messages-request.ts";
import { at, type VendorRule } from "./vendor-rule.ts";

/** Models that still accept the beginning of a reply, and that think only on request: up to Claude 4.5. */
const OLDER_MODEL = /^claude-(?:2|3|instant|(?:opus|sonnet|haiku)-4-(?:[0-5](?:-|$)|\d{8}))/;

/** Turns and their order, pairs of calls and results, and thinking, as the Messages API checks them after joining neighbours. */
export const MESSAGES_TURN_RULES: readonly VendorRule<MessagesRequest>[] = [
  {
    id: "thinking-first",
    source:
      "https://github.com/anthropics/claude-code/issues/11978; adaptive thinking is exempt: https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking",
    *check(request) {
      if (request.thinking !== "manual") return;
      const first = openLoop(request)[0]?.blocks[0];
      if (first !== undefined && !isThinking(first))
        yield at(first.node, `Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\``);
    },
  },
  {
    id: "thinking-in-front",
    source:
      "the vendor's error: If an assistant message contains any thinking blocks, the first block must be `thinking` or `redacted_thinking`; " +
      "adaptive thinking, which goes on between texts, is exempt",
    *check({ turns, thinking }) {
      for (const { role, blocks } of thinking === "adaptive" ? [] : turns) {
        // A vendor's summary is no part of the reply behind it.
        const first = blocks.find(({ type }) => type !== "compaction");
        if (role === "assistant" && first !== undefined && !isThinking(first) && blocks.some(isThinking))
          yield at(first.node, `the first block must be \`thinking\` or \`redacted_thinking\`. Found \`${first.type}\`.`);
      }
    },
  },
  {
    id: "thinking-off",
    source: "https://github.com/tailcallhq/forgecode/issues/1853",
    *check(request) {
      const isOff = request.thinking === "off" || (request.thinking === "unset" && OLDER_MODEL.test(request.model));
      if (!isOff) return;
      for (const { node } of openLoop(request).at(-1)?.blocks.filter(isThinking) ?? [])
        yield at(node, "When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`");
    },
  },
];

function isThinking({ type }: Block): boolean {
  return type === "thinking" || type === "redacted_thinking";
}
