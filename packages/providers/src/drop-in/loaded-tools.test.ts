import { PLIMSOLL_POLICY, PRESETS } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { anthropicAnswer } from "../../testing/array-drop-ins.ts";
import { createMessagesCompactor } from "./anthropic.ts";
import { createItemsCompactor } from "./openai-responses.ts";

const LINES = "a line of the chart that was read\n".repeat(60);
const limits = { contextWindowTokens: 8_000, maxOutputTokens: 500 };
const reference = { type: "tool_reference", tool_name: "plot_route" };
const call = (id: string, name: string) => ({ type: "tool_use", id, name, input: {} });
const answer = (id: string, content: unknown) => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content }],
});
const steps = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => [
    { role: "assistant", content: [call(`${name}${index}`, name)] },
    answer(`${name}${index}`, LINES),
  ]).flat();

/** Searches that load a tool: the client's, and the server's in the model's own reply. */
const SEARCHES = {
  client: [{ role: "assistant", content: [call("s", "ToolSearch")] }, answer("s", [reference])],
  server: [
    {
      role: "assistant",
      content: [
        { type: "server_tool_use", id: "srv", name: "tool_search_tool_bm25", input: { query: "route" } },
        {
          type: "tool_search_tool_result",
          tool_use_id: "srv",
          content: { type: "tool_search_tool_search_result", tool_references: [reference] },
        },
        call("u", "plot_route"),
      ],
    },
    answer("u", "ok"),
  ],
};
const POLICIES = PRESETS.filter(({ enabled }) => enabled).map((policy) => [policy.name, policy] as const);
const asked = { role: "user", content: "Plot a route." };

describe.each(POLICIES)("a cut of %s", (_, policy) => {
  test.each(Object.entries(SEARCHES))(
    "keeps the reference of a tool that is called, of a %s's search",
    async (_name, search) => {
      const compactor = createMessagesCompactor({ policy, limits });
      const before = [asked, ...search, ...steps(3, "plot_route")];
      for (const count of [4, 8, 14, 20]) {
        const items = [...before, ...steps(count, "plot_route")] as never[];
        const sent = JSON.stringify(await compactor.fit(items));
        expect([count, count < 20 || sent.length < JSON.stringify(items).length]).toEqual([count, true]);
        expect(sent.split('"tool_reference"')).toHaveLength(2);
      }
    },
  );

  test("lets the reference of a tool go that is not", async () => {
    const compactor = createMessagesCompactor({ policy, limits });
    const items = [asked, ...SEARCHES.client, ...steps(20, "read")] as never[];
    expect(JSON.stringify(await compactor.fit(items))).not.toContain('"tool_reference"');
  });

  test("keeps the list of a tool that is called, on Responses", async () => {
    const compactor = createItemsCompactor({ policy, limits });
    const called = Array.from({ length: 20 }, (_step, index) => [
      { type: "function_call", call_id: `c${index}`, name: "plot_route", arguments: "{}" },
      { type: "function_call_output", call_id: `c${index}`, output: LINES },
    ]).flat();
    const tools = [
      { type: "function", name: "plot_route", description: "Plots.", parameters: { type: "object" }, strict: null },
    ];
    const items = [
      { role: "user", content: "Plot a route." },
      { type: "tool_search_call", call_id: "t", execution: "client", arguments: { query: "route" } },
      { type: "tool_search_output", call_id: "t", execution: "client", status: "completed", tools },
      ...called,
    ] as never[];
    expect(JSON.stringify(await compactor.fit(items))).toContain('"tool_search_output"');
  });
});

test("a search of the server is expected to cost a tool", async () => {
  const limits = { contextWindowTokens: 200_000, maxOutputTokens: 4_000 };
  const expected = async (reply: readonly object[]) => {
    const compactor = createMessagesCompactor({ policy: PLIMSOLL_POLICY, limits });
    await compactor.observe(await compactor.fit([asked] as never[]), anthropicAnswer("a", 2_000));
    return compactor.expectedTokens(await compactor.fit([asked, ...reply] as never[])) ?? 0;
  };
  const [found, ok] = SEARCHES.server;
  const plain = await expected([{ role: "assistant", content: found?.content.slice(2) }, ok ?? {}]);
  expect((await expected(SEARCHES.server)) - plain).toBe(1_200);
});
