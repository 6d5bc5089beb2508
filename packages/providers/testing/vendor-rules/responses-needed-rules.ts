import { fieldText } from "./json-node.ts";
import type { ResponsesRequest } from "./responses-request.ts";
import { at, type VendorRule } from "./vendor-rule.ts";

/** Calls that a client answers, and the types of their answers: the SDK's types with a call_id. A shell call is answered by a function's output, too, as Codex does. */
const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  function_call: ["function_call_output"],
  custom_tool_call: ["custom_tool_call_output"],
  local_shell_call: ["local_shell_call_output", "function_call_output"],
  shell_call: ["shell_call_output"],
  apply_patch_call: ["apply_patch_call_output"],
  computer_call: ["computer_call_output"],
  tool_search_call: ["tool_search_output"],
};
const OUTPUTS = new Set(Object.values(ANSWERS).flat());

/** On servers that number their calls anew an id may name two calls, one after the other. */
export const RESPONSES_AGAIN_RULES: readonly VendorRule<ResponsesRequest>[] = [
  {
    id: "call-answered-in-place",
    source:
      "https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/chat_utils.py (make_tool_call_id: servers give an id again), so that an output is of the call before it",
    *check({ items }) {
      const open = new Set<string>();
      for (const { type, node } of items) {
        const id = fieldText(node, "call_id");
        if (id === "") continue;
        if (OUTPUTS.has(type)) open.delete(id);
        else if (ANSWERS[type] !== undefined && open.has(id))
          yield at(node, `the call before it with the id ${id} has no output yet`);
        else if (ANSWERS[type] !== undefined) open.add(id);
      }
    },
  },
];
