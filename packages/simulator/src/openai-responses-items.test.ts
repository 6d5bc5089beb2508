import { expect, test } from "vitest";
import { simulatorWith } from "../testing/simulator-with.ts";
import { recordAt, stringAt } from "./fields.ts";
import { encryptedReasoning } from "./openai-responses-items.ts";
import type { Simulator } from "./simulator.ts";

const SAID = { type: "message", role: "assistant", content: [{ type: "output_text", text: "well", annotations: [] }] };
const GO = { role: "user", content: "go" };
const REASONING = { type: "reasoning", summary: [], encrypted_content: encryptedReasoning("rs_1") };
const CALL = { type: "function_call", call_id: "a", name: "f", arguments: "{}" };
const OUTPUT = { type: "function_call_output", call_id: "a", output: "x" };
const CUSTOM = { type: "custom_tool_call", call_id: "c", name: "apply_patch", input: "*** Begin Patch" };
const CUSTOM_OUTPUT = { type: "custom_tool_call_output", call_id: "c", output: "Done." };
const SHELL = {
  type: "local_shell_call",
  id: "lsh_1",
  call_id: "s",
  status: "completed",
  action: { type: "exec", command: ["ls"] },
};

async function post(simulator: Simulator, input: unknown): Promise<{ status: number; message: string | null }> {
  const headers = { authorization: "Bearer key" };
  const body = JSON.stringify({ model: "m", store: false, input });
  const response = await fetch(`${simulator.url}/v1/responses`, { method: "POST", headers, body });
  const answer: unknown = await response.json();
  return { status: response.status, message: stringAt(recordAt(answer, "error"), "message") };
}

test.each<[string, readonly unknown[]]>([
  ["reasoning without an id", [GO, REASONING, CALL, OUTPUT]],
  ["reasoning with the id null", [GO, { ...REASONING, id: null }, CALL, OUTPUT]],
  ["a call under its id behind its reasoning without an id", [GO, REASONING, { ...CALL, id: "fc_1_after_rs_1" }, OUTPUT]],
  ["reasoning without an id that a person spoke after", [GO, REASONING, GO]],
  ["a call in a namespace", [GO, { ...CALL, namespace: "mcp__files" }, OUTPUT]],
  ["a custom call with its output", [GO, CUSTOM, CUSTOM_OUTPUT]],
  ["a custom call behind its reasoning", [GO, REASONING, CUSTOM, CUSTOM_OUTPUT]],
  ["a custom output of parts", [GO, CUSTOM, { ...CUSTOM_OUTPUT, output: [{ type: "input_text", text: "Done." }] }]],
  ["a custom call with several outputs", [GO, CUSTOM, CUSTOM_OUTPUT, { ...CUSTOM_OUTPUT, name: "exec", output: "half way" }]],
  ["a change of the configuration", [{ type: "configuration_update", tools: [] }, GO]],
  ["tools that an item adds", [{ type: "additional_tools", role: "developer", tools: [] }, GO]],
  ["a shell call with its output", [GO, SHELL, { type: "local_shell_call_output", call_id: "s", output: "a.txt" }]],
  ["a shell call that a function's output answers", [GO, SHELL, { ...OUTPUT, call_id: "s" }]],
  [
    "a search for tools that the client made",
    [
      GO,
      { type: "tool_search_call", call_id: "t", execution: "client", arguments: { query: "files" } },
      { type: "tool_search_output", call_id: "t", execution: "client", tools: [] },
    ],
  ],
  [
    "a search for tools that the server made",
    [
      GO,
      { type: "tool_search_call", id: "ts_1", call_id: null, execution: "server", arguments: {} },
      { type: "tool_search_output", id: "tso_1", call_id: null, execution: "server", tools: [] },
      SAID,
    ],
  ],
  ["a search on the web", [GO, { type: "web_search_call", id: "ws_1", status: "completed", action: {} }, SAID]],
  ["reasoning before a search on the web", [GO, REASONING, { type: "web_search_call", id: "ws_1", action: {} }, SAID]],
  ["a compaction of the server", [{ type: "compaction", encrypted_content: "x" }, GO]],
])("takes %s", async (_, input) => {
  expect(await post(await simulatorWith(), input)).toEqual({ status: 200, message: null });
});

test.each<[string, readonly unknown[], string]>([
  [
    "reasoning without an id whose content nobody gave",
    [GO, { ...REASONING, encrypted_content: "mine" }, CALL, OUTPUT],
    "The encrypted content for item  could not be verified.",
  ],
  [
    "reasoning under another's id",
    [GO, { ...REASONING, id: "rs_2" }, CALL, OUTPUT],
    "The encrypted content for item rs_2 could not be verified.",
  ],
  ["a custom call without an output", [GO, CUSTOM, GO], "No tool output found for custom tool call c."],
  ["a function's second output", [GO, CALL, OUTPUT, OUTPUT], "No tool call found for function call output with call_id a."],
  ["a shell call without an output", [GO, SHELL, GO], "No tool output found for local shell call s."],
  ["a custom output without a call", [GO, CUSTOM_OUTPUT], "No tool call found for custom tool call output with call_id c."],
  [
    "a custom call that a function's output answers",
    [GO, CUSTOM, { ...OUTPUT, call_id: "c" }],
    "No tool call found for function call output with call_id c.",
  ],
  [
    "a custom call without its input",
    [GO, { ...CUSTOM, input: undefined }, CUSTOM_OUTPUT],
    "Missing required parameter: 'input[1].input'.",
  ],
  ["a type that does not exist", [GO, { type: "tool_use", id: "x" }], "Invalid value: 'tool_use'."],
])("refuses %s", async (_, input, message) => {
  expect(await post(await simulatorWith(), input)).toEqual({ status: 400, message });
});

test("items of every kind are counted by what is in them", async () => {
  const simulator = await simulatorWith();
  const text = "word ".repeat(1_000);
  await post(simulator, [GO]);
  await post(simulator, [GO, { ...CUSTOM, input: text }, { ...CUSTOM_OUTPUT, output: text }]);
  await post(simulator, [GO, { type: "web_search_call", id: "ws_1", action: { type: "search", query: text } }, SAID]);
  const [alone = 0, custom = 0, searched = 0] = simulator.exchanges().map(({ promptTokens }) => promptTokens ?? 0);
  expect(custom - alone).toBeGreaterThan(2 * 1_250);
  expect(searched - alone).toBeGreaterThan(1_250);
});
