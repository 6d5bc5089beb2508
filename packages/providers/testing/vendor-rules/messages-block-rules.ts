import { field, fieldText, isSet, type JsonNode, textOf } from "./json-node.ts";
import { blocksOf, breakpointsOf, type MessagesRequest } from "./messages-request.ts";
import { at, unknownFields, type VendorRule } from "./vendor-rule.ts";

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const IMAGE_TYPES: readonly string[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/** Fields of each block that an agent sends, as the vendor's SDK declares them for a request. */
const BLOCK_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["type", "text", "cache_control", "citations"],
  image: ["type", "source", "cache_control", "transformations"],
  document: ["type", "source", "cache_control", "citations", "context", "title"],
  thinking: ["type", "thinking", "signature"],
  redacted_thinking: ["type", "data"],
  compaction: ["type", "content", "signature", "cache_control", "tool_changes"],
  tool_use: ["type", "id", "name", "input", "cache_control", "caller", "toolset_name"],
  tool_result: ["type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"],
};

const USER_BLOCKS: readonly string[] = ["text", "image", "document", "search_result", "tool_result", "container_upload"];
const INSIDE_RESULT: readonly string[] = ["text", "image", "document", "search_result", "tool_reference", "browser_state"];

/** Content blocks of the Messages API: their fields, texts, ids, images, summaries, and the breakpoints of the prompt cache on them. */
export const MESSAGES_BLOCK_RULES: readonly VendorRule<MessagesRequest>[] = [
  {
    id: "block-fields",
    source:
      "@anthropic-ai/sdk 1.12.0, ContentBlockParam; https://github.com/anthropics/claude-code/issues/4378 (Extra inputs are not permitted)",
    *check({ blocks }) {
      for (const { type, node } of blocks) {
        const known = BLOCK_FIELDS[type];
        if (known !== undefined) yield* unknownFields(node, new Set(known));
      }
    },
  },
  {
    id: "message-fields",
    source:
      "@anthropic-ai/sdk 1.12.0, UserMessageParam and AssistantMessageParam: role and content alone; a system message sets the effort, too: platform.claude.com/docs/en/build-with-claude/effort-per-message",
    *check({ messages }) {
      for (const node of messages) {
        const own = fieldText(node, "role") === "system" ? ["output_config"] : [];
        yield* unknownFields(node, new Set(["role", "content", ...own]));
      }
    },
  },
  {
    id: "block-role",
    source: "https://platform.claude.com/docs/en/api/messages (blocks of a user's and of an assistant's message)",
    *check({ turns }) {
      for (const { role, blocks } of turns) {
        for (const { type, node } of blocks) {
          const isUsers = USER_BLOCKS.includes(type);
          const isRight =
            type === "compaction" ||
            (role === "user" ? isUsers : type === "text" || (role === "assistant" && type !== "" && !isUsers));
          if (!isRight) yield at(node, `\`${type}\` blocks are not allowed in ${role} messages`);
        }
      }
    },
  },
  {
    id: "compaction-alone",
    source:
      "https://platform.claude.com/docs/en/build-with-claude/compaction-on-demand (read 2026-11-29: parameters that it refuses)",
    *check({ body }) {
      if (!isSet(field(body, "compaction"))) return;
      const choice = fieldText(field(body, "tool_choice"), "type");
      const format = field(field(body, "output_config"), "format");
      for (const node of [field(body, "context_management"), field(body, "stop_sequences"), format])
        if (isSet(node)) yield at(node, "cannot be combined with compaction");
      if (choice === "any" || choice === "tool") yield at(body, "tool_choice cannot be combined with compaction");
    },
  },
  {
    id: "summary-leads",
    source:
      "https://platform.claude.com/docs/en/build-with-claude/compaction-on-demand (read 2026-11-29: the signed block is the first content of the first message, and the only one)",
    *check({ messages, blocks }) {
      const summaries = blocks.filter(({ type }) => type === "compaction");
      const [opening] = messages;
      const first = opening === undefined ? undefined : blocksOf(field(opening, "content"))[0];
      for (const { node } of summaries)
        if (node.at !== first?.node.at) yield at(node, "a compaction block comes first in messages, once");
      for (const { node } of summaries)
        for (const key of ["content", "signature"] as const)
          if (textOf(field(node, key)) === null) yield at(node, `compaction.${key}: Field required`);
    },
  },
  {
    id: "tool-result-content",
    source: "@anthropic-ai/sdk 1.12.0, ToolResultBlockParam: a string or blocks; is_error a boolean",
    *check({ blocks }) {
      for (const { type, node } of blocks) {
        if (type !== "tool_result") continue;
        const [content, isError] = [field(node, "content"), field(node, "is_error")];
        if (isSet(content) && textOf(content) === null && !Array.isArray(content.value))
          yield at(content, "content: Input should be a valid string or list");
        if (isSet(isError) && typeof isError.value !== "boolean")
          yield at(isError, "is_error: Input should be a valid boolean");
        for (const inside of blocksOf(content))
          if (!INSIDE_RESULT.includes(inside.type)) yield at(inside.node, `\`${inside.type}\` is not allowed in a tool_result`);
      }
    },
  },
  {
    id: "error-has-content",
    source: "https://github.com/jlevy/markform/issues/153",
    *check({ blocks }) {
      for (const { type, node } of blocks)
        if (type === "tool_result" && field(node, "is_error").value === true && blocksOf(field(node, "content")).length === 0)
          yield at(node, "content cannot be empty if `is_error` is true");
    },
  },
  {
    id: "image-source",
    source: "https://platform.claude.com/docs/en/build-with-claude/vision (base64 JPEG, PNG, GIF, WebP, or an https URL)",
    *check({ blocks }) {
      for (const { type, node } of blocks) if (type === "image") yield* imageFaults(field(node, "source"));
    },
  },
  {
    id: "cache-shape",
    source: "@anthropic-ai/sdk 1.12.0, CacheControlEphemeral: type ephemeral, ttl 5m or 1h",
    *check(request) {
      for (const node of breakpointsOf(request)) {
        if (fieldText(node, "type") !== "ephemeral") yield at(node, "cache_control.type: Input should be 'ephemeral'");
        const ttl = field(node, "ttl");
        if (isSet(ttl) && ttl.value !== "5m" && ttl.value !== "1h")
          yield at(ttl, "cache_control.ttl: Input should be '5m' or '1h'");
      }
    },
  },
];

function* imageFaults(source: JsonNode): Iterable<{ at: string; message: string }> {
  const type = fieldText(source, "type");
  if (type === "base64") {
    if (!IMAGE_TYPES.includes(fieldText(source, "media_type")))
      yield at(field(source, "media_type"), `Input should be ${IMAGE_TYPES.join(", ")}`);
    if (!BASE64.test(fieldText(source, "data"))) yield at(field(source, "data"), "invalid base64 data");
  } else if (type === "url") {
    if (!/^https?:\/\//.test(fieldText(source, "url"))) yield at(field(source, "url"), "Only HTTPS URLs are supported");
  } else if (type !== "file") yield at(source, "Input tag should be base64, url or file");
}
