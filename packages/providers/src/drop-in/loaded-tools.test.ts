import { PLIMSOLL_POLICY, PRESETS } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { anthropicAnswer, responsesAnswer } from "../../testing/array-drop-ins.ts";
import { createMessagesCompactor } from "./anthropic.ts";
import type { ArrayCompactor } from "./array-compactor.ts";
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

const PLOT = { type: "function", name: "plot_route", description: "Plots.", parameters: { type: "object" }, strict: null };
const serverItems = [
  { type: "tool_search_call", call_id: null, execution: "server", arguments: { paths: ["maps"] } },
  { type: "tool_search_output", call_id: null, execution: "server", status: "completed", tools: [PLOT] },
  { type: "function_call", call_id: "u", name: "plot_route", arguments: "{}" },
  { type: "function_call_output", call_id: "u", output: "ok" },
];

/** The expected tokens after a report of 2,000, less those without the search. */
async function expectedOf<Item, Answer>(
  open: () => ArrayCompactor<Item, Answer>,
  {
    items,
    plain,
    answer,
  }: { items: readonly object[]; plain: readonly object[]; answer: (id: string, tokens: number) => Answer },
): Promise<number> {
  const expected = async (reply: readonly object[]) => {
    const compactor = open();
    const before = [{ role: "user", content: "Plot a route." }] as Item[];
    await compactor.observe(await compactor.fit(before), answer("a", 2_000));
    return compactor.expectedTokens(await compactor.fit([...before, ...(reply as Item[])])) ?? 0;
  };
  return (await expected(items)) - (await expected(plain));
}

const wide = { policy: PLIMSOLL_POLICY, limits: { contextWindowTokens: 200_000, maxOutputTokens: 4_000 } };
const [found, ok] = SEARCHES.server;
test.each<[string, number, number, () => Promise<number>]>([
  [
    "Messages, a tool's assumed size",
    1_200,
    1_200,
    () =>
      expectedOf(() => createMessagesCompactor(wide), {
        items: SEARCHES.server,
        plain: [{ role: "assistant", content: found?.content.slice(2) }, ok ?? {}],
        answer: anthropicAnswer,
      }),
  ],
  [
    "Responses, the definitions that it sends back",
    30,
    100,
    () =>
      expectedOf(() => createItemsCompactor(wide), {
        items: serverItems,
        plain: serverItems.slice(2),
        answer: responsesAnswer,
      }),
  ],
])("a search of the server is expected to cost the tools that it loads: %s", async (_, least, most, cost) => {
  const tokens = await cost();
  expect(tokens).toBeGreaterThanOrEqual(least);
  expect(tokens).toBeLessThanOrEqual(most);
});
