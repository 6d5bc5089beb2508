import { field, fieldText, type JsonNode, textOf } from "./json-node.ts";
import { type Block, type MessagesRequest, openLoop, type Turn } from "./messages-request.ts";
import { at, type Finding, repeated, type VendorRule } from "./vendor-rule.ts";

/** Models that still accept the beginning of a reply, and that think only when told to: up to Claude 4.5. */
const OLDER_MODEL = /^claude-(?:2|3|instant|(?:opus|sonnet|haiku)-4-(?:[0-5](?:-|$)|\d{8}))/;

/** Models that take a system message at the top alone: those before Claude Opus 4.8. */
const BEFORE_SYSTEM = /^claude-(?:2|3|instant|(?:sonnet|haiku)-4|opus-4(?!-(?:8|9)(?!\d)))/;

/** True for a system message without content that sets the effort: platform.claude.com/docs/en/build-with-claude/effort-per-message (2026-11-26). */
function isEffortAlone(node: JsonNode): boolean {
  const { value } = field(node, "content");
  const isEmpty = Array.isArray(value) && value.length === 0;
  return isEmpty && fieldText(node, "role") === "system" && fieldText(field(node, "output_config"), "effort") !== "";
}

/** Turns and their order, pairs of calls and results, and thinking, as the Messages API checks them after joining neighbours. */
export const MESSAGES_TURN_RULES: readonly VendorRule<MessagesRequest>[] = [
  {
    id: "messages-present",
    source: "https://platform.claude.com/docs/en/api/messages (messages: at least one, at most 100,000)",
    *check({ body, messages }) {
      const node = field(body, "messages");
      if (!Array.isArray(node.value)) yield at(node, "messages: field required");
      else if (messages.length === 0) yield at(node, "messages: at least one message is required");
      else if (messages.length > 100_000) yield at(node, "messages: more than 100,000 messages");
    },
  },
  {
    id: "role",
    source: "@anthropic-ai/sdk 1.12.0, MessageParam: user, assistant, system",
    *check({ messages }) {
      for (const node of messages) {
        const role = fieldText(node, "role");
        if (!["user", "assistant", "system"].includes(role)) yield at(field(node, "role"), `Unexpected role "${role}"`);
      }
    },
  },
  {
    id: "first-user",
    source:
      "https://github.com/langchain4j/langchain4j/issues/940 and https://github.com/anthropics/anthropic-sdk-typescript/issues/622",
    *check({ turns: [first] }) {
      if (first !== undefined && first.role !== "user")
        yield at(first.node, 'messages: first message must use the "user" role');
    },
  },
  {
    id: "system-place",
    source: "https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages (limitations)",
    *check({ messages }) {
      for (const [index, node] of messages.entries()) {
        if (fieldText(node, "role") !== "system" || isEffortAlone(node)) continue;
        const [before, after] = [messages[index - 1], messages[index + 1]];
        if (before === undefined || fieldText(before, "role") !== "user")
          yield at(node, "a system message follows a user message");
        if (after !== undefined && fieldText(after, "role") !== "assistant")
          yield at(node, "a system message is the last or is followed by an assistant message");
      }
    },
  },
  {
    id: "system-model",
    source: "https://github.com/anthropics/claude-code/issues/61412, and the page above (models from Claude Opus 4.8 on)",
    *check({ messages, model }) {
      for (const node of messages)
        if (fieldText(node, "role") === "system" && BEFORE_SYSTEM.test(model))
          yield at(node, "role 'system' is not supported on this model");
    },
  },
  {
    id: "content-present",
    source: "https://github.com/anthropics/claude-code/issues/6774",
    *check({ messages }) {
      for (const [index, node] of messages.entries()) {
        const content = field(node, "content");
        const isFinal = index === messages.length - 1 && fieldText(node, "role") === "assistant";
        const isEmpty = textOf(content) === "" || (Array.isArray(content.value) && content.value.length === 0);
        if (textOf(content) === null && !Array.isArray(content.value)) yield at(content, "content: field required");
        else if (isEmpty && !isFinal && !isEffortAlone(node))
          yield at(content, "all messages must have non-empty content except for the optional final assistant message");
      }
    },
  },
  {
    id: "prefill",
    source: "https://platform.claude.com/docs/en/api/errors#prefill-not-supported",
    *check({ turns, model, thinking }) {
      const last = turns.at(-1);
      if (last?.role !== "assistant") return;
      if (!OLDER_MODEL.test(model) || thinking === "manual")
        yield at(
          last.node,
          "This model does not support assistant message prefill. The conversation must end with a user message.",
        );
    },
  },
  {
    id: "final-whitespace",
    source: "https://github.com/tailcallhq/forgecode/issues/1872",
    *check({ turns }) {
      const last = turns.at(-1);
      const block = last?.role === "assistant" ? last.blocks.at(-1) : undefined;
      if (block?.type === "text" && /\s$/.test(fieldText(block.node, "text")))
        yield at(block.node, "final assistant content cannot end with trailing whitespace");
    },
  },
  {
    id: "tool-use-answered",
    source: "https://github.com/anthropics/claude-code/issues/8210",
    *check({ turns }) {
      for (const [index, { role, blocks }] of turns.entries()) {
        if (role !== "assistant") continue;
        const answered = new Set(idsOf(turns[index + 1], "tool_result", "tool_use_id").map(([, id]) => id));
        for (const { type, node } of blocks)
          if (type === "tool_use" && !answered.has(fieldText(node, "id")))
            yield at(
              node,
              `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${fieldText(node, "id")}`,
            );
      }
    },
  },
  {
    id: "tool-result-called",
    source: "https://github.com/anthropics/claude-code/issues/13460",
    *check({ turns }) {
      for (const [index, turn] of turns.entries()) {
        if (turn.role !== "user") continue;
        const before = turns[index - 1];
        const called = new Set(before?.role === "assistant" ? idsOf(before, "tool_use", "id").map(([, id]) => id) : []);
        for (const [node, id] of idsOf(turn, "tool_result", "tool_use_id"))
          if (!called.has(id)) yield at(node, `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}`);
      }
    },
  },
  {
    id: "tool-result-once",
    source: "https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls (one result for each tool_use)",
    *check({ turns }) {
      for (const turn of turns)
        yield* repeated(idsOf(turn, "tool_result", "tool_use_id"), (id) => `each tool_use must have a single result: ${id}`);
    },
  },
  {
    id: "tool-result-first",
    source:
      "https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls (tool_result blocks come first in the content)",
    *check({ turns }) {
      for (const { blocks } of turns) yield* resultsBehindOthers(blocks);
    },
  },
  {
    id: "tool-use-id-unique",
    source: "https://github.com/anthropics/claude-code/issues/28515",
    *check({ turns }) {
      const uses = turns.flatMap((turn) => idsOf(turn, "tool_use", "id"));
      yield* repeated(uses, () => "`tool_use` ids must be unique");
    },
  },
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
        const [first] = blocks;
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
  {
    id: "thinking-not-last",
    source: "https://github.com/tailcallhq/forgecode/issues/2107",
    *check({ turns }) {
      for (const { role, blocks } of turns) {
        const last = blocks.at(-1);
        if (role === "assistant" && last !== undefined && isThinking(last))
          yield at(last.node, "The final block in an assistant message cannot be `thinking`");
      }
    },
  },
];

function isThinking({ type }: Block): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function idsOf(turn: Turn | undefined, type: string, name: string): readonly (readonly [JsonNode, string])[] {
  return (turn?.blocks ?? []).flatMap((block) =>
    block.type === type ? [[block.node, fieldText(block.node, name)] as const] : [],
  );
}

function* resultsBehindOthers(blocks: readonly Block[]): Iterable<Finding> {
  const firstOther = blocks.findIndex(({ type }) => type !== "tool_result");
  if (firstOther < 0) return;
  for (const { type, node } of blocks.slice(firstOther))
    if (type === "tool_result") yield at(node, "`tool_result` blocks must come first in the content");
}
