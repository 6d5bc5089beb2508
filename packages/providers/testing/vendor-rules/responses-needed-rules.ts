import { field, fieldText, isGiven, isSet } from "./json-node.ts";
import type { InputItem, ResponsesRequest } from "./responses-request.ts";
import { at, type VendorRule } from "./vendor-rule.ts";

/** Calls that a client answers, and what answers them: the SDK's types with a call_id. A shell call is answered by a function's output, too, as Codex does. */
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

const wordsOf = (type: string): string => type.split("_").join(" ");

/** Items that a model's reply is made of. */
const isReplied = ({ type, node }: InputItem): boolean =>
  type === "message" ? fieldText(node, "role") === "assistant" : type !== "reasoning" && !type.endsWith("_output");

/** Items of a Responses request that need another one: calls and outputs, reasoning and what follows it. */
export const RESPONSES_NEEDED_RULES: readonly VendorRule<ResponsesRequest>[] = [
  {
    id: "call-answered",
    source:
      "https://github.com/bytedance/trae-agent/issues/245 (No tool output found for function call), https://github.com/diegosouzapw/OmniRoute/issues/8946 (for custom tool call), https://github.com/openai/openai-agents-python/pull/1855 (for local shell call)",
    *check({ items }) {
      const answered = new Set(
        items.filter(({ type }) => OUTPUTS.has(type)).map(({ type, node }) => `${type} ${fieldText(node, "call_id")}`),
      );
      for (const { type, node } of items) {
        const id = fieldText(node, "call_id");
        const isAnswered = ANSWERS[type]?.some((output) => answered.has(`${output} ${id}`)) ?? true;
        if (id !== "" && !isAnswered) yield at(node, `No tool output found for ${wordsOf(type)} ${id}.`);
      }
    },
  },
  {
    id: "output-called",
    source: "https://github.com/continuedev/continue/issues/10092 (No tool call found for function call output with call_id)",
    *check({ items, goesOn }) {
      const called = new Set<string>();
      // An item that is named by reference alone may be any call.
      let hidden = goesOn ? Number.POSITIVE_INFINITY : 0;
      for (const { type, node } of items) {
        const id = fieldText(node, "call_id");
        for (const output of ANSWERS[type] ?? []) called.add(`${output} ${id}`);
        if (type === "item_reference") hidden += 1;
        if (!OUTPUTS.has(type) || id === "" || called.has(`${type} ${id}`)) continue;
        if (hidden > 0) hidden -= 1;
        else yield at(node, `No tool call found for ${wordsOf(type)} with call_id ${id}.`);
      }
    },
  },
  {
    id: "reasoning-followed",
    source:
      "https://github.com/openai/openai-node/issues/1567 (of type 'reasoning' was provided without its required following item)",
    *check({ items }) {
      for (const [index, { type, id, node }] of items.entries()) {
        const next = items[index + 1];
        const isFollowed = next !== undefined && (next.type === "reasoning" || isReplied(next));
        // The vendor's error names an id: of reasoning without one it is not known to ask for more.
        if (type === "reasoning" && id !== "" && !isFollowed)
          yield at(node, `Item '${id}' of type 'reasoning' was provided without its required following item.`);
      }
    },
  },
  {
    id: "reasoning-before",
    source: "https://github.com/cline/cline/issues/12242 ('function_call' was provided without its required 'reasoning' item)",
    *check({ items, goesOn, reasonedBy }) {
      const given = new Set(items.map(({ id }) => id));
      for (const { type, id, node } of items) {
        const reasoning = reasonedBy.get(id);
        if (reasoning !== undefined && !given.has(reasoning) && !goesOn)
          yield at(node, `Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${reasoning}'.`);
      }
    },
  },
  {
    id: "store-off",
    source: "https://github.com/vercel/ai/issues/7543 (Items are not persisted when `store` is set to false)",
    *check({ body, items }) {
      if (field(body, "store").value !== false) return;
      for (const { type, id, node } of items) {
        const isBare = type === "reasoning" && !isGiven(field(node, "encrypted_content"));
        if (type === "item_reference" || (isBare && isSet(field(node, "id"))))
          yield at(node, `Item with id '${id}' not found.`);
      }
    },
  },
];

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
