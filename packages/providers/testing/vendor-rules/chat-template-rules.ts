import { type ChatRequest, roleOf } from "./chat-request.ts";
import { field, isFields, itemsOf, textOf } from "./json-node.ts";
import { at, type VendorRule } from "./vendor-rule.ts";

/** Rules of chat templates on top of Chat Completions: Mistral's servers, and vLLM and llama.cpp with such a template. */
export const CHAT_TEMPLATE_RULES: readonly VendorRule<ChatRequest>[] = [
  {
    id: "template-system-first",
    source: "https://github.com/suitenumerique/conversations/issues/197 (templates take one system message, in front)",
    *check({ messages }) {
      for (const node of messages.slice(1))
        if (["system", "developer"].includes(roleOf(node))) yield at(node, "the one system message stands in front");
    },
  },
  {
    id: "template-alternate",
    source: "https://github.com/vllm-project/vllm/issues/6862 and https://github.com/lemonade-sdk/lemonade/issues/1420",
    *check({ messages }) {
      const isTurn = (role: string, hasCalls: boolean): boolean => role === "user" || (role === "assistant" && !hasCalls);
      const turns = messages.filter((node) => isTurn(roleOf(node), itemsOf(field(node, "tool_calls")).length > 0));
      for (const [index, node] of turns.entries())
        if (roleOf(node) !== (index % 2 === 0 ? "user" : "assistant")) {
          yield at(
            node,
            "After the optional system message, conversation roles must alternate user/assistant/user/assistant/...",
          );
          return;
        }
    },
  },
  {
    id: "template-after-tool",
    source: "https://github.com/aliou/pi-neuralwatt/issues/12 (Unexpected role 'user' after role 'tool')",
    *check({ messages }) {
      for (const [index, node] of messages.entries()) {
        const before = messages[index - 1];
        if (roleOf(node) === "user" && before !== undefined && roleOf(before) === "tool")
          yield at(node, "Unexpected role 'user' after role 'tool'");
      }
    },
  },
  {
    id: "template-last-role",
    source: "https://github.com/0xPlaygrounds/rig/pull/1130 (Expected last role User or Tool for serving but got assistant)",
    *check({ messages }) {
      const last = messages.at(-1);
      if (last !== undefined && !["user", "tool"].includes(roleOf(last)))
        yield at(last, `Expected last role User or Tool but got ${roleOf(last)}`);
    },
  },
  {
    id: "template-arguments",
    source: "https://docs.vllm.ai/en/latest/features/tool_calling.html (templates render the parsed arguments)",
    *check({ rounds }) {
      for (const call of rounds.flatMap(({ calls }) => calls)) {
        const node = field(field(call, "function"), "arguments");
        if (!isObjectText(textOf(node))) yield at(node, "the arguments are no JSON object");
      }
    },
  },
];

function isObjectText(text: string | null): boolean {
  try {
    return isFields(JSON.parse(text ?? ""));
  } catch {
    // Text that is no JSON at all is the other way of not being a JSON object.
    return false;
  }
}
