import { PLIMSOLL_POLICY, PRESETS } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { anthropicAnswer } from "../../testing/array-drop-ins.ts";
import { type FormName, stepItems } from "../../testing/item-forms.ts";
import { createMessagesCompactor } from "./anthropic.ts";
import { createItemsCompactor } from "./openai-responses.ts";

const LINES = "a line of the chart that was read\n".repeat(60);
const limits = { contextWindowTokens: 8_000, maxOutputTokens: 500 };
const reference = { type: "tool_reference", tool_name: "plot_route" };
const steps = (wire: FormName, count: number, name: string) =>
  Array.from({ length: count }, (_, at) => stepItems(wire, { id: `${name}${at}`, name, result: LINES })).flat();

/** Searches that load a tool: the client's, and the server's in the model's own reply. */
const SEARCHES = {
  client: stepItems("anthropic", { id: "s", name: "ToolSearch", result: [reference] }),
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
        { type: "tool_use", id: "u", name: "plot_route", input: {} },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "u", content: "ok" }] },
  ],
};
const POLICIES = PRESETS.filter(({ enabled }) => enabled).map((policy) => [policy.name, policy] as const);
const asked = { role: "user", content: "Plot a route." };

describe.each(POLICIES)("a cut of %s", (_, policy) => {
  test.each(Object.entries(SEARCHES))(
    "keeps the reference of a tool that is called, of a %s's search",
    async (_name, search) => {
      const compactor = createMessagesCompactor({ policy, limits });
      const before = [asked, ...search, ...steps("anthropic", 3, "plot_route")];
      for (const count of [4, 8, 14, 20]) {
        const items = [...before, ...steps("anthropic", count, "plot_route")] as never[];
        const sent = JSON.stringify(await compactor.fit(items));
        expect([count, count < 20 || sent.length < JSON.stringify(items).length]).toEqual([count, true]);
        expect(sent.split('"tool_reference"')).toHaveLength(2);
      }
    },
  );

  test("lets the reference of a tool go that is not", async () => {
    const compactor = createMessagesCompactor({ policy, limits });
    const items = [asked, ...SEARCHES.client, ...steps("anthropic", 20, "read")] as never[];
    expect(JSON.stringify(await compactor.fit(items))).not.toContain('"tool_reference"');
  });

  test("keeps the list of a tool that is called, on Responses", async () => {
    const compactor = createItemsCompactor({ policy, limits });
    const tools = [
      { type: "function", name: "plot_route", description: "Plots.", parameters: { type: "object" }, strict: null },
    ];
    const items = [
      { role: "user", content: "Plot a route." },
      { type: "tool_search_call", call_id: "t", execution: "client", arguments: { query: "route" } },
      { type: "tool_search_output", call_id: "t", execution: "client", status: "completed", tools },
      ...steps("openai-responses", 20, "plot_route"),
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
