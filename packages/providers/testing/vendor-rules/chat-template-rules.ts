import { type ChatRequest, roleOf } from "./chat-request.ts";
import { field, isFields, textOf } from "./json-node.ts";
import { at, type VendorRule } from "./vendor-rule.ts";

/** Rules of chat templates on top of Chat Completions: Mistral's servers, and vLLM and llama.cpp with such a template. */
export const CHAT_TEMPLATE_RULES: readonly VendorRule<ChatRequest>[] = [
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
